// Finds the distinct ones of many texts, as Arrow stores them: one after the other, with a list of where they end.
//
//     bytes   r e d b l u e r e d          ends   0  3  7  7  10          valid   1 1 0 1   (the third text is missing)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/prepare/hash_slots.hpp"

namespace branchwork {

struct Texts {
    std::span<const std::int64_t> ends;  // text i has the bytes from ends[i] to ends[i + 1]
    std::span<const std::byte> bytes;
    const std::byte* valid = nullptr;  // a bit per text, 1 if it is there, lowest bit first; none: all are
    std::size_t first_bit = 0;         // that of the first text

    std::size_t size() const { return ends.size() - 1; }
    bool has(std::size_t i) const {
        const std::size_t bit = first_bit + i;
        return !valid || (static_cast<unsigned>(valid[bit / 8]) >> (bit % 8) & 1U) != 0;
    }
    std::span<const std::byte> operator[](std::size_t i) const {
        return bytes.subspan(static_cast<std::size_t>(ends[i]),
                             static_cast<std::size_t>(ends[i + 1] - ends[i]));
    }
};

/// The distinct texts in order of their bytes, which for UTF-8 is the order of their characters. Throws std::out_of_range
/// if a text does not lie within the bytes.
Distinct distinct_texts(const Texts& texts, const Pulse& pulse);

}  // namespace branchwork
