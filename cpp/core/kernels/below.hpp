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
///
/// The products are exact where all rows together are fewer than 2^15 (`Number` is std::int32_t), and rounded to 53 bits
/// otherwise (double); the result is right but for five roundings to 24 bits.
template <class Number>
inline float lean_of(Number zeros, Number ones, Number left_zeros, Number left_ones) {
    const Number left = left_zeros + left_ones;
    const auto lean = static_cast<float>(zeros * left_ones - ones * left_zeros);
    const auto product = static_cast<float>(left * (zeros + ones - left));
    return lean * lean / (product > 0 ? product : 1);
}

/// Two classes in bins. `left_zeros[b]` and `left_ones[b]` count what lies before bin b; both have n + 1 numbers.
/// `at_end[b]` is the lean of the cut after bin b, and `inside[b]` is no less than that of any cut inside the bin:
/// counts only rise from one end to the other, and the lean is convex in them, so it is largest at a corner, where all
/// rows of one class have come and none of the other.
template <class Number>
inline void lean_counted_bins(std::size_t n, Number zeros, Number ones, const std::int32_t* left_zeros,
                              const std::int32_t* left_ones, float* at_end, float* inside) {
    for (std::size_t b = 0; b < n; ++b) {
        const auto zeros_before = static_cast<Number>(left_zeros[b]);
        const auto ones_before = static_cast<Number>(left_ones[b]);
        const auto zeros_after = static_cast<Number>(left_zeros[b + 1]);
        const auto ones_after = static_cast<Number>(left_ones[b + 1]);
        const float end = lean_of(zeros, ones, zeros_after, ones_after);
        const float only_zeros = lean_of(zeros, ones, zeros_after, ones_before);
        const float only_ones = lean_of(zeros, ones, zeros_before, ones_after);
        const float corner = only_zeros > only_ones ? only_zeros : only_ones;
        at_end[b] = end;
        inside[b] = corner > end ? corner : end;
    }
}

/// The largest of some numbers, or `least`.
inline float largest_of(const float* x, std::size_t n, float least) {
    float most[8];
    for (float& lane : most) lane = least;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
    for (; i < n; ++i) most[0] = x[i] > most[0] ? x[i] : most[0];
    for (const float lane : most) least = lane > least ? lane : least;
    return least;
}

/// The same from cells, which have zeros in their low half and ones in their high half. Returns the largest lean of a
/// border; `most_inside` becomes the largest inside a bin.
float lean_bins(const std::uint64_t* cells, std::size_t n, std::int32_t zeros, std::int32_t ones,
                std::int32_t* left_zeros, std::int32_t* left_ones, float* at_end, float* inside,
                float* most_inside) {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < n; ++b) {
        left_zeros[b] = static_cast<std::int32_t>(sum);
        left_ones[b] = static_cast<std::int32_t>(sum >> 32);
        sum += cells[b];
    }
    left_zeros[n] = zeros;
    left_ones[n] = ones;
    if (zeros + ones < 1 << 15)
        lean_counted_bins<std::int32_t>(n, zeros, ones, left_zeros, left_ones, at_end, inside);
    else
        lean_counted_bins<double>(n, zeros, ones, left_zeros, left_ones, at_end, inside);
    *most_inside = largest_of(inside, n, 0);
    return largest_of(at_end, n, 0);
}

/// The leans of cuts below a few rows; -1 where fewer than `least` rows are on one side. Each of `sums` has the zeros on
/// the left in its low half and the ones in its high half, and together they are fewer than 2^15. Returns the largest;
/// `n` is a multiple of 8.
float leans_below(const std::uint32_t* sums, std::size_t n, std::int32_t zeros, std::int32_t ones,
                  std::int32_t least, float* leans) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto left_zeros = static_cast<std::int32_t>(sums[i] & 0xffff);
        const auto left_ones = static_cast<std::int32_t>(sums[i] >> 16);
        const std::int32_t left = left_zeros + left_ones, right = zeros + ones - left;
        const float lean = lean_of<std::int32_t>(zeros, ones, left_zeros, left_ones);
        leans[i] = (left < right ? left : right) >= least ? lean : -1;
    }
    return largest_of(leans, n, -1);
}
