// One cut of a numeric column, drawn at random: extra trees (Geurts, Ernst and Wehenkel 2006).
//
//     known values, sorted     2    3    3    7    9    12
//                              |---------------x--------|      x is uniform between the smallest and the largest
//                              '------------'  '--------'
//                                  left           right
//
// The draw is a function of the node's key and the column, so it does not depend on threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/random.hpp"
#include "core/search/sorted_rows.hpp"

namespace branchwork {

/// A cut, and how many of the known rows are on its left side; all of them: there is no cut.
struct RandomCut {
    double cut = 0;
    std::size_t left = 0;
};

/// A number from `low` up to, but not including, `high`. Each end is multiplied by itself, because the difference of
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

template <class Entry>
RandomCut draw_cut(const SortedRows<Entry>& rows, std::uint64_t key) {
    const std::size_t known = rows.known();
    if (known == 0) return {};
    const double low = rows.value(0), high = rows.value(known - 1);
    if (!(low < high)) return {low, known};
    const double cut = between(low, high, key);
    std::size_t first = 1, last = known - 1;  // the first row is on the left, the last one on the right
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (rows.value(middle) <= cut)
            first = middle + 1;
        else
            last = middle;
    }
    return {cut, first};
}

}  // namespace branchwork
