// Which way a row goes: one predicate, used by training and by prediction.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"

namespace branchwork {

/// Notes whether a column has missing cells in the first `rows` rows, or, if there are some, in those of `cell_row`.
void mark_missing(Column& column, std::size_t rows, std::span<const Row> cell_row = {});

/// The child of a known number. NaN never comes here.
inline std::int32_t child_of_number(double x, double cut) { return x <= cut ? 0 : 1; }

/// The child of every row, counted from the first child. `lookup` has the child of each category of a nominal
/// column, `missing` is the child of a missing cell.
void route(const Column& column, double cut, std::span<const std::int32_t> lookup, std::int32_t missing,
           std::span<const Row> rows, std::span<std::int32_t> child);

}  // namespace branchwork
