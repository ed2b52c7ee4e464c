// The kernels of the counted search, row by row. Included by plain.cpp in a namespace of its own.

inline void side_extremes(const ExtremesTask& task, Extremes* left, Extremes* right) {
    std::int32_t sums[2] = {0, 0};
    Extremes found[2];
    for (std::size_t lane = 0; lane < rows_per_block; ++lane) {
        for (std::size_t v = 0; v < task.blocks; ++v) {
            const std::size_t at = v * rows_per_block + lane;
            const std::int32_t rank =
                task.wide ? static_cast<const std::int16_t*>(task.rank)[v * rows_per_block + wide_slot(lane)]
                          : static_cast<const std::int8_t*>(task.rank)[at];
            const std::size_t side = rank > task.cut ? 1 : 0;
            sums[side] += task.sign[at];
            if (task.tied && task.tied[at]) continue;
            for (std::size_t s = 0; s < 2; ++s) {
                if (sums[s] < found[s].least) found[s].least = sums[s];
                if (sums[s] > found[s].most) found[s].most = sums[s];
            }
        }
    }
    if (task.left) *left = found[0];
    if (task.right) *right = found[1];
}

/// Copies the classes and gives rows on the other side of a cut the class 255, which means outside.
inline void mark_outside(const std::int16_t* rank, const std::uint8_t* classes, std::size_t blocks,
                         std::int32_t cut, bool left, std::uint8_t* out) {
    for (std::size_t v = 0; v < blocks; ++v)
        for (std::size_t lane = 0; lane < rows_per_block; ++lane) {
            const bool is_left = rank[v * rows_per_block + wide_slot(lane)] <= cut;
            out[v * rows_per_block + lane] =
                is_left == left ? classes[v * rows_per_block + lane] : std::uint8_t{255};
        }
}

/// Writes one bit for each of 64 * words ranks: whether it is above the cut.
inline void bits_above(const std::uint16_t* rank, std::size_t words, std::uint16_t cut, std::uint64_t* out) {
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t bits = 0;
        for (std::size_t k = 0; k < 64; ++k) bits |= static_cast<std::uint64_t>(rank[64 * w + k] > cut) << k;
        out[w] = bits;
    }
}
