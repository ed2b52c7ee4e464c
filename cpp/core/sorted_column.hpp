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

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

inline constexpr std::uint32_t missing_rank = std::numeric_limits<std::uint32_t>::max();

struct Entry {
    Row row;
    std::uint32_t rank;
};

/// Memory that sorting one column after another reuses: fresh pages cost more than the sort.
struct SortSpace {
    std::vector<std::uint64_t> keys;
    std::vector<Entry> spare;
};

/// Sorts a numeric column into `entries`. `visits` is raised by the number of times a row was looked at.
void sort_column(const Column& column, std::size_t rows, std::vector<Entry>& entries, SortSpace& space,
                 const Pulse& pulse, std::int64_t& visits);

}  // namespace branchwork
