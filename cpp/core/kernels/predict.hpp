// Kernels of prediction. Included by plain.cpp and avx2.cpp, each in a namespace of its own. No function of the
// standard library is called here (see avx2.cpp).

constexpr std::size_t ranked_together = 64;

/// How rank 0 is written, and the largest rank. Ranks of one byte are signed, because AVX2 compares only signed bytes.
template <class Rank>
constexpr Rank zero_rank = 0;
template <class Rank>
constexpr Rank largest_rank = 65535;
template <>
constexpr std::int8_t zero_rank<std::int8_t> = -128;
template <>
constexpr std::int8_t largest_rank<std::int8_t> = 127;

template <std::uint32_t Most, class Start, class Rank>
void ranks_by_comparison(const double* cuts, const Start* starts, const double* x, const std::int32_t* bucket,
                         std::size_t n, Rank* rank) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t start = starts[bucket[i]];
        std::uint32_t found = start;
        for (std::uint32_t k = 0; k < Most; ++k) found += cuts[start + k] < x[i];
        rank[i] = static_cast<Rank>(static_cast<Rank>(found) + zero_rank<Rank>);
    }
}

/// A binary search of all cells together, step by step, so that their reads from memory overlap. This matters for
/// features with tens of thousands of cuts, which do not fit into the L1 cache.
template <class Start, class Rank>
void ranks_by_halving(const double* cuts, std::uint32_t most, const Start* starts, const double* x,
                      const std::int32_t* bucket, std::size_t n, Rank* rank) {
    std::uint32_t largest = 1;
    while (2 * largest <= most) largest *= 2;
    std::uint32_t found[ranked_together];
    for (std::size_t i = 0; i < n; ++i) {
        found[i] = starts[bucket[i]];
        BRANCHWORK_PREFETCH(cuts + found[i] + largest - 1);
    }
    for (std::uint32_t half = largest; half > 0; half /= 2)
        for (std::size_t i = 0; i < n; ++i)
            found[i] += half & (0U - static_cast<std::uint32_t>(cuts[found[i] + half - 1] < x[i]));
    for (std::size_t i = 0; i < n; ++i)
        rank[i] = static_cast<Rank>(static_cast<Rank>(found[i]) + zero_rank<Rank>);
}

template <class Start, class Rank>
void ranks_in_buckets(const RankTable& table, const Start* starts, const double* x,
                      const std::int32_t* bucket, std::size_t n, Rank* rank) {
    const double* const cuts = table.cuts;
    static_assert(most_compared == 6);
    if (table.most <= 1) return ranks_by_comparison<1>(cuts, starts, x, bucket, n, rank);
    if (table.most == 2) return ranks_by_comparison<2>(cuts, starts, x, bucket, n, rank);
    if (table.most == 3) return ranks_by_comparison<3>(cuts, starts, x, bucket, n, rank);
    if (table.most == 4) return ranks_by_comparison<4>(cuts, starts, x, bucket, n, rank);
    if (table.most <= 6) return ranks_by_comparison<6>(cuts, starts, x, bucket, n, rank);
    ranks_by_halving(cuts, table.most, starts, x, bucket, n, rank);
}

/// Writes the ranks of up to 64 cells. A missing value has the smallest rank in `low` and the largest in `high`; either
/// may be null.
template <class Rank>
void ranks_of(const RankTable& table, const double* x, std::size_t n, Rank* low, Rank* high) {
    std::int32_t bucket[ranked_together];
    for (std::size_t i = 0; i < n; ++i) {
        float place = (static_cast<float>(x[i]) - table.low) * table.scale;
        place = place > 0.0F ? place : 0.0F;  // also turns NaN into 0
        place = place < table.top ? place : table.top;
        bucket[i] = static_cast<std::int32_t>(place);
    }
    Rank own[ranked_together];
    Rank* const rank = low != nullptr ? low : own;
    if (table.start_bytes != nullptr)
        ranks_in_buckets(table, table.start_bytes, x, bucket, n, rank);
    else
        ranks_in_buckets(table, table.start_words, x, bucket, n, rank);
    if (high != nullptr)
        for (std::size_t i = 0; i < n; ++i) {
            const Rank known = rank[i];
            high[i] = x[i] != x[i] ? largest_rank<Rank> : known;
        }
}

inline void rank_bytes(const RankTable& table, const double* x, std::size_t n, std::int8_t* low,
                       std::int8_t* high) {
    ranks_of(table, x, n, low, high);
}

inline void rank_words(const RankTable& table, const double* x, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high) {
    ranks_of(table, x, n, low, high);
}

/// `Rows` is the number of rows if it is known at compile time, otherwise 0. A result may overwrite one of its operands
/// in place. The compiler cannot know that this is the only overlap, so BRANCHWORK_INDEPENDENT says so.
template <std::size_t Rows>
void multiplex_rows(const MuxTree& tree, const std::int8_t* ranks, std::size_t given, std::uint8_t* slots,
                    std::uint8_t* leaf) {
    const std::size_t rows = Rows == 0 ? given / 32 * 32 : Rows;
    const MuxNode* node = tree.nodes;
    const MuxNode* const first_other = node + tree.pairs;
    const MuxNode* const end = first_other + tree.others;
    for (; node < first_other; ++node) {
        const std::int8_t* const rank = ranks + node->column * rows;
        std::uint8_t* const to = tree.others == 0 ? leaf : slots + node->left * rows;
        const std::int8_t cut = node->cut;
        BRANCHWORK_INDEPENDENT
        for (std::size_t r = 0; r < rows; ++r) to[r] = rank[r] > cut ? 1 : 0;
    }
    for (; node < end; ++node) {
        const std::int8_t* const rank = ranks + node->column * rows;
        const std::uint8_t* const left = slots + node->left * rows;
        const std::uint8_t* const right = slots + node->right * rows;
        std::uint8_t* const to =
            node + 1 == end ? leaf : slots + (node->left != 0 ? node->left : node->right) * rows;
        const std::int8_t cut = node->cut;
        const std::uint8_t more = node->left_leaves;
        BRANCHWORK_INDEPENDENT
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint8_t within = left[r];
            const auto beyond = static_cast<std::uint8_t>(right[r] + more);
            to[r] = rank[r] > cut ? beyond : within;
        }
    }
}

inline void multiplex(const MuxTree& tree, const std::int8_t* ranks, std::size_t rows, std::uint8_t* slots,
                      std::uint8_t* leaf) {
    if (rows == 512) return multiplex_rows<512>(tree, ranks, rows, slots, leaf);
    if (rows == 256) return multiplex_rows<256>(tree, ranks, rows, slots, leaf);
    multiplex_rows<0>(tree, ranks, rows, slots, leaf);
}
