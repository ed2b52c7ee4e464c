// Error-based pruning (Quinlan 1993): a subtree gives way to a leaf, or to its own largest branch, where that
// is expected to make no more errors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"
#include "core/predict/apply.hpp"
#include "core/prune/error_bound.hpp"
#include "core/target.hpp"

namespace branchwork {

/// The pruned tree, breadth first: node i has the split of node `origin[i]` of the given tree, unless it is a
/// leaf. Rows were counted anew, because a branch that was raised has taken up the rows of its parent.
struct PrunedTree {
    std::vector<std::int32_t> origin;
    std::vector<std::uint8_t> leaf;
    std::vector<double> weight;
    std::vector<std::int64_t> n_rows;
    std::vector<double> stats;         // `classes` numbers per node
    std::vector<std::int32_t> answer;  // the class that a node decides for
    std::vector<double> estimate;      // expected errors of each node
    /// For each node of the given tree, when it was judged last: the expected errors of its subtree, and of a leaf in its
    /// place. NaN: never judged.
    std::vector<double> of_subtree, of_leaf;
};

/// `answer`: the class that each node of the tree decides for. `raising`: may a branch take its parent's
/// place?
PrunedTree prune_by_error(std::span<const Column> columns, const Target& target, const TreeView& tree,
                          std::span<const std::int32_t> answer, const ErrorBound& bound, bool raising,
                          const Pulse& pulse);

}  // namespace branchwork
