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
        return static_cast<std::size_t>(of_first_row[row * stride] - first);
    }
};

class CodedRows {
  public:
    /// With more counters, the tally of a node would not stay in the L1 cache (32 KiB).
    static constexpr std::size_t most_counters = std::size_t{1} << 13;

    /// Takes all categorical features or none, and then numeric ones as long as the counters fit. `width` is the number
    /// of counters per slot. `few[j]` is empty if numeric feature j is not to be counted.
    void take(std::span<const Column> columns, bool with_nominal, std::span<const Row> cell_row,
              std::size_t rows, std::size_t width, std::vector<FewValues> few) {
        index_.assign(columns.size(), none);
        const auto add = [&](std::size_t j, std::size_t slots) {
            index_[j] = of_.size();
            of_.push_back({j, total_, slots, {}});
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
        slots_.resize(rows * of_.size());
        constexpr std::size_t block = 512;  // the slots of this many rows stay in the cache for all features
        for (std::size_t begin = 0; begin < rows; begin += block)
            for (std::size_t k = 0; k < of_.size(); ++k) {
                const Column& column = columns[of_[k].column];
                const Cells<std::int32_t> cells{column.data, column.stride};
                const std::vector<std::uint16_t>& codes = few[of_[k].column].codes;
                const std::size_t end = std::min(rows, begin + block);
                for (std::size_t row = begin; row < end; ++row) {
                    const std::size_t code =
                        column.nominal
                            ? static_cast<std::size_t>(cells[cell_row.empty() ? row : cell_row[row]] + 1)
                            : codes[row];
                    slots_[row * of_.size() + k] = static_cast<std::uint16_t>(of_[k].first + code);
                }
            }
    }

    /// Copies some rows from another object and renumbers them 0, 1, 2 ... Values of numeric features that none of
    /// these rows has lose their slot, and a numeric feature that cannot split these rows is left out.
    void copy(const CodedRows& from, std::span<const Row> rows) {
        const std::size_t width = from.of_.size();
        index_.assign(from.index_.size(), none);
        of_.clear();
        total_ = 0;
        std::vector<std::uint8_t> seen(from.total_, 0);
        for (const Row row : rows)
            for (std::size_t k = 0; k < width; ++k) seen[from.slots_[row * width + k]] = 1;
        std::vector<std::uint16_t> slot_of(from.total_, 0);
        std::vector<std::size_t> kept;
        for (std::size_t k = 0; k < width; ++k) {
            const Coded& old = from.of_[k];
            const auto first = seen.begin() + static_cast<std::ptrdiff_t>(old.first);
            const bool nominal = old.values.empty();
            if (!nominal && std::count(first, first + static_cast<std::ptrdiff_t>(old.slots), 1) < 2)
                continue;
            Coded here{old.column, total_, 0, {}};
            for (std::size_t slot = 0; slot < old.slots; ++slot) {
                if (!nominal && slot > 0 && !first[static_cast<std::ptrdiff_t>(slot)]) continue;
                slot_of[old.first + slot] = static_cast<std::uint16_t>(total_ + here.slots++);
                if (!nominal && slot > 0) here.values.push_back(old.values[slot - 1]);
            }
            total_ += here.slots;
            index_[old.column] = of_.size();
            of_.push_back(std::move(here));
            kept.push_back(k);
        }
        note_columns_before();
        slots_.resize(rows.size() * kept.size());
        std::uint16_t* next = slots_.data();
        for (const Row row : rows)
            for (const std::size_t k : kept) *next++ = slot_of[from.slots_[row * width + k]];
    }

    bool has(std::size_t column) const { return !index_.empty() && index_[column] != none; }
    bool empty() const { return of_.empty(); }
    std::size_t columns() const { return of_.size(); }
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
        const std::size_t k = index_[column];
        return {slots_.data() + k, of_.size(), static_cast<std::uint16_t>(of_[k].first), of_[k].slots};
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
        const std::size_t width = of_.size();
        for (const Row row : rows) {
            const std::uint16_t* const slots = &slots_[row * width];
            std::uint32_t* const of_class = tally.data() + static_cast<std::size_t>(labels[row]) * total_;
            for (std::size_t k = 0; k < width; ++k) ++of_class[slots[k]];
        }
    }

  private:
    struct Coded {
        std::size_t column;
        std::size_t first, slots;
        std::vector<double> values;  // of a numeric feature; empty: categorical
    };
    void note_columns_before() {
        before_.clear();
        double columns = 0;
        for (const Coded& coded : of_)
            if (!coded.values.empty()) before_.insert(before_.end(), coded.slots, columns++);
    }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::vector<Coded> of_;
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
