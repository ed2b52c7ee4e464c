// Distinct items of a long run of equally long items (fixed-width text), found by hashing: no sort of all
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

struct Distinct {
    std::vector<std::int32_t> codes;  // of each item: its place among the distinct ones
    std::vector<std::uint32_t>
        first;  // of each distinct item, in order of appearance: where it was first seen
};

/// Items are `width` bytes each and equal if all their bytes are. At most 2^31 - 1 of them.
Distinct distinct_items(std::span<const std::byte> bytes, std::size_t width);

}  // namespace branchwork
