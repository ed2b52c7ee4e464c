// Kernels for thresholds drawn at random. Included by plain.cpp and avx2.cpp, each in a namespace of its own.

/// Finds the smallest and the largest of n numbers and counts how many are not NaN; NaN is skipped. The eight lanes let
/// the compiler use vector instructions.
void value_ends(const double* x, std::size_t n, double* smallest, double* largest, std::size_t* known) {
    constexpr std::size_t lanes = 8;
    double low[lanes], high[lanes];
    std::int64_t count[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        low[lane] = __builtin_huge_val();  // std::numeric_limits would be an inline function
        high[lane] = -__builtin_huge_val();
        count[lane] = 0;
    }
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double value = x[i + lane];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
            count[lane] += value == value;
        }
    for (; i < n; ++i) {
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
        count[0] += x[i] == x[i];
    }
    for (std::size_t lane = 1; lane < lanes; ++lane) {
        low[0] = low[lane] < low[0] ? low[lane] : low[0];
        high[0] = high[lane] > high[0] ? high[lane] : high[0];
        count[0] += count[lane];
    }
    *smallest = low[0];
    *largest = high[0];
    *known = static_cast<std::size_t>(count[0]);
}

/// Writes 1 to above[i] if x[i] is above the cut, and 0 otherwise.
void values_above(const double* x, std::size_t n, double cut, std::uint32_t* above) {
    for (std::size_t i = 0; i < n; ++i) above[i] = x[i] > cut ? 1 : 0;
}

/// Finds the smallest and the largest of n ranks; n is at least 1.
void rank_ends(const std::uint32_t* ranks, std::size_t n, std::uint32_t* smallest, std::uint32_t* largest) {
    std::uint32_t low = ranks[0], high = ranks[0];
    for (std::size_t i = 1; i < n; ++i) {
        low = ranks[i] < low ? ranks[i] : low;
        high = ranks[i] > high ? ranks[i] : high;
    }
    *smallest = low;
    *largest = high;
}
