// Rows of numbers in bins of ranks; see rank_bins.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/search/rank_bins.hpp"

namespace branchwork {

/// Numbers, by squared error: a bin keeps its weight, the sum of its numbers above the mean, and the sum of those below
/// it. For a cut inside the bin, the sum on the left lies between two extremes: with all numbers above the mean and
/// none below, or the other way round.
template <>
class RankScan<SquaredError, Moments> : RankScanBase<MomentSweep<SquaredError>> {
    using Base = RankScanBase<MomentSweep<SquaredError>>;

  public:
    RankScan(const SquaredError& score, const Options& options, std::size_t width)
        : Base(options), sweep_(score, width) {}

    /// Finds the best cut of each column, if it costs less than `most` and less than the cuts of earlier columns.
    /// Numbers are about `centre`.
    void best(RankedColumns& columns, const Moments& all, double centre, double most, double slack,
              const Pulse& pulse, SearchCost& spent, std::span<RankCut> found) {
        all_ = all;
        sweep_.start(Moments{}, all);
        search_one_by_one(columns, most, slack, found, [&](const RankedRows& rows, double least) {
            if (parts_.size() != rows.size()) weigh(rows, centre);
            return best(rows, least, slack, pulse, spent);
        });
        parts_.clear();  // they belong to one node
    }

  private:
    using Ahead = MomentSweep<SquaredError>::Ahead;

    /// What a row adds to weight and sum.
    struct Part {
        double weight, sum;
    };
    void weigh(const RankedRows& rows, double centre) {
        parts_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto weight = static_cast<double>(rows.rows[i].copies);
            parts_[i] = {weight, weight * (rows.targets[i] - centre)};
        }
    }
    RankCut best(const RankedRows& rows, double most, double slack, const Pulse& pulse, SearchCost& spent) {
        RankCut found;
        const auto ends = RankEnds::of(rows);
        if (ends.is_one()) return found;
        best_.start(limit_of_search(sweep_, most), slack);
        if (rows.size() <= few_rows)
            found.exists = in_order(rows, spent);
        else
            found.exists = by_bins(rows, ends, pulse, spent);
        if (const auto* best = best_.best()) {
            found.cost = sweep_.real(best->cost);
            found.left_rank = best->left_rank;
        }
        return found;
    }

    struct Cell {
        double weight = 0, above = 0, below = 0;
    };
    struct Bin {
        std::size_t number;
        Ahead from, to;
    };

    bool admits_left(double weight) const { return weight >= least_ && all_.w - weight >= least_; }
    void see(const Ahead& left, std::uint32_t left_rank) {
        sweep_.jump(left);
        if (!sweep_.surely_at_least(best_.limit())) best_.see(sweep_.raw(), left_rank);
    }
    /// Can no cut inside a bin be better? At least one row lies on each side of it.
    bool rules_out(const Ahead& from, const Ahead& to) const {
        const auto product = [this](double weight) {
            const double left = std::clamp(weight, 1.0, all_.w - 1);
            return left * (all_.w - left);
        };
        return SquaredError::pair_at_least(to.farthest, std::min(product(from.w), product(to.w)), all_,
                                           best_.limit());
    }

    bool by_bins(const RankedRows& rows, const RankEnds& ends, const Pulse& pulse, SearchCost& spent) {
        const BinWidth width(ends, std::clamp(rows.size() / rows_per_bin, fewest_bins, most_bins / 2));
        cells_.assign(width.count, Cell{});
        Cell* const cells = cells_.data();
        const Part* const parts = parts_.data();
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Cell& cell = cells[width.of(rows.ranks[i])];
                const Part part = parts[i];
                cell.weight += part.weight;
                cell.above += part.sum > 0 ? part.sum : 0;
                cell.below += part.sum > 0 ? 0 : part.sum;
            }
        });
        double absolute = 0;
        for (const Cell& cell : cells_) absolute += cell.above - cell.below;
        const double rounding = 1e-12 * absolute;  // of sums
        bool exists = false;
        promising_.clear();
        Ahead left{0, 0};
        for (std::size_t b = 0; b < width.count; ++b) {
            const Cell& cell = cells_[b];
            if (cell.weight == 0) continue;
            Ahead to{left.w + cell.weight, left.s + (cell.above + cell.below)};
            to.farthest = std::max(std::abs(left.s + cell.above), std::abs(left.s + cell.below)) + rounding;
            if (!width.is_exact() && to.w >= least_ && all_.w - left.w >= least_ && !rules_out(left, to))
                promising_.push_back({b, left, to});
            left = to;
            if (!admits_left(left.w)) continue;
            exists = true;
            see(left, width.last_rank(b));
        }
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        if (!exists &&
            !width.is_exact()) {  // no border is admitted: look into every bin that a limit falls into
            promising_.clear();
            left = {0, 0};
            for (std::size_t b = 0; b < width.count; ++b) {
                const Cell& cell = cells_[b];
                const Ahead to{left.w + cell.weight, left.s + (cell.above + cell.below)};
                if (to.w >= least_ && all_.w - left.w >= least_) promising_.push_back({b, left, to});
                left = to;
            }
            return look_into_bins(rows, width, spent);
        }
        std::erase_if(promising_, [&](const Bin& bin) { return rules_out(bin.from, bin.to); });
        look_into_bins(rows, width, spent);
        return exists;
    }

    /// All cuts inside the promising bins; is one of them admitted?
    bool look_into_bins(const RankedRows& rows, const BinWidth& width, SearchCost& spent) {
        if (promising_.empty()) return false;
        alive_.assign(width.count, 0);
        for (const Bin& bin : promising_) alive_[bin.number] = 1;
        collect(rows, width);
        spent.rows_visited += static_cast<std::int64_t>(keys_.size());
        bool exists = false;
        std::size_t next = 0;
        for (const Bin& bin : promising_) {
            std::size_t end = next;
            while (end < keys_.size() && width.of(rank_of(keys_[end])) == bin.number) ++end;
            exists |= scan(bin.from, next, end, spent);
        }
        return exists;
    }

    /// Few rows are sorted.
    bool in_order(const RankedRows& rows, SearchCost& spent) {
        order_few(rows);
        std::size_t next = 0;
        return scan({0, 0}, next, rows.size(), spent);
    }
    /// All cuts between sorted rows, and after the last; is one of them admitted?
    bool scan(Ahead left, std::size_t& next, std::size_t end, SearchCost& spent) {
        bool exists = false;
        for (; next < end; ++next) {
            const std::uint32_t rank = rank_of(keys_[next]);
            const std::size_t place = place_of(keys_[next]);
            left.w += parts_[place].weight;
            left.s += parts_[place].sum;
            const bool ends = next + 1 == end || rank_of(keys_[next + 1]) != rank;
            if (!ends || !admits_left(left.w)) continue;
            exists = true;
            see(left, rank);
            ++spent.rules_scored;
        }
        return exists;
    }

    MomentSweep<SquaredError> sweep_;
    Moments all_;
    BestRank<double> best_{0, 0};
    std::vector<Part> parts_;  // of the node's rows
    std::vector<Cell> cells_;
    std::vector<Bin> promising_;
};

}  // namespace branchwork
