// The best split of a list of rows into leaves. For a numeric feature, two passes over the order of its values:
//
//     order of x      r3   r0   r2   r1  ...        first pass: the cost of a leaf with the rows so far, from the left
//     left leaf       0    1    1    2   ...        second pass: the same from the right; between two different values,
//     right leaf      2    2    1    0   ...        the sum of both is the cost of a cut
//
// For other features, the statistics of each value are summed up once for all their tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/row_view.hpp"
#include "core/optimal/split_search.hpp"

namespace branchwork::optimal {

/// Memory that is reused for every stump.
struct RowStumpSpace {
    std::vector<Cost> stats, side, left_cost, samples;
    std::vector<std::uint32_t> rows;
};

template <class Loss>
class RowStumps {
  public:
    explicit RowStumps(Context<Loss>& context) : context_(context) {}

    /// Of equally good splits, returns the first.
    BestSplit find(RowStumpSpace& space, const RowView& view, std::int64_t leaves, std::int32_t only_column) {
        BestSplit best;
        const auto count = static_cast<std::int32_t>(context_.tests.size());
        for (std::int32_t t = 0; t < count;) {
            const Test& test = context_.tests[static_cast<std::size_t>(t)];
            std::int32_t end = t + 1;
            const auto shares = [&](std::int32_t other) {
                return context_.tests[static_cast<std::size_t>(other)].of == test.of;
            };
            while (end < count && shares(end)) ++end;
            if (are_many(view)) context_.watch.check();
            if (only_column < 0 || test.column == only_column) {
                if (test.order.empty())
                    slot_stumps(space, view, t, end, leaves, best);
                else
                    cut_stump(space, view, t, best);
            }
            t = end;
        }
        return best;
    }

  private:
    /// One pass from each end, so that rows are only added to leaves, never removed.
    void cut_stump(RowStumpSpace& space, const RowView& view, std::int32_t t, BestSplit& best) {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const Loss& loss = context_.loss;
        const std::vector<Row>& order = view.order[static_cast<std::size_t>(t)];
        const std::vector<std::uint32_t>& ranks = *test.of;
        space.left_cost.resize(order.size());
        space.stats.assign(loss.width(), 0);
        typename Loss::Running left(loss, space.stats.data());
        for (std::size_t k = 0; k < order.size(); ++k) space.left_cost[k] = left.add(order[k]);
        space.stats.assign(loss.width(), 0);
        typename Loss::Running right(loss, space.stats.data());
        const bool limited = !context_.samples.empty();
        Cost samples = 0, all_samples = 0;
        if (limited)
            for (const Row row : view.rows) all_samples += context_.samples[row];
        const Cost room = best.cost;
        Cost least = room;
        std::uint32_t rank = 0;
        for (std::size_t k = order.size() - 1; k > 0; --k) {
            const Cost on_right = right.add(order[k]);
            if (limited) samples += context_.samples[order[k]];
            if (ranks[order[k]] == ranks[order[k - 1]]) continue;
            if (limited && (samples < context_.min_samples || all_samples - samples < context_.min_samples))
                continue;
            const Cost cost = space.left_cost[k - 1] + on_right + context_.penalty;
            if (cost < room && cost <= least) {  // from right to left: of equal cuts, the smallest is taken
                least = cost;
                rank = ranks[order[k - 1]];
            }
        }
        if (least < room) best = {least, t, 0, rank, 1, 1, 0, 0};
    }

    /// Handles the tests [begin, end), which all belong to one categorical feature, or one with two values. The
    /// statistics of its slots are summed up once for all of them.
    void slot_stumps(RowStumpSpace& space, const RowView& view, std::int32_t begin, std::int32_t end,
                     std::int64_t leaves, BestSplit& best) {
        const Test& first = context_.tests[static_cast<std::size_t>(begin)];
        const Column& column = context_.prepared.columns()[static_cast<std::size_t>(first.column)];
        const std::size_t width = context_.loss.width();
        const std::size_t slots = column.nominal ? static_cast<std::size_t>(column.levels) + 1 : first.ranks;
        space.stats.assign(width * slots, 0);
        space.rows.assign(slots, 0);
        space.samples.assign(slots, 0);
        for (const Row row : view.rows) {
            const std::size_t slot = (*first.of)[row];
            context_.loss.add(&space.stats[slot * width], row);
            ++space.rows[slot];
            if (!context_.samples.empty()) space.samples[slot] += context_.samples[row];
        }
        const Cost all_samples = std::reduce(space.samples.begin(), space.samples.end());
        for (std::int32_t t = begin; t < end; ++t) {
            const Test& test = context_.tests[static_cast<std::size_t>(t)];
            if (test.multiway)
                multiway_stump(space, t, leaves, best);
            else
                two_slots_stump(space, view, t, all_samples, best);
        }
    }

    void two_slots_stump(RowStumpSpace& space, const RowView& view, std::int32_t t, Cost all_samples,
                         BestSplit& best) {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const std::size_t width = context_.loss.width();
        constexpr std::uint32_t lowest[] = {0};  // numeric feature with two values: the smaller goes left
        const std::span<const std::uint32_t> left =
            test.left.empty() ? std::span(lowest) : std::span(test.left);
        space.side.assign(width, 0);
        std::size_t rows = 0;
        Cost samples = 0;
        for (const std::uint32_t slot : left) {
            for (std::size_t k = 0; k < width; ++k) space.side[k] += space.stats[slot * width + k];
            rows += space.rows[slot];
            samples += space.samples[slot];
        }
        if (rows == 0 || rows == view.rows.size()) return;
        if (std::min(samples, all_samples - samples) < context_.min_samples) return;
        Cost cost = context_.loss.leaf(space.side.data()) + context_.penalty;
        for (std::size_t k = 0; k < width; ++k) space.side[k] = view.stats[k] - space.side[k];
        cost += context_.loss.leaf(space.side.data());
        if (cost < best.cost) best = {cost, t, 0, 0, 1, 1, 0, 0};
    }

    void multiway_stump(RowStumpSpace& space, std::int32_t t, std::int64_t leaves, BestSplit& best) {
        const std::size_t width = context_.loss.width();
        std::int64_t branches = 0;
        Cost cost = 0;
        for (std::size_t k = 0; k < space.rows.size(); ++k) {
            if (space.rows[k] == 0) continue;
            if (space.samples[k] < context_.min_samples) return;
            ++branches;
            cost += context_.loss.leaf(&space.stats[k * width]);
        }
        if (branches < 2 || branches > leaves || context_.penalty > unbounded / branches) return;
        cost += context_.penalty * (branches - 1);
        if (cost < best.cost) best = {cost, t, 0, 0, leaves, 0, 0, 0};
    }
    Context<Loss>& context_;
};

}  // namespace branchwork::optimal
