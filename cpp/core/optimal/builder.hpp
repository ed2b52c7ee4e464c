// Builds the tree below a root split. The search finds only the root split and the costs of its branches, so the tree
// is built from the root down.
//
// Each branch is a problem of its own whose least cost is already known. Its root is searched with that cost as the
// limit, adding one level at a time. So of equally good subtrees, the one with the fewest levels is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/optimal/level_search.hpp"

namespace branchwork::optimal {

using Nodes = std::vector<FoundNode>;  // in preorder

template <class Loss, class Fast>
class Builder {
  public:
    Builder(Context<Loss>& context, LevelSearch<Loss, Fast>& search) : context_(context), search_(search) {}

    /// Appends a split and the best tree below it.
    void build_below(const RowView& view, const BestSplit& split, std::int32_t depth, std::int64_t leaves,
                     Nodes& nodes) {
        RowSearch<Loss>& rows = search_.rows();
        const Test& test = context_.tests[static_cast<std::size_t>(split.test)];
        nodes.push_back(told(test, split.rank, view.rows, context_.prepared));
        if (test.multiway) {
            std::vector<RowView> parts = rows.parts().take_branches(view, split.test);
            const std::vector<std::int64_t> share =
                rows.share_leaves(search_.worker(), view, parts, depth - 1, leaves);
            for (std::size_t k = 0; k < parts.size(); ++k) build_part(parts[k], depth - 1, share[k], nodes);
            return;
        }
        for (const bool left : {true, false}) {
            RowView part;
            rows.parts().take_side(view, split.test, split.rank, left, part);
            const std::int64_t own = left ? split.left_leaves : split.right_leaves;
            const Cost cost = left ? split.left : split.right;
            if (depth == 1)
                nodes.emplace_back();
            else if (cost < 0)  // the search did not report the costs of the sides
                build_part(part, depth - 1, own, nodes);
            else
                build(part, depth - 1, own, cost, nodes);
        }
    }

  private:
    /// Builds the tree of some rows when its least cost with this depth and number of leaves is known.
    void build(const RowView& view, std::int32_t depth, std::int64_t leaves, Cost cost, Nodes& nodes) {
        if (search_.rows().leaf(view) <= cost) {
            nodes.emplace_back();
            return;
        }
        for (std::int32_t d = 1; d <= depth; ++d) {
            if (const auto level = search_.find(view, d, leaves, cost + 1))
                return build_below(view, level->split, d, leaves, nodes);
        }
        throw std::logic_error("no subtree has the cost that the search found");
    }

    /// Builds the best tree of some rows when its cost is not known, searching level by level.
    void build_part(const RowView& part, std::int32_t depth, std::int64_t leaves, Nodes& nodes) {
        std::optional<Level> best;
        Cost limit = search_.rows().leaf(part);
        for (std::int32_t d = 1; d <= depth; ++d) {
            if (const auto level = search_.find(part, d, leaves, limit)) {
                best = level;
                limit = level->split.cost;
            }
        }
        if (best)
            build_below(part, best->split, best->depth, leaves, nodes);
        else
            nodes.emplace_back();
    }

    Context<Loss>& context_;
    LevelSearch<Loss, Fast>& search_;
};

}  // namespace branchwork::optimal
