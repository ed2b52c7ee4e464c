// The columns of a table, sorted and ranked once, for every fit on that table or on a sample of its rows.
//
//     values      5.5  2.0   –   2.0  9.1          '–' = missing
//     order        1    3    0    4 | 2            rows by value, equal values by row; missing ones last
//     rank         1    0    –    0    2           of each row: the place of its value among the distinct ones
//     row of rank  1    0    4                     a row that holds each distinct value
//
// Nothing here knows the target, and nothing changes once it is made, so threads and trees share it.
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

/// Which rows of a table are learned from, and how often each: a fold, a subset, a bootstrap sample. A row that was
/// drawn twice is two rows of the sample, side by side.
class Sample {
  public:
    /// `copies`: of each row of the table.
    explicit Sample(std::span<const std::uint32_t> copies);

    std::size_t size() const { return cell_row_.size(); }
    /// The row of the table that each row of the sample is.
    std::span<const Row> cell_row() const { return cell_row_; }
    std::uint32_t copies(Row row) const { return first_[row + 1] - first_[row]; }
    /// The first place of a row of the table in the sample.
    Row first(Row row) const { return first_[row]; }
    std::uint32_t most_copies() const { return most_copies_; }

  private:
    std::vector<Row> first_;  // of each row of the table, and the end
    std::vector<Row> cell_row_;
    std::uint32_t most_copies_ = 0;
};

/// Where the rows of a table are in a sample: the tag of the first copy of each, and the number of copies. Columns are
/// gone through in their own order, so what is looked up for a row lies in one place.
class SamplePlaces {
  public:
    /// No sample: every row is there once, and nothing is looked up.
    SamplePlaces() = default;
    SamplePlaces(const Sample& sample, std::size_t rows, const Tags& tags);

    bool empty() const { return places_.empty(); }
    std::uint32_t copies(Row row) const { return static_cast<std::uint32_t>(places_[row] >> 32); }
    /// The tags of a row's copies are this one and the next ones.
    std::uint32_t tag(Row row) const { return static_cast<std::uint32_t>(places_[row]); }

  private:
    std::vector<std::uint64_t> places_;
};

struct PreparedColumn {
    std::vector<Row> order;
    std::vector<bool> is_new;  // of each place in the order: does another value begin there?
    std::size_t known = 0;     // rows with a value: the first of the order
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
    /// The rows of a sample in the order of a numeric column, with ranks that are dense among them. No sample: all rows.
    void sorted(std::size_t j, const Sample* sample, const SamplePlaces& places, const Tags& tags,
                std::vector<Entry>& entries, const Pulse& pulse) const;
    std::size_t bytes() const;

  private:
    std::vector<Column> columns_;
    std::size_t rows_;
    std::vector<PreparedColumn> numeric_;  // of each column; empty of a nominal one
};

}  // namespace branchwork
