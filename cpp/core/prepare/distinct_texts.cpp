#include "core/prepare/distinct_texts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/compiler.hpp"

namespace branchwork {
namespace {

/// A text of at most 24 bytes in three words, without a branch that depends on how long it is:
///
///     "red"                   head  r e d 0 0 0 0 0
///     "Never-married"         head  N e v e r - m a                                  tail  - m a r r i e d
///     "Married-civ-spouse"    head  M a r r i e d -     middle  c i v - s p o u      tail  - s p o u s e
struct ShortText {
    static constexpr std::size_t most = 24;

    std::uint64_t head = 0, middle = 0, tail = 0;
    std::size_t width = most + 1;  // no text

    bool operator==(const ShortText& other) const {
        return ((head ^ other.head) | (middle ^ other.middle) | (tail ^ other.tail) |
                (width ^ other.width)) == 0;
    }
    std::size_t hash() const {
        return ((head ^ width) * 0x9E3779B97F4A7C15u ^ (tail + middle) * 0xC2B2AE3D27D4EB4Fu) >> 56;
    }
};

std::uint64_t word_at(const std::byte* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

/// The words of a text of which at least eight bytes can be read, even if it is shorter.
BRANCHWORK_ALWAYS_INLINE inline ShortText short_text(const std::byte* text, std::size_t width) {
    static constexpr auto mask_of_first = [] {
        std::array<std::array<std::uint8_t, 8>, 9> mask{};
        for (std::size_t bytes = 0; bytes <= 8; ++bytes)
            for (std::size_t k = 0; k < bytes; ++k) mask[bytes][k] = 0xFF;
        return mask;
    }();
    std::uint64_t mask;
    std::memcpy(&mask, mask_of_first[std::min<std::size_t>(width, 8)].data(), sizeof mask);
    const bool has_tail = width > 8, has_middle = width > 16;
    return {word_at(text) & mask, word_at(text + (has_middle ? 8 : 0)) & (0 - std::uint64_t{has_middle}),
            word_at(text + (has_tail ? width - 8 : 0)) & (0 - std::uint64_t{has_tail}), width};
}

std::uint64_t hash_of(std::span<const std::byte> text) {
    std::uint64_t hash = text.size();
    std::size_t k = 0;
    for (; k + 8 <= text.size(); k += 8) hash = mixed_hash(hash, word_at(&text[k]));
    for (; k < text.size(); ++k) hash = mixed_hash(hash, static_cast<std::uint64_t>(text[k]));
    return hash;
}

/// The codes of all texts so far.
class TextCodes {
  public:
    explicit TextCodes(const Texts& texts) : texts_(texts) {}

    /// The code of a text, which may be new.
    std::int32_t code_of(std::size_t i) {
        const std::span<const std::byte> text = texts_[i];
        const std::uint64_t hash = hash_of(text);
        std::uint32_t& slot = slots_.find(hash, [&](std::uint32_t code) {
            return hashes_[code] == hash && std::ranges::equal(text, texts_[first[code]]);
        });
        if (slot == 0) {
            first.push_back(static_cast<std::uint32_t>(i));
            hashes_.push_back(hash);
            slot = static_cast<std::uint32_t>(first.size());
        }
        const auto code = static_cast<std::int32_t>(slot - 1);
        if (slots_.crowded(first.size()))
            slots_.grow(first.size(), [&](std::size_t known) { return hashes_[known]; });
        return code;
    }

    std::vector<std::uint32_t> first;  // per distinct text: where it occurs first

  private:
    const Texts& texts_;
    std::vector<std::uint64_t> hashes_;  // per distinct text
    HashSlots slots_;
};

}  // namespace

Distinct distinct_texts(const Texts& texts, const Pulse& pulse) {
    const std::size_t size = texts.size();
    if (size > 0x7FFFFFFF) throw std::length_error("at most 2^31 - 1 texts");
    const std::int64_t* const ends = texts.ends.data();
    const std::byte* const bytes = texts.bytes.data();
    const auto all_bytes = static_cast<std::int64_t>(texts.bytes.size());
    // Most texts have been seen before, and not long ago.
    struct Recent {
        ShortText text;
        std::int32_t code;
    };
    std::vector<Recent> recent(256);
    TextCodes known(texts);
    Distinct out;
    out.codes.resize(size);
    std::int32_t* const codes = out.codes.data();
    for (std::size_t i = 0; i < size; ++i) {
        if (i % items_a_check == 0) pulse.check();
        const std::int64_t begin = ends[i], end = ends[i + 1];
        if (begin < 0 || end < begin || end > all_bytes)
            throw std::out_of_range("a text does not lie within the bytes");
        if (!texts.has(i)) {
            codes[i] = -1;
            continue;
        }
        const auto width = static_cast<std::size_t>(end - begin);
        if (width > ShortText::most || begin + 8 > all_bytes) {
            codes[i] = known.code_of(i);
            continue;
        }
        const ShortText text = short_text(bytes + begin, width);
        Recent& same = recent[text.hash()];
        if (!(same.text == text)) same = {text, known.code_of(i)};
        codes[i] = same.code;
    }
    out.first = std::move(known.first);
    out.sort(pulse, [&](std::size_t a, std::size_t b) {
        return std::ranges::lexicographical_compare(texts[a], texts[b]);
    });
    return out;
}

}  // namespace branchwork
