// The smallest and largest prefix sums of the costs of rows, eight lanes at a time. Included by avx2.cpp in a namespace
// of its own.
//
// Sums have 64 bits, so eight lanes need two registers for the sums, two for their minima and two for their maxima, for
// each side of the cut. More would not fit in the 16 registers, so the 32 lanes are processed in four passes. Each pass
// reads its own quarter of every block:
//
//     block 0  | lanes 0-7 | 8-15 | 16-23 | 24-31 |
//     block 1  | lanes 0-7 | 8-15 | 16-23 | 24-31 |       first pass: the first column of this table, top to bottom
//       ...

struct CostLanes {
    __m256i sum, least, most;

    inline void start() {
        sum = _mm256_setzero_si256();
        least = _mm256_set1_epi64x(0x7FFF'FFFF'FFFF'FFFF);
        most = _mm256_set1_epi64x(-0x7FFF'FFFF'FFFF'FFFF);
    }
    /// `tied` has all bits set where no cut is possible after the row.
    template <bool ties>
    inline void add(__m256i step, __m256i tied) {
        sum = _mm256_add_epi64(sum, step);
        __m256i lower = _mm256_cmpgt_epi64(least, sum), higher = _mm256_cmpgt_epi64(sum, most);
        if constexpr (ties) {
            lower = _mm256_andnot_si256(tied, lower);
            higher = _mm256_andnot_si256(tied, higher);
        }
        least = _mm256_blendv_epi8(least, sum, lower);
        most = _mm256_blendv_epi8(most, sum, higher);
    }
    inline void store(std::int64_t* sums, std::int64_t* leasts, std::int64_t* mosts) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), sum);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(leasts), least);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(mosts), most);
    }
};

struct CostSide {
    std::int64_t sum[rows_per_block], least[rows_per_block], most[rows_per_block];

    /// Joins the lanes: the sum of all lanes before a lane is added to its extremes. A lane with ties only has none.
    inline CostExtremes joined() const {
        CostExtremes found;
        std::int64_t before = 0;
        for (std::size_t lane = 0; lane < rows_per_block; ++lane) {
            if (least[lane] <= most[lane]) {
                if (before + least[lane] < found.least) found.least = before + least[lane];
                if (before + most[lane] > found.most) found.most = before + most[lane];
            }
            before += sum[lane];
        }
        return found;
    }
};

template <bool ties, bool left, bool right>
inline void cost_extremes_of(const ExtremesTask& task, CostExtremes* on_left, CostExtremes* on_right) {
    const __m128i cut = _mm_set1_epi16(static_cast<short>(task.cut));
    // Where the ranks of lanes 0, 8, 16 and 24 begin: the values of wide_slot, which must not be called here because it
    // is an inline function of another header (see avx2.cpp).
    constexpr std::size_t place[4] = {0, 16, 8, 24};
    CostSide of_left, of_right;
    for (std::size_t lane = 0; lane < rows_per_block; lane += 8) {
        const std::int16_t* rank = static_cast<const std::int16_t*>(task.rank) + place[lane / 8];
        const std::int64_t* step = task.step + lane;
        CostLanes l[2], r[2];
        for (int k = 0; k < 2; ++k) l[k].start(), r[k].start();
        for (std::size_t v = 0; v < task.blocks; ++v, rank += rows_per_block, step += rows_per_block) {
            const __m128i above =
                _mm_cmpgt_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rank)), cut);
            __m128i tied8 = _mm_setzero_si128();
            if constexpr (ties)
                tied8 =
                    _mm_loadl_epi64(reinterpret_cast<const __m128i*>(task.tied + v * rows_per_block + lane));
            for (int k = 0; k < 2; ++k) {
                const __m256i is_above = _mm256_cvtepi16_epi64(k ? _mm_srli_si128(above, 8) : above);
                const __m256i tied = _mm256_cvtepi8_epi64(k ? _mm_srli_si128(tied8, 4) : tied8);
                const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(step) + k);
                if constexpr (left) l[k].add<ties>(_mm256_andnot_si256(is_above, own), tied);
                if constexpr (right) r[k].add<ties>(_mm256_and_si256(is_above, own), tied);
            }
        }
        for (std::size_t k = 0; k < 2; ++k) {
            const std::size_t at = lane + 4 * k;
            l[k].store(of_left.sum + at, of_left.least + at, of_left.most + at);
            r[k].store(of_right.sum + at, of_right.least + at, of_right.most + at);
        }
    }
    if constexpr (left) *on_left = of_left.joined();
    if constexpr (right) *on_right = of_right.joined();
}

template <bool ties>
inline void cost_extremes_of_sides(const ExtremesTask& task, CostExtremes* left, CostExtremes* right) {
    if (task.left && task.right)
        cost_extremes_of<ties, true, true>(task, left, right);
    else if (task.left)
        cost_extremes_of<ties, true, false>(task, left, right);
    else
        cost_extremes_of<ties, false, true>(task, left, right);
}

inline void cost_extremes(const ExtremesTask& task, CostExtremes* left, CostExtremes* right) {
    task.tied ? cost_extremes_of_sides<true>(task, left, right)
              : cost_extremes_of_sides<false>(task, left, right);
}
