// Trees between greedy and optimal: each split is the root of the best tree of a few levels.
//
//     lookahead    ●            With two levels: the best tree of two levels decides the root split. The splits below are
//                 ╱ ╲           thrown away and decided again by the best trees of two levels of each branch, and so on.
//                ○   ○
//
//     try_roots   Several roots are tried: those of the best trees of one level, two levels, ..., and those of the best
//                 trees that split on another feature first. Each is completed by looking ahead, and the root of the best
//                 complete tree is taken. The same is done in its branches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/optimal/builder.hpp"
#include "core/optimal/level_search.hpp"

namespace branchwork::optimal {

template <class Loss, class Fast>
class Lookahead {
  public:
    Lookahead(Context<Loss>& context, LevelSearch<Loss, Fast>& search) : context_(context), search_(search) {}

    /// Grows a tree and returns its cost.
    Cost grow(const RowView& view, std::int32_t depth, Nodes& nodes) {
        return context_.settings.try_roots ? try_roots(view, depth, nodes) : look_ahead(view, depth, nodes);
    }

  private:
    /// The roots of the best trees of one level, two levels and so on, each better than the one before.
    std::vector<BestSplit> roots(const RowView& view, std::int32_t depth) {
        std::vector<BestSplit> found;
        Cost limit = search_.rows().leaf(view);
        const std::int32_t ahead = std::min(depth, context_.settings.lookahead);
        for (std::int32_t d = 1; d <= ahead && limit > view.equivalent + context_.penalty; ++d) {
            if (const auto level = search_.find(view, d, context_.settings.max_leaves, limit)) {
                found.push_back(level->split);
                limit = level->split.cost;
            }
        }
        return found;
    }

    Cost look_ahead(const RowView& view, std::int32_t depth, Nodes& nodes) {
        const std::vector<BestSplit> found = roots(view, depth);
        if (found.empty()) return as_leaf(view, nodes);
        return complete(view, found.back(), depth, nodes, &Lookahead::look_ahead);
    }

    Cost try_roots(const RowView& view, std::int32_t depth, Nodes& nodes) {
        std::vector<BestSplit> found = roots(view, depth);
        if (found.empty()) return as_leaf(view, nodes);
        if (depth <= context_.settings.lookahead)  // the last root is that of the best tree of all levels
            return complete(view, found.back(), depth, nodes, &Lookahead::look_ahead);
        add_columns(view, found);
        std::size_t best = 0;
        Cost least = unbounded;
        Nodes best_tree;
        for (std::size_t k = 0; k < found.size(); ++k) {
            Nodes tree;
            const Cost cost = complete(view, found[k], depth, tree, &Lookahead::look_ahead);
            if (cost < least) least = cost, best = k, best_tree = std::move(tree);
        }
        if (depth - 1 > context_.settings.lookahead)
            return complete(view, found[best], depth, nodes, &Lookahead::try_roots);
        // The lookahead reaches the bottom of all branches, so their trees are already the best.
        nodes.insert(nodes.end(), best_tree.begin(), best_tree.end());
        return least;
    }

    /// Adds the roots of the best trees that split on each of the other features first, the best ones up to a limit.
    void add_columns(const RowView& view, std::vector<BestSplit>& found) {
        // Each root takes about as much time as a lookahead on all rows, so a large table allows none.
        constexpr std::size_t most_roots = 8, cells = 500'000;
        const std::size_t allowed =
            std::min(most_roots, found.size() + cells / (view.rows.size() * context_.tests.size()));
        if (allowed <= found.size()) return;
        const auto column_of = [this](const BestSplit& split) {
            return context_.tests[static_cast<std::size_t>(split.test)].column;
        };
        const Cost limit = search_.rows().leaf(view);
        std::vector<BestSplit> others;
        std::int32_t last = column_of(found.back());
        std::int32_t before = -1;
        for (const Test& test : context_.tests) {
            if (test.column == before || test.column == last) continue;
            before = test.column;
            const auto level = search_.find(view, context_.settings.lookahead, context_.settings.max_leaves,
                                            limit, test.column);
            if (level) others.push_back(level->split);
        }
        std::ranges::stable_sort(others, {}, &BestSplit::cost);
        for (std::size_t k = 0; k < others.size() && found.size() < allowed; ++k) found.push_back(others[k]);
    }

    Cost as_leaf(const RowView& view, Nodes& nodes) {
        nodes.emplace_back();
        return search_.rows().leaf(view);
    }

    /// Appends a split and continues in its branches with `go_on`. Returns the cost of the tree.
    Cost complete(const RowView& view, const BestSplit& split, std::int32_t depth, Nodes& nodes,
                  Cost (Lookahead::*go_on)(const RowView&, std::int32_t, Nodes&)) {
        RowSearch<Loss>& rows = search_.rows();
        const Test& test = context_.tests[static_cast<std::size_t>(split.test)];
        nodes.push_back(told(test, split.rank, view.rows, context_.prepared));
        if (test.multiway) {
            const std::vector<RowView> parts = rows.parts().take_branches(view, split.test);
            Cost cost = context_.penalty * static_cast<Cost>(parts.size() - 1);
            for (const RowView& part : parts) cost += (this->*go_on)(part, depth - 1, nodes);
            return cost;
        }
        Cost cost = context_.penalty;
        for (const bool left : {true, false}) {
            RowView part;
            rows.parts().take_side(view, split.test, split.rank, left, part);
            cost += (this->*go_on)(part, depth - 1, nodes);
        }
        return cost;
    }

    Context<Loss>& context_;
    LevelSearch<Loss, Fast>& search_;
};

}  // namespace branchwork::optimal
