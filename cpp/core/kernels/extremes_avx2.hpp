// The kernels of the counted search, 32 rows at a time. Included by avx2.cpp in a namespace of its own.
//
// Each of the 32 lanes walks its own run of rows, with prefix sums of 8 bits that start from 128:
//
//     lane 0   + + - . + - ...        '.' = a row on the other side of the cut, or one that does not count
//     lane 1   - . . - + + ...
//       ...                           every 126 blocks, before 8 bits overflow, sums and extremes move to 16 bits
//     lane 31  + - . . - + ...        at the end, the sum of all lanes before a lane is added to its extremes
//
// A row takes a comparison, an AND, an addition, a minimum and a maximum of one byte each.

inline __m256i load(const void* from, std::size_t block) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from) + block);
}

template <bool wide>
inline __m256i above(const ExtremesTask& task, __m256i cut, std::size_t v) {
    if constexpr (!wide) return _mm256_cmpgt_epi8(load(task.rank, v), cut);
    return _mm256_packs_epi16(_mm256_cmpgt_epi16(load(task.rank, 2 * v), cut),
                              _mm256_cmpgt_epi16(load(task.rank, 2 * v + 1), cut));
}

struct LaneSums {
    __m256i sum[2], least[2], most[2];  // each register has 16 lanes of 16 bits

    LaneSums() {
        for (int k = 0; k < 2; ++k) {
            sum[k] = _mm256_setzero_si256();
            least[k] = _mm256_set1_epi16(32767);
            most[k] = _mm256_set1_epi16(-32768);
        }
    }

    /// Adds 8-bit sums `s`, minima `n` and maxima `x`. With ties, a lane may have had no possible cut; its minimum is
    /// then still 255 and its maximum 0, and both are ignored.
    template <bool ties>
    inline void flush(__m256i s, __m256i n, __m256i x) {
        add<ties>(0, _mm256_castsi256_si128(s), _mm256_castsi256_si128(n), _mm256_castsi256_si128(x));
        add<ties>(1, _mm256_extracti128_si256(s, 1), _mm256_extracti128_si256(n, 1),
                  _mm256_extracti128_si256(x, 1));
    }
    template <bool ties>
    inline void add(int k, __m128i s8, __m128i n8, __m128i x8) {
        const __m256i before = _mm256_sub_epi16(sum[k], _mm256_set1_epi16(128));
        const __m256i n = _mm256_cvtepu8_epi16(n8), x = _mm256_cvtepu8_epi16(x8);
        __m256i low = _mm256_add_epi16(n, before), high = _mm256_add_epi16(x, before);
        if constexpr (ties) {
            low = _mm256_blendv_epi8(low, _mm256_set1_epi16(32767),
                                     _mm256_cmpeq_epi16(n, _mm256_set1_epi16(255)));
            high = _mm256_blendv_epi8(high, _mm256_set1_epi16(-32768),
                                      _mm256_cmpeq_epi16(x, _mm256_setzero_si256()));
        }
        least[k] = _mm256_min_epi16(least[k], low);
        most[k] = _mm256_max_epi16(most[k], high);
        sum[k] = _mm256_add_epi16(before, _mm256_cvtepu8_epi16(s8));
    }

    inline Extremes joined(bool narrow) const { return narrow ? join_in_16_bits() : join_in_32_bits(); }

    /// With fewer than 30 000 rows, every prefix sum fits into 16 bits.
    inline Extremes join_in_16_bits() const {
        const __m256i first = inclusive(sum[0]), second = inclusive(sum[1]);
        const __m256i half = _mm256_set1_epi16(static_cast<short>(_mm256_extract_epi16(first, 15)));
        const __m256i before0 = _mm256_sub_epi16(first, sum[0]);
        const __m256i before1 = _mm256_add_epi16(_mm256_sub_epi16(second, sum[1]), half);
        const __m256i low =
            _mm256_min_epi16(_mm256_adds_epi16(least[0], before0), _mm256_adds_epi16(least[1], before1));
        const __m256i high =
            _mm256_max_epi16(_mm256_adds_epi16(most[0], before0), _mm256_adds_epi16(most[1], before1));
        const std::int32_t n = smallest(low),
                           x = -1 - smallest(_mm256_xor_si256(high, _mm256_set1_epi16(-1)));
        return {n < 0 ? n : 0, x > 0 ? x : 0};
    }
    inline Extremes join_in_32_bits() const {
        alignas(32) std::int16_t s[32], n[32], x[32];
        for (int k = 0; k < 2; ++k) {
            _mm256_store_si256(reinterpret_cast<__m256i*>(s + 16 * k), sum[k]);
            _mm256_store_si256(reinterpret_cast<__m256i*>(n + 16 * k), least[k]);
            _mm256_store_si256(reinterpret_cast<__m256i*>(x + 16 * k), most[k]);
        }
        Extremes found;
        std::int32_t before = 0;
        for (int lane = 0; lane < 32; ++lane) {
            if (n[lane] != 32767 && before + n[lane] < found.least) found.least = before + n[lane];
            if (x[lane] != -32768 && before + x[lane] > found.most) found.most = before + x[lane];
            before += s[lane];
        }
        return found;
    }
    static inline __m256i inclusive(__m256i x) {
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 2));
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi16(x, _mm256_slli_si256(x, 8));
        const __m256i low_half = _mm256_permute2x128_si256(x, x, 0x08);
        return _mm256_add_epi16(x, _mm256_shuffle_epi8(low_half, _mm256_set1_epi16(0x0F0E)));
    }
    static inline std::int32_t smallest(__m256i x) {
        const __m128i half = _mm_min_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        const __m128i least =
            _mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(static_cast<short>(0x8000))));
        return (_mm_cvtsi128_si32(least) & 0xFFFF) - 32768;
    }
};

constexpr std::size_t blocks_in_8_bits = 126;
constexpr std::size_t rows_in_16_bits = 30000;

template <bool ties, bool wide, bool left, bool right>
inline void extremes_of(const ExtremesTask& task, Extremes* on_left, Extremes* on_right) {
    const __m256i cut = wide ? _mm256_set1_epi16(static_cast<short>(task.cut))
                             : _mm256_set1_epi8(static_cast<char>(task.cut));
    const __m256i zero = _mm256_set1_epi8(static_cast<char>(0x80));
    LaneSums of_left, of_right;
    for (std::size_t begin = 0; begin < task.blocks; begin += blocks_in_8_bits) {
        const std::size_t end =
            begin + blocks_in_8_bits < task.blocks ? begin + blocks_in_8_bits : task.blocks;
        __m256i sl = zero, sr = zero, nl = _mm256_set1_epi8(-1), nr = nl, xl = _mm256_setzero_si256(),
                xr = xl;
        for (std::size_t v = begin; v < end; ++v) {
            const __m256i is_above = above<wide>(task, cut, v), sign = load(task.sign, v);
            __m256i tied = _mm256_setzero_si256();
            if constexpr (ties) tied = load(task.tied, v);
            if constexpr (left) {
                sl = _mm256_add_epi8(sl, _mm256_andnot_si256(is_above, sign));
                nl = _mm256_min_epu8(nl, ties ? _mm256_or_si256(sl, tied) : sl);
                xl = _mm256_max_epu8(xl, ties ? _mm256_andnot_si256(tied, sl) : sl);
            }
            if constexpr (right) {
                sr = _mm256_add_epi8(sr, _mm256_and_si256(is_above, sign));
                nr = _mm256_min_epu8(nr, ties ? _mm256_or_si256(sr, tied) : sr);
                xr = _mm256_max_epu8(xr, ties ? _mm256_andnot_si256(tied, sr) : sr);
            }
        }
        if constexpr (left) of_left.flush<ties>(sl, nl, xl);
        if constexpr (right) of_right.flush<ties>(sr, nr, xr);
    }
    const bool narrow = task.blocks * rows_per_block < rows_in_16_bits;
    if constexpr (left) *on_left = of_left.joined(narrow);
    if constexpr (right) *on_right = of_right.joined(narrow);
}

template <bool ties, bool wide>
inline void extremes_of_sides(const ExtremesTask& task, Extremes* left, Extremes* right) {
    if (task.left && task.right)
        extremes_of<ties, wide, true, true>(task, left, right);
    else if (task.left)
        extremes_of<ties, wide, true, false>(task, left, right);
    else
        extremes_of<ties, wide, false, true>(task, left, right);
}

inline void side_extremes(const ExtremesTask& task, Extremes* left, Extremes* right) {
    if (task.tied)
        task.wide ? extremes_of_sides<true, true>(task, left, right)
                  : extremes_of_sides<true, false>(task, left, right);
    else
        task.wide ? extremes_of_sides<false, true>(task, left, right)
                  : extremes_of_sides<false, false>(task, left, right);
}

inline void mark_outside(const std::int16_t* rank, const std::uint8_t* classes, std::size_t blocks,
                         std::int32_t cut, bool left, std::uint8_t* out) {
    const __m256i j = _mm256_set1_epi16(static_cast<short>(cut));
    const __m256i flip = left ? _mm256_setzero_si256() : _mm256_set1_epi8(-1);
    for (std::size_t v = 0; v < blocks; ++v) {
        const __m256i is_above = _mm256_packs_epi16(_mm256_cmpgt_epi16(load(rank, 2 * v), j),
                                                    _mm256_cmpgt_epi16(load(rank, 2 * v + 1), j));
        const __m256i outside = _mm256_xor_si256(is_above, flip);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + v, _mm256_or_si256(outside, load(classes, v)));
    }
}

inline void bits_above(const std::uint16_t* rank, std::size_t words, std::uint16_t cut, std::uint64_t* out) {
    const __m256i flip = _mm256_set1_epi16(static_cast<short>(0x8000));
    const __m256i j = _mm256_xor_si256(_mm256_set1_epi16(static_cast<short>(cut)), flip);
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t bits = 0;
        for (std::size_t half = 0; half < 2; ++half) {
            const __m256i a = _mm256_xor_si256(load(rank, 4 * w + 2 * half), flip);
            const __m256i b = _mm256_xor_si256(load(rank, 4 * w + 2 * half + 1), flip);
            const __m256i packed = _mm256_packs_epi16(_mm256_cmpgt_epi16(a, j), _mm256_cmpgt_epi16(b, j));
            const auto mask =
                static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(packed, 0xD8)));
            bits |= static_cast<std::uint64_t>(mask) << (32 * half);
        }
        out[w] = bits;
    }
}
