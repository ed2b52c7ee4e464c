// Sends the rows of a node to its children, and counts their classes on the way.
//
//     rows     [ 0 2 3 5 7 8 | ...      sides 0 1 1 0 1 0
//              [ 0 5 8 | 2 3 7 | ...    the order of the table stays within each child
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/drawn_rows.hpp"
#include "core/search/ranked_rows.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// A cut is drawn between two values. If all rows are on one side of it, they have other values now, and growth might
/// never end.
inline void check_parted(const DrawnNode& open, std::span<const DrawnNode> made) {
    for (const DrawnNode& child : made)
        if (child.distinct() == open.distinct()) throw TableChanged();
}

class DrawnParting {
  public:
    /// No classes: numbers are to be predicted, and nothing is counted.
    explicit DrawnParting(std::size_t classes) : classes_(classes) {}

    /// How often each class occurs in the k-th of the nodes that were made last.
    std::span<const std::int64_t> class_counts(std::size_t k) const {
        return std::span(class_counts_).subspan(k * classes_, classes_);
    }
    /// Counts the classes of the root.
    void count(std::span<const DrawnRow> rows) {
        class_counts_.assign(classes_, 0);
        if (classes_ > 0)
            for (const DrawnRow& row : rows) class_counts_[row.label] += row.copies;
    }

    /// `child[i]` is where the i-th row of the node goes.
    void part(std::span<DrawnRow> all, const DrawnNode& open, std::span<DrawnNode> made,
              std::span<const std::uint32_t> child) {
        if (made.size() == 2)
            part_in_two(all, open, made, [child](std::size_t i) { return child[i]; });
        else
            part_in_many(all, open, made, child);
    }
    /// `side_of(i)`, 0 or 1, is asked once for each row, in order.
    template <class SideOf>
    void part_in_two(std::span<DrawnRow> all, const DrawnNode& open, std::span<DrawnNode> made,
                     const SideOf& side_of) {
        const std::span<DrawnRow> rows = all.subspan(open.begin, open.distinct());
        class_counts_.assign(2 * classes_, 0);
        if (classes_ == 2) {
            std::uint64_t both = 0, left = 0;  // ones in the high half, zeros in the low half
            const std::size_t first = move(rows, side_of, [&](const DrawnRow& row, std::uint32_t side) {
                const std::uint64_t counted = std::uint64_t{row.copies} << (row.label * 32);
                both += counted;
                left += counted & (std::uint64_t{side} - 1);
            });
            const auto write = [this](std::size_t at, std::uint64_t counted) {
                class_counts_[at] = static_cast<std::int64_t>(counted & 0xffff'ffff);
                class_counts_[at + 1] = static_cast<std::int64_t>(counted >> 32);
            };
            write(0, left);
            write(2, both - left);
            return hand_out(open, made, first, (left & 0xffff'ffff) + (left >> 32));
        }
        std::size_t samples = 0;
        const std::size_t first = move(rows, side_of, [&](const DrawnRow& row, std::uint32_t side) {
            samples += row.copies & (side - 1);
            if (classes_ > 0) class_counts_[side * classes_ + row.label] += row.copies;
        });
        hand_out(open, made, first, samples);
    }

  private:
    /// Moves rows to their sides, and returns how many go to the first one.
    template <class SideOf, class See>
    std::size_t move(std::span<DrawnRow> rows, const SideOf& side_of, const See& see) {
        if (spare_.size() < rows.size()) spare_.resize(rows.size());
        DrawnRow* const spare = spare_.data();
        std::size_t first = 0, second = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {  // without a branch, which would be mispredicted
            const DrawnRow row = rows[i];
            const std::uint32_t side = side_of(i);
            rows[first] = row;
            spare[second] = row;
            first += 1 - side;
            second += side;
            see(row, side);
        }
        std::copy_n(spare, second, rows.begin() + static_cast<std::ptrdiff_t>(first));
        return first;
    }
    static void hand_out(const DrawnNode& open, std::span<DrawnNode> made, std::size_t first,
                         std::size_t samples) {
        made[0].begin = open.begin;
        made[0].end = made[1].begin = open.begin + first;
        made[1].end = open.end;
        made[0].samples = samples;
        made[1].samples = open.samples - samples;
    }
    void part_in_many(std::span<DrawnRow> all, const DrawnNode& open, std::span<DrawnNode> made,
                      std::span<const std::uint32_t> child) {
        const std::span<DrawnRow> rows = all.subspan(open.begin, open.distinct());
        for (DrawnNode& node : made) node.samples = node.end = 0;
        class_counts_.assign(made.size() * classes_, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ++made[child[i]].end;
            made[child[i]].samples += rows[i].copies;
            if (classes_ > 0) class_counts_[child[i] * classes_ + rows[i].label] += rows[i].copies;
        }
        std::size_t begin = open.begin;
        next_.clear();
        for (DrawnNode& node : made) {
            node.begin = std::exchange(begin, begin + node.end);
            node.end = begin;
            next_.push_back(node.begin - open.begin);
        }
        if (spare_.size() < rows.size()) spare_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) spare_[next_[child[i]]++] = rows[i];
        std::copy_n(spare_.begin(), rows.size(), rows.begin());
    }

    std::size_t classes_;
    std::vector<DrawnRow> spare_;
    std::vector<std::size_t> next_;
    std::vector<std::int64_t> class_counts_;
};

}  // namespace branchwork
