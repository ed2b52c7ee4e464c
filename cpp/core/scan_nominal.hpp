// One branch per category: the statistics of every category in one pass over the node's rows, then the sum of
// their impurities. Slot 0 is the missing branch, slot code + 1 the category.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/node_stats.hpp"
#include "core/score.hpp"
#include "core/split.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// Statistics of each category of a column among some rows; `labels` are the classes of these rows, side by
/// side.
template <class Count>
void tally_categories(const ClassRows<Count>& target, std::span<const std::int32_t> labels,
                      const Column& column, std::span<const Row> rows, std::vector<Count>& counts) {
    const std::size_t slots = static_cast<std::size_t>(column.levels) + 1;
    const std::size_t classes = target.classes;
    counts.assign(slots * classes, Count{0});
    const Cells<std::int32_t> codes{column.data, column.stride};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto slot = static_cast<std::size_t>(codes[rows[i]] + 1);
        counts[slot * classes + static_cast<std::size_t>(labels[i])] += target.weight(rows[i]);
    }
}

inline void tally_categories(const ValueRows& target, double centre, const Column& column,
                             std::span<const Row> rows, std::vector<Moments>& moments) {
    moments.assign(static_cast<std::size_t>(column.levels) + 1, Moments{});
    const Cells<std::int32_t> codes{column.data, column.stride};
    for (const Row row : rows)
        moments[static_cast<std::size_t>(codes[row] + 1)].add(target.label(row) - centre, target.weight(row));
}

/// Buffers that one worker reuses for every nominal column of every node.
template <class Target, class Score>
class CategoryScan;

template <class Count, class Score>
class CategoryScan<ClassRows<Count>, Score> {
  public:
    Candidate scan(const ClassRows<Count>& target, const Score& score,
                   const NodeStats<ClassCounts<Count>>& stats, std::span<const std::int32_t> labels,
                   const Column& column, std::span<const Row> rows) {
        tally_categories(target, labels, column, rows, counts_);
        return cost_of(score, std::span<const Count>(counts_), target.classes, stats.stats.weight());
    }
    template <class Counter>
    static Candidate cost_of(const Score& score, std::span<const Counter> counts, std::size_t classes,
                             double node_weight) {
        Candidate split;
        double cost = 0;
        BranchShares shares(node_weight);
        for (std::size_t slot = 0; slot < counts.size(); slot += classes) {
            const std::span<const Counter> branch = counts.subspan(slot, classes);
            Count total = 0;
            for (const Counter n : branch) total += static_cast<Count>(n);
            if (total <= 0) continue;
            cost += node(score, branch, total);
            shares.add(static_cast<double>(total));
        }
        if (shares.branches() >= 2) split.cost = cost, split.split_info = shares.information();
        return split;
    }

  private:
    std::vector<Count> counts_;
};

template <class Score>
class CategoryScan<ValueRows, Score> {
  public:
    Candidate scan(const ValueRows& target, const Score& score, const NodeStats<Moments>& stats,
                   std::span<const std::int32_t>, const Column& column, std::span<const Row> rows) {
        tally_categories(target, stats.centre, column, rows, moments_);
        return cost_of(score, moments_, stats.stats.weight());
    }
    static Candidate cost_of(const Score& score, std::span<const Moments> moments, double node_weight) {
        Candidate split;
        double cost = 0;
        BranchShares shares(node_weight);
        for (const Moments& m : moments) {
            if (m.w <= 0) continue;
            cost += score.node(m);
            shares.add(m.w);
        }
        if (shares.branches() >= 2) split.cost = cost, split.split_info = shares.information();
        return split;
    }

  private:
    std::vector<Moments> moments_;
};

}  // namespace branchwork
