#include "core/prepare/distinct.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace branchwork {
namespace {

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Calls f(offset of a word) for eight bytes at a time until it returns false. The last eight may overlap those before.
template <class F>
bool for_words(std::size_t width, F f) {
    for (std::size_t k = 0; k + 8 < width; k += 8)
        if (!f(k)) return false;
    return f(width - 8);
}

/// An item of fewer than eight bytes as one word.
std::uint64_t short_word(const std::byte* item, std::size_t width) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < width; ++k) word = word << 8 | static_cast<std::uint64_t>(item[k]);
    return word;
}

std::uint64_t hash_of(const std::byte* item, std::size_t width) {
    std::uint64_t hash = width;
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
        return true;
    };
    if (width < 8)
        mix(short_word(item, width));
    else
        for_words(width, [&](std::size_t k) { return mix(load<std::uint64_t>(item + k)); });
    return hash;
}

bool same_item(const std::byte* a, const std::byte* b, std::size_t width) {
    if (width < 8) return short_word(a, width) == short_word(b, width);
    return for_words(width,
                     [&](std::size_t k) { return load<std::uint64_t>(a + k) == load<std::uint64_t>(b + k); });
}

template <class T>
bool comes_before(const std::byte* a, const std::byte* b, std::size_t width) {
    for (std::size_t k = 0; k < width; k += sizeof(T))
        if (const T x = load<T>(a + k), y = load<T>(b + k); x != y) return x < y;
    return false;
}

using Before = bool (*)(const std::byte*, const std::byte*, std::size_t);

Before order_of(Unit unit) {
    switch (unit) {
        case Unit::character:
            return comes_before<std::uint32_t>;
        case Unit::integer:
            return comes_before<std::int64_t>;
        case Unit::unsigned_integer:
            return comes_before<std::uint64_t>;
        case Unit::byte:
            break;
    }
    return comes_before<std::uint8_t>;
}

/// A hash table with open addressing. A slot holds the code + 1 of a distinct item, or 0 if it is free.
class Slots {
  public:
    Slots() : slots_(64, 0) {}

    /// Returns the slot of an item, or the free slot where it belongs.
    template <class Same>
    std::uint32_t& find(std::uint64_t hash, Same same) {
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at] != 0 && !same(slots_[at] - 1)) at = (at + 1) & (slots_.size() - 1);
        return slots_[at];
    }
    bool crowded(std::size_t items) const { return 2 * items > slots_.size(); }
    void grow(const std::vector<std::uint64_t>& hashes) {
        slots_.assign(4 * slots_.size(), 0);
        for (std::size_t code = 0; code < hashes.size(); ++code)
            find(hashes[code], [](std::uint32_t) { return false; }) = static_cast<std::uint32_t>(code + 1);
    }

  private:
    std::vector<std::uint32_t> slots_;
};

}  // namespace

Distinct distinct_items(std::span<const std::byte> bytes, std::size_t width) {
    const std::size_t items = bytes.size() / width;
    if (items > 0x7FFFFFFF) throw std::length_error("at most 2^31 - 1 items");
    Distinct out;
    out.codes.resize(items);
    Slots slots;
    std::vector<std::uint64_t> hashes;  // per distinct item
    for (std::size_t i = 0; i < items; ++i) {
        const std::byte* const item = bytes.data() + i * width;
        if (i > 0 && same_item(item, item - width, width)) {  // neighbours are often equal
            out.codes[i] = out.codes[i - 1];
            continue;
        }
        const std::uint64_t hash = hash_of(item, width);
        std::uint32_t& slot = slots.find(hash, [&](std::uint32_t code) {
            return hashes[code] == hash && same_item(item, bytes.data() + out.first[code] * width, width);
        });
        if (slot == 0) {
            out.first.push_back(static_cast<std::uint32_t>(i));
            hashes.push_back(hash);
            slot = static_cast<std::uint32_t>(out.first.size());
        }
        out.codes[i] = static_cast<std::int32_t>(slot - 1);
        if (slots.crowded(out.first.size())) slots.grow(hashes);
    }
    return out;
}

Distinct sorted_items(std::span<const std::byte> bytes, std::size_t width, Unit unit) {
    Distinct found = distinct_items(bytes, width);
    const Before before = order_of(unit);
    std::vector<std::uint32_t> order(found.first.size());  // the codes in ascending order of their items
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        return before(bytes.data() + found.first[a] * width, bytes.data() + found.first[b] * width, width);
    });
    std::vector<std::int32_t> rank(order.size());
    std::vector<std::uint32_t> first;
    for (const std::uint32_t code : order) {
        rank[code] = static_cast<std::int32_t>(first.size());
        first.push_back(found.first[code]);
    }
    for (std::int32_t& code : found.codes) code = rank[static_cast<std::size_t>(code)];
    found.first = std::move(first);
    return found;
}

}  // namespace branchwork
