// One numeric column, sorted once: rows in order of value (equal values in order of row), each with the dense rank of
// its value; missing cells last.
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

/// Sorts a numeric column. `visits` is raised by the number of times a row was looked at.
std::vector<Entry> sort_column(const Column& column, std::size_t rows, const Pulse& pulse, std::int64_t& visits);

}  // namespace branchwork
