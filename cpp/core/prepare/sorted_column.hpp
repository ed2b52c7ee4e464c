// One numeric feature, sorted once: the rows in order of value (equal values in order of row), each with the dense rank
// of its value. Missing values come last.
//
//     row   3    0    7    5    1  ...   4    6
//     rank  0    1    1    2    3  ...   -    -      '-' = missing
//                '----'                  '----'
//              same value                missing
//
// Growing a tree keeps this order in every node by stable partition, so no node has to sort again.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

/// A row in the order of a feature. NarrowEntry has half the size, and is enough for a node with few rows; copying such
/// a node pays off.
template <std::unsigned_integral W>
struct EntryOf {
    using Word = W;
    static constexpr Word missing = std::numeric_limits<Word>::max();

    Word tag;   // the row and, if there is room for it in the upper bits, its class
    Word rank;  // rank of the value, or `missing`

    bool is_missing() const { return rank == missing; }
};
using Entry = EntryOf<std::uint32_t>;
using NarrowEntry = EntryOf<std::uint16_t>;

/// Packs a row and its class into a tag: the row in the low bits, the class above it. So a scan in order of value finds
/// the class next to the rank, without a random access. If both do not fit, the tag is the row alone.
template <std::unsigned_integral Word>
class TagsOf {
  public:
    TagsOf() = default;
    TagsOf(std::size_t rows, std::span<const std::int32_t> codes, std::size_t classes) {
        const int row_bits = static_cast<int>(std::bit_width(rows - 1));
        const int class_bits = static_cast<int>(std::bit_width(classes - 1));
        if (row_bits + class_bits > std::numeric_limits<Word>::digits) return;
        codes_ = codes.data();
        shift_ = row_bits;
        mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << row_bits) - 1);
    }
    bool has_class() const { return codes_ != nullptr; }
    Word make(Row row) const {
        return static_cast<Word>(has_class() ? row | static_cast<std::uint32_t>(codes_[row]) << shift_ : row);
    }
    Row row(Word tag) const { return tag & mask_; }
    std::int32_t label(Word tag) const { return static_cast<std::int32_t>(tag >> shift_); }

  private:
    const std::int32_t* codes_ = nullptr;
    int shift_ = 0;
    std::uint32_t mask_ = std::numeric_limits<std::uint32_t>::max();
};
using Tags = TagsOf<std::uint32_t>;

/// Memory that is reused for one feature after another: touching fresh pages takes longer than the sort.
struct SortSpace {
    std::vector<std::uint64_t> keys;
    std::vector<Entry> spare;
};

/// Sorts a numeric feature into `entries`. `visits` is raised by the number of times that rows were read.
void sort_column(const Column& column, std::size_t rows, const Tags& tags, std::vector<Entry>& entries,
                 SortSpace& space, const Pulse& pulse, std::int64_t& visits);

}  // namespace branchwork
