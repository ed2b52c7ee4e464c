// How far apart the numbers of a column lie: the scale on which a change of one is large or small.
#pragma once

#include <cstddef>
#include <span>

#include "core/columns.hpp"

namespace branchwork {

/// The interquartile range of a numeric column's known, finite cells. A quartile is the smallest number that has a
/// quarter (three quarters) of the weight of these cells up to it. If both are the same, the range of the column stands
/// in; if that is 0 too, 1. `weights` has one number for each row; empty: every row counts once.
double spread(const Column& column, std::size_t rows, std::span<const double> weights);

}  // namespace branchwork
