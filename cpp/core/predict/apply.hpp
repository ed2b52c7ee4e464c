// Finds the leaf of each row in one tree. `leaf_of` and `SharedWalk` follow the tree step by step and define the right
// answer; every faster way in this folder must agree with them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

/// A value of `default_child` and `unseen_child`: the row is shared among all children in proportion to their weight.
inline constexpr std::int32_t every_child = -1;

/// The surrogates of a tree. Those of one node are stored next to each other, best first.
struct SurrogateView {
    std::span<const std::int32_t> first, count;  // per node
    std::span<const std::int32_t> feature, low_child, lookup, pool;
    std::span<const double> cut;

    bool in_use() const { return !first.empty(); }
};

/// The arrays of a tree that decide which way a row goes. They have been checked: every index is in range, so a walk
/// needs no bounds checks, and every child comes after its parent, so a walk ends.
struct TreeView {
    std::span<const std::int32_t> feature, first_child, lookup, pool, default_child, unseen_child;
    std::span<const double> cut;
    std::span<const std::int32_t> n_children;
    std::span<const double> bounds;  // thresholds of splits into intervals (numeric nodes with a `lookup`)
    SurrogateView surrogates;
};

/// Returns the child of an inner node that a row goes to, counted from the first child, or every_child.
///
/// A missing value, or a category that the node does not know (-1 in the pool), goes where the first surrogate with a
/// known value sends it, and otherwise to `default_child`. A category that was never seen in training goes to
/// `unseen_child`; if that is every_child and the tree has surrogates, it is treated like a missing value.
std::int32_t child_of(std::span<const Column> columns, const TreeView& tree, std::size_t node,
                      std::size_t row);

/// Returns the leaf of one row. Only for trees in which no node shares its rows among children.
std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row);

/// Writes the leaf of each row. Only for trees in which no node shares its rows among children.
void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse);

/// The leaves of rows that may be shared among children. Row r has the leaves [starts[r], starts[r + 1]), each with its
/// share of the row; the shares of a row add up to 1.
struct Shares {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> leaf;
    std::vector<double> share;
};

/// Finds the leaves of rows that may be shared among children. `weight` is the training weight of each node.
class SharedWalk {
  public:
    SharedWalk(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight)
        : columns_(columns), tree_(tree), weight_(weight) {}

    /// Appends the leaves of a row, from left to right, and the share of each.
    void leaves_of(std::size_t row, Shares& out, const Pulse& pulse);

  private:
    std::span<const Column> columns_;
    const TreeView& tree_;
    std::span<const double> weight_;
    std::vector<std::pair<std::size_t, double>> waiting_;
};

/// Finds the leaves of all rows; see SharedWalk.
Shares apply_shared(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight,
                    std::size_t rows, int threads, const Pulse& pulse);

}  // namespace branchwork
