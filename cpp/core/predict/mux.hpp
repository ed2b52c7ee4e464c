// Small trees as multiplexers: the number of the leaf is computed from the bottom up, for 32 rows at a time.
//
// Instead of walking, every row of a block answers every test of the tree, which takes a few instructions per 32 rows
// (kernels/predict.hpp). The cost depends on the number of leaves, not on the depth. Leaves are numbered from left to
// right in one byte, so a tree has at most 256 of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/predict_types.hpp"
#include "core/predict/packed.hpp"

namespace branchwork {

inline constexpr std::size_t most_mux_leaves = 256;

/// Returns the node numbers of the leaves of tree t, from left to right.
std::vector<std::int32_t> leaf_ids(const PackedTrees& packed, std::size_t t);

/// The multiplexers of an ensemble.
class Muxes {
  public:
    Muxes() = default;
    explicit Muxes(const PackedTrees& packed);

    MuxTree tree(std::size_t t) const {
        return {nodes_.data() + trees_[t].first, trees_[t].pairs, trees_[t].others};
    }
    std::size_t slots() const { return slots_; }
    std::size_t bytes() const { return nodes_.size() * sizeof(MuxNode); }

  private:
    struct Tree {
        std::size_t first, pairs, others;
    };
    void add(const PackedTrees& packed, std::size_t t);

    std::vector<MuxNode> nodes_;
    std::vector<Tree> trees_;
    std::size_t slots_ = 1;
};

}  // namespace branchwork
