// Columns of few values, counted instead of sorted: nominal ones, and numeric ones with at most 256 distinct values.
//
// The codes of a row's cells are stored side by side, row by row. A slot is a place for one value of one column: the first
// slot of a column is for missing cells. A tally has a counter for every (class, slot):
//
//     slots_   row 0:  [ 0  4  9 .. ]       tally   class 0   [ column 0 | column 1    | column 2 ... ]
//              row 1:  [ 2  5  9 .. ]               class 1   [ column 0 | column 1    | column 2 ... ]
//              row 2:  [ 1  4  8 .. ]                           - a b      - x y z
//
// Counting a row touches one short run of memory and no counter twice in succession. Counters are integers, so the
// tally of the largest child is what its siblings leave of the parent's. The counters of one class and column lie side
// by side in order of value: a sweep over the values is a loop without branches.
//
// Columns of two values of which no row has more than one at its larger value, as those of a one-hot encoding, share one
// cell of each row. It has the slot of the larger value of the one column that is there, or a slot that stands for "none
// of them". The counters of the smaller values are what is left of all rows:
//
//     columns  red green blue        cell of the three       counters  red: all rows - 1 | 1    green: all rows - 2 | 2
//               1    0    0           larger value of red
//               0    1    0           larger value of green
//               0    0    0           none of them
//               0    1    0           larger value of green
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/kernels/kernels.hpp"
#include "core/prepare/few_values.hpp"

namespace branchwork {

using Tally = std::vector<std::uint32_t>;

/// One column's counters in a tally.
struct Counters {
    const std::uint32_t* first;  // of class 0 and missing cells
    std::size_t stride;          // from one class to the next
    std::size_t slots;           // missing cells, then one for each value

    std::uint32_t at(std::size_t slot, std::size_t cls) const { return first[cls * stride + slot]; }
};

/// The counters of all numeric columns in a tally, side by side.
struct NumericCounters {
    const std::uint32_t* first;      // of class 0
    std::size_t stride;              // from one class to the next
    std::span<const double> before;  // of each slot: the number of columns before its own
};

/// One column's slots, row by row: slot 0 is a missing cell, slot 1 + k the k-th value.
struct RowSlots {
    const std::uint16_t* of_first_row;
    std::size_t stride;
    std::uint16_t first;
    std::size_t slots;

    std::size_t operator[](Row row) const {
        const auto slot = static_cast<std::uint16_t>(of_first_row[row * stride] - first);
        return slot < slots ? slot : 1;  // the slot of another column in the same cell: this one has its smaller value
    }
};

class CodedRows {
  public:
    /// Above this many counters the tally of a node does not stay in cache.
    static constexpr std::size_t most_counters = std::size_t{1} << 13;

    /// Takes the nominal columns in, all or none, and then numeric ones as long as the counters fit. `width` is the
    /// number of counters that a slot needs. `few[j]` is empty if column j is not to be counted.
    void take(std::span<const Column> columns, bool with_nominal, std::span<const Row> cell_row,
              std::size_t rows, std::size_t width, std::vector<FewValues> few) {
        index_.assign(columns.size(), none);
        const auto add = [&](std::size_t j, std::size_t slots) {
            index_[j] = of_.size();
            of_.push_back({.column = j, .first = total_, .slots = slots});
            total_ += slots;
        };
        std::size_t nominal = 0;
        for (const Column& column : columns)
            if (column.nominal) nominal += static_cast<std::size_t>(column.levels) + 1;
        if (with_nominal && nominal * width <= most_counters)
            for (std::size_t j = 0; j < columns.size(); ++j)
                if (columns[j].nominal) add(j, static_cast<std::size_t>(columns[j].levels) + 1);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const std::size_t slots = few[j].values.size() + 1;
            if (few[j].values.empty() || (total_ + slots) * width > most_counters) continue;
            add(j, slots);
            of_.back().values = std::move(few[j].values);
        }
        note_columns_before();
        share_cells(rows, few);
        slots_.resize(rows * cells_);
        constexpr std::size_t block = 512;  // rows whose slots stay in cache while columns pass
        for (std::size_t begin = 0; begin < rows; begin += block) {
            const std::size_t end = std::min(rows, begin + block);
            for (const SharedCell& shared : shared_)
                for (std::size_t row = begin; row < end; ++row)
                    slots_[row * cells_ + shared.cell] = static_cast<std::uint16_t>(shared.none_of_them());
            for (const Coded& of : of_) {
                const Column& column = columns[of.column];
                const Cells<std::int32_t> cells{column.data, column.stride};
                const std::vector<std::uint16_t>& codes = few[of.column].codes;
                for (std::size_t row = begin; row < end; ++row) {
                    if (of.is_shared && codes[row] != 2) continue;
                    const std::size_t code =
                        column.nominal
                            ? static_cast<std::size_t>(cells[cell_row.empty() ? row : cell_row[row]] + 1)
                            : codes[row];
                    slots_[row * cells_ + of.cell] = static_cast<std::uint16_t>(of.first + code);
                }
            }
        }
    }

    /// Takes some rows of another over, renumbered 0, 1, 2 ... Of numeric columns only values that these rows have keep
    /// a slot, and a column that parts none of them is left out.
    void copy(const CodedRows& from, std::span<const Row> rows) {
        const std::size_t width = from.cells_;
        index_.assign(from.index_.size(), none);
        of_.clear();
        shared_.clear();
        total_ = 0;
        std::vector<std::uint8_t> seen(from.total_, 0);
        for (const Row row : rows)
            for (std::size_t k = 0; k < width; ++k) seen[from.slots_[row * width + k]] = 1;
        std::vector<std::uint16_t> slot_of(from.total_, 0);
        std::vector<std::size_t> kept;                   // cells of `from` that remain
        std::vector<std::size_t> new_cell(width, none);  // of each cell of `from`
        const auto keep = [&](const Coded& old, std::size_t slots) -> Coded& {
            if (new_cell[old.cell] == none) {
                new_cell[old.cell] = kept.size();
                kept.push_back(old.cell);
            }
            index_[old.column] = of_.size();
            of_.push_back({old.column, total_, slots, {}, new_cell[old.cell], old.is_shared});
            total_ += slots;
            return of_.back();
        };
        std::vector<std::size_t> seen_in;  // how many different slots the rows have in each shared cell
        for (const SharedCell& shared : from.shared_)
            seen_in.push_back(seen[shared.none_of_them()] + static_cast<std::size_t>(std::ranges::count_if(
                                  shared.larger, [&](std::size_t slot) { return seen[slot] != 0; })));
        for (const Coded& old : from.of_) {
            const auto first = seen.begin() + static_cast<std::ptrdiff_t>(old.first);
            const bool nominal = old.values.empty();
            if (old.is_shared) {
                if (seen[old.first + 2] == 0 || seen_in[from.shared_at(old.cell)] < 2) continue;
                Coded& here = keep(old, old.slots);
                here.values = old.values;
                slot_of[old.first + 2] = static_cast<std::uint16_t>(here.first + 2);
                continue;
            }
            if (!nominal && std::count(first, first + static_cast<std::ptrdiff_t>(old.slots), 1) < 2)
                continue;
            Coded& here = keep(old, 0);
            for (std::size_t slot = 0; slot < old.slots; ++slot) {
                if (!nominal && slot > 0 && !first[static_cast<std::ptrdiff_t>(slot)]) continue;
                slot_of[old.first + slot] = static_cast<std::uint16_t>(here.first + here.slots++);
                if (!nominal && slot > 0) here.values.push_back(old.values[slot - 1]);
            }
            total_ += here.slots;
        }
        cells_ = kept.size();
        note_shared_cells();
        for (const SharedCell& shared : shared_)
            slot_of[from.shared_[from.shared_at(kept[shared.cell])].none_of_them()] =
                static_cast<std::uint16_t>(shared.none_of_them());
        note_columns_before();
        slots_.resize(rows.size() * cells_);
        std::uint16_t* next = slots_.data();
        for (const Row row : rows)
            for (const std::size_t k : kept) *next++ = slot_of[from.slots_[row * width + k]];
    }

    bool has(std::size_t column) const { return !index_.empty() && index_[column] != none; }
    bool empty() const { return of_.empty(); }
    std::size_t columns() const { return of_.size(); }
    /// What counting a row costs: columns may share a cell.
    std::size_t cells_per_row() const { return cells_; }
    /// Of a tally, for one class.
    std::size_t slots() const { return total_; }
    /// The distinct values of a numeric column, rising.
    std::span<const double> values(std::size_t column) const { return of_[index_[column]].values; }
    /// The slot of the largest value not above a cut.
    std::size_t slot_of(std::size_t column, double cut) const {
        const std::span<const double> all = values(column);
        return static_cast<std::size_t>(std::ranges::upper_bound(all, cut) - all.begin());
    }
    RowSlots row_slots(std::size_t column) const {
        const Coded& of = of_[index_[column]];
        return {slots_.data() + of.cell, cells_, static_cast<std::uint16_t>(of.first), of.slots};
    }
    Counters counters(const Tally& tally, std::size_t column) const {
        const Coded& of = of_[index_[column]];
        return {tally.data() + of.first, total_, of.slots};
    }

    /// The counters of all numeric columns.
    NumericCounters numeric(const Tally& tally) const {
        return {tally.data() + (total_ - before_.size()), total_, before_};
    }

    /// Counts rows of these classes.
    void count(std::span<const Row> rows, std::span<const std::int32_t> labels, std::size_t classes,
               Tally& tally) const {
        tally.assign(total_ * classes, 0);
        const std::size_t width = cells_;
        for (const Row row : rows) {
            const std::uint16_t* const slots = &slots_[row * width];
            std::uint32_t* const of_class = tally.data() + static_cast<std::size_t>(labels[row]) * total_;
            for (std::size_t k = 0; k < width; ++k) ++of_class[slots[k]];
        }
        for (const SharedCell& shared : shared_)
            for (std::size_t c = 0; c < classes; ++c) shared.count_smaller(tally.data() + c * total_);
    }

  private:
    struct Coded {
        std::size_t column;
        std::size_t first, slots;
        std::vector<double> values = {};  // of a numeric column; empty: nominal
        std::size_t cell = 0;             // of each row, where its slot is
        bool is_shared = false;           // with other columns of two values
    };
    /// A cell that several columns of two values share.
    struct SharedCell {
        std::size_t cell;
        std::vector<std::size_t> larger;  // the slot of each column's larger value

        /// The slot of rows that have the smaller value in all of the columns: that of the first one's smaller value.
        std::size_t none_of_them() const { return larger.front() - 1; }
        /// Counts the rows with the smaller value of each column.
        void count_smaller(std::uint32_t* counters) const {
            std::uint32_t rows = counters[none_of_them()];
            for (const std::size_t slot : larger) rows += counters[slot];
            for (const std::size_t slot : larger) counters[slot - 1] = rows - counters[slot];
        }
    };

    /// Gives each column a cell of its own, or one with others where no row has the larger value of two of them.
    void share_cells(std::size_t rows, const std::vector<FewValues>& few) {
        struct Open {
            std::vector<std::uint8_t> taken;  // rows that have the larger value of one of its columns
            std::vector<std::size_t> members;
        };
        constexpr std::size_t most_tried = 8;
        std::vector<Open> open;
        for (std::size_t k = 0; k < of_.size(); ++k) {
            const FewValues& values = few[of_[k].column];
            if (of_[k].values.size() != 2 || values.has_missing) continue;
            const auto fits = [&](const Open& cell) {
                for (std::size_t row = 0; row < rows; ++row)
                    if (values.codes[row] == 2 && cell.taken[row]) return false;
                return true;
            };
            auto cell = std::ranges::find_if(open, fits);
            if (cell == open.end()) {
                if (open.size() == most_tried) continue;
                open.push_back({std::vector<std::uint8_t>(rows, 0), {}});
                cell = open.end() - 1;
            }
            for (std::size_t row = 0; row < rows; ++row) cell->taken[row] |= values.codes[row] == 2;
            cell->members.push_back(k);
        }
        for (const Open& cell : open)
            if (cell.members.size() > 1)
                for (const std::size_t k : cell.members) of_[k].is_shared = true;
        cells_ = 0;
        for (Coded& of : of_)
            if (!of.is_shared) of.cell = cells_++;
        for (const Open& cell : open) {
            if (cell.members.size() < 2) continue;
            for (const std::size_t k : cell.members) of_[k].cell = cells_;
            ++cells_;
        }
        note_shared_cells();
    }
    void note_shared_cells() {
        shared_.clear();
        for (const Coded& of : of_) {
            if (!of.is_shared) continue;
            const std::size_t at = shared_at(of.cell);
            if (at == shared_.size()) shared_.push_back({of.cell, {}});
            shared_[at].larger.push_back(of.first + 2);
        }
    }
    std::size_t shared_at(std::size_t cell) const {
        return static_cast<std::size_t>(std::ranges::find(shared_, cell, &SharedCell::cell) -
                                        shared_.begin());
    }

    void note_columns_before() {
        before_.clear();
        double columns = 0;
        for (const Coded& coded : of_)
            if (!coded.values.empty()) before_.insert(before_.end(), coded.slots, columns++);
    }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::vector<Coded> of_;
    std::size_t cells_ = 0;  // of each row
    std::vector<SharedCell> shared_;
    std::vector<std::size_t> index_;  // of each column of the table; none: it is not among these
    std::size_t total_ = 0;
    std::vector<double> before_;  // numeric columns, which come last, before that of each of their slots
    std::vector<std::uint16_t> slots_;
};

inline void add(Tally& to, const Tally& part) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += part[k];
}

inline void subtract(Tally& from, const Tally& part) {
    kernels().subtract(from.data(), part.data(), from.size());
}

}  // namespace branchwork
