// The same as small_gini_plain.hpp, with the same bits. Included by avx2.cpp in a namespace of its own.
//
// A register holds the counts of two cuts, 16 features each. Up to four registers are filled in one pass over the rows:
//
//     below[0]  | cut 0, features 0 ... 15 | cut 1, features 0 ... 15 |
//     below[1]  | cut 2, features 0 ... 15 | cut 3, features 0 ... 15 |      row: 16 codes, in both halves
//       ...

/// Eight features of one cut.
inline __m256 small_scores_of_eight(__m128i left, __m128i inside, __m128i outside, __m256 rows,
                                    __m256 least) {
    const __m256 on_left = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(left));
    const __m256 in = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(inside));
    const __m256 out = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(outside));
    const __m256 on_right = _mm256_sub_ps(rows, on_left);
    const __m256 product = _mm256_mul_ps(on_left, on_right), one = _mm256_set1_ps(1);
    const __m256 sum = _mm256_add_ps(_mm256_mul_ps(in, on_right), _mm256_mul_ps(out, on_left));
    const __m256 score = _mm256_div_ps(sum, _mm256_max_ps(product, one));
    return _mm256_and_ps(score, _mm256_cmp_ps(_mm256_min_ps(on_left, on_right), least, _CMP_GE_OQ));
}

template <std::size_t pairs>
inline void small_gini_pass(const SmallCuts& cuts, std::size_t first, float* scores, __m256 (&best)[2]) {
    const __m256i zero = _mm256_setzero_si256();
    // Counts have 8 bits within a class and 16 bits in the sums: `low` is for features 0 to 7, `high` for the others.
    __m256i threshold[pairs], left[pairs];
    __m256i inside_low[pairs], inside_high[pairs], outside_low[pairs], outside_high[pairs];
    for (std::size_t k = 0; k < pairs; ++k) {
        threshold[k] =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cuts.thresholds + 16 * first + 32 * k));
        left[k] = inside_low[k] = inside_high[k] = outside_low[k] = outside_high[k] = zero;
    }
    const std::uint8_t* row = cuts.rows;
    for (std::size_t c = 0; c < cuts.classes; ++c) {
        __m256i below[pairs];
        for (std::size_t k = 0; k < pairs; ++k) below[k] = zero;
        for (const std::uint8_t* const end = row + cuts.class_rows[c]; row < end; ++row) {
            const __m256i code = _mm256_broadcastsi128_si256(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(cuts.codes + 16 * *row)));
            for (std::size_t k = 0; k < pairs; ++k) {
                const __m256i is_below = _mm256_cmpeq_epi8(_mm256_min_epu8(code, threshold[k]), code);
                below[k] = _mm256_sub_epi8(below[k], is_below);
            }
        }
        const __m256i all = _mm256_set1_epi8(static_cast<char>(cuts.class_rows[c]));
        const auto add_squares = [&](__m256i counts, __m256i& low, __m256i& high) {
            const __m256i a = _mm256_unpacklo_epi8(counts, zero), b = _mm256_unpackhi_epi8(counts, zero);
            low = _mm256_add_epi16(low, _mm256_mullo_epi16(a, a));
            high = _mm256_add_epi16(high, _mm256_mullo_epi16(b, b));
        };
        for (std::size_t k = 0; k < pairs; ++k) {
            left[k] = _mm256_add_epi8(left[k], below[k]);
            add_squares(below[k], inside_low[k], inside_high[k]);
            add_squares(_mm256_sub_epi8(all, below[k]), outside_low[k], outside_high[k]);
        }
    }
    const __m256 rows = _mm256_set1_ps(static_cast<float>(cuts.row_count));
    const __m256 least = _mm256_set1_ps(cuts.least_rows);
    const auto write = [&](std::size_t cut, __m128i sides, __m128i in_low, __m128i in_high, __m128i out_low,
                           __m128i out_high) {
        const __m128i nothing = _mm_setzero_si128();
        const __m256 low =
            small_scores_of_eight(_mm_unpacklo_epi8(sides, nothing), in_low, out_low, rows, least);
        const __m256 high =
            small_scores_of_eight(_mm_unpackhi_epi8(sides, nothing), in_high, out_high, rows, least);
        _mm256_storeu_ps(scores + 16 * cut, low);
        _mm256_storeu_ps(scores + 16 * cut + 8, high);
        best[0] = _mm256_max_ps(best[0], low);
        best[1] = _mm256_max_ps(best[1], high);
    };
    for (std::size_t k = 0; k < pairs; ++k) {
        const auto first_half = [](__m256i x) { return _mm256_castsi256_si128(x); };
        const auto second_half = [](__m256i x) { return _mm256_extracti128_si256(x, 1); };
        write(first + 2 * k, first_half(left[k]), first_half(inside_low[k]), first_half(inside_high[k]),
              first_half(outside_low[k]), first_half(outside_high[k]));
        write(first + 2 * k + 1, second_half(left[k]), second_half(inside_low[k]),
              second_half(inside_high[k]), second_half(outside_low[k]), second_half(outside_high[k]));
    }
}

inline void small_gini(const SmallCuts& cuts, float* scores, float* best) {
    __m256 most[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    std::size_t first = 0;
    for (; first + 4 < cuts.count; first += 8) small_gini_pass<4>(cuts, first, scores, most);
    if (first + 2 < cuts.count)
        small_gini_pass<2>(cuts, first, scores, most);
    else if (first < cuts.count)
        small_gini_pass<1>(cuts, first, scores, most);
    _mm256_storeu_ps(best, most[0]);
    _mm256_storeu_ps(best + 8, most[1]);
}

/// The smallest and the largest code of each of sixteen features.
inline void small_ends(const std::uint8_t* codes, const std::uint8_t* rows, std::size_t row_count,
                       std::uint8_t* smallest, std::uint8_t* largest) {
    __m128i low = _mm_set1_epi8(-1), high = _mm_setzero_si128();
    for (std::size_t i = 0; i < row_count; ++i) {
        const __m128i code = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + 16 * rows[i]));
        low = _mm_min_epu8(low, code);
        high = _mm_max_epu8(high, code);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(smallest), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(largest), high);
}
