#include "core/prepare/distinct.hpp"

#include <cstring>
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
        hash = mixed_hash(hash, word);
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

}  // namespace

Distinct distinct_items(std::span<const std::byte> bytes, std::size_t width, const Pulse& pulse) {
    const std::size_t items = bytes.size() / width;
    if (items > 0x7FFFFFFF) throw std::length_error("at most 2^31 - 1 items");
    Distinct out;
    out.codes.resize(items);
    HashSlots slots;
    std::vector<std::uint64_t> hashes;  // per distinct item
    for (std::size_t i = 0; i < items; ++i) {
        if (i % items_a_check == 0) pulse.check();
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
        if (slots.crowded(out.first.size()))
            slots.grow(hashes.size(), [&](std::size_t code) { return hashes[code]; });
    }
    return out;
}

Distinct sorted_items(std::span<const std::byte> bytes, std::size_t width, Unit unit, const Pulse& pulse) {
    Distinct found = distinct_items(bytes, width, pulse);
    const Before before = order_of(unit);
    found.sort(pulse, [&](std::size_t a, std::size_t b) {
        return before(bytes.data() + a * width, bytes.data() + b * width, width);
    });
    return found;
}

}  // namespace branchwork
