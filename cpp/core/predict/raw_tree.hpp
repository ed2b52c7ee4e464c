// One tree of cuts, walked on the cells as they lie in memory: no cell is looked at that no test asks for. This is the
// way of a tree alone; for many trees it pays to replace cells by ranks first (packed.hpp).
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
    /// What one step needs, in one cache line.
    struct Node {
        double cut;
        std::uint32_t child, feature;
    };
    static_assert(sizeof(Node) == 16);

    /// `levels` has the number of categories of each feature, -1 for a number. Only numeric cuts fit into a node; a tree with anything else stays as it is, and empty() here.
    RawTree(const TreeView& tree, std::span<const std::int32_t> levels);

    bool empty() const { return nodes_.empty(); }
    std::size_t bytes() const { return nodes_.size() * sizeof(Node); }

    /// Writes the leaves of some rows, counted from `begin`.
    void leaves(std::span<const Column> columns, const TreeView& tree, std::size_t begin,
                std::span<const std::uint32_t> rows, std::uint32_t* leaf, UnderWay& list,
                const Pulse& pulse) const;

  private:
    std::vector<Node> nodes_;
    std::size_t blind_ = 0;  // levels that are taken without asking
};

/// The mean depth of a leaf. All rows are sent three quarters of it down a tree before anybody asks who has arrived.
double mean_depth(const TreeView& tree);
inline std::size_t blind_levels(double mean_depth) { return static_cast<std::size_t>(0.75 * mean_depth); }

}  // namespace branchwork
