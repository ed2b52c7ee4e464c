// The categories of all nominal columns at once, for a target of classes with unit weights.
//
// One tally holds a counter for every (column, category, class); missing cells are category 0. The places of
// a row's cells in it are stored side by side, row by row, so that counting a row touches one short run of
// memory and no counter twice in succession:
//
//     places_   row 0:  [ 0  9 15 .. ]     counters   column 0        column 1     ...
//               row 1:  [ 3  6 15 .. ]                [ - - - | - - - | ... ]   classes of missing, of
//               category 0 ...
//
// Counters are integers, so the tally of the largest child is what its siblings leave of the parent's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/kernels/kernels.hpp"

namespace branchwork {

using Tally = std::vector<std::uint32_t>;

class CategoryTallies {
  public:
    /// Above this many counters the tally of a node does not stay in cache.
    static constexpr std::size_t most_counters = std::size_t{1} << 13;

    /// Tables without nominal columns, or with too many categories, are not for this class: `in_use()` is
    /// false.
    /// `cell_row`: the row of the table that each row of the sample has its cells in; empty: the same.
    void prepare(std::span<const Column> columns, std::span<const Row> cell_row,
                 std::span<const std::int32_t> labels, std::size_t classes) {
        std::vector<const Column*> nominal;
        for (const Column& column : columns) {
            first_.push_back(counters_);
            if (!column.nominal) continue;
            counters_ += (static_cast<std::size_t>(column.levels) + 1) * classes;
            nominal.push_back(&column);
            if (counters_ > most_counters) return;
        }
        first_.push_back(counters_);
        labels_ = labels;
        width_ = nominal.size();
        places_.resize(labels.size() * width_);
        constexpr std::size_t block = 512;  // rows of the table whose places stay in cache while columns pass
        for (std::size_t begin = 0; begin < labels.size(); begin += block) {
            const std::size_t end = std::min(labels.size(), begin + block);
            for (std::size_t k = 0; k < width_; ++k) {
                const Cells<std::int32_t> codes{nominal[k]->data, nominal[k]->stride};
                const std::size_t first = first_[static_cast<std::size_t>(nominal[k] - columns.data())];
                for (std::size_t row = begin; row < end; ++row)
                    places_[row * width_ + k] = static_cast<std::uint16_t>(
                        first + static_cast<std::size_t>(codes[cell_row.empty() ? row : cell_row[row]] + 1) *
                                    classes);
            }
        }
    }
    bool in_use() const { return width_ > 0; }
    std::size_t counters() const { return counters_; }
    std::size_t columns() const { return width_; }

    /// Counts rows; `sample_row` is the place of each in the sample, where rows have been copied.
    void count(std::span<const Row> rows, std::span<const Row> sample_row, Tally& tally) const {
        tally.assign(counters_, 0);
        std::uint32_t* const counters = tally.data();
        for (Row row : rows) {
            if (!sample_row.empty()) row = sample_row[row];
            const std::uint16_t* const places = &places_[row * width_];
            std::uint32_t* const of_class = counters + labels_[row];
            for (std::size_t k = 0; k < width_; ++k) ++of_class[places[k]];
        }
    }
    /// The counters of one column: classes of missing cells, of category 0, of category 1 ...
    std::span<const std::uint32_t> of_column(const Tally& tally, std::size_t column) const {
        return std::span(tally).subspan(first_[column], first_[column + 1] - first_[column]);
    }

  private:
    std::vector<std::size_t> first_;  // counter of each column, and the end
    std::size_t counters_ = 0;
    std::size_t width_ = 0;  // nominal columns; 0: not in use
    std::vector<std::uint16_t> places_;
    std::span<const std::int32_t> labels_;
};

inline void add(Tally& to, const Tally& part) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += part[k];
}

inline void subtract(Tally& from, const Tally& part) {
    kernels().subtract(from.data(), part.data(), from.size());
}

}  // namespace branchwork
