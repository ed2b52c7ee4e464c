// The best cut of one numeric column in one node, over its rows in sorted order.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "core/scan_pair.hpp"
#include "core/scan_sorted.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// A node's rows in the order of one numeric column.
struct SortedRows {
    const Column& column;
    std::span<const Entry> entries;
    const Tags& tags;
    std::span<const Row> table_row =
        {};  // of each row that the entries name; empty: they name rows of the table

    /// Entries with a known cell: missing ones stand last.
    std::size_t known() const {
        std::size_t count = entries.size();
        while (count > 0 && entries[count - 1].rank == missing_rank) --count;
        return count;
    }
    double value(std::size_t position) const {
        const Row row = tags.row(entries[position].tag);
        return number_at(column, table_row.empty() ? row : table_row[row]);
    }
};

/// The cut of a partition: after some of the known values, or between what is known and what is missing. The
/// latter needs no bound unless missing cells have a branch of their own.
template <class ValueAt>
double cut_after(std::size_t left, std::size_t known, Missing policy, ValueAt value) {
    if (left < known) return cut_between(value(left - 1), value(left));
    return policy == Missing::branch ? value(known - 1) : std::numeric_limits<double>::infinity();
}

inline double cut_of(const Candidate& split, const SortedRows& rows, Missing policy) {
    return cut_after(split.left_rows, rows.known(), policy, [&](std::size_t at) { return rows.value(at); });
}

/// `in_full`: also what only the ledger wants to know, and the cut, which costs a look at the table.
template <class Target, class Score, class Stats>
Candidate scan_sorted(PairSearch<Target, Score>& search, const Target& target,
                      const NodeStats<Stats>& node_stats, Stats& missing, const SortedRows& rows,
                      const Options& options, double slack, const Pulse& pulse, SearchCost& spent,
                      bool in_full) {
    Candidate split;
    const std::size_t known = rows.known();
    if (known == 0) return split;
    missing = node_stats.stats;
    missing.clear();
    for (const Entry& e : rows.entries.subspan(known))
        target.add(rows.tags.row(e.tag), node_stats.centre, missing);
    search.start(node_stats.stats, missing, slack, in_full);
    const BestPair best = search.best([&](auto& sweep, auto&& see) {
        const EntryGroups<Target> groups(rows.entries.first(known), rows.tags, target, node_stats.centre);
        spent.rules_scored += each_gap(groups, sweep, options.only_changes, pulse, see);
        spent.rows_visited += static_cast<std::int64_t>(rows.entries.size());
    });
    const bool tried_missing = options.missing == Missing::branch || options.missing == Missing::learn;
    if (tried_missing && known < rows.entries.size()) ++spent.rules_scored;
    if (best.too_few) split.verdict = Verdict::too_few_rows;
    if (!best.found()) return split;
    split.cost = best.cost;
    split.split_info = best.split_info;
    split.missing_child = best.missing_child;
    split.left_rows = best.id == known_or_missing ? known : best.id;
    if (in_full) split.cut = cut_of(split, rows, options.missing);
    return split;
}

}  // namespace branchwork
