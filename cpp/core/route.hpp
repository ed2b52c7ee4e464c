// Which way a row goes: one predicate, used by training and by prediction.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"

namespace branchwork {

/// Children of a split in one column: a numeric cut has `<= cut`, `> cut`; a nominal one a child per
/// category. A column that has missing cells in training gets one more child, the last, for them.
inline std::int32_t children_of(const Column& column) {
    return (column.nominal ? column.levels : 2) + (column.has_missing ? 1 : 0);
}

/// Notes whether a column has missing cells.
void mark_missing(Column& column, std::size_t rows);

/// The child of a known number. NaN never comes here.
inline std::int32_t child_of_number(double x, double cut) { return x <= cut ? 0 : 1; }

/// The child of every row, counted from the first child. Training rows only: a missing cell takes the last
/// child.
void route(const Column& column, double cut, std::span<const Row> rows, std::span<std::uint32_t> child);

}  // namespace branchwork
