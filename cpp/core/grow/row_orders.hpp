// The rows of a growing tree in all their orders, and a copy of some of them.
//
// Rows live in one array `rows`, and every numeric column has its own array of entries in sorted order. A node owns
// the same range [begin, end) of each of them:
//
//     rows        [ . . . . . . . . | . . . . . ]        in the order of the sample within each node
//     entries[0]  [ . . . . . . . . | . . . . . ]        sorted by column 0 within each node
//     entries[1]  [ . . . . . . . . | . . . . . ]        sorted by column 1 within each node
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/grow/frontier.hpp"
#include "core/grow/training_table.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/route/partition.hpp"
#include "core/search/sorted_rows.hpp"
#include "core/target.hpp"

namespace branchwork {

struct RangeNode : OpenNode {
    std::size_t begin = 0, end = 0;
    Tally tally;  // of its counted columns; empty: not counted yet

    std::size_t rows() const { return end - begin; }
};

template <class EntryT>
struct RowOrders {
    using Entry = EntryT;

    Target target;
    TagsOf<typename Entry::Word> tags;
    std::vector<Row> rows;
    std::vector<std::vector<Entry>>
        entries;                       // of each numeric column; empty: counted, not sorted yet, or constant
    const CodedRows* coded = nullptr;  // counted columns
    ChildOfRow child;
    TargetCopy copied;       // of a copy: what `target` refers to,
    CodedRows copied_coded;  // and what `coded` does

    std::size_t size() const { return rows.size(); }

    /// All rows of a sample; its columns are not sorted yet.
    void take_all(const TrainingTable& table, const Target& sample) {
        target = sample;
        coded = &table.coded;
        number(sample.rows(), table);
    }

    /// Copies a node: its rows are renumbered, in their order, and ranks made dense anew, so that they fit. `place`
    /// has room for every row of `from`.
    template <class FromEntry>
    void copy(const TrainingTable& table, const RowOrders<FromEntry>& from, const RangeNode& node,
              std::vector<Row>& place) {
        const std::span<const Row> rows_here = from.of(node);
        target = copied.gather(from.target, rows_here);
        copied_coded.copy(*from.coded, rows_here);
        coded = &copied_coded;
        number(rows_here.size(), table);
        for (std::size_t i = 0; i < rows_here.size(); ++i) place[rows_here[i]] = static_cast<Row>(i);
        for (std::size_t j = 0; j < entries.size(); ++j) {
            entries[j].clear();
            if (from.entries[j].empty()) continue;
            const FromEntry* const sorted = &from.entries[j][node.begin];
            if (sorted[0].rank == sorted[rows_here.size() - 1].rank) continue;  // one value: no cut
            entries[j].resize(rows_here.size());
            typename Entry::Word rank = 0;
            for (std::size_t i = 0; i < rows_here.size(); ++i) {
                if (i > 0 && sorted[i].rank != sorted[i - 1].rank) ++rank;
                entries[j][i] = {tags.make(place[from.tags.row(sorted[i].tag)]),
                                 sorted[i].is_missing() ? Entry::missing : rank};
            }
        }
    }

    /// A node's rows.
    std::span<const Row> of(const RangeNode& node) const {
        return std::span(rows).subspan(node.begin, node.rows());
    }
    CellRows cells(const TrainingTable& table) const { return {target.sample_row, table.cell_row}; }
    /// The rows of the table that a node's rows have their cells in; `space` is for those that differ.
    std::span<const Row> cell_rows(const TrainingTable& table, const RangeNode& node,
                                   std::vector<Row>& space) const {
        const CellRows of_row = cells(table);
        if (of_row.is_identity()) return of(node);
        space.resize(node.rows());
        for (std::size_t i = 0; i < space.size(); ++i) space[i] = of_row[rows[node.begin + i]];
        return space;
    }
    /// A node's rows in the order of a numeric column.
    SortedRows<Entry> sorted(const TrainingTable& table, std::size_t j, const RangeNode& node) const {
        return {table.columns[j], std::span<const Entry>(entries[j]).subspan(node.begin, node.rows()), tags,
                cells(table)};
    }

    /// The same for a counted column; the rows are put in order in `space`.
    SortedRows<Entry> in_order(const TrainingTable& table, std::size_t j, const RangeNode& node,
                               std::vector<Entry>& space) const {
        const RowSlots slots = coded->row_slots(j);
        std::vector<std::size_t> next(slots.slots + 1, 0);
        for (const Row row : of(node))
            ++next[slots[row] == 0 ? slots.slots : slots[row]];  // missing ones last
        std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
        space.resize(node.rows());
        for (const Row row : of(node)) {
            const std::size_t slot = slots[row];
            space[next[slot == 0 ? slots.slots : slot]++] = {
                tags.make(row), slot == 0 ? Entry::missing : static_cast<typename Entry::Word>(slot - 1)};
        }
        return {table.columns[j], space, tags, cells(table)};
    }

  private:
    void number(std::size_t count, const TrainingTable& table) {
        tags = {};
        if (target.is_classes()) tags = TagsOf<typename Entry::Word>(count, target.codes, target.classes);
        rows.resize(count);
        std::iota(rows.begin(), rows.end(), Row{0});
        entries.resize(table.columns.size());
        child.resize(count, table.most_children());
    }
};

}  // namespace branchwork
