// A few ranks in order. Each key is a rank and, below it, the place of its row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

inline std::uint64_t rank_key(std::uint32_t rank, std::size_t place) {
    return std::uint64_t{rank} << 32 | static_cast<std::uint32_t>(place);
}
inline std::uint32_t rank_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
inline std::size_t place_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

/// Sorts keys, which come in the order of their places, by rank; equal ranks stay in that order. Many are sorted digit
/// by digit, from the last one.
inline void sort_ranks(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
    constexpr std::size_t fewest_for_digits = 96;
    if (keys.size() < fewest_for_digits) {
        std::ranges::sort(keys);
        return;
    }
    std::uint32_t low = rank_of(keys[0]), high = low;
    for (const std::uint64_t key : keys) {
        low = std::min(low, rank_of(key));
        high = std::max(high, rank_of(key));
    }
    constexpr int digit = 8;
    constexpr std::uint32_t mask = (1U << digit) - 1;
    spare.resize(keys.size());
    const int bits = static_cast<int>(std::bit_width(high - low));
    for (int shift = 0; shift < bits; shift += digit) {
        std::array<std::uint32_t, mask + 1> next{};
        for (const std::uint64_t key : keys) ++next[(rank_of(key) - low) >> shift & mask];
        std::uint32_t sum = 0;
        for (std::uint32_t& place : next) {
            const std::uint32_t count = place;
            place = sum;
            sum += count;
        }
        for (const std::uint64_t key : keys) spare[next[(rank_of(key) - low) >> shift & mask]++] = key;
        keys.swap(spare);
    }
}

}  // namespace branchwork
