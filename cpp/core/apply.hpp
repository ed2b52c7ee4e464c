// Rows to leaves.
#pragma once

#include <cstdint>
#include <span>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

/// The arrays of a tree that decide which way a row goes. They have been checked: every index is in range and
/// every child comes after its parent, so the walk needs no bounds check and ends.
struct TreeView {
    std::span<const std::int32_t> feature, first_child, lookup, pool, default_child, unseen_child;
    std::span<const double> cut;
};

/// Writes the leaf of each row.
void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse);

}  // namespace branchwork
