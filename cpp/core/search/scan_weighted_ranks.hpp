// The best cut of a whole column that is ranked but not in order, for two classes with weights: what AdaBoost asks of
// every column in every round. Sorting rows that were sorted in the round before would take most of its time.
//
//     ranks of all rows, in the order of the table     41 3 90 7 3 68 44 ...
//     weights of both classes in bins of ranks         | 3 3 7 |   | 41 44 |   | 68 |  | 90 |
//
// As in rank_bins.hpp, borders between bins are scored, and only the rows of bins that may hold a better cut are
// sorted and scanned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/search/rank_bins.hpp"
#include "core/search/sort_ranks.hpp"
#include "core/search/sweep.hpp"
#include "core/stats.hpp"
#include "core/tree.hpp"

namespace branchwork {

template <class Score>
class WeightedRankScan {
    using Counts = ClassCounts<double, 2>;
    using Ahead = typename PairSweep<Score>::Ahead;

  public:
    explicit WeightedRankScan(const Score& score) : sweep_(score) {}

    struct Found {
        std::uint32_t left_rank;
        Counts left;
    };

    /// The best cut of a column in which nothing is missing; none: it has one value, or no cut costs less than `limit`.
    std::optional<Found> best(const PreparedColumn& column, const ClassRows<double, 2>& target,
                              const Counts& all, double slack, const Pulse& pulse, SearchCost& spent) {
        if (column.distinct() < 2) return std::nullopt;
        sweep_.start(Counts(), all);
        best_.start(std::numeric_limits<double>::infinity(), slack);
        left_of_best_.clear();
        const BinWidth width({0, static_cast<std::uint32_t>(column.distinct() - 1)}, bins);
        std::visit([&](const auto& ranks) { tally(ranks, width, target, pulse); }, column.rank);
        look_at_borders(width);
        std::visit([&](const auto& ranks) { look_into_bins(ranks, width, target, pulse); }, column.rank);
        spent.rows_visited += static_cast<std::int64_t>(target.size() + keys_.size());
        spent.rules_scored += static_cast<std::int64_t>(width.count + keys_.size());
        const auto* const found = best_.best();
        if (!found) return std::nullopt;
        for (const Found& one : left_of_best_)
            if (one.left_rank == found->left_rank) return one;
        return std::nullopt;
    }

  private:
    static constexpr std::size_t bins = 1024;

    struct Cell {
        double of[2] = {0, 0};
    };
    struct Bin {
        std::size_t number;
        Ahead from, to;
    };

    template <class Rank>
    void tally(const std::vector<Rank>& ranks, const BinWidth& width, const ClassRows<double, 2>& target,
               const Pulse& pulse) {
        cells_.assign(width.count, Cell{});
        Cell* const cells = cells_.data();
        const std::int32_t* const codes = target.codes.data();
        const double* const weights = target.weights.data();
        in_blocks(ranks.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                cells[ranks[i] >> width.shift].of[codes[i]] += weights[i];
        });
    }
    void see(const Ahead& left, std::uint32_t left_rank) {
        sweep_.jump(left);
        const double cost = sweep_.raw();
        if (!(cost < best_.limit())) return;
        best_.see(cost, left_rank);
        left_of_best_.push_back({left_rank, sweep_.left()});
    }
    void look_at_borders(const BinWidth& width) {
        promising_.clear();
        Ahead left{0, 0};
        for (std::size_t b = 0; b < width.count; ++b) {
            const Ahead to{left.zeros + cells_[b].of[0], left.ones + cells_[b].of[1]};
            sweep_.jump(left);
            if (!width.is_exact() && !sweep_.surely_at_least(to, best_.limit()))
                promising_.push_back({b, left, to});
            left = to;
            if (b + 1 < width.count) see(left, width.last_rank(b));
        }
        std::erase_if(promising_, [&](const Bin& bin) {
            sweep_.jump(bin.from);
            return sweep_.surely_at_least(bin.to, best_.limit());
        });
    }
    template <class Rank>
    void look_into_bins(const std::vector<Rank>& ranks, const BinWidth& width,
                        const ClassRows<double, 2>& target, const Pulse& pulse) {
        keys_.clear();
        if (promising_.empty()) return;
        alive_.assign(width.count, 0);
        for (const Bin& bin : promising_) alive_[bin.number] = 1;
        in_blocks(ranks.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                if (alive_[ranks[i] >> width.shift]) keys_.push_back(rank_key(ranks[i], i));
        });
        sort_ranks(keys_, spare_keys_);
        std::size_t i = 0;
        for (const Bin& bin : promising_) {
            Ahead left = bin.from;
            for (; i < keys_.size() && width.of(rank_of(keys_[i])) == bin.number; ++i) {
                const auto row = static_cast<Row>(place_of(keys_[i]));
                left.move(target.codes[row], target.weights[row]);
                // The last value of a bin ends at its border.
                if (i + 1 < keys_.size() && rank_of(keys_[i + 1]) != rank_of(keys_[i]) &&
                    width.of(rank_of(keys_[i + 1])) == bin.number)
                    see(left, rank_of(keys_[i]));
            }
        }
    }

    PairSweep<Score> sweep_;
    BestRank<double> best_{0, 0};
    std::vector<Found> left_of_best_;
    std::vector<Cell> cells_;
    std::vector<Bin> promising_;
    std::vector<std::uint8_t> alive_;
    std::vector<std::uint64_t> keys_, spare_keys_;
};

}  // namespace branchwork
