// What the searches for distinct items share: their result, and a hash table of codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"

namespace branchwork {

struct Distinct {
    std::vector<std::int32_t> codes;   // per item: its index among the distinct items; -1: it is missing
    std::vector<std::uint32_t> first;  // per distinct item: where it occurs first

    /// Puts the distinct items in ascending order; `comes_before(i, j)` compares items i and j.
    template <class Before>
    void sort(const Pulse& pulse, const Before& comes_before) {
        std::vector<std::uint32_t> order(first.size());  // the codes in ascending order of their items
        std::iota(order.begin(), order.end(), 0u);
        sort_in_blocks(std::span(order), pulse,
                       [&](std::uint32_t a, std::uint32_t b) { return comes_before(first[a], first[b]); });
        std::vector<std::int32_t> rank(order.size() + 1, -1);  // that of code -1 comes first, and is -1
        std::vector<std::uint32_t> sorted;
        for (const std::uint32_t code : order) {
            rank[code + 1] = static_cast<std::int32_t>(sorted.size());
            sorted.push_back(first[code]);
        }
        for (std::int32_t& code : codes) code = rank[static_cast<std::size_t>(code + 1)];
        first = std::move(sorted);
    }
};

/// Items between two looks at the pulse.
inline constexpr std::size_t items_a_check = 65'536;

/// A hash table with open addressing. A slot holds the code + 1 of a distinct item, or 0 if it is free.
class HashSlots {
  public:
    HashSlots() : slots_(64, 0) {}

    /// Returns the slot of an item, or the free slot where it belongs.
    template <class Same>
    std::uint32_t& find(std::uint64_t hash, Same same) {
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at] != 0 && !same(slots_[at] - 1)) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    bool crowded(std::size_t items) const { return 2 * items > slots_.size(); }
    /// Makes room for more items; `hash_of(code)` is the hash of each that is there.
    template <class HashOf>
    void grow(std::size_t items, const HashOf& hash_of) {
        slots_.assign(4 * slots_.size(), 0);
        for (std::size_t code = 0; code < items; ++code)
            find(hash_of(code), [](std::uint32_t) { return false; }) = static_cast<std::uint32_t>(code + 1);
    }

  private:
    std::vector<std::uint32_t> slots_;
};

/// Mixes a word into a hash.
inline std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

}  // namespace branchwork
