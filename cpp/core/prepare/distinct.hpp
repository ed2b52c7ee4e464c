// Finds the distinct items of an array of fixed-width items (text, integers) by hashing, without sorting all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/prepare/hash_slots.hpp"

namespace branchwork {

/// The distinct items in order of appearance. They have `width` bytes each, and are equal if all bytes are. There may be at most 2^31 - 1 items.
Distinct distinct_items(std::span<const std::byte> bytes, std::size_t width, const Pulse& pulse);

/// What an item is made of, which says how two items are compared: from the first unit that differs.
enum class Unit { byte, character, integer, unsigned_integer };

/// The same with the distinct items in ascending order.
Distinct sorted_items(std::span<const std::byte> bytes, std::size_t width, Unit unit, const Pulse& pulse);

}  // namespace branchwork
