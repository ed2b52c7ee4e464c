// Which child a row goes to. Training and prediction use the same predicate.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"

namespace branchwork {

/// Sets `has_missing` of a column by the rows in `cell_row`; empty: by the first `rows` rows.
void mark_missing(Column& column, std::size_t rows, std::span<const Row> cell_row = {});

/// The child of a known number; x must not be NaN.
inline std::int32_t child_of_number(double x, double cut) { return x <= cut ? 0 : 1; }

/// Writes the child of each row, counted from the first child. `lookup` has the child of each category of a categorical
/// feature; `missing` is the child of missing values.
void route(const Column& column, double cut, std::span<const std::int32_t> lookup, std::int32_t missing,
           std::span<const Row> rows, std::span<std::int32_t> child);

}  // namespace branchwork
