// Rows of many classes in bins of ranks; see rank_bins.hpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/search/rank_bins.hpp"

namespace branchwork {

/// Many classes: a bin has a counter for each.
template <ClassScore Score>
class RankScan<Score, ClassCounts<std::int64_t>> : RankScanBase<Sweep<Score, ClassCounts<std::int64_t>>> {
    using Counts = ClassCounts<std::int64_t>;
    using Base = RankScanBase<Sweep<Score, Counts>>;
    using Cost = typename Base::Cost;

  public:
    RankScan(const Score& score, const Options& options, std::size_t classes)
        : Base(options), score_(score), sweep_(score, classes), nothing_(classes) {}

    /// Finds the best cut of each column, if it costs less than `most` and less than the cuts of earlier columns.
    void best(RankedColumns& columns, const Counts& all, double, double most, double slack,
              const Pulse& pulse, SearchCost& spent, std::span<RankCut> found) {
        search_one_by_one(columns, most, slack, found, [&](const RankedRows& rows, double least) {
            return best(rows, all, 0, least, slack, pulse, spent);
        });
    }

    /// The best cut, if it costs less than `most`.
    RankCut best(const RankedRows& rows, const Counts& all, double, double most, double slack,
                 const Pulse& pulse, SearchCost& spent) {
        RankCut found;
        const auto ends = RankEnds::of(rows);
        if (ends.is_one()) return found;
        best_.start(limit_of_search(sweep_, most), sweep_.units(slack));
        const std::size_t classes = all.of.size();
        const std::size_t bins =
            std::min(std::max(most_counters / classes, fewest_bins / 2), rows.size() / rows_per_bin + 1);
        const BinWidth width(ends, bins);
        const bool few_values = width.is_exact() && width.count * classes <= rows.size() * 4;
        if (few_values || rows.size() > sorted_rows)
            found.exists = by_bins(rows, all, width, pulse, spent);
        else
            found.exists = in_order(rows, all, spent);
        if (const auto* best = best_.best()) {
            found.cost = sweep_.real(best->cost);
            found.left_rank = best->left_rank;
        }
        return found;
    }

  private:
    /// Counters that stay in the L1 cache.
    static constexpr std::size_t most_counters = 6144;
    /// Up to this many rows are sorted at once, because the bound rules out few of them.
    static constexpr std::size_t sorted_rows = 512;

    bool see(const Counts& all, std::uint32_t left_rank) {
        if (!this->admits(sweep_.left().total, all.total)) return false;
        best_.see(sweep_.raw(), left_rank);
        return true;
    }

    /// All cuts of rows that are sorted here.
    bool in_order(const RankedRows& rows, const Counts& all, SearchCost& spent) {
        if (rows.size() <= few_rows)
            this->order_few(rows);
        else
            order_all(rows);
        sweep_.start(nothing_, all);
        return scan(rows, all, 0, this->keys_.size(), spent);
    }
    void order_all(const RankedRows& rows) {
        this->keys_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) this->keys_[i] = rank_key(rows.ranks[i], i);
        sort_ranks(this->keys_, this->spare_keys_);
    }
    /// Moves sorted rows across the cut; is one of the cuts between them, or after the last, admitted?
    bool scan(const RankedRows& rows, const Counts& all, std::size_t begin, std::size_t end,
              SearchCost& spent) {
        bool exists = false;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t rank = rank_of(this->keys_[i]);
            const DrawnRow& row = rows.rows[place_of(this->keys_[i])];
            sweep_.move(row.label, row.copies);
            if (i + 1 < end && rank_of(this->keys_[i + 1]) == rank) continue;
            exists |= see(all, rank);
            ++spent.rules_scored;
        }
        return exists;
    }

    bool by_bins(const RankedRows& rows, const Counts& all, const BinWidth& width, const Pulse& pulse,
                 SearchCost& spent) {
        const std::size_t classes = all.of.size();
        cells_.assign(width.count * classes, 0);
        std::uint32_t* const cells = cells_.data();
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const DrawnRow& row = rows.rows[i];
                cells[width.of(rows.ranks[i]) * classes + static_cast<std::size_t>(row.label)] += row.copies;
            }
        });
        sweep_.start(nothing_, all);
        bool exists = false;
        this->alive_.assign(width.count, 0);
        bounds_.resize(width.count);
        for (std::size_t b = 0; b < width.count; ++b) {
            const std::int64_t before = sweep_.left().total;
            const Cost on_left = sweep_.left_raw();
            move_bin(b, classes);
            // Every branch costs at least what a part of its rows does, because mixing never lowers the cost.
            bounds_[b] = on_left + sweep_.right_raw();
            this->alive_[b] = !width.is_exact() && sweep_.left().total > before + 1 &&
                              this->may_admit(before, sweep_.left().total, all.total);
            exists |= see(all, width.last_rank(b));
        }
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        bool any = false;
        for (std::size_t b = 0; b < width.count; ++b) {
            this->alive_[b] &= !exists || surely_below(bounds_[b], all.total) < best_.limit();
            any |= this->alive_[b];
        }
        return (any && look_into_bins(rows, all, width, spent)) || exists;
    }
    void move_bin(std::size_t bin, std::size_t classes) {
        const std::uint32_t* const counts = cells_.data() + bin * classes;
        for (std::size_t c = 0; c < classes; ++c)
            if (counts[c] > 0) sweep_.move(static_cast<std::int32_t>(c), counts[c]);
    }
    /// A bound, less what rounding may have added to it.
    Cost surely_below(Cost bound, [[maybe_unused]] std::int64_t rows) const {
        if constexpr (requires(const Score& s) { s.surely_below(bound, rows); })
            return score_.surely_below(bound, rows);
        else if constexpr (std::integral<Cost>)
            return bound - Score::rounding;
        else
            return bound * (1 - 1e-12);
    }
    bool look_into_bins(const RankedRows& rows, const Counts& all, const BinWidth& width, SearchCost& spent) {
        this->collect(rows, width);
        spent.rows_visited += static_cast<std::int64_t>(this->keys_.size());
        sweep_.start(nothing_, all);
        bool exists = false;
        std::size_t next = 0;
        for (std::size_t b = 0; b < width.count; ++b) {
            if (!this->alive_[b]) {
                move_bin(b, all.of.size());
                continue;
            }
            std::size_t end = next;
            while (end < this->keys_.size() && width.of(rank_of(this->keys_[end])) == b) ++end;
            exists |= scan(rows, all, next, end, spent);
            next = end;
        }
        return exists;
    }

    const Score& score_;
    Sweep<Score, Counts> sweep_;
    Counts nothing_;
    BestRank<Cost> best_{0, 0};
    std::vector<std::uint32_t> cells_;
    std::vector<Cost> bounds_;
};

}  // namespace branchwork
