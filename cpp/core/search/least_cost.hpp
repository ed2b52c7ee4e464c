// What the best partition of a few rows in two would cost, if a column had them in the order of their target.
//
// The two groups of least squared error are neighbours in that order (Fisher 1958), so no column can do
// better:
//
//     values   1   2 | 7   8   9         once a column has found this cut, the others need not be asked
//
// A column of k rows goes through k - 1 of the 2^(k-1) - 1 partitions, so one of two columns finds the best partition
// of four rows, but hardly one of a hundred finds that of twelve.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "core/score.hpp"
#include "core/stats.hpp"

namespace branchwork {

inline constexpr std::size_t most_rows_for_least_cost = 7;

/// Takes 2 to `most_rows_for_least_cost` rows.
inline double least_cost(const ValueRows& target, std::span<const Row> rows, const Moments& all,
                         double centre, const SquaredError& score) {
    std::array<Moments, most_rows_for_least_cost> sorted;
    std::array<double, most_rows_for_least_cost> value;
    std::size_t count = 0;
    for (const Row row : rows) {
        const double v = target.label(row);
        std::size_t at = count++;
        for (; at > 0 && v < value[at - 1]; --at) value[at] = value[at - 1], sorted[at] = sorted[at - 1];
        value[at] = v, sorted[at] = target.moments(row, centre);
    }
    double least = std::numeric_limits<double>::infinity();
    Moments left, right = all;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        left += sorted[i], right -= sorted[i];
        least = std::min(least, score.pair(left, right));
    }
    return std::max(0.0, least + score.offset(all));
}

}  // namespace branchwork
