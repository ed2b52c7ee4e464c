// The rows of a growing tree, in all their orders; and a copy of some of them.
//
// Rows live in one array `rows`, and every numeric column has its own array of entries in sorted order. A
// node owns the same range [begin, end) of each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/category_tally.hpp"
#include "core/columns.hpp"
#include "core/frontier.hpp"
#include "core/local_rows.hpp"
#include "core/options.hpp"
#include "core/partition.hpp"
#include "core/scan_numeric.hpp"
#include "core/sorted_column.hpp"

namespace branchwork {

/// What all parts of a growing tree share.
struct Table {
    std::vector<Column> columns;
    CategoryTallies tallies;
    double weight = 0;
    bool any_numeric = false, any_nominal = false;

    /// Does every split part all rows of a node in two, and cost what these two cost? Known when the root has
    /// been looked at.
    bool splits_in_two(const Options& options) const {
        return (!any_nominal || options.nominal != Nominal::multiway) &&
               (options.missing == Missing::learn || std::ranges::none_of(columns, &Column::has_missing));
    }
    std::int32_t most_children() const {
        std::int32_t most = 3;
        for (const Column& column : columns) most = std::max(most, column.levels + 1);
        return most;
    }
};

template <class Target, class Entry>
struct Rows {
    Target target;
    TagsOf<typename Entry::Word> tags;
    std::vector<Row> rows;
    std::vector<std::vector<Entry>> entries;  // of each numeric column; empty: not sorted, or constant
    ChildOfRow child;
    LocalRows<Target> local;  // of a copy: what `target` refers to

    std::size_t size() const { return rows.size(); }

    /// All rows of the table; its columns are not sorted yet.
    void take_all(const Table& table, const Target& whole) {
        target = whole;
        number(whole.size(), table);
    }

    /// Copies a node: its rows are renumbered, in their order, and ranks made dense anew, so that they fit.
    /// `place` has room for every row of `from`.
    template <class FromEntry>
    void copy(const Table& table, const Rows<Target, FromEntry>& from, const OpenNode& node,
              std::vector<Row>& place) {
        const std::span<const Row> copied = from.of(node);
        local.gather(from.target, copied);
        target = local.target();
        number(copied.size(), table);
        for (std::size_t i = 0; i < copied.size(); ++i) place[copied[i]] = static_cast<Row>(i);
        for (std::size_t j = 0; j < entries.size(); ++j) {
            entries[j].clear();
            if (from.entries[j].empty()) continue;
            const FromEntry* const sorted = &from.entries[j][node.begin];
            if (sorted[0].rank == sorted[copied.size() - 1].rank) continue;  // nothing to part
            entries[j].resize(copied.size());
            typename Entry::Word rank = 0;
            for (std::size_t i = 0; i < copied.size(); ++i) {
                if (i > 0 && sorted[i].rank != sorted[i - 1].rank) ++rank;
                entries[j][i] = {tags.make(place[from.tags.row(sorted[i].tag)]),
                                 sorted[i].is_missing() ? Entry::missing : rank};
            }
        }
    }

    /// A node's rows.
    std::span<const Row> of(const OpenNode& node) const {
        return std::span(rows).subspan(node.begin, node.rows());
    }
    /// The same in the table; `space` is for those of a copy.
    std::span<const Row> in_table(const OpenNode& node, std::vector<Row>& space) const {
        if (target.table_row.empty()) return of(node);
        space.resize(node.rows());
        for (std::size_t i = 0; i < space.size(); ++i) space[i] = target.table_row[rows[node.begin + i]];
        return space;
    }
    /// The same in the order of a numeric column.
    SortedRows<Entry> sorted(const Table& table, std::size_t j, const OpenNode& node) const {
        return {table.columns[j], std::span<const Entry>(entries[j]).subspan(node.begin, node.rows()), tags,
                target.table_row};
    }

  private:
    void number(std::size_t count, const Table& table) {
        if constexpr (requires { target.classes; })
            tags = TagsOf<typename Entry::Word>(count, target.codes, target.classes);
        rows.resize(count);
        std::iota(rows.begin(), rows.end(), Row{0});
        entries.resize(table.columns.size());
        child.resize(count, table.most_children());
    }
};

}  // namespace branchwork
