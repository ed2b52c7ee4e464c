// Kernels for splits of two classes by Gini that do not sort the rows. Included by plain.cpp and avx2.cpp, each in a
// namespace of its own.

/// Writes to sums[i] the total weight of all rows whose key is below that of row i. Rows may be in any order. All pairs
/// are compared without branches, which for a few rows is faster than sorting them. `n` is a multiple of 8.
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

/// Returns the lean of a cut: how well it separates two classes by Gini. The larger the lean, the lower the cost. With
///
///     d = zeros * left_ones - ones * left_zeros
///
/// the lean is d^2 / (rows on the left * rows on the right), or 0 if one side is empty.
///
/// With fewer than 2^15 rows the products are exact in std::int32_t; with more, `Number` is double, which rounds them
/// to 53 bits. Besides this, the result has five rounding errors of 24 bits (float).
template <class Number>
inline float lean_of(Number zeros, Number ones, Number left_zeros, Number left_ones) {
    const Number left = left_zeros + left_ones;
    const auto difference = static_cast<float>(zeros * left_ones - ones * left_zeros);
    const auto product = static_cast<float>(left * (zeros + ones - left));
    return difference * difference / (product > 0 ? product : 1);
}

/// Computes the leans of rows in n bins. `left_zeros[b]` and `left_ones[b]` count the rows before bin b; both have n +
/// 1 entries. `at_end[b]` is the lean of the cut after bin b.
///
/// `inside[b]` bounds the cuts inside bin b: none has a lean above both inside[b] and the lean of the cut before the
/// bin. The counts on the left of such a cut lie in the rectangle between the counts before and after the bin. The lean
/// is convex in the counts, so its maximum is at one of the four corners: before the bin, after it, or with all rows of
/// one class in the bin and none of the other.
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

/// Returns the largest of n numbers and `least`.
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

/// Does the same from `cells`, the counts of the bins: zeros in the low half of a cell, ones in the high half. Also
/// fills `left_zeros` and `left_ones`. Returns the maximum of `at_end`, and writes the maximum of `inside` to
/// `most_inside`.
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

/// Computes the lean of the cut just below each of a few rows, or -1 where one side has fewer than `least` rows. Each
/// of `sums` has the zeros on the left in its low half and the ones in its high half; there are fewer than 2^15 rows in
/// all. Returns the largest lean. `n` is a multiple of 8.
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
