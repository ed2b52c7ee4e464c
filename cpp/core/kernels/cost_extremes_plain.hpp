// The smallest and largest prefix sums of the costs of rows, row by row. Included by plain.cpp in a namespace of its
// own.

inline void cost_extremes(const ExtremesTask& task, CostExtremes* left, CostExtremes* right) {
    std::int64_t sums[2] = {0, 0};
    CostExtremes found[2];
    for (std::size_t lane = 0; lane < rows_per_block; ++lane) {
        for (std::size_t v = 0; v < task.blocks; ++v) {
            const std::size_t at = v * rows_per_block + lane;
            const std::int32_t rank =
                static_cast<const std::int16_t*>(task.rank)[v * rows_per_block + wide_slot(lane)];
            const std::size_t side = rank > task.cut ? 1 : 0;
            sums[side] += task.step[at];
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
