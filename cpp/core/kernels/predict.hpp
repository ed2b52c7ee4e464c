// Kernels of prediction. Included by plain.cpp and avx2.cpp, each in a namespace of its own. No function of the standard
// library is called here (see avx2.cpp).

/// Number of cells that are ranked together.
constexpr std::size_t ranked_together = 64;

template <std::uint32_t Most, class Rank>
void ranks_by_comparison(const RankTable& table, const double* x, const std::int32_t* bucket, std::size_t n,
                         Rank* rank) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t start = table.start[bucket[i]];
        std::uint32_t found = start;
        for (std::uint32_t k = 0; k < Most; ++k) found += table.cuts[start + k] < x[i];
        rank[i] = static_cast<Rank>(found);
    }
}

template <class Rank>
void ranks_by_halving(const RankTable& table, const double* x, const std::int32_t* bucket, std::size_t n,
                      Rank* rank) {
    std::uint32_t step = 1;
    while (2 * step <= table.most) step *= 2;
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t found = table.start[bucket[i]];
        for (std::uint32_t half = step; half > 0; half /= 2)
            found += table.cuts[found + half - 1] < x[i] ? half : 0;
        rank[i] = static_cast<Rank>(found);
    }
}

/// The ranks of up to 64 cells. A missing cell is the smallest in `low` and the largest in `high`; either may be null.
template <class Rank>
void ranks_of(const RankTable& table, const double* x, std::size_t n, Rank* low, Rank* high) {
    std::int32_t bucket[ranked_together];
    for (std::size_t i = 0; i < n; ++i) {
        float place = (static_cast<float>(x[i]) - table.low) * table.scale;
        place = place > 0.0F ? place : 0.0F;  // NaN too
        place = place < table.top ? place : table.top;
        bucket[i] = static_cast<std::int32_t>(place);
    }
    Rank own[ranked_together];
    Rank* const rank = low != nullptr ? low : own;
    if (table.most <= 1)
        ranks_by_comparison<1>(table, x, bucket, n, rank);
    else if (table.most == 2)
        ranks_by_comparison<2>(table, x, bucket, n, rank);
    else if (table.most == 3)
        ranks_by_comparison<3>(table, x, bucket, n, rank);
    else if (table.most == 4)
        ranks_by_comparison<4>(table, x, bucket, n, rank);
    else
        ranks_by_halving(table, x, bucket, n, rank);
    if (high != nullptr)
        for (std::size_t i = 0; i < n; ++i) {
            const Rank known = rank[i];
            high[i] = x[i] != x[i] ? static_cast<Rank>(~Rank{0}) : known;
        }
}

inline void rank_bytes(const RankTable& table, const double* x, std::size_t n, std::uint8_t* low,
                       std::uint8_t* high) {
    ranks_of(table, x, n, low, high);
}

inline void rank_words(const RankTable& table, const double* x, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high) {
    ranks_of(table, x, n, low, high);
}

/// A result may take the place of an operand, cell by cell, so the compiler is told that nothing else overlaps.
inline void multiplex(const MuxTree& tree, const std::uint8_t* ranks, std::size_t rows, std::uint8_t* slots,
                      std::uint8_t* leaf) {
    const MuxNode* node = tree.nodes;
    const MuxNode* const first_other = node + tree.pairs;
    const MuxNode* const end = first_other + tree.others;
    for (; node < first_other; ++node) {
        const std::uint8_t* const rank = ranks + node->column * rows;
        std::uint8_t* const to = tree.others == 0 ? leaf : slots + node->left * rows;
        const std::uint8_t cut = node->cut;
#pragma GCC ivdep
        for (std::size_t r = 0; r < rows; ++r) to[r] = rank[r] > cut;
    }
    for (; node < end; ++node) {
        const std::uint8_t* const rank = ranks + node->column * rows;
        const std::uint8_t* const left = slots + node->left * rows;
        const std::uint8_t* const right = slots + node->right * rows;
        std::uint8_t* const to =
            node + 1 == end ? leaf : slots + (node->left != 0 ? node->left : node->right) * rows;
        const std::uint8_t cut = node->cut, more = node->left_leaves;
#pragma GCC ivdep
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint8_t within = left[r];
            const auto beyond = static_cast<std::uint8_t>(right[r] + more);
            to[r] = rank[r] > cut ? beyond : within;
        }
    }
}
