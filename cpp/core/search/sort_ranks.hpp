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

namespace sorting {

/// Puts each key into one of about as many buckets of ranks as there are keys, which is near its final place, and then
/// sorts each bucket by insertion. Returns false if too many keys would share a bucket.
inline bool sort_in_buckets(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                            std::uint32_t low, std::uint32_t high) {
    constexpr std::size_t most_buckets = 1024;
    constexpr std::uint32_t most_in_bucket = 24;
    const std::size_t buckets = std::min(most_buckets, std::bit_ceil(keys.size()));
    int shift = 0;
    while ((high - low) >> shift >= buckets) ++shift;
    std::array<std::uint32_t, most_buckets> next;
    std::fill_n(next.begin(), buckets, 0);
    const auto bucket_of = [&](std::uint64_t key) { return (rank_of(key) - low) >> shift; };
    for (const std::uint64_t key : keys) ++next[bucket_of(key)];
    std::uint32_t sum = 0, most = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        const std::uint32_t count = next[b];
        most = std::max(most, count);
        next[b] = sum;
        sum += count;
    }
    if (shift > 0 && most > most_in_bucket) return false;
    spare.resize(keys.size());
    for (const std::uint64_t key : keys) spare[next[bucket_of(key)]++] = key;
    keys.swap(spare);
    if (shift == 0) return true;  // equal ranks stay in the order that they came in
    for (std::size_t i = 1; i < keys.size(); ++i) {
        const std::uint64_t key = keys[i];
        std::size_t k = i;
        for (; k > 0 && keys[k - 1] > key; --k) keys[k] = keys[k - 1];
        keys[k] = key;
    }
    return true;
}

/// Digit by digit, from the last one.
inline void sort_by_digits(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare,
                           std::uint32_t low, std::uint32_t high) {
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

}  // namespace sorting

/// Sorts keys, which come in the order of their places, by rank; equal ranks stay in that order.
inline void sort_ranks(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& spare) {
    constexpr std::size_t fewest_for_buckets = 12, most_for_buckets = 2048, fewest_for_digits = 96;
    if (keys.size() < fewest_for_buckets) {
        std::ranges::sort(keys);
        return;
    }
    std::uint32_t low = rank_of(keys[0]), high = low;
    for (const std::uint64_t key : keys) {
        low = std::min(low, rank_of(key));
        high = std::max(high, rank_of(key));
    }
    if (keys.size() <= most_for_buckets && sorting::sort_in_buckets(keys, spare, low, high)) return;
    if (keys.size() < fewest_for_digits)
        std::ranges::sort(keys);
    else
        sorting::sort_by_digits(keys, spare, low, high);
}

}  // namespace branchwork
