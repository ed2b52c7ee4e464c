// The complexity at which each node of a tree stops being worth its leaves (Breiman and others 1984, chapter 3);
// src/branchwork/prune/cost_complexity.py says what it is for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

/// Nodes in breadth-first order, the children of a node side by side.
struct TreeShape {
    std::span<const std::int32_t> first_child;  // -1: leaf
    std::span<const std::int32_t> n_children;
};

/// The complexity of every node; leaves have -infinity. `below`: the risks of a node's children, added up.
std::vector<double> weakest_links(const TreeShape& tree, std::span<const double> risk,
                                  std::span<const double> below);

/// The same as rpart has it; complexities closer than `slack` are equal.
std::vector<double> links_as_rpart(const TreeShape& tree, std::span<const double> risk, double slack);

}  // namespace branchwork
