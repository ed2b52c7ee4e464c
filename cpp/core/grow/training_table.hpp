// What all parts of a growing tree share about the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/prepare/prepared.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/tally/coded_rows.hpp"

namespace branchwork {

struct TrainingTable {
    std::vector<Column> columns;
    std::size_t rows = 0;                // of the table that the cells are in
    const Prepared* prepared = nullptr;  // none: a column is sorted when the root looks at it
    const Sample* sample = nullptr;      // none: all rows, once each
    std::span<const Row> cell_row = {};  // the table's row of each row of the sample; empty: the same
    bool has_every_row = false;          // is it prepared, and each of its rows there once?
    SamplePlaces places = {};            // of the table's rows in the sample
    std::vector<bool> left_out = {};     // columns that were not drawn for this tree; empty: none
    CodedRows coded = {};                // columns that are counted, for every row of the sample
    std::int64_t coding_visits = 0;      // rows that were looked at to code columns
    bool any_numeric = false, any_nominal = false;
    bool any_sorted = false;  // is a numeric column not counted?

    /// Does every split part all rows of a node in two branches, whose costs add up to that of the split? Known once
    /// the root has been searched.
    bool splits_in_two(const Options& options) const {
        return (!any_nominal || options.nominal != Nominal::multiway) &&
               (options.missing == Missing::learn || std::ranges::none_of(columns, &Column::has_missing));
    }
    /// Makes ready to sort columns with these tags.
    void use_tags(const Tags& tags) {
        if (prepared && sample) places = SamplePlaces(*sample, rows, tags);
    }
    bool is_left_out(std::size_t j) const { return !left_out.empty() && left_out[j]; }
    /// The rows of the sample in the order of a numeric column. `visits` is raised by the number of times a row was
    /// looked at.
    void sort(std::size_t j, const Tags& tags, std::vector<Entry>& entries, SortSpace& space,
              const Pulse& pulse, std::int64_t& visits) const {
        if (!prepared) return sort_column(columns[j], rows, tags, entries, space, pulse, visits);
        prepared->sorted(j, sample, places, tags, entries, pulse);
        visits += static_cast<std::int64_t>(entries.size());
    }
    std::int32_t most_children() const {
        std::int32_t most = 3;
        for (const Column& column : columns) most = std::max(most, column.levels + 1);
        return most;
    }
};

}  // namespace branchwork
