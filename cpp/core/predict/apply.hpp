// Rows to leaves.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

/// In `default_child` and `unseen_child`: every child, by weight.
inline constexpr std::int32_t every_child = -1;

/// The surrogates of a tree, those of a node side by side, the best first.
struct SurrogateView {
    std::span<const std::int32_t> first, count;  // of each node
    std::span<const std::int32_t> feature, low_child, lookup, pool;
    std::span<const double> cut;

    bool in_use() const { return !first.empty(); }
};

/// The arrays of a tree that decide which way a row goes. They have been checked: every index is in range and
/// every child comes after its parent, so the walk needs no bounds check and ends.
struct TreeView {
    std::span<const std::int32_t> feature, first_child, lookup, pool, default_child, unseen_child;
    std::span<const double> cut;
    std::span<const std::int32_t> n_children;
    std::span<const double> bounds;  // of splits into intervals: numeric nodes with a `lookup`
    SurrogateView surrogates;
};

/// The child that a row goes to at an inner node, counted from the first; perhaps every_child. With
/// surrogates in use, a missing cell is looked for in them; so is a category that the node does not have (-1
/// in the pool), or that training never saw, unless `unseen_child` says where it goes. The last resort is
/// `default_child`.
std::int32_t child_of(std::span<const Column> columns, const TreeView& tree, std::size_t node,
                      std::size_t row);

/// The leaf of one row, step by step: what every faster way must agree with. No node may share its rows.
std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row);

/// Writes the leaf of each row.
void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse);

/// The leaves of each row, where a missing cell goes to every child: those of row r stand in
/// [starts[r], starts[r + 1]), each with its share of the row.
struct Shares {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> leaf;
    std::vector<double> share;
};

/// Finds the leaves of one row after the other, where missing cells may go to every child. `weight` is the tree's.
class SharedWalk {
  public:
    SharedWalk(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight)
        : columns_(columns), tree_(tree), weight_(weight) {}

    /// Appends the leaves of a row, from left to right, and its share in each.
    void leaves_of(std::size_t row, Shares& out, const Pulse& pulse);

  private:
    std::span<const Column> columns_;
    const TreeView& tree_;
    std::span<const double> weight_;
    std::vector<std::pair<std::size_t, double>> waiting_;
};

/// `weight` is the tree's. A row is shared among children by their weight in training.
Shares apply_shared(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight,
                    std::size_t rows, int threads, const Pulse& pulse);

}  // namespace branchwork
