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
                             std::span<const Entry> missing) {
    KnownAndMissing<StatsT> parts{node_stats.stats};
    if (missing.empty()) return parts;
    StatsT absent = node_stats.stats;
    absent -= absent;  // zero, of the right width
    for (const Entry& e : missing) {
        if constexpr (requires { target.classes; })
            absent.add(target.label(e.row), target.weight(e.row));
        else
            absent.add(target.label(e.row) - node_stats.centre, target.weight(e.row));
    }
    parts.known -= absent;
    parts.missing_weight = absent.weight();
    parts.missing_cost = node(score, absent);
    return parts;
}

/// Number of entries with a known cell: missing ones stand last.
inline std::size_t count_known(std::span<const Entry> entries) {
    std::size_t known = entries.size();
    while (known > 0 && entries[known - 1].rank == missing_rank) --known;
    return known;
}

/// Visits every cut as (entries on the left, cost of the whole split, left, right and missing weight), left
/// to right. If cells are missing, the last cut parts all that is known from what is missing.
template <class Target, class Score, class StatsT, class Visit>
void each_cut(const Target& target, const Score& score, Sweep<Score>& sweep,
              const NodeStats<StatsT>& node_stats, std::span<const Entry> entries, bool only_changes,
              const Pulse& pulse, SearchCost& spent, Visit&& visit) {
    const std::size_t known = count_known(entries);
    if (known == 0) return;
    const auto parts = part(target, score, node_stats, entries.subspan(known));
    sweep.start(parts.known);
    spent.rules_scored +=
        scan_cuts(EntryGroups<Target>(entries.first(known), target, node_stats.centre), sweep, only_changes,
                  pulse, [&](std::size_t position, double cost, double left) {
                      visit(position, cost + parts.missing_cost, left, parts.known.weight() - left,
                            parts.missing_weight);
                  });
    if (known < entries.size()) {
        visit(known, node(score, parts.known) + parts.missing_cost, parts.known.weight(), 0.0,
              parts.missing_weight);
        ++spent.rules_scored;
    }
    spent.rows_visited += static_cast<std::int64_t>(entries.size());
}

/// The cut after `position` known entries.
inline double cut_at(const Column& column, std::span<const Entry> entries, std::size_t position) {
    const double below = number_at(column, entries[position - 1].row);
    const bool last = position == entries.size() || entries[position].rank == missing_rank;
    return last ? below : cut_between(below, number_at(column, entries[position].row));
}

template <class Target, class Score, class StatsT>
Candidate scan_sorted(const Target& target, const Score& score, Sweep<Score>& sweep,
                      const NodeStats<StatsT>& node_stats, const Column& column,
                      std::span<const Entry> entries, bool only_changes, double slack, const Pulse& pulse,
                      SearchCost& spent) {
    BestCut best{slack};
    double right = 0;
    double missing = 0;
    each_cut(target, score, sweep, node_stats, entries, only_changes, pulse, spent,
             [&](std::size_t position, double cost, double left, double right_weight, double missing_weight) {
                 best.see(position, cost, left);
                 if (best.position == position) right = right_weight, missing = missing_weight;
             });
    Candidate split;
    if (!best.found()) return split;
    split.cost = best.cost;
    split.cut = cut_at(column, entries, best.position);
    const double weights[] = {best.left_weight, right, missing};
    split.split_info = split_information(weights);
    return split;
}

}  // namespace branchwork
