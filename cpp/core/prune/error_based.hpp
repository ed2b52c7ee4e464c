// Error-based pruning (Quinlan 1993): a subtree is replaced by a leaf or by its largest branch if that is not expected
// to make more errors.
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

/// The pruned tree in breadth-first order. Node i is a leaf or has the split of node `origin[i]` of the given tree.
/// Rows are counted again, because a raised branch gets all rows of its parent.
struct PrunedTree {
    std::vector<std::int32_t> origin;
    std::vector<std::uint8_t> leaf;
    std::vector<double> weight;
    std::vector<std::int64_t> n_rows;
    std::vector<double> stats;         // `classes` numbers per node
    std::vector<std::int32_t> answer;  // predicted class of each node
    std::vector<double> estimate;      // expected errors of each node
    /// For each node of the given tree, when it was last considered for pruning: the expected errors of its subtree,
    /// and of a leaf in its place. NaN: it never was.
    std::vector<double> of_subtree, of_leaf;
};

/// `answer` is the predicted class of each node of the tree. `raising` says whether a branch may replace its parent.
PrunedTree prune_by_error(std::span<const Column> columns, const Target& target, const TreeView& tree,
                          std::span<const std::int32_t> answer, const ErrorBound& bound, bool raising,
                          const Pulse& pulse);

}  // namespace branchwork
