// Arguments and results of the kernels of the counted search. core/optimal/counted_view.hpp has a picture of the lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchwork {

/// The rows in the order of one feature, cut into 32 equal runs. Lane l holds the l-th run; block v holds the v-th row
/// of each run.
inline constexpr std::size_t rows_per_block = 32;

/// The smallest and the largest prefix sum, including 0 for the empty prefix.
struct Extremes {
    std::int32_t least = 0, most = 0;
};

/// The same for rows with different costs.
struct CostExtremes {
    std::int64_t least = 0, most = 0;
};

/// A pass over the rows in the order of one feature, for the rows on one side, or on each side, of a cut of another
/// feature.
struct ExtremesTask {
    const void* rank = nullptr;          // of the other feature, with the sign bit flipped
    bool wide = false;                   // ranks have 16 bits instead of 8
    const std::int8_t* sign = nullptr;   // +1, -1, or 0 for rows that do not count
    const std::int64_t* step = nullptr;  // used by cost_extremes instead of `sign`; it needs ranks of 16 bits
    const std::uint8_t* tied = nullptr;  // 255 where the next row has the same value, so no cut is possible;
                                         // null: no ties
    std::size_t blocks = 0;
    std::int32_t cut = 0;            // the largest rank on the left, with the sign bit flipped
    bool left = true, right = true;  // which sides to compute
};

/// Where the 16-bit rank of a lane lies in its block. A block fills two registers, and AVX2 packs two registers to
/// bytes in this order, so that after packing the lanes are in sequence.
inline constexpr std::size_t wide_slot(std::size_t lane) {
    return (lane & 7) | ((lane & 8) << 1) | ((lane & 16) >> 1);
}

}  // namespace branchwork
