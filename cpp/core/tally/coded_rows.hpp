// Features with few values, which are counted instead of sorted: categorical ones, and numeric ones with few distinct
// values.
//
// A slot stands for one value of one feature; the first slot of a feature stands for missing values. The slots of a row
// are stored next to each other. A tally has a counter for every (class, slot):
//
//     slots_   row 0:  [ 0  4  9 .. ]       tally   class 0   [ column 0 | column 1    | column 2 ... ]
//              row 1:  [ 2  5  9 .. ]               class 1   [ column 0 | column 1    | column 2 ... ]
//              row 2:  [ 1  4  8 .. ]                           - a b      - x y z
//
// Counting a row reads one short piece of memory, and never increments the same counter twice in a row. Counters are
// integers, so the tally of the largest child is exactly that of the parent minus those of its siblings. The counters
// of one class and feature are in order of value, so a sweep over the values is a loop without branches.
//
// Features with two values share one cell of each row if no row has the larger value of two of them, as in a one-hot
// encoding. The cell holds the slot of the one larger value that the row has, or a slot that stands for "none of them".
// The counter of a smaller value is the number of all rows minus the counter of the larger one:
//
//     features  red  green  blue      shared cell             counters (smaller, larger)
//                1     0     0        larger value of red      red    3 = 4 - 1,  1
//                0     1     0        larger value of green    green  2 = 4 - 2,  2
//                0     0     0        none of them             blue   4 = 4 - 0,  0
//                0     1     0        larger value of green
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"
#include "core/prepare/few_values.hpp"

namespace branchwork {

using Tally = std::vector<std::uint32_t>;

/// The counters of one feature in a tally.
struct Counters {
    const std::uint32_t* first;  // counter of class 0 and missing values
    std::size_t stride;          // distance from one class to the next
    std::size_t slots;           // one for missing values, then one per value

    std::uint32_t at(std::size_t slot, std::size_t cls) const { return first[cls * stride + slot]; }
};

/// The counters of all numeric features in a tally, which follow each other.
struct NumericCounters {
    const std::uint32_t* first;      // first counter of class 0
    std::size_t stride;              // distance from one class to the next
    std::span<const double> before;  // per slot: the number of numeric features before its own
};

/// The slots of one feature, row by row: slot 0 means missing, slot 1 + k the k-th value.
struct RowSlots {
    const std::uint16_t* of_first_row;
    std::size_t stride;
    std::uint16_t first;
    std::size_t slots;

    std::size_t operator[](Row row) const {
        const auto slot = static_cast<std::uint16_t>(of_first_row[row * stride] - first);
        return slot < slots
                   ? slot
                   : 1;  // in a shared cell: the slot of another feature, so this one has its smaller value
    }
};

class CodedRows {
  public:
    /// With more counters, the tally of a node would not stay in the L1 cache (32 KiB).
    static constexpr std::size_t most_counters = std::size_t{1} << 13;

    /// Takes all categorical features or none, and then numeric ones as long as the counters fit. `width` is the number
    /// of counters per slot. `few[j]` is empty if numeric feature j is not to be counted.
    void take(std::span<const Column> columns, bool with_nominal, std::span<const Row> cell_row,
              std::size_t rows, std::size_t width, std::vector<FewValues> few, const Pulse& pulse) {
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
        share_cells(rows, few, pulse);
        slots_.resize(rows * cells_);
        for (std::size_t begin = 0; begin < rows; begin += block) {
            const std::size_t end = std::min(rows, begin + block);
            for (const SharedCell& shared : shared_) fill_shared(shared, few, begin, end);
            for (const Coded& of : of_) {
                if (of.is_shared) continue;
                const Column& column = columns[of.column];
                const Cells<std::int32_t> cells{column.data, column.stride};
                const std::vector<std::uint16_t>& codes = few[of.column].codes;
                for (std::size_t row = begin; row < end; ++row) {
                    const std::size_t code =
                        column.nominal
                            ? static_cast<std::size_t>(cells[cell_row.empty() ? row : cell_row[row]] + 1)
                            : codes[row];
                    slots_[row * cells_ + of.cell] = static_cast<std::uint16_t>(of.first + code);
                }
            }
        }
    }

    /// Copies some rows from another object and renumbers them 0, 1, 2 ... Values of numeric features that none of
    /// these rows has lose their slot, and a numeric feature that cannot split these rows is left out.
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
        std::vector<std::size_t> kept;                   // cells of `from` that are still needed
        std::vector<std::size_t> new_cell(width, none);  // per cell of `from`: its index in `kept`
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
        std::vector<std::size_t>
            seen_in;  // per shared cell of `from`: how many different slots the rows have there
        for (const SharedCell& shared : from.shared_)
            seen_in.push_back(seen[shared.none_of_them()] +
                              static_cast<std::size_t>(std::ranges::count_if(
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
    /// The number of cells that counting a row reads: features may share a cell.
    std::size_t cells_per_row() const { return cells_; }
    /// The memory that the slots of all rows take.
    std::size_t bytes() const { return slots_.size() * sizeof(slots_[0]); }
    /// The number of slots of all features, which is the number of counters per class in a tally.
    std::size_t slots() const { return total_; }
    /// The distinct values of a numeric feature, ascending.
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

    NumericCounters numeric(const Tally& tally) const {
        return {tally.data() + (total_ - before_.size()), total_, before_};
    }

    /// Counts some rows. `labels` has the class of every row.
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
        std::vector<double> values = {};  // of a numeric feature; empty: categorical
        std::size_t cell = 0;             // which cell of a row holds its slot
        bool is_shared = false;           // does it share that cell with other features?
    };
    /// A cell that several features with two values share.
    struct SharedCell {
        std::size_t cell;
        std::vector<std::size_t> larger;  // per feature: the slot of its larger value

        /// The slot that stands for "none of them": that of the smaller value of the first feature.
        std::size_t none_of_them() const { return larger.front() - 1; }
        /// Fills in the counters of the smaller values of one class.
        void count_smaller(std::uint32_t* counters) const {
            std::uint32_t rows = counters[none_of_them()];
            for (const std::size_t slot : larger) rows += counters[slot];
            for (const std::size_t slot : larger) counters[slot - 1] = rows - counters[slot];
        }
    };

    /// The slots of this many rows stay in the cache for all features.
    static constexpr std::size_t block = 512;

    /// Writes a shared cell of some rows: the larger value that a row has, if it has one. Compilers turn the inner loop
    /// into vector instructions.
    void fill_shared(const SharedCell& shared, const std::vector<FewValues>& few, std::size_t begin,
                     std::size_t end) {
        std::array<std::uint16_t, block> slot;
        slot.fill(static_cast<std::uint16_t>(shared.none_of_them()));
        for (const Coded& of : of_) {
            if (!of.is_shared || of.cell != shared.cell) continue;
            const std::uint16_t* const codes = &few[of.column].codes[begin];
            const auto larger = static_cast<std::uint16_t>(of.first + 2);
            for (std::size_t i = 0; i < end - begin; ++i) slot[i] = codes[i] == 2 ? larger : slot[i];
        }
        for (std::size_t row = begin; row < end; ++row)
            slots_[row * cells_ + shared.cell] = slot[row - begin];
    }

    /// Gives every feature a cell. A feature with two values joins the first shared cell in which no row has the larger
    /// value of two features.
    void share_cells(std::size_t rows, const std::vector<FewValues>& few, const Pulse& pulse) {
        struct Open {
            std::vector<std::uint16_t> taken;  // per row: 2 if it has the larger value of a member, or 0
            std::vector<std::size_t> members;
        };
        constexpr std::size_t most_tried = 8;  // shared cells; flags that overlap would need one each
        std::vector<Open> open;
        for (std::size_t k = 0; k < of_.size(); ++k) {
            const FewValues& values = few[of_[k].column];
            if (of_[k].values.size() != 2 || values.has_missing) continue;
            pulse.check();
            // Codes are 1 and 2, so they meet in the second bit. Whole blocks are compared, because a loop that stops
            // at the first row that clashes would go row by row.
            const auto fits = [&](const Open& cell) {
                for (std::size_t begin = 0; begin < rows; begin += block) {
                    unsigned clash = 0;
                    for (std::size_t row = begin; row < std::min(rows, begin + block); ++row)
                        clash |= static_cast<unsigned>(values.codes[row] & cell.taken[row]);
                    if (clash) return false;
                }
                return true;
            };
            auto cell = std::ranges::find_if(open, fits);
            if (cell == open.end()) {
                if (open.size() == most_tried) continue;
                open.push_back({std::vector<std::uint16_t>(rows, 0), {}});
                cell = open.end() - 1;
            }
            for (std::size_t row = 0; row < rows; ++row)
                cell->taken[row] = static_cast<std::uint16_t>(cell->taken[row] | (values.codes[row] & 2U));
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
    std::size_t cells_ = 0;           // per row
    std::vector<SharedCell> shared_;  // those of the cells that several features share
    std::vector<std::size_t> index_;  // per column of the table: its index in `of_`, or none
    std::size_t total_ = 0;
    std::vector<double> before_;  // see NumericCounters; numeric features come after categorical ones
    std::vector<std::uint16_t> slots_;
};

inline void add(Tally& to, const Tally& part) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += part[k];
}

inline void subtract(Tally& from, const Tally& part) {
    kernels().subtract(from.data(), part.data(), from.size());
}

}  // namespace branchwork
