// Statistics of drawn rows. A row counts as often as it was drawn, or as often as a split sends it to one side.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/search/ranked_rows.hpp"
#include "core/stats.hpp"
#include "core/tally/node_stats.hpp"

namespace branchwork {

/// The statistics of rows, of which the i-th counts `times(i)` times. Two classes are counted in registers. For
/// numbers, only weight and sum (about `centre`) are computed: squared error does not need the squares of one side.
template <class Stats, TargetRows Labels, class Times>
Stats stats_of_drawn(const DrawnRange& drawn, [[maybe_unused]] const Labels& target,
                     [[maybe_unused]] double centre, const Times& times) {
    const std::span<const DrawnRow> rows = drawn.rows;
    if constexpr (!is_classes<Labels>) {
        double w = 0, s = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto n = static_cast<double>(times(i));
            w += n;
            s += n * (drawn.targets[i] - centre);
        }
        return {w, s, 0};
    } else if constexpr (std::same_as<Stats, ClassCounts<std::int64_t, 2>>) {
        std::int64_t all = 0, ones = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int64_t n = times(i);
            all += n;
            ones += n & -static_cast<std::int64_t>(rows[i].label);
        }
        Stats counts;
        counts.add(0, all - ones);
        counts.add(1, ones);
        return counts;
    } else {
        Stats counts(target.classes);
        for (std::size_t i = 0; i < rows.size(); ++i) counts.add(rows[i].label, times(i));
        return counts;
    }
}

/// The statistics of a node whose classes have been counted.
template <class Stats>
void read_counts(std::span<const std::int64_t> counts, NodeStats<Stats>& node) {
    if (node.stats.of.size() < counts.size()) node.stats = Stats(counts.size());
    node.stats.clear();
    for (std::size_t c = 0; c < counts.size(); ++c) node.stats.add(static_cast<std::int32_t>(c), counts[c]);
    node.pure = node.stats.is_pure();
}

}  // namespace branchwork
