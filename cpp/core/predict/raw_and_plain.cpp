// Prediction on the cells as they are, without ranks: the plain walk, which defines the right answer, and walks of many
// rows at a time for ensembles of few trees.
#include "core/predict/blocks.hpp"
#include "core/predict/roads.hpp"
#include "core/predict/sums.hpp"

namespace branchwork {

namespace {

constexpr std::size_t rows_of_block = 2048;

struct PlainScratch {
    std::vector<std::uint32_t> rows, leaf;
    std::vector<std::uint8_t> delicate;
    UnderWay list;

    explicit PlainScratch(std::size_t n) : rows(n), leaf(n), delicate(n), list(n) {}
};

std::int32_t same(std::uint32_t leaf) { return static_cast<std::int32_t>(leaf); }

}  // namespace

void predict_plainly(const Ensemble& ensemble, const Batch& batch, int threads, const Pulse& pulse) {
    const std::size_t trees = trees_of(ensemble, batch);
    const std::size_t block = std::min(rows_of_block, batch.rows);
    const auto make = [block] { return PlainScratch(block); };
    for_blocks(batch, block, threads, make, [&](PlainScratch& own, std::size_t begin, std::size_t n) {
        BlockSums sums(ensemble, batch, begin, n, pulse);
        for (std::size_t t = 0; t < trees; ++t) {
            const Member& member = ensemble.members()[t];
            own.delicate.assign(own.delicate.size(), member.shares ? 1 : 0);
            sums.set_delicate(member.shares ? own.delicate.data() : nullptr);
            for (std::size_t r = 0; r < n && !member.shares; ++r) {
                if (r % 64 == 0) pulse.check();  // a path may be thousands of nodes long
                own.leaf[r] = static_cast<std::uint32_t>(leaf_of(batch.columns, *member.tree, begin + r));
            }
            sums.take(t, own.leaf.data(), member.value.data(), same);
        }
    });
}

void predict_raw(const Ensemble& ensemble, const PackedEnsemble& packed, const Batch& batch, int threads,
                 const Pulse& pulse) {
    const std::size_t trees = trees_of(ensemble, batch);
    const std::size_t block = std::min(rows_of_block, batch.rows);
    const auto make = [block] { return PlainScratch(block); };
    for_blocks(batch, block, threads, make, [&](PlainScratch& own, std::size_t begin, std::size_t n) {
        BlockSums sums(ensemble, batch, begin, n, pulse);
        const bool any = mark_delicate(packed.delicate, batch.columns, begin, n, own.delicate.data());
        sums.set_delicate(any ? own.delicate.data() : nullptr);
        for (std::size_t t = 0; t < trees; ++t) {
            pulse.check();
            std::size_t count = 0;
            for (std::uint32_t r = 0; r < n; ++r) {
                own.rows[count] = r;
                count += sums.leaves_out_none() || !sums.leaves_out(t, r) ? 1 : 0;
            }
            packed.raw[t].leaves(batch.columns, *ensemble.members()[t].tree, begin,
                                 std::span<const std::uint32_t>(own.rows).first(count), own.leaf.data(),
                                 own.list, pulse);
            sums.take(t, own.leaf.data(), ensemble.members()[t].value.data(), same);
        }
    });
}

}  // namespace branchwork
