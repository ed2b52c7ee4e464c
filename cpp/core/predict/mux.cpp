#include "core/predict/mux.hpp"

#include <algorithm>

namespace branchwork {

Muxes::Muxes(const PackedTrees& packed) {
    trees_.reserve(packed.trees.size());
    for (std::size_t t = 0; t < packed.trees.size(); ++t) add(packed, t);
    nodes_.shrink_to_fit();
    ids_.shrink_to_fit();
}

void Muxes::add(const PackedTrees& packed, std::size_t t) {
    const PackedTree& tree = packed.trees[t];
    const std::span<const PackedNode> nodes = std::span(packed.nodes).subspan(tree.root, tree.size);
    const auto child = [&](std::size_t i) { return static_cast<std::size_t>(nodes[i].child - tree.root); };
    std::vector<std::size_t> leaves(tree.size, 1);  // of each subtree; children come after their parents
    for (std::size_t i = tree.size; i-- > 0;)
        if (nodes[i].cut != leaf_cut) leaves[i] = leaves[child(i)] + leaves[child(i) + 1];

    Tree own{nodes_.size(), 0, 0, ids_.size(), leaves[0]};
    std::vector<std::uint8_t> slot(tree.size);  // 0: a leaf
    const auto write = [&](std::size_t i, std::size_t left, std::size_t right) {
        nodes_.push_back({nodes[i].column, static_cast<std::uint8_t>(nodes[i].cut),
                          static_cast<std::uint8_t>(leaves[child(i)]), static_cast<std::uint8_t>(left),
                          static_cast<std::uint8_t>(right)});
    };
    for (std::size_t i = tree.size; i-- > 0;) {
        if (leaves[i] != 2) continue;
        slot[i] = static_cast<std::uint8_t>(++own.pairs);
        write(i, slot[i], 0);
    }
    for (std::size_t i = tree.size; i-- > 0;) {
        if (leaves[i] <= 2) continue;
        const std::uint8_t left = slot[child(i)], right = slot[child(i) + 1];
        slot[i] = left != 0 ? left : right;
        write(i, left, right);
        ++own.others;
    }
    slots_ = std::max(slots_, own.pairs + 1);

    std::vector<std::size_t> first(tree.size);  // leaf of each subtree, counted from the left
    ids_.resize(ids_.size() + own.leaves);
    for (std::size_t i = 0; i < tree.size; ++i) {
        if (nodes[i].cut == leaf_cut) {
            const auto id = tree.ids.empty() ? static_cast<std::int32_t>(i) : tree.ids[i];
            ids_[own.first_leaf + first[i]] = static_cast<std::uint16_t>(id);
            continue;
        }
        first[child(i)] = first[i];
        first[child(i) + 1] = first[i] + leaves[child(i)];
    }
    trees_.push_back(own);
}

}  // namespace branchwork
