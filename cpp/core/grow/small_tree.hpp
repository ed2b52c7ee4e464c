// Subtrees of few rows are grown on their own, in a copy made for them. Most nodes of a full tree have few rows, and
// there the time goes into what is done once per node and feature, not into the rows.
//
//     small_tree_of_classes.hpp     the Gini index, by comparing sixteen features at once
//     small_tree_of_numbers.hpp     squared error, in sorted lists of bytes
//
// Both grow the tree that the general search would grow, bit for bit, but they do not write the ledger. The best two
// groups of categories are neighbours in an order of the categories, by the share of a class or by the mean of the target
// (search/scan_nominal.hpp), so in each node a category gets its place in that order as its code, and is then cut like a
// number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/grow/training_table.hpp"
#include "core/options.hpp"
#include "core/search/candidate.hpp"

namespace branchwork {

/// Is the growth plain enough for these subtrees? To be asked once the root has been searched, because only then is it
/// known which columns have missing cells.
inline bool may_have_small_trees(const TrainingTable& table, const Target& target, const Options& options) {
    const Criterion criterion = target.is_classes() ? Criterion::gini : Criterion::squared_error;
    const bool is_plain = options.criterion == criterion && !options.own && !options.asked &&
                          target.weights.empty() && options.search == NumericSearch::sorted &&
                          !options.only_changes && options.missing != Missing::surrogate &&
                          options.max_leaves < 0 && options.max_features < 0 && !options.sorts_once() &&
                          options.counted_values <= 256;
    // A branch for missing cells is there even where no row needs it.
    const bool may_be_missing = options.missing == Missing::learn || options.missing == Missing::larger;
    // The order of categories decides only for two classes or numbers, and where no limit forbids a branch.
    const bool may_be_nominal = options.nominal == Nominal::subset &&
                                (!target.is_classes() || target.classes == 2) && !options.limits_leaves() &&
                                (options.missing == Missing::learn || options.missing == Missing::branch);
    return is_plain && std::ranges::all_of(table.columns, [&](const Column& column) {
               return (may_be_missing || !column.has_missing) &&
                      (!column.nominal || (may_be_nominal && column.levels <= 255));
           });
}
/// May rows of these subtrees have missing cells?
inline bool may_miss_cells_in_small_trees(const Target& target, const Options& options) {
    return target.is_classes() && options.missing == Missing::learn;
}

/// The value of a numeric column that a cut is next to. Values of counted columns have no -0.0.
inline double value_at_cut(const TrainingTable& table, std::size_t column, Row cell_row) {
    const double value = number_at(table.columns[column], cell_row);
    return table.coded.has(column) ? value + 0.0 : value;
}

/// The fewest rows that a branch may have.
inline double fewest_rows(const Options& options) {
    return std::max({1.0, std::ceil(options.min_leaf_samples), std::ceil(options.min_leaf_weight)});
}

/// The categories of a node in rising order of a number; equal ones in the order of their codes.
class CategoryOrder {
  public:
    void clear() { size_ = 0; }
    void add(std::uint8_t category, double key) {
        std::size_t at = size_++;
        for (; at > 0 && comes_before(key, category, at - 1); --at)
            category_[at] = category_[at - 1], key_[at] = key_[at - 1];
        category_[at] = category;
        key_[at] = key;
    }
    std::span<const std::uint8_t> categories() const { return std::span(category_).first(size_); }

  private:
    bool comes_before(double key, std::uint8_t category, std::size_t other) const {
        return key < key_[other] || (key == key_[other] && category < category_[other]);
    }
    std::array<std::uint8_t, 256> category_;
    std::array<double, 256> key_;
    std::size_t size_ = 0;
};

/// Writes the branch of each category: those before `left` in the order against the others. The branch of the category
/// with the smallest code is the first one. Returns whether that is the branch of the others. If there are no others, the
/// split is between known and missing cells, and categories that are not in the node go with the known ones.
inline bool write_sides(std::span<const std::uint8_t> order, std::size_t left, std::int32_t levels,
                        Candidate& split) {
    const auto first = static_cast<std::size_t>(std::ranges::min_element(order) - order.begin());
    const bool swap = first >= left;
    split.cut = std::numeric_limits<double>::quiet_NaN();
    split.sides.assign(static_cast<std::size_t>(levels), left < order.size() ? Side::absent : Side::first);
    for (std::size_t k = 0; k < order.size(); ++k)
        split.sides[order[k]] = (k < left) != swap ? Side::first : Side::second;
    return swap;
}

}  // namespace branchwork
