/// A few rows, in no order: sums[i] is the sum of the weights of all rows whose key is below that of row i. Every pair is
/// compared, without a branch; no sort of so few rows is as quick. Keys are below 2^31. `n` is a multiple of 8.
void weights_below(const std::int32_t* keys, const std::uint32_t* weights, std::size_t n,
                   std::uint32_t* sums) {
    for (std::size_t begin = 0; begin < n; begin += 8) {
        std::uint32_t sum[8] = {};
        std::int32_t key[8];
        for (std::size_t lane = 0; lane < 8; ++lane) key[lane] = keys[begin + lane];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t lane = 0; lane < 8; ++lane)
                sum[lane] += key[lane] > keys[i] ? weights[i] : 0;
        for (std::size_t lane = 0; lane < 8; ++lane) sums[begin + lane] = sum[lane];
    }
}

/// Two classes: how far a cut below each row parts them, lean^2 / (rows on the left * rows on the right), where lean is
/// zeros * ones on the left - ones * zeros on the left. 0: nothing is on the left. Each of `sums` has the zeros on the
/// left in its low half and the ones in its high half.
void leans_below(const std::uint32_t* sums, std::size_t n, double zeros, double ones, double* leans) {
    const double all = zeros + ones;
    for (std::size_t i = 0; i < n; ++i) {
        const auto left_zeros = static_cast<double>(static_cast<std::int32_t>(sums[i] & 0xffff));
        const auto left_ones = static_cast<double>(static_cast<std::int32_t>(sums[i] >> 16));
        const double left = left_zeros + left_ones;
        const double lean = zeros * left_ones - ones * left_zeros;
        const double product = left * (all - left);
        leans[i] = lean * lean / (product > 0 ? product : 1);
    }
}
