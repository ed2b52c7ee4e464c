// Divides the rows of a batch into blocks, distributes them among threads, and ranks the cells of a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/predict/ensemble.hpp"

namespace branchwork {

/// The number of trees that a batch asks for.
inline std::size_t trees_of(const Ensemble& ensemble, const Batch& batch) {
    return batch.leaves.empty() ? batch.stages.back() : ensemble.members().size();
}

/// Calls work(scratch, begin, n) for each block of rows. Every thread has its own scratch, made by `make` on first use.
template <class Make, class Work>
void for_blocks(const Batch& batch, std::size_t block, int threads, const Make& make, const Work& work) {
    const std::size_t blocks = (batch.rows + block - 1) / block;
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(blocks, 1024))));
    using Scratch = decltype(make());
    std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(team.size()));
    team.run(blocks, [&](std::size_t k, int worker) {
        std::unique_ptr<Scratch>& own = scratch[static_cast<std::size_t>(worker)];
        if (!own) own = std::make_unique<Scratch>(make());
        work(*own, k * block, std::min(block, batch.rows - k * block));
    });
}

/// Writes the ranks of up to 64 cells of a stored column. `to` has room for 64.
inline void rank_cells(const TreeGroup& group, const StoredColumn& stored, const double* x, std::size_t n,
                       std::int8_t* to) {
    const RankTable table = group.ranks[stored.ranks].table();
    const bool last = stored.kind == StoredColumn::Kind::missing_last;
    kernels().rank_bytes(table, x, n, last ? nullptr : to, last ? to : nullptr);
}

inline void rank_cells(const TreeGroup& group, const StoredColumn& stored, const double* x, std::size_t n,
                       std::uint16_t* to) {
    const RankTable table = group.ranks[stored.ranks].table();
    const bool last = stored.kind == StoredColumn::Kind::missing_last;
    kernels().rank_words(table, x, n, last ? nullptr : to, last ? to : nullptr);
}

}  // namespace branchwork
