// The best cut of one numeric column in one node: cost of the missing branch, then the sweep over what is
// known.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "core/node_stats.hpp"
#include "core/scan_sorted.hpp"
#include "core/sweep.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// A node's statistics parted into known and missing cells of one column.
template <class Stats>
struct KnownAndMissing {
    Stats known;
    double missing_weight = 0;
    double missing_cost = 0;
};

template <class Target, class Score, class StatsT>
KnownAndMissing<StatsT> part(const Target& target, const Score& score, const NodeStats<StatsT>& node_stats,
                             std::span<const Entry> missing, const Tags& tags) {
    KnownAndMissing<StatsT> parts{node_stats.stats};
    if (missing.empty()) return parts;
    StatsT absent = node_stats.stats;
    absent -= absent;  // zero, of the right width
    for (const Entry& e : missing) {
        const Row row = tags.row(e.tag);
        if constexpr (requires { target.classes; })
            absent.add(target.label(row), target.weight(row));
        else
            absent.add(target.label(row) - node_stats.centre, target.weight(row));
    }
    parts.known -= absent;
    parts.missing_weight = absent.weight();
    parts.missing_cost = node(score, absent);
    return parts;
}

/// A node's rows in the order of one numeric column.
struct SortedRows {
    const Column& column;
    std::span<const Entry> entries;
    const Tags& tags;

    /// Entries with a known cell: missing ones stand last.
    std::size_t known() const {
        std::size_t count = entries.size();
        while (count > 0 && entries[count - 1].rank == missing_rank) --count;
        return count;
    }
    double value(std::size_t position) const { return number_at(column, tags.row(entries[position].tag)); }

    /// The cut after some of the known entries.
    double cut_after(std::size_t position, std::size_t known_entries) const {
        const double below = value(position - 1);
        return position == known_entries ? below : cut_between(below, value(position));
    }
};

/// The best cut of the column. If cells are missing, the last candidate parts all that is known from what is
/// missing.
template <class Target, class Score, class SweepT, class StatsT>
Candidate scan_sorted(const Target& target, const Score& score, SweepT& sweep,
                      const NodeStats<StatsT>& node_stats, const SortedRows& rows, bool only_changes,
                      double slack, const Pulse& pulse, SearchCost& spent) {
    Candidate split;
    const std::size_t known = rows.known();
    if (known == 0) return split;
    const auto parts = part(target, score, node_stats, rows.entries.subspan(known), rows.tags);
    BestCut best{slack};
    sweep.start(parts.known);
    spent.rules_scored += scan_cuts(
        EntryGroups<Target>(rows.entries.first(known), rows.tags, target, node_stats.centre), sweep,
        only_changes, pulse,
        [&best](std::size_t position, double cost, double left) { best.see(position, cost, left); });
    if (known < rows.entries.size()) {
        best.see(known, node(score, parts.known), parts.known.weight());
        ++spent.rules_scored;
    }
    spent.rows_visited += static_cast<std::int64_t>(rows.entries.size());
    if (!best.found()) return split;
    split.cost = best.cost + parts.missing_cost;
    split.cut = rows.cut_after(best.position, known);
    const double weights[] = {best.left_weight, parts.known.weight() - best.left_weight,
                              parts.missing_weight};
    split.split_info = split_information(weights);
    return split;
}

}  // namespace branchwork
