// Finds the distinct items of an array of fixed-width items (such as text) by hashing, without sorting all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

struct Distinct {
    std::vector<std::int32_t> codes;   // per item: its index among the distinct items
    std::vector<std::uint32_t> first;  // per distinct item, in order of appearance: where it occurs first
};

/// Items have `width` bytes each, and are equal if all bytes are. There may be at most 2^31 - 1 items.
Distinct distinct_items(std::span<const std::byte> bytes, std::size_t width);

}  // namespace branchwork
