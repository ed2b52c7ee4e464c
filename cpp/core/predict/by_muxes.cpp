// Prediction with small trees: rank the cells of a block, then compute the leaves with multiplexers (mux.hpp).
#include "core/predict/blocks.hpp"
#include "core/predict/roads.hpp"
#include "core/predict/sums.hpp"

namespace branchwork {

namespace {

/// Rows per block. Ranks and slots take one byte per row each: 80 of them for 512 rows are 40 KiB, about the size of
/// the L1 cache. With more, the block is halved.
constexpr std::size_t most_rows = 512, fewer_rows = 256, cells_at_hand = 80;
/// Rows per AVX2 register; blocks are padded to a multiple of it.
constexpr std::size_t lanes = 32;

struct MuxScratch {
    std::vector<std::int8_t> ranks;
    std::vector<std::uint8_t> slots, leaf, delicate;

    MuxScratch(const PackedEnsemble& packed, std::size_t rows)
        : slots(packed.muxes.slots() * rows), leaf(trees_together * rows), delicate(rows) {
        ranks.resize(most_columns(packed) * rows);
    }

    static std::size_t most_columns(const PackedEnsemble& packed) {
        std::size_t most = 1;
        for (const TreeGroup& group : packed.packed.groups) most = std::max(most, group.columns());
        return most;
    }
};

/// Writes all columns of a group for one block: ranks[column * rows + r]. It takes all columns of 64 rows before the
/// next 64 rows, because in a row-major table the cells of a row share cache lines.
void write_ranks(const TreeGroup& group, std::span<const Column> columns, std::size_t begin, std::size_t n,
                 std::size_t rows, std::int8_t* ranks) {
    for (std::size_t r = 0; r < n; r += cells_together) {
        const std::size_t some = std::min(cells_together, n - r);
        const StoredColumn* before = nullptr;
        double x[cells_together];
        std::int8_t* to = ranks + r;
        for (const StoredColumn& stored : group.stored) {
            if (stored.kind != StoredColumn::Kind::codes) {
                if (before == nullptr || before->feature != stored.feature)
                    read_cells(columns[stored.feature], begin + r, some, x);
                rank_cells(group, stored, x, some, to);
                before = &stored;
            }
            to += rows;
        }
        for (const SetColumn& set : group.sets) {
            const Column& column = columns[group.stored[set.codes].feature];
            const std::uint16_t* const child = group.tables.data() + set.start + 2;
            for (std::size_t k = 0; k < some; ++k)
                to[k] = static_cast<std::int8_t>(child[code_at(column, begin + r + k)] - 128);
            to += rows;
        }
    }
}

}  // namespace

void predict_by_muxes(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse) {
    const std::size_t cells = MuxScratch::most_columns(packed) + packed.muxes.slots();
    const std::size_t block =
        std::min(cells <= cells_at_hand ? most_rows : fewer_rows, (batch.rows + lanes - 1) / lanes * lanes);
    const std::size_t trees = trees_of(ensemble, batch);
    const Kernels& kernel = kernels();
    std::vector<std::vector<std::int32_t>> ids;  // needed only if the batch asks for leaves
    for (std::size_t t = 0; t < trees && !batch.leaves.empty(); ++t)
        ids.push_back(leaf_ids(packed.packed, t));
    const auto make = [&packed, block] { return MuxScratch(packed, block); };
    for_blocks(batch, block, threads, make, [&](MuxScratch& own, std::size_t begin, std::size_t n) {
        const std::size_t rows = (n + lanes - 1) / lanes * lanes;
        BlockSums sums(ensemble, batch, begin, n, pulse);
        std::fill_n(own.slots.begin(), rows, std::uint8_t{0});
        for (const TreeGroup& group : packed.packed.groups) {
            if (group.first >= trees) break;
            pulse.check();
            const bool any = mark_delicate(group.delicate, batch.columns, begin, n, own.delicate.data());
            sums.set_delicate(any ? own.delicate.data() : nullptr);
            write_ranks(group, batch.columns, begin, n, rows, own.ranks.data());
            const std::size_t last = std::min(group.last, trees);
            for (std::size_t t = group.first, count = 0; t < last; t += count) {
                count = sums.together(t, last);
                const double* value[trees_together] = {};
                for (std::size_t k = 0; k < count; ++k) {
                    const MuxTree tree = packed.muxes.tree(t + k);
                    std::uint8_t* const leaf = own.leaf.data() + k * rows;
                    if (tree.pairs == 0) std::fill_n(leaf, rows, std::uint8_t{0});
                    kernel.multiplex(tree, own.ranks.data(), rows, own.slots.data(), leaf);
                    value[k] = packed.leaf_values.data() + packed.first_value[t + k];
                }
                if (count > 1) {
                    sums.take_together(t, count, own.leaf.data(), rows, value);
                } else {
                    const auto id = [&ids, t](std::uint8_t leaf) { return ids[t][leaf]; };
                    sums.take(t, own.leaf.data(), value[0], id);
                }
            }
        }
    });
}

}  // namespace branchwork
