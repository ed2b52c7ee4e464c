// One cut of a numeric column, drawn at random: extra trees (Geurts, Ernst and Wehenkel 2006).
//
//     known values of the node   7    3    12    2    9    3
//                                |--- smallest 2 ... x ... largest 12 ---|      x is uniform between the two
//     goes left (value <= x)          yes        yes       yes
//
// Nothing is sorted: one pass over the rows finds the ends, a second one counts the left side. The draw is a function of
// the node's key and the column, so it does not depend on threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/columns.hpp"
#include "core/random.hpp"
#include "core/search/sorted_rows.hpp"

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

/// Both sides of a cut that was drawn; missing cells stand apart.
template <class Stats>
struct RandomCut {
    double cut = 0;
    double high = 0;  // the largest known value
    Stats left, missing;
    bool parts = false;  // are there two known values?
};

template <class Target, class Stats>
void draw_cut(const Target& target, double centre, const Column& column, std::span<const Row> rows,
              const CellRows& cells, std::uint64_t key, RandomCut<Stats>& drawn) {
    drawn.left.clear();
    drawn.missing.clear();
    with_cells(column, [&](auto cell) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        bool any = false;
        for (const Row row : rows) {
            const auto x = static_cast<double>(cell[cells[row]]);
            if (std::isnan(x)) {
                target.add(row, centre, drawn.missing);
                continue;
            }
            any = true;
            low = std::min(low, x);
            high = std::max(high, x);
        }
        drawn.high = high;
        drawn.parts = any && low < high;
        if (!drawn.parts) return;
        drawn.cut = between(low, high, key);
        for (const Row row : rows)
            if (static_cast<double>(cell[cells[row]]) <= drawn.cut) target.add(row, centre, drawn.left);
    });
}

}  // namespace branchwork
