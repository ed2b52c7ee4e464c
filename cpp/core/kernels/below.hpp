/// A few rows, in no order: sums[i] is the sum of the weights of all rows whose key is below that of row i. Every pair is
/// compared, without a branch; no sort of so few rows is as quick. Keys are below 2^31. `n` is a multiple of 8.
void weights_below(const std::int32_t* keys, const std::uint32_t* weights, std::size_t n,
                   std::uint32_t* sums) {
    for (std::size_t begin = 0; begin < n; begin += 8) {
        std::uint32_t sum[8] = {};
        std::int32_t key[8];
        for (std::size_t lane = 0; lane < 8; ++lane) key[lane] = keys[begin + lane];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t lane = 0; lane < 8; ++lane) sum[lane] += key[lane] > keys[i] ? weights[i] : 0;
        for (std::size_t lane = 0; lane < 8; ++lane) sums[begin + lane] = sum[lane];
    }
}

/// How far cuts part two classes by Gini: the larger `lean^2 / (rows on the left * rows on the right)`, the less a cut costs,
/// where lean = zeros * ones on the left - ones * zeros on the left. 0: nothing is on one side.
inline double lean_of(double zeros, double ones, double left_zeros, double left_ones) {
    const double left = left_zeros + left_ones;
    const double lean = zeros * left_ones - ones * left_zeros;
    const double product = left * (zeros + ones - left);
    return lean * lean / (product > 0 ? product : 1);
}

/// Two classes in bins, zeros in the low half of each cell and ones in the high half. `left_zeros[b]` and `left_ones[b]`
/// count what lies before bin b; both have n + 1 numbers. `at_end[b]` is the lean of the cut after bin b, and
/// `inside[b]` is no less than that of any cut inside the bin: counts only rise from one end to the other, and the lean is
/// convex in them, so it is largest at a corner, where all rows of one class have come and none of the other.
void lean_bins(const std::uint64_t* cells, std::size_t n, double zeros, double ones, double* left_zeros,
               double* left_ones, double* at_end, double* inside) {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b <= n; ++b) {
        left_zeros[b] = static_cast<double>(static_cast<std::int32_t>(sum & 0x7fff'ffff));
        left_ones[b] = static_cast<double>(static_cast<std::int32_t>(sum >> 32));
        if (b < n) sum += cells[b];
    }
    for (std::size_t b = 0; b < n; ++b) {
        at_end[b] = lean_of(zeros, ones, left_zeros[b + 1], left_ones[b + 1]);
        const double only_zeros = lean_of(zeros, ones, left_zeros[b + 1], left_ones[b]);
        const double only_ones = lean_of(zeros, ones, left_zeros[b], left_ones[b + 1]);
        const double corner = only_zeros > only_ones ? only_zeros : only_ones;
        inside[b] = corner > at_end[b] ? corner : at_end[b];
    }
}

/// The leans of cuts below rows. Each of `sums` has the zeros on the left in its low half and the ones in its high half.
void leans_below(const std::uint32_t* sums, std::size_t n, double zeros, double ones, double* leans) {
    for (std::size_t i = 0; i < n; ++i)
        leans[i] = lean_of(zeros, ones, static_cast<double>(static_cast<std::int32_t>(sums[i] & 0xffff)),
                           static_cast<double>(static_cast<std::int32_t>(sums[i] >> 16)));
}
