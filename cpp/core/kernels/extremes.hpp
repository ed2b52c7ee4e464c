// What the kernels of the counted search take and give: see core/optimal/counted_view.hpp for the picture of the lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchwork {

/// Rows in the order of one test, in 32 lanes: lane l holds the l-th run of the order, block v the v-th row of each run.
inline constexpr std::size_t rows_per_block = 32;

/// The smallest and the largest prefix sum, 0 (the empty prefix) included.
struct Extremes {
    std::int32_t least = 0, most = 0;
};

/// The same where rows differ in what they cost.
struct CostExtremes {
    std::int64_t least = 0, most = 0;
};

/// A run over all rows of a view, for one side of a cut of another test, or for both.
struct ExtremesTask {
    const void* rank = nullptr;          // of the other test, with the sign bit flipped
    bool wide = false;                   // 16 bits a rank, not 8
    const std::int8_t* sign = nullptr;   // +1, -1, or 0 for rows that do not count
    const std::int64_t* step = nullptr;  // instead of signs, for cost_extremes, which takes ranks of 16 bits
    const std::uint8_t* tied =
        nullptr;  // 255 where the next row has the same value, so no cut is there; null: nowhere
    std::size_t blocks = 0;
    std::int32_t cut = 0;            // the largest rank on the left, with the sign bit flipped
    bool left = true, right = true;  // the sides that are wanted
};

/// Where a lane's 16-bit rank lies in its block: two registers, in the order that packing them to bytes undoes.
inline constexpr std::size_t wide_slot(std::size_t lane) {
    return (lane & 7) | ((lane & 8) << 1) | ((lane & 16) >> 1);
}

}  // namespace branchwork
