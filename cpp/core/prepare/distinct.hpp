// Finds the distinct items of an array of fixed-width items (text, integers) by hashing, without sorting all rows.
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

/// What an item is made of, which says how two items are compared: from the first unit that differs.
enum class Unit { byte, character, integer, unsigned_integer };

/// The same with the distinct items in ascending order.
Distinct sorted_items(std::span<const std::byte> bytes, std::size_t width, Unit unit);

}  // namespace branchwork
