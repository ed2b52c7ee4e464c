// A subtree of few rows, grown on its own: classes, whole rows and the Gini index.
//
// Its rows are copied with one byte for each cell, sixteen features side by side:
//
//     codes_   row 0  [ 2 0 7 ... 1 | 3 3 0 ... - ]        a code says which of the values it is, in order of value;
//              row 1  [ 4 1 7 ... 0 | 2 0 1 ... - ]        those of categories are written anew in each node
//               ...     sixteen        sixteen
//
// One comparison then says for sixteen features on which side of a cut a row lies (kernels/small_gini_plain.hpp). Below
// this node nothing else is kept: a node is a range of `rows_`, which holds its rows in order of class.
//
// A feature with missing cells is there twice: once with a code for missing cells above all others, so that they go to the
// right, and once with a code below all others. The better of the two cuts says where they go.
//
// The score of a cut is a fraction of whole numbers. Scores of so few rows are equal or differ by far more than
// rounding, so the first of the best cuts is the one that the general search finds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/row_orders.hpp"
#include "core/grow/small_tree.hpp"

namespace branchwork {

class SmallTreeOfClasses {
  public:
    static constexpr std::size_t most_rows = 255;
    /// How many rows are few. If a feature may have as many values as there are rows, a node of n rows takes n^2
    /// comparisons.
    static std::size_t most_rows_of(const TrainingTable& table) {
        for (std::size_t j = 0; j < table.columns.size(); ++j)
            if (!table.columns[j].nominal && !table.coded.has(j)) return 96;
        return most_rows;
    }

    SmallTreeOfClasses(const TrainingTable& table, const Options& options)
        : table_(table), options_(options), fewest_rows_(static_cast<float>(fewest_rows(options))) {}

    /// Copies the rows of a node. `place` has room for every row of `from`.
    template <class Entry>
    void copy(const RowOrders<Entry>& from, const RangeNode& node, std::vector<Row>& place) {
        const std::span<const Row> rows = from.of(node);
        take_labels(from.target, rows);
        const CellRows cells = from.cells(table_);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            place[rows[i]] = static_cast<Row>(i);
            cell_row_[i] = cells[rows[i]];
        }
        features_.clear();
        nominal_count_ = 0;
        for (std::size_t j = 0; j < table_.columns.size(); ++j) {
            if (table_.is_left_out(j)) continue;
            if (table_.columns[j].nominal) {
                take_nominal(j);
            } else if (from.coded->has(j)) {
                const RowSlots slots = from.coded->row_slots(j);
                for (std::size_t i = 0; i < rows.size(); ++i)
                    code_[i] = static_cast<std::int16_t>(slots[rows[i]]) - 1;  // slot 0: missing
                take_codes(j);
            } else if (!from.entries[j].empty()) {
                const Entry* const sorted = &from.entries[j][node.begin];
                if (sorted[0].rank == sorted[rows.size() - 1].rank) continue;
                std::int16_t code = 0;
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    if (i > 0 && sorted[i].rank != sorted[i - 1].rank) ++code;
                    code_[place[from.tags.row(sorted[i].tag)]] = sorted[i].is_missing() ? missing : code;
                }
                take_codes(j);
            }
        }
        clear_unused_lanes();
    }

    /// Grows the subtree of the node that was copied last; the tree has rows of this weight.
    void grow(Book& book, std::int32_t node, std::int64_t depth, double whole_weight);

    SearchCost spent;

  private:
    static constexpr std::size_t lanes = 16;  // features side by side
    static constexpr std::size_t block_size = lanes * most_rows;
    static constexpr std::int16_t missing = -1;
    static constexpr std::uint8_t missing_category = 255;

    /// Where missing cells go. A feature that has some is there twice.
    enum class MissingTo : std::uint8_t { nowhere, right, left };
    struct Feature {
        std::size_t column;
        MissingTo to = MissingTo::nowhere;
        std::uint8_t missing_code = 0;  // of missing cells, if there are any
    };

    struct Range {
        std::int32_t id;
        std::int64_t depth;
        std::size_t begin, end;  // of `rows_`

        std::size_t rows() const { return end - begin; }
    };
    /// The rows of a node in each of its classes.
    struct Classes {
        std::array<std::uint8_t, most_rows> rows;  // per class in the node
        std::array<std::uint8_t, most_rows> cls;   // which class that is, counted from 0 in the subtree
        std::size_t size = 0;
    };
    struct NominalFeature {
        std::size_t feature;                           // its place in `features_`, or the first of two
        std::array<std::uint8_t, most_rows> category;  // of each row
    };
    /// The cut of one feature after one of its codes.
    struct ByteCut {
        std::size_t feature = none;  // its place in `features_`
        std::uint8_t code = 0;       // the largest on the left

        static constexpr std::size_t none = static_cast<std::size_t>(-1);
    };
    /// The rows of a node on the left of a cut, and the sums of squares of the class counts on both sides.
    struct Sides {
        std::int64_t left = 0, right = 0, inside = 0, outside = 0;
        std::int64_t left_of_first = 0;  // rows of the node's first class on the left

        /// The score is a fraction.
        std::int64_t numerator() const { return inside * right + outside * left; }
        std::int64_t denominator() const { return left * right; }
    };

    void take_labels(const Target& target, std::span<const Row> rows);
    void take_codes(std::size_t column);
    void take_nominal(std::size_t column);
    std::uint8_t* add_feature(const Feature& feature);
    void clear_unused_lanes();

    Classes classes_of(const Range& node) const;
    NodeFacts describe(const Classes& classes, std::size_t rows) const;
    void grow_node(Book& book, const Range& node, const Classes& classes, const NodeFacts& facts);
    bool find_best(const Range& node, const Classes& classes, ByteCut& best);
    void order_categories(const Range& node, const Classes& classes, const NominalFeature& nominal);
    void write_codes(const Range& node, const NominalFeature& nominal);
    bool wins(const Range& node, const Classes& classes, const ByteCut& cut, const ByteCut& best) const;
    bool is_known_or_missing(const Range& node, const ByteCut& cut) const;
    bool is_missing(std::size_t feature, std::uint8_t code) const {
        return features_[feature].to != MissingTo::nowhere && code == features_[feature].missing_code;
    }
    ByteCut best_in_lane(const Range& node, const Classes& classes, std::size_t feature, std::size_t count,
                         float score) const;
    bool is_better(const Range& node, const Classes& classes, const ByteCut& cut, const ByteCut& than) const;
    std::size_t list_thresholds(const Range& node, const std::uint8_t* codes);
    Sides sides_of(const Range& node, const Classes& classes, const ByteCut& cut) const;
    double cost_of(const Range& node, const Classes& classes, const ByteCut& cut) const;
    std::size_t part(const Range& node, const Classes& classes, const ByteCut& cut);

    /// The code of a feature in the first row.
    const std::uint8_t* cells_of(std::size_t feature) const {
        return &codes_[feature / lanes * block_size + feature % lanes];
    }
    std::uint8_t* cells_of(std::size_t feature) {
        return &codes_[feature / lanes * block_size + feature % lanes];
    }

    const TrainingTable& table_;
    const Options& options_;
    const float fewest_rows_;  // on either side of a cut
    double whole_weight_ = 0;
    std::size_t row_count_ = 0;
    std::vector<Feature> features_;  // those that differ among the rows
    std::vector<NominalFeature> nominal_;
    std::size_t nominal_count_ = 0;    // there may be more in `nominal_`, to reuse their memory
    std::vector<std::uint8_t> codes_;  // blocks of sixteen features
    std::array<Row, most_rows> cell_row_;
    std::array<std::int16_t, most_rows> code_;  // of the feature that is being copied
    std::array<std::uint8_t, most_rows> rows_, spare_;
    std::array<std::uint8_t, most_rows> class_of_;  // per row, counted from 0 in the subtree
    std::vector<std::int32_t> label_;               // per class of the subtree: the class of the target
    std::vector<std::int32_t> place_of_label_;      // per class of the target: its place in `label_`, or -1
    bool is_pair_ = false;                          // does the target have two classes?
    std::array<std::uint8_t, lanes*(most_rows + 8)> thresholds_;
    std::array<float, lanes*(most_rows + 8)> scores_;
    std::array<std::uint8_t, 256> in_category_{},
        ones_{};  // rows of a node, and those of class 1; 0 between nodes
    CategoryOrder order_;
    Candidate candidate_;
};

}  // namespace branchwork
