// Distinct items of a long run of equally long items (fixed-width text, integers), found by hashing: no sort of all rows.
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

/// What an item is made of, which says how two items are compared: from the first unit that differs.
enum class Unit { byte, character, integer, unsigned_integer };

/// The same with the distinct items in ascending order.
Distinct sorted_items(std::span<const std::byte> bytes, std::size_t width, Unit unit);

}  // namespace branchwork
