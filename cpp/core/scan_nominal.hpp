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
#include "core/score.hpp"
#include "core/split.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// Statistics of each category of a column among some rows; `labels` are the classes of these rows, side by
/// side.
template <class Count>
void tally_categories(const ClassRows<Count>& target, std::span<const std::int32_t> labels,
                      const Column& column, std::span<const Row> rows, std::vector<Count>& counts,
                      std::vector<Count>& totals) {
    const std::size_t slots = static_cast<std::size_t>(column.levels) + 1;
    const std::size_t classes = target.classes;
    counts.assign(slots * classes, Count{0});
    const Cells<std::int32_t> codes{column.data, column.stride};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto slot = static_cast<std::size_t>(codes[rows[i]] + 1);
        counts[slot * classes + static_cast<std::size_t>(labels[i])] += target.weight(rows[i]);
    }
    totals.assign(slots, Count{0});
    for (std::size_t slot = 0; slot < slots; ++slot)
        for (std::size_t c = 0; c < classes; ++c) totals[slot] += counts[slot * classes + c];
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
    Candidate scan(const ClassRows<Count>& target, const Score& score, double,
                   std::span<const std::int32_t> labels, const Column& column, std::span<const Row> rows) {
        tally_categories(target, labels, column, rows, counts_, totals_);
        return cost_of(score, counts_, totals_, target.classes);
    }
    static Candidate cost_of(const Score& score, std::span<const Count> counts, std::span<const Count> totals,
                             std::size_t classes) {
        Candidate split;
        std::vector<double> weights;
        double cost = 0;
        for (std::size_t slot = 0; slot < totals.size(); ++slot) {
            if (totals[slot] <= 0) continue;
            cost += node(score, counts.subspan(slot * classes, classes), totals[slot]);
            weights.push_back(static_cast<double>(totals[slot]));
        }
        if (weights.size() >= 2) split.cost = cost, split.split_info = split_information(weights);
        return split;
    }

  private:
    std::vector<Count> counts_, totals_;
};

template <class Score>
class CategoryScan<ValueRows, Score> {
  public:
    Candidate scan(const ValueRows& target, const Score& score, double centre, std::span<const std::int32_t>,
                   const Column& column, std::span<const Row> rows) {
        tally_categories(target, centre, column, rows, moments_);
        return cost_of(score, moments_);
    }
    static Candidate cost_of(const Score& score, std::span<const Moments> moments) {
        Candidate split;
        std::vector<double> weights;
        double cost = 0;
        for (const Moments& m : moments) {
            if (m.w <= 0) continue;
            cost += score.node(m);
            weights.push_back(m.w);
        }
        if (weights.size() >= 2) split.cost = cost, split.split_info = split_information(weights);
        return split;
    }

  private:
    std::vector<Moments> moments_;
};

}  // namespace branchwork
