// Walks down one tree on the cells as they are in memory. Only the cells that a test needs are read, which is best for
// a single tree; with many trees it pays to replace the cells by ranks first (packed.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/predict/apply.hpp"
#include "core/predict/walk.hpp"

namespace branchwork {

class RawTree {
  public:
    /// All that one step needs, so that a step touches one cache line of the tree.
    struct Node {
        double cut;
        std::uint32_t child, feature;
    };
    static_assert(sizeof(Node) == 16);

    /// `levels` has the number of categories of each feature, or -1 if it is numeric. Only a numeric threshold fits
    /// into a Node. For a tree with any other split, empty() is true and `leaves` walks on the TreeView.
    RawTree(const TreeView& tree, std::span<const std::int32_t> levels);

    bool empty() const { return nodes_.empty(); }
    std::size_t bytes() const { return nodes_.size() * sizeof(Node); }

    /// Writes leaf[r] for each r in `rows`; r is the row begin + r of the table.
    void leaves(std::span<const Column> columns, const TreeView& tree, std::size_t begin,
                std::span<const std::uint32_t> rows, std::uint32_t* leaf, UnderWay& list,
                const Pulse& pulse) const;

  private:
    std::vector<Node> nodes_;
    std::size_t blind_ = 0;  // see blind_levels
};

/// Returns the mean depth of the leaves.
double mean_depth(const TreeView& tree);
/// Number of levels that a walk takes with all rows before it checks which of them have arrived (walk.hpp).
inline std::size_t blind_levels(double mean_depth) { return static_cast<std::size_t>(0.75 * mean_depth); }

}  // namespace branchwork
