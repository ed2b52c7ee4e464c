// Prediction of a few rows. A single row cannot hide the latency of memory behind other rows, so it walks down eight
// trees in turn instead.
#include <cstdint>

#include "core/predict/blocks.hpp"
#include "core/predict/roads.hpp"
#include "core/predict/sums.hpp"

namespace branchwork {

namespace {

/// Writes the stored columns of one row.
void write_row(const TreeGroup& group, std::span<const Column> columns, std::size_t row,
               std::uint16_t* ranks) {
    for (const StoredColumn& stored : group.stored) {
        const Column& column = columns[stored.feature];
        if (stored.kind == StoredColumn::Kind::codes) {
            *ranks++ = static_cast<std::uint16_t>(code_at(column, row) + 2);
            continue;
        }
        const double x = number_at(column, row);
        rank_cells(group, stored, &x, 1, ranks++);
    }
}

/// Walks one row down `Trees` trees at the same time, until it has reached a leaf in all of them.
template <std::size_t Trees>
void walk_together(const PackedTrees& all, const TreeGroup& group, const std::uint16_t* row, std::size_t t,
                   std::uint32_t* leaf) {
    const PackedNode* const nodes = all.nodes.data();
    const std::size_t stored = group.stored.size();
    for (std::size_t k = 0; k < Trees; ++k) leaf[k] = all.trees[t + k].root;
    for (bool live = stored > 0; live;) {  // without stored columns, all trees of the group are single leaves
        live = false;
        for (std::size_t k = 0; k < Trees; ++k) {
            const PackedNode& node = nodes[leaf[k]];
            std::uint16_t value;
            if (node.column < stored) {
                value = row[node.column];
            } else {
                const SetColumn& set = group.sets[node.column - stored];
                value = group.tables[set.start + row[set.codes]];
            }
            leaf[k] = node.child + (value > node.cut ? 1 : 0);
            live |= node.cut != leaf_cut;
        }
    }
    for (std::size_t k = 0; k < Trees; ++k) {
        const PackedTree& tree = all.trees[t + k];
        const std::uint32_t place = leaf[k] - tree.root;
        leaf[k] = tree.ids.empty() ? place : static_cast<std::uint32_t>(tree.ids[place]);
    }
}

}  // namespace

void predict_few(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch,
                 const Pulse& pulse) {
    const std::size_t trees = trees_of(ensemble, batch);
    const PackedTrees& all = packed.packed;
    std::size_t columns = 1;
    for (const TreeGroup& group : all.groups) columns = std::max(columns, group.stored.size());
    std::vector<std::uint16_t> ranks(columns);
    const auto same = [](std::uint32_t leaf) { return static_cast<std::int32_t>(leaf); };
    for (std::size_t row = 0; row < batch.rows; ++row) {
        BlockSums sums(ensemble, batch, row, 1, pulse);
        for (const TreeGroup& group : all.groups) {
            if (group.first >= trees) break;
            pulse.check();
            std::uint8_t delicate = 1;
            if (!group.plain) mark_delicate(group.delicate, batch.columns, row, 1, &delicate);
            sums.set_delicate(delicate != 0 ? &delicate : nullptr);
            const std::size_t last = std::min(group.last, trees);
            if (delicate == 0) write_row(group, batch.columns, row, ranks.data());
            for (std::size_t t = group.first, count = 0; t < last; t += count) {
                std::uint32_t leaf[trees_together] = {};
                count = 1;
                if (delicate == 0 && t + trees_together <= last) {
                    walk_together<trees_together>(all, group, ranks.data(), t, leaf);
                    count = trees_together;
                } else if (delicate == 0) {
                    walk_together<1>(all, group, ranks.data(), t, leaf);
                }
                for (std::size_t k = 0; k < count; ++k)
                    sums.take(t + k, leaf + k, ensemble.members()[t + k].value.data(), same);
            }
        }
    }
}

}  // namespace branchwork
