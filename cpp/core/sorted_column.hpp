// One numeric column, sorted once: rows in order of value (equal values in order of row), each with the dense
// rank of its value; missing cells last.
//
//     row   3    0    7    5    1  ...   6    4
//     rank  0    1    1    2    3  ...   -    -      '-' = missing_rank
//                '----'                  '----'
//              same value                missing
//
// The growth procedure keeps this order in every node by stable partition, so no node sorts again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

inline constexpr std::uint32_t missing_rank = std::numeric_limits<std::uint32_t>::max();

struct Entry {
    std::uint32_t tag;  // the row, and above it, where there is room, its class
    std::uint32_t rank;
};

/// How a tag is made: `row` in the low bits, the class above it. A scan in order of value then finds the
/// class beside the rank instead of anywhere in memory. Where both do not fit into 32 bits, the tag is the
/// row alone.
class Tags {
  public:
    Tags() = default;
    Tags(std::size_t rows, std::span<const std::int32_t> codes, std::size_t classes) {
        const int row_bits = static_cast<int>(std::bit_width(rows));
        if (row_bits + static_cast<int>(std::bit_width(classes)) > 32) return;
        codes_ = codes.data();
        shift_ = row_bits;
        mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << row_bits) - 1);
    }
    bool has_class() const { return codes_ != nullptr; }
    std::uint32_t make(Row row) const {
        return has_class() ? row | static_cast<std::uint32_t>(codes_[row]) << shift_ : row;
    }
    Row row(std::uint32_t tag) const { return tag & mask_; }
    std::int32_t label(std::uint32_t tag) const { return static_cast<std::int32_t>(tag >> shift_); }

  private:
    const std::int32_t* codes_ = nullptr;
    int shift_ = 0;
    std::uint32_t mask_ = std::numeric_limits<std::uint32_t>::max();
};

/// Memory that sorting one column after another reuses: fresh pages cost more than the sort.
struct SortSpace {
    std::vector<std::uint64_t> keys;
    std::vector<Entry> spare;
};

/// Sorts a numeric column into `entries`. `visits` is raised by the number of times a row was looked at.
void sort_column(const Column& column, std::size_t rows, const Tags& tags, std::vector<Entry>& entries,
                 SortSpace& space, const Pulse& pulse, std::int64_t& visits);

}  // namespace branchwork
