// One cut of a numeric column, drawn at random: extra trees (Geurts, Ernst and Wehenkel 2006).
//
//     known values of the node   7    3    12    2    9    3
//                                |--- smallest 2 ... x ... largest 12 ---|      x is uniform between the two
//     goes left (value <= x)          yes        yes       yes
//
// Nothing is sorted: one pass over the rows finds the ends, a second one lists the left side. The draw is a function of
// the node's key and the column, so it does not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/random.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// A number from `low` up to, but not including, `high`. Each end is multiplied by its share, because the difference of
/// two large numbers may be infinite.
inline double between(double low, double high, std::uint64_t key) {
    const double share = static_cast<double>(mixed(key) >> 11) * 0x1p-53;
    const double drawn = low * (1 - share) + high * share;
    return drawn < high ? std::max(drawn, low) : low;
}

/// The key of a column's cut in a node.
inline std::uint64_t cut_key(std::uint64_t node_key, std::size_t column) {
    return key_of(key_of(node_key, Purpose::cut), column);
}

/// A cut that was drawn, the rows on its left side and those that miss the cell.
template <class Stats>
struct RandomCut {
    double cut = 0;
    double high = 0;  // the largest known value
    Stats left, missing;
    bool parts = false;  // are there two known values?

    std::vector<double> values;  // of the node's rows; kept to be looked at twice
    std::vector<Row> chosen;     // rows on the left side
};

/// `cell_rows[i]` is the row of the table that `rows[i]` has its cells in.
template <TargetRows Labels, class Stats>
void draw_cut(const Labels& target, double centre, const Column& column, std::span<const Row> rows,
              std::span<const Row> cell_rows, std::uint64_t key, RandomCut<Stats>& drawn) {
    drawn.left.clear();
    drawn.missing.clear();
    drawn.values.resize(rows.size());
    double low = 0, high = 0;
    std::size_t known = 0;
    with_cells(column, [&](auto cells) {
        // Local variables of this loop: values shared by reference would be written to memory for every row.
        double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
        std::size_t count = 0;
        double* const values = drawn.values.data();
        const Row* const places = cell_rows.data();
        const std::size_t size = rows.size();
        for (std::size_t i = 0; i < size; ++i) {
            const auto x = static_cast<double>(cells[places[i]]);
            values[i] = x;
            count += x == x;
            smallest = x < smallest ? x : smallest;  // false for a missing cell
            largest = x > largest ? x : largest;
        }
        low = smallest;
        high = largest;
        known = count;
    });
    if (known < rows.size())
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (std::isnan(drawn.values[i])) target.add(rows[i], centre, drawn.missing);
    drawn.high = high;
    drawn.parts = low < high;
    if (!drawn.parts) return;
    drawn.cut = between(low, high, key);
    // Which side a row is on cannot be predicted, so the rows are listed without a branch and counted afterwards.
    drawn.chosen.resize(rows.size());
    const double cut = drawn.cut;
    const double* const values = drawn.values.data();
    Row* const chosen = drawn.chosen.data();
    std::size_t left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        chosen[left] = rows[i];
        left += values[i] <= cut;
    }
    for (std::size_t i = 0; i < left; ++i) target.add(drawn.chosen[i], centre, drawn.left);
}

}  // namespace branchwork
