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
template <class Entry>
struct SortedRows {
    const Column& column;
    std::span<const Entry> entries;
    const TagsOf<typename Entry::Word>& tags;
    std::span<const Row> table_row;  // of each row that the entries name; empty: they name the table's rows

    /// Entries with a known cell: missing ones stand last.
    std::size_t known() const {
        std::size_t count = entries.size();
        while (count > 0 && entries[count - 1].is_missing()) --count;
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
double cut_after(std::size_t left, std::size_t known, const Options& options, ValueAt value) {
    if (left < known && options.rules == Rules::rpart) return cut_below(value(left - 1), value(left));
    if (left < known) return cut_between(value(left - 1), value(left));
    return options.missing == Missing::branch ? value(known - 1) : std::numeric_limits<double>::infinity();
}

template <class Entry>
double cut_of(const Candidate& split, const SortedRows<Entry>& rows, const Options& options) {
    return cut_after(split.left_rows, rows.known(), options, [&](std::size_t at) { return rows.value(at); });
}

/// The best partition by a cut. The search must have been started with the node.
template <class Target, class Score, class Entry, class Stats>
BestPair best_pair(PairSearch<Target, Score>& search, const Target& target,
                   const NodeStats<Stats>& node_stats, Stats& missing, const SortedRows<Entry>& rows,
                   const Options& options, const Pulse& pulse, SearchCost& spent) {
    if (rows.entries.front().rank == rows.entries.back().rank) return {};  // one value, or none
    const std::size_t known = rows.known();
    if (known == rows.entries.size()) {
        search.set_none_missing();
    } else {
        missing = node_stats.stats;
        missing.clear();
        for (const Entry& e : rows.entries.subspan(known))
            target.add(rows.tags.row(e.tag), node_stats.centre, missing);
        search.set_missing(missing);
        if (options.missing == Missing::branch || options.missing == Missing::learn) ++spent.rules_scored;
    }
    return search.best([&](auto& sweep, auto&& see) __attribute__((always_inline)) {
        EntryGroups<Target, Entry> groups(rows.entries.first(known), rows.tags, target, node_stats.centre);
        spent.rules_scored += each_gap(groups, sweep, options.only_changes, pulse, see);
        spent.rows_visited += static_cast<std::int64_t>(rows.entries.size());
    });
}

/// `with_cut`: the cut at once, which costs a look at the table.
template <class Entry>
Candidate numeric_split(const BestPair& best, const SortedRows<Entry>& rows, const Options& options,
                        bool with_cut) {
    Candidate split;
    if (best.too_few) split.verdict = Verdict::too_few_rows;
    if (!best.found()) return split;
    split.cost = best.cost;
    split.split_info = best.split_info;
    split.missing_child = best.missing_child;
    split.left_rows = best.id == known_or_missing ? rows.known() : best.id;
    if (with_cut) split.cut = cut_of(split, rows, options);
    return split;
}

/// `in_full`: also what only the ledger wants to know.
template <class Target, class Score, class Entry, class Stats>
Candidate scan_sorted(PairSearch<Target, Score>& search, const Target& target,
                      const NodeStats<Stats>& node_stats, Stats& missing, const SortedRows<Entry>& rows,
                      const Options& options, const Pulse& pulse, SearchCost& spent, bool in_full) {
    Candidate split = numeric_split(
        best_pair(search, target, node_stats, missing, rows, options, pulse, spent), rows, options, in_full);
    if (split.is_split() && search.in_full()) {
        split.test = search.test();
        split.judged = search.judged();
    }
    return split;
}

}  // namespace branchwork
