#include "core/predict/mux.hpp"

#include <algorithm>

namespace branchwork {

namespace {

/// A packed tree whose nodes are counted from its root. Children come after their parents.
struct OneTree {
    const PackedTree& tree;
    std::span<const PackedNode> nodes;
    std::vector<std::size_t> leaves;  // number of leaves of each subtree

    OneTree(const PackedTrees& packed, std::size_t t)
        : tree(packed.trees[t]),
          nodes(std::span(packed.nodes).subspan(tree.root, tree.size)),
          leaves(tree.size, 1) {
        for (std::size_t i = tree.size; i-- > 0;)
            if (!is_leaf(i)) leaves[i] = leaves[child(i)] + leaves[child(i) + 1];
    }

    bool is_leaf(std::size_t i) const { return nodes[i].cut == leaf_cut; }
    std::size_t child(std::size_t i) const { return nodes[i].child - tree.root; }
};

}  // namespace

std::vector<std::int32_t> leaf_ids(const PackedTrees& packed, std::size_t t) {
    const OneTree one(packed, t);
    std::vector<std::int32_t> ids(one.leaves[0]);
    std::vector<std::size_t> first(one.nodes.size());  // number of the leftmost leaf of each subtree
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (one.is_leaf(i)) {
            ids[first[i]] = one.tree.ids.empty() ? static_cast<std::int32_t>(i) : one.tree.ids[i];
            continue;
        }
        first[one.child(i)] = first[i];
        first[one.child(i) + 1] = first[i] + one.leaves[one.child(i)];
    }
    return ids;
}

Muxes::Muxes(const PackedTrees& packed) {
    trees_.reserve(packed.trees.size());
    for (std::size_t t = 0; t < packed.trees.size(); ++t) add(packed, t);
    nodes_.shrink_to_fit();
}

void Muxes::add(const PackedTrees& packed, std::size_t t) {
    const OneTree one(packed, t);
    Tree own{nodes_.size(), 0, 0};
    std::vector<std::uint8_t> slot(one.nodes.size());  // where the result of each subtree is; 0: it is a leaf
    const auto write = [&](std::size_t i, std::size_t left, std::size_t right) {
        nodes_.push_back({one.nodes[i].column, static_cast<std::int8_t>(one.nodes[i].cut - 128),
                          static_cast<std::uint8_t>(one.leaves[one.child(i)]),
                          static_cast<std::uint8_t>(left), static_cast<std::uint8_t>(right)});
    };
    for (std::size_t i = one.nodes.size(); i-- > 0;) {
        if (one.leaves[i] != 2) continue;
        slot[i] = static_cast<std::uint8_t>(++own.pairs);
        write(i, slot[i], 0);
    }
    for (std::size_t i = one.nodes.size(); i-- > 0;) {
        if (one.leaves[i] <= 2) continue;
        const std::uint8_t left = slot[one.child(i)], right = slot[one.child(i) + 1];
        slot[i] = left != 0 ? left : right;
        write(i, left, right);
        ++own.others;
    }
    slots_ = std::max(slots_, own.pairs + 1);
    trees_.push_back(own);
}

}  // namespace branchwork
