// What every cut of a counted column costs. Included by plain.cpp and avx2.cpp, each in a namespace of its own.
//
//     value        v0    v1    v2    v3           of[0]   5  0  2  1      rows of the first class with each value
//     cut          after v0, after v1 ...         of[1]   0  3  3  0      ... of the second
//
// Classes pass one after the other; running counts of a class turn into sums over classes, value by value:
//
//     below     rows of this class up to v
//     left      rows of all classes up to v
//     inside    sum over classes of below^2,  outside    of (total - below)^2
//
// These are whole numbers below 2^53, so doubles hold them exactly, in any order. A cut with nothing on one side costs
// NaN or infinity, which is less than nothing.

inline void running_counts(const std::uint32_t* of, std::size_t values, std::int32_t* below) {
    std::uint32_t sum = 0;
    for (std::size_t v = 0; v < values; ++v) below[v] = static_cast<std::int32_t>(sum += of[v]);
}

/// `space` has room for four numbers per value.
inline void gini_costs(const ClassCounters& counters, double* cost, double* space) {
    const std::size_t values = counters.values;
    double* const left = space;
    double* const inside = space + values;
    double* const outside = space + 2 * values;
    std::int32_t* const below = reinterpret_cast<std::int32_t*>(space + 3 * values);
    for (std::size_t v = 0; v < 3 * values; ++v) space[v] = 0;
    for (std::size_t k = 0; k < counters.classes; ++k) {
        running_counts(counters.of[k], values, below);
        const double total = counters.totals[k];
        for (std::size_t v = 0; v < values; ++v) {
            const double in = below[v];
            const double out = total - in;
            left[v] += in;
            inside[v] += in * in;
            outside[v] += out * out;
        }
    }
    for (std::size_t v = 0; v < values; ++v) {
        const double right = counters.rows - left[v];
        cost[v] = (left[v] - inside[v] / left[v]) + (right - outside[v] / right);
    }
}

/// Two classes: 2 a b / n on each side, as the sweep over sorted rows computes it.
inline void gini_pair_costs(const ClassCounters& counters, double* cost, double* space) {
    const std::size_t values = counters.values;
    std::int32_t* const zeros = reinterpret_cast<std::int32_t*>(space);
    std::int32_t* const ones = zeros + values;
    running_counts(counters.of[0], values, zeros);
    running_counts(counters.of[1], values, ones);
    for (std::size_t v = 0; v < values; ++v) {
        const double a = zeros[v], b = ones[v];
        const double c = counters.totals[0] - a, d = counters.totals[1] - b;
        cost[v] = 2 * a * b / (a + b) + 2 * c * d / (c + d);
    }
}
