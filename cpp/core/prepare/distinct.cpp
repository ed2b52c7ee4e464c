#include "core/prepare/distinct.hpp"

#include <cstring>
#include <stdexcept>

namespace branchwork {
namespace {

/// Mixes eight bytes at a time; the last few are padded with zeros.
std::uint64_t hash_of(const std::byte* item, std::size_t width) {
    std::uint64_t hash = width;
    for (std::size_t k = 0; k < width; k += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, item + k, width - k < 8 ? width - k : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
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
        if (i > 0 && std::memcmp(item, item - width, width) == 0) {  // neighbours are often equal
            out.codes[i] = out.codes[i - 1];
            continue;
        }
        const std::uint64_t hash = hash_of(item, width);
        std::uint32_t& slot = slots.find(hash, [&](std::uint32_t code) {
            return hashes[code] == hash &&
                   std::memcmp(item, bytes.data() + out.first[code] * width, width) == 0;
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

}  // namespace branchwork
