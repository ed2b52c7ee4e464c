// Prediction with large trees: rank the cells of a block, then walk its rows down one tree after the other (walk.hpp).
#include "core/compiler.hpp"
#include "core/predict/blocks.hpp"
#include "core/predict/roads.hpp"
#include "core/predict/sums.hpp"
#include "core/predict/walk.hpp"

namespace branchwork {

namespace {

/// Rows per block: as many as have ranks of 256 KiB together, so that they fit in the L2 cache beside a tree.
constexpr std::size_t most_walked_rows = 4096, fewest_rows = 64, bytes_of_block = std::size_t{1} << 18;

/// A step where all tests compare ranks. The ranks of a block are stored row by row, so that a walk stays in one or two
/// cache lines of ranks: a line holds 32.
struct WordStep {
    const PackedNode* nodes;
    const std::uint16_t* ranks;
    std::size_t columns;

    const std::uint16_t* place(std::uint32_t row) const { return ranks + row * columns; }
    std::uint32_t operator()(const std::uint16_t* row, std::uint32_t at) const {
        const PackedNode& node = nodes[at];
        return node.child + (row[node.column] > node.cut ? 1 : 0);
    }
    bool is_leaf(std::uint32_t at) const { return nodes[at].cut == leaf_cut; }
};

/// The same for groups in which some tests look up a category.
struct WordOrSetStep {
    const PackedNode* nodes;
    const std::uint16_t* ranks;
    const TreeGroup& group;

    const std::uint16_t* place(std::uint32_t row) const { return ranks + row * group.stored.size(); }
    std::uint32_t operator()(const std::uint16_t* row, std::uint32_t at) const {
        const PackedNode& node = nodes[at];
        std::uint16_t value;
        if (node.column < group.stored.size()) {
            value = row[node.column];
        } else {
            const SetColumn& set = group.sets[node.column - group.stored.size()];
            value = group.tables[set.start + row[set.codes]];
        }
        return node.child + (value > node.cut ? 1 : 0);
    }
    bool is_leaf(std::uint32_t at) const { return nodes[at].cut == leaf_cut; }
};

/// Writes the stored columns of a group for one block: ranks[r * columns + column]. It goes column by column, because
/// the thresholds of a single feature may fill the L2 cache.
void write_ranks(const TreeGroup& group, std::span<const Column> columns, std::size_t begin, std::size_t n,
                 std::uint16_t* ranks) {
    const std::size_t width = group.stored.size();
    for (std::size_t j = 0; j < width; ++j) {
        const StoredColumn& stored = group.stored[j];
        const Column& column = columns[stored.feature];
        std::uint16_t of_column[cells_together];
        double x[cells_together];
        for (std::size_t r = 0; r < n; r += cells_together) {
            const std::size_t some = std::min(cells_together, n - r);
            if (stored.kind == StoredColumn::Kind::codes) {
                for (std::size_t k = 0; k < some; ++k)
                    of_column[k] = static_cast<std::uint16_t>(code_at(column, begin + r + k) + 2);
            } else {
                read_cells(column, begin + r, some, x);
                rank_cells(group, stored, x, some, of_column);
            }
            for (std::size_t k = 0; k < some; ++k) ranks[(r + k) * width + j] = of_column[k];
        }
    }
}

/// Prefetches the nodes of the next tree, a few cache lines per turn, while the rows walk down the current one.
class Fetch {
  public:
    Fetch(std::span<const PackedNode> nodes, std::size_t turns)
        : next_(reinterpret_cast<const std::byte*>(nodes.data())),
          end_(next_ + nodes.size_bytes()),
          lines_(nodes.size_bytes() / line / std::max<std::size_t>(turns, 1) + 1) {}

    void some() {
        for (std::size_t k = 0; k < lines_ && next_ < end_; ++k, next_ += line)
            BRANCHWORK_PREFETCH_FAR(next_);
    }

  private:
    static constexpr std::size_t line = 64;
    const std::byte *next_, *end_;
    std::size_t lines_;
};

struct WalkScratch {
    std::vector<std::uint16_t> ranks;
    std::vector<std::uint32_t> rows, leaf;
    std::vector<std::uint8_t> delicate;
    UnderWay list;

    WalkScratch(std::size_t columns, std::size_t n)
        : ranks(columns * n), rows(n), leaf(n), delicate(n), list(n) {}
};

std::size_t most_stored_columns(const PackedEnsemble& packed) {
    std::size_t most = 1;
    for (const TreeGroup& group : packed.packed.groups) most = std::max(most, group.stored.size());
    return most;
}

}  // namespace

void predict_by_walks(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                      const Pulse& pulse) {
    const std::size_t columns = most_stored_columns(packed);
    const std::size_t block = std::min(
        std::clamp(bytes_of_block / (columns * sizeof(std::uint16_t)), fewest_rows, most_walked_rows),
        batch.rows);
    const std::size_t trees = trees_of(ensemble, batch);
    const PackedTrees& all = packed.packed;
    const auto make = [columns, block] { return WalkScratch(columns, block); };
    const auto same = [](std::uint32_t leaf) { return static_cast<std::int32_t>(leaf); };
    for_blocks(batch, block, threads, make, [&](WalkScratch& own, std::size_t begin, std::size_t n) {
        BlockSums sums(ensemble, batch, begin, n, pulse);
        for (const TreeGroup& group : all.groups) {
            if (group.first >= trees) break;
            pulse.check();
            if (group.plain) {
                own.delicate.assign(own.delicate.size(), 1);
                sums.set_delicate(own.delicate.data());
                sums.take(group.first, own.leaf.data(), nullptr, same);
                continue;
            }
            const bool any = mark_delicate(group.delicate, batch.columns, begin, n, own.delicate.data());
            sums.set_delicate(any ? own.delicate.data() : nullptr);
            write_ranks(group, batch.columns, begin, n, own.ranks.data());
            const std::size_t last = std::min(group.last, trees);
            for (std::size_t t = group.first; t < last; ++t) {
                const PackedTree& tree = all.trees[t];
                std::size_t count = 0;
                for (std::uint32_t r = 0; r < n; ++r) {
                    own.rows[count] = r;
                    count += sums.leaves_out_none() || !sums.leaves_out(t, r) ? 1 : 0;
                }
                const PackedTree& next = all.trees[t + 1 < last ? t + 1 : group.first];
                Fetch fetch(std::span(all.nodes).subspan(next.root, next.size), n / 8);
                std::size_t turns = 0;
                const auto between = [&fetch, &turns, &pulse] {
                    fetch.some();
                    if (++turns % 64 == 0) pulse.check();
                };
                const auto rows = std::span<const std::uint32_t>(own.rows).first(count);
                if (group.sets.empty())
                    walk(WordStep{all.nodes.data(), own.ranks.data(), group.stored.size()}, tree.root,
                         tree.blind, rows, own.leaf.data(), own.list, between);
                else
                    walk(WordOrSetStep{all.nodes.data(), own.ranks.data(), group}, tree.root, tree.blind,
                         rows, own.leaf.data(), own.list, between);
                const std::vector<double>& outputs = packed.outputs[t].values;
                if (sums.wants_sums() && !outputs.empty()) {
                    for (const std::uint32_t r : rows) own.leaf[r] = all.nodes[own.leaf[r]].column;
                    sums.take(t, own.leaf.data(), outputs.data(), same);
                    continue;
                }
                for (const std::uint32_t r : rows) {
                    const std::uint32_t place = own.leaf[r] - tree.root;
                    own.leaf[r] = tree.ids.empty() ? place : static_cast<std::uint32_t>(tree.ids[place]);
                }
                sums.take(t, own.leaf.data(), ensemble.members()[t].value.data(), same);
            }
        }
    });
}

}  // namespace branchwork
