// The two slow searches that a lecture starts with: for every threshold, count all rows. They give the same
// partition as the sorted scan whenever the thresholds have a point in every gap, and they count what they
// do, so that the price can be seen. The stored cut is always the midpoint of the two data values around the
// threshold.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "core/asked_score.hpp"
#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/score.hpp"
#include "core/search/branch_test.hpp"
#include "core/search/candidate.hpp"
#include "core/search/sorted_rows.hpp"
#include "core/tally/node_stats.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// The thresholds to try, in rising order for a grid, in row order for data values.
inline std::vector<double> thresholds(const Column& column, std::span<const Row> rows, CellRows cells,
                                      const Options& options) {
    std::vector<double> points;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -smallest;
    for (const Row row : rows) {
        const double x = number_at(column, cells[row]);
        if (std::isnan(x)) continue;
        if (options.search == NumericSearch::values) points.push_back(x);
        if (std::isinf(x)) continue;  // a grid has no points there
        smallest = std::min(smallest, x);
        largest = std::max(largest, x);
    }
    if (options.search == NumericSearch::values || !(smallest < largest)) return points;
    if (options.grid_step > 0) {
        const double first = std::ceil(smallest / options.grid_step);
        const double last = std::floor(largest / options.grid_step);
        const bool exact = std::max(std::abs(first), std::abs(last)) < 0x1p53;  // beyond, k + 1 may be k
        for (double k = 0; k <= last - first; ++k)
            points.push_back(exact ? (first + k) * options.grid_step
                                   : first * options.grid_step + k * options.grid_step);
    } else {
        const auto gaps = static_cast<double>(options.grid_points + 1);
        for (std::int64_t k = 1; k <= options.grid_points; ++k) {
            const double share = static_cast<double>(k) / gaps;
            points.push_back(smallest * (1 - share) + largest * share);
        }
    }
    return points;
}

/// What branches of a node cost together; those without rows cost nothing.
template <class Score, class StatsT>
double cost_of_branches(const Score& score, const StatsT& all,
                        std::initializer_list<const StatsT*> branches) {
    if constexpr (is_asked<Score>) {
        const auto has_rows = [](const StatsT* branch) { return branch->weight() > 0; };
        Questions questions;
        questions.start(all, static_cast<std::size_t>(std::ranges::count_if(branches, has_rows)),
                        AskedScore::residue * all.weight());
        for (const StatsT* branch : branches)
            if (has_rows(branch)) questions.add(*branch);
        return node(score, all) - questions.ask(score.functions())[0];
    } else {
        double cost = 0;
        for (const StatsT* branch : branches) cost += node(score, *branch);
        return cost;
    }
}

template <class Labels, class Score, class StatsT>
Candidate scan_naive(const Labels& target, const Score& score, const NodeStats<StatsT>& node_stats,
                     const Column& column, std::span<const Row> rows, CellRows cells, const Options& options,
                     double slack, const Pulse& pulse, SearchCost& spent) {
    Candidate best;
    StatsT zero = node_stats.stats;
    zero -= zero;
    for (const double threshold : thresholds(column, rows, cells, options)) {
        pulse.check();
        StatsT left = zero, right = zero, missing = zero;
        double below = -std::numeric_limits<double>::infinity();  // largest value on the left
        double above = std::numeric_limits<double>::infinity();   // smallest value on the right
        for (const Row row : rows) {
            const double x = number_at(column, cells[row]);
            StatsT& side = std::isnan(x) ? missing : x <= threshold ? left : right;
            target.add(row, node_stats.centre, side);
            if (x <= threshold) below = std::max(below, x);
            if (x > threshold) above = std::min(above, x);
        }
        ++spent.rules_scored;
        spent.rows_visited += static_cast<std::int64_t>(rows.size());
        const int branches = (left.weight() > 0) + (right.weight() > 0) + (missing.weight() > 0);
        if (left.weight() <= 0 || branches < 2) continue;
        const double cost = cost_of_branches(score, node_stats.stats, {&left, &right, &missing});
        const double cut = right.weight() > 0 ? cut_between(below, above) : below;
        const bool better = !best.is_split() || cost < best.cost - slack;
        const bool equal_and_smaller = best.is_split() && cost <= best.cost + slack && cut < best.cut;
        if (better || equal_and_smaller) {
            best.cost = cost;
            best.cut = cut;
            const double weights[] = {left.weight(), right.weight(), missing.weight()};
            best.split_info = split_information(weights);
            BranchTester<Score, StatsT> tester(node_stats.stats);
            for (const StatsT* branch : {&left, &right, &missing}) tester.add(*branch);
            best.test = tester.result();
        }
    }
    return best;
}

}  // namespace branchwork
