// The spread of a numeric feature, which says whether a change of its value is large or small.
#pragma once

#include <cstddef>
#include <span>

#include "core/columns.hpp"

namespace branchwork {

/// Returns the interquartile range of the finite values of a numeric feature. The first (third) quartile is the
/// smallest value such that values up to it have at least a quarter (three quarters) of the weight. If the quartiles
/// are equal, returns the difference of the largest and smallest value, and if that is 0, returns 1. Of tables with
/// more than 1024 rows, only 1024 evenly spaced rows are used. `weights` has one number per row; empty: all are 1.
double spread(const Column& column, std::size_t rows, std::span<const double> weights);

}  // namespace branchwork
