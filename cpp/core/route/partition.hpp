// Records which child each row of a node goes to, and partitions the arrays of the node accordingly, keeping their
// order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/columns.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/route/route.hpp"
#include "core/tally/coded_rows.hpp"

namespace branchwork {

/// The child of each row, indexed by row. It takes one byte per row, so that the lookups of a large node stay in the
/// cache; only splits into more than 256 children need four bytes. Threads that split different nodes write different
/// rows.
class ChildOfRow {
  public:
    void resize(std::size_t rows, std::int32_t most_children) {
        narrow_.resize(rows);
        if (!is_narrow(most_children)) wide_.resize(rows);
    }

    /// From rows in order of value: the first `left_rows` go left, the others right; missing values come last.
    template <class Entry>
    void mark_by_order(std::span<const Entry> entries, const TagsOf<typename Entry::Word>& tags,
                       std::size_t left_rows, std::int32_t missing, std::int32_t children) {
        mark(children, [&](auto* child) {
            using Child = std::remove_pointer_t<decltype(child)>;
            std::size_t i = 0;
            for (; i < left_rows; ++i) child[tags.row(entries[i].tag)] = 0;
            for (; i < entries.size() && !entries[i].is_missing(); ++i) child[tags.row(entries[i].tag)] = 1;
            for (; i < entries.size(); ++i) child[tags.row(entries[i].tag)] = static_cast<Child>(missing);
        });
    }
    void mark_by_value(const Column& column, double cut, std::int32_t missing, std::span<const Row> rows,
                       std::span<const Row> cell_rows, std::int32_t children) {
        mark(children, [&](auto* child) {
            using Child = std::remove_pointer_t<decltype(child)>;
            with_cells(column, [&](auto cells) {
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const auto x = static_cast<double>(cells[cell_rows[i]]);
                    child[rows[i]] = static_cast<Child>(std::isnan(x) ? missing : child_of_number(x, cut));
                }
            });
        });
    }
    /// From the slots of a counted feature: slot 0 means missing, and slots up to `left` go left.
    void mark_by_slot(const RowSlots& slots, std::size_t left, std::int32_t missing,
                      std::span<const Row> rows, std::int32_t children) {
        mark(children, [&](auto* child) {
            using Child = std::remove_pointer_t<decltype(child)>;
            for (const Row row : rows) {
                const std::size_t slot = slots[row];
                child[row] = slot == 0 ? static_cast<Child>(missing) : static_cast<Child>(slot > left);
            }
        });
    }
    /// `lookup[code]` is the child of a category; `cell_rows[i]` is the table row of `rows[i]`.
    void mark_by_code(const Column& column, const std::int32_t* lookup, std::int32_t missing,
                      std::span<const Row> rows, std::span<const Row> cell_rows, std::int32_t children) {
        mark(children, [&](auto* child) {
            using Child = std::remove_pointer_t<decltype(child)>;
            const Cells<std::int32_t> codes{column.data, column.stride};
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::int32_t code = codes[cell_rows[i]];
                child[rows[i]] = static_cast<Child>(code < 0 ? missing : lookup[code]);
            }
        });
    }

    /// The child of each row, for splits into at most 256 children.
    std::span<std::uint8_t> of_two() { return narrow_; }

    /// Writes where the items of each child begin, with one more entry at the end.
    void count(std::span<const Row> rows, std::int32_t children, std::vector<std::size_t>& begins) const {
        begins.assign(static_cast<std::size_t>(children) + 1, 0);
        const auto by = [&](const auto* child) {
            for (const Row row : rows) ++begins[static_cast<std::size_t>(child[row]) + 1];
        };
        is_narrow(children) ? by(narrow_.data()) : by(wide_.data());
        for (std::size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
    }

    /// Moves items to their children, keeping the order within each child. With two children, the items of the first
    /// stay in the array while those of the second are collected in `spare`:
    ///
    ///     items  [ a b c d e f ]     ->   [ a c d . . . ]   spare [ b e f ]   ->   [ a c d | b e f ]
    template <class Item, class RowOf>
    void partition(std::span<Item> items, std::vector<Item>& spare, std::span<const std::size_t> begins,
                   RowOf row_of) const {
        if (spare.size() < items.size()) spare.resize(items.size());
        const auto children = static_cast<std::int32_t>(begins.size()) - 1;
        if (children == 2) {
            std::size_t first = 0, second = 0;
            for (const Item item : items) {
                const std::size_t side = narrow_[row_of(item)];
                items[first] = item;
                spare[second] = item;
                first += 1 - side;
                second += side;
            }
            std::copy_n(spare.begin(), second, items.begin() + static_cast<std::ptrdiff_t>(first));
            return;
        }
        is_narrow(children) ? into_many(narrow_.data(), items, spare, begins, row_of)
                            : into_many(wide_.data(), items, spare, begins, row_of);
    }

  private:
    static bool is_narrow(std::int32_t children) { return children <= 256; }
    template <class F>
    void mark(std::int32_t children, const F& f) {
        if (is_narrow(children))
            f(narrow_.data());
        else
            f(wide_.data());
    }
    template <class Child, class Item, class RowOf>
    static void into_many(const Child* child, std::span<Item> items, std::vector<Item>& spare,
                          std::span<const std::size_t> begins, RowOf row_of) {
        std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
        for (const Item item : items) spare[next[child[row_of(item)]]++] = item;
        std::copy_n(spare.begin(), items.size(), items.begin());
    }

    std::vector<std::uint8_t> narrow_;
    std::vector<std::uint32_t> wide_;
};

}  // namespace branchwork
