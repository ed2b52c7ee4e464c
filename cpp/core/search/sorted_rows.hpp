// A node's rows in the order of one numeric column, and the cut that parts them.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/search/best_pair.hpp"
#include "core/search/candidate.hpp"

namespace branchwork {

/// Which cells a row has, for rows that were drawn and copied: row -> place in the sample -> row of the table.
/// An empty span is the identity.
struct CellRows {
    std::span<const Row> sample_row, cell_row;

    bool is_identity() const { return sample_row.empty() && cell_row.empty(); }
    Row operator[](Row row) const {
        if (!sample_row.empty()) row = sample_row[row];
        return cell_row.empty() ? row : cell_row[row];
    }
};

template <class Entry>
struct SortedRows {
    const Column& column;
    std::span<const Entry> entries;
    const TagsOf<typename Entry::Word>& tags;
    CellRows cells;

    /// Entries with a known cell: missing ones stand last.
    std::size_t known() const {
        std::size_t count = entries.size();
        while (count > 0 && entries[count - 1].is_missing()) --count;
        return count;
    }
    double value(std::size_t position) const {
        return number_at(column, cells[tags.row(entries[position].tag)]);
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

/// The candidate that a partition of sorted rows makes. `with_cut`: write the cut at once, which costs a look at
/// the table.
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

}  // namespace branchwork
