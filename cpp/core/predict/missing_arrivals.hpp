// Where training rows with missing cells went.
#pragma once

#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/predict/apply.hpp"

namespace branchwork {

/// For each node, the weight of the rows that arrive there although the cell that its parent tests is missing. A row that
/// is shared among children counts by its share. `weight` is that of the tree's nodes, `row_weight` that of the rows;
/// without it every row weighs 1.
std::vector<double> missing_arrivals(std::span<const Column> columns, const TreeView& tree,
                                     std::span<const double> weight, std::size_t rows,
                                     std::span<const double> row_weight, const Pulse& pulse);

}  // namespace branchwork
