// The cost of every cut of features whose rows are counted by value. Included by plain.cpp and avx2.cpp, each in a
// namespace of its own.
//
//     feature           0        |      1
//     slot         -  v0  v1  v2 |  -  u0  u1       '-' = missing values; either there are none, or the caller does not
//     of[0]        0   5   0   2 |  0   3   4             use the costs of this feature
//     of[1]        0   0   3   3 |  0   6   0       rows of each class with each value
//     cut              after v0, after v1 ...
//
// The classes are processed one after the other. The running counts of a class are added to sums over all classes:
//
//     below      rows of this class up to the slot, within its feature
//     left       rows of all classes up to the slot
//     inside     sum over classes of below^2
//     outside    sum over classes of (total - below)^2
//
// These are integers below 2^53, so doubles hold them exactly, whatever the order of additions. A cut with no row on
// one side divides by zero and costs NaN, which never compares as less than another cost.

inline void running_counts(const std::uint32_t* of, std::size_t slots, std::int32_t* up_to) {
    std::uint32_t sum = 0;
    for (std::size_t s = 0; s < slots; ++s) up_to[s] = static_cast<std::int32_t>(sum += of[s]);
}

/// Any number of classes. `space` has room for four doubles per slot.
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

/// Two classes: 2 a b / n on each side, with the same operations as the sweep over sorted rows, so that the costs have
/// the same bits.
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
