// Columns as CHAID sees them: every cell is a category, and numeric columns are cut into intervals beforehand.
//
// The cutting is done once, on the whole table: a value's mean rank r among N rows puts it into interval
// floor(r · bins / (N + 1)), so intervals have about equal weight and rows of one value stay together. A column of no more
// values than `bins` keeps them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork::chaid {

/// The most categories that codes of two bytes have room for, missing cells apart.
inline constexpr std::size_t most_codes = 65'534;

struct Categories {
    std::vector<std::uint16_t>
        codes;  // of each row; `count` stands for a missing cell. Empty beyond `most_codes`
    std::size_t count = 0;
    bool is_ordered = false;
    bool is_numeric = false;
    std::vector<double> bounds;  // numeric: between a category and the next
};

/// Every column of a table. `ordinal`: is the order of a nominal column's categories known, does a numeric one keep all its
/// values? `weights`: of the rows; empty: 1.
std::vector<Categories> categories_of(std::span<const Column> columns, std::size_t rows,
                                      std::span<const std::uint8_t> ordinal, std::size_t bins,
                                      std::span<const double> weights, int threads, const Pulse& pulse);

}  // namespace branchwork::chaid
