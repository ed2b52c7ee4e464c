// Prefix sums of 64 bits in 32 lanes, for rows that differ in what they cost. Included by plain.cpp and avx2.cpp in
// namespaces of their own: the compiler makes vectors of the loops over eight lanes.

/// One side of a cut. With ties, a lane may have no place for a cut.
template <bool ties>
inline CostExtremes cost_extremes_of(const ExtremesTask& task, bool left) {
    constexpr std::int64_t largest = 0x7FFF'FFFF'FFFF'FFFF;
    constexpr std::size_t first_lane[4] = {0, 16, 8, 24};  // of each eight ranks: see wide_slot
    std::int64_t sum[rows_per_block] = {}, least[rows_per_block], most[rows_per_block];
    for (std::size_t lane = 0; lane < rows_per_block; ++lane) least[lane] = largest, most[lane] = -largest;
    const std::int64_t flip = left ? -1 : 0;
    const auto cut = static_cast<std::int16_t>(task.cut);
    for (std::size_t v = 0; v < task.blocks; ++v) {
        const std::int16_t* const rank = static_cast<const std::int16_t*>(task.rank) + v * rows_per_block;
        const std::int64_t* const step = task.step + v * rows_per_block;
        for (std::size_t eight = 0; eight < 4; ++eight) {
            const std::size_t lane = first_lane[eight];
            for (std::size_t i = 0; i < 8; ++i) {
                const std::int64_t above = rank[8 * eight + i] > cut ? -1 : 0;
                const std::int64_t now = sum[lane + i] += step[lane + i] & (above ^ flip);
                std::int64_t low = now, high = now;
                if constexpr (ties) {
                    const bool tied = task.tied[v * rows_per_block + lane + i] != 0;
                    low = tied ? largest : now;
                    high = tied ? -largest : now;
                }
                least[lane + i] = low < least[lane + i] ? low : least[lane + i];
                most[lane + i] = high > most[lane + i] ? high : most[lane + i];
            }
        }
    }
    CostExtremes found;
    std::int64_t before = 0;
    for (std::size_t lane = 0; lane < rows_per_block; ++lane) {
        if (least[lane] != largest && before + least[lane] < found.least) found.least = before + least[lane];
        if (most[lane] != -largest && before + most[lane] > found.most) found.most = before + most[lane];
        before += sum[lane];
    }
    return found;
}

inline void cost_extremes(const ExtremesTask& task, CostExtremes* left, CostExtremes* right) {
    if (task.left)
        *left = task.tied ? cost_extremes_of<true>(task, true) : cost_extremes_of<false>(task, true);
    if (task.right)
        *right = task.tied ? cost_extremes_of<true>(task, false) : cost_extremes_of<false>(task, false);
}
