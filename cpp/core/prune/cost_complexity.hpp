// Cost-complexity pruning (Breiman et al. 1984, chapter 3): the complexity parameter at which each node becomes a leaf.
// See src/branchwork/prune/cost_complexity.py for its use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

/// Nodes are in breadth-first order, and the children of a node are consecutive.
struct TreeShape {
    std::span<const std::int32_t> first_child;  // -1: leaf
    std::span<const std::int32_t> n_children;
};

/// Returns the complexity of every node; that of leaves is -infinity. `below` has the sum of the risks of the children
/// of each node.
std::vector<double> weakest_links(const TreeShape& tree, std::span<const double> risk,
                                  std::span<const double> below);

/// The same as rpart computes it. Complexities that differ by less than `slack` are equal.
std::vector<double> links_as_rpart(const TreeShape& tree, std::span<const double> risk, double slack);

}  // namespace branchwork
