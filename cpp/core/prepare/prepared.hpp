// The numeric features of a table, sorted and ranked once for all fits on the table or on samples of its rows.
//
//     values      5.5  2.0   –   2.0  9.1          '–' = missing
//     order        1    3    0    4 | 2            rows by value, equal values by row; missing values last
//     rank         1    0    –    0    2           per row: the index of its value among the distinct values
//     row_of_rank  1    0    4                     a row that has each distinct value
//
// This does not depend on the target and never changes, so threads and trees share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"
#include "core/prepare/sorted_column.hpp"

namespace branchwork {

/// Which rows of a table are used for training, and how often each: a fold, a subset or a bootstrap sample. A row that
/// was drawn twice is two consecutive rows of the sample.
class Sample {
  public:
    /// `copies` says how often the sample has each row of the table.
    explicit Sample(std::span<const std::uint32_t> copies);

    std::size_t size() const { return cell_row_.size(); }
    /// The table row of each row of the sample.
    std::span<const Row> cell_row() const { return cell_row_; }
    std::uint32_t copies(Row row) const { return first_[row + 1] - first_[row]; }
    /// The first row of the sample that is a copy of this row of the table.
    Row first(Row row) const { return first_[row]; }
    std::uint32_t most_copies() const { return most_copies_; }

  private:
    std::vector<Row> first_;  // per row of the table, with one more entry at the end
    std::vector<Row> cell_row_;
    std::uint32_t most_copies_ = 0;
};

/// Where the rows of a table are in a sample: the tag of the first copy of each row, and the number of copies. Features
/// are read in their sorted order, so rows are looked up at random; both numbers are packed into one word to save a
/// cache miss.
class SamplePlaces {
  public:
    /// Without a sample: every row occurs once, and nothing is looked up.
    SamplePlaces() = default;
    SamplePlaces(const Sample& sample, std::size_t rows, const Tags& tags);

    bool empty() const { return places_.empty(); }
    std::uint32_t copies(Row row) const { return static_cast<std::uint32_t>(places_[row] >> 32); }
    /// The tag of the first copy of a row. The tags of its other copies follow consecutively.
    std::uint32_t tag(Row row) const { return static_cast<std::uint32_t>(places_[row]); }

  private:
    std::vector<std::uint64_t> places_;
};

struct PreparedColumn {
    std::vector<Row> order;
    std::vector<bool> is_new;  // per place in the order: whether another value begins there
    std::size_t known = 0;     // number of rows with a value; they come first in the order
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> rank;
    std::vector<Row> row_of_rank;

    std::size_t distinct() const { return row_of_rank.size(); }
    std::size_t bytes() const;
};

class Prepared {
  public:
    Prepared(std::span<const Column> columns, std::size_t rows, int threads, Pulse& pulse);

    std::span<const Column> columns() const { return columns_; }
    std::size_t rows() const { return rows_; }
    const PreparedColumn& numeric(std::size_t j) const { return numeric_[j]; }
    /// Writes the rows of a sample, or all rows if it is null, in the order of a numeric feature. Ranks are numbered
    /// among the values that the sample has.
    void sorted(std::size_t j, const Sample* sample, const SamplePlaces& places, const Tags& tags,
                std::vector<Entry>& entries, const Pulse& pulse) const;
    std::size_t bytes() const;

  private:
    std::vector<Column> columns_;
    std::size_t rows_;
    std::vector<PreparedColumn> numeric_;  // per column; empty for categorical ones
};

}  // namespace branchwork
