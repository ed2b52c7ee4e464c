// What every cut of counted columns costs. Included by plain.cpp and avx2.cpp, each in a namespace of its own.
//
//     column            0        |      1
//     slot         -  v0  v1  v2 |  -  u0  u1       '-' = missing cells: there are none, or the costs are not asked for
//     of[0]        0   5   0   2 |  0   3   4       rows of the first class with each value
//     of[1]        0   0   3   3 |  0   6   0       ... of the second
//     cut              after v0, after v1 ...
//
// Classes pass one after the other; running counts of a class turn into sums over classes, slot by slot:
//
//     below     rows of this class up to the slot, in its column
//     left      rows of all classes up to the slot
//     inside    sum over classes of below^2,  outside    of (total - below)^2
//
// These are whole numbers below 2^53, so doubles hold them exactly, in any order. A cut with nothing on one side costs
// NaN or infinity, which is less than nothing.

inline void running_counts(const std::uint32_t* of, std::size_t slots, std::int32_t* up_to) {
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < slots; ++s) up_to[s] = static_cast<std::int32_t>(sum += of[s]);
}

/// `space` has room for four numbers per slot.
inline void gini_costs(const ClassCounters& counters, double* cost, double* space) {
    const std::size_t slots = counters.slots;
    double* const left = space;
    double* const inside = space + slots;
    double* const outside = space + 2 * slots;
    std::int32_t* const up_to = reinterpret_cast<std::int32_t*>(space + 3 * slots);
    for (std::size_t s = 0; s < 3 * slots; ++s) space[s] = 0;
    for (std::size_t k = 0; k < counters.classes; ++k) {
        running_counts(counters.of[k], slots, up_to);
        const double total = counters.totals[k];
        for (std::size_t s = 0; s < slots; ++s) {
            const double below = up_to[s] - counters.before[s] * total;
            const double above = total - below;
            left[s] += below;
            inside[s] += below * below;
            outside[s] += above * above;
        }
    }
    for (std::size_t s = 0; s < slots; ++s) {
        const double right = counters.rows - left[s];
        cost[s] = (left[s] - inside[s] / left[s]) + (right - outside[s] / right);
    }
}

/// Two classes: 2 a b / n on each side, as the sweep over sorted rows computes it.
inline void gini_pair_costs(const ClassCounters& counters, double* cost, double* space) {
    const std::size_t slots = counters.slots;
    std::int32_t* const zeros = reinterpret_cast<std::int32_t*>(space);
    std::int32_t* const ones = zeros + slots;
    running_counts(counters.of[0], slots, zeros);
    running_counts(counters.of[1], slots, ones);
    for (std::size_t s = 0; s < slots; ++s) {
        const double a = zeros[s] - counters.before[s] * counters.totals[0];
        const double b = ones[s] - counters.before[s] * counters.totals[1];
        const double c = counters.totals[0] - a, d = counters.totals[1] - b;
        cost[s] = 2 * a * b / (a + b) + 2 * c * d / (c + d);
    }
}
