// A subtree of few rows, grown on its own: a target of numbers and squared error.
//
// Every feature has a list of the rows in order of value, with two bytes per row: which row it is, and which of the
// values it has. A node is the same range of each list, and of `rows_`, which has its rows in the order of the sample:
//
//     rows_       [ 0  2  3  7 | 1  4 ... ]
//     entries_    [ 7  0  3  2 | 4  1 ... ]        feature 0
//                 [ 2  3  7  0 | 1  4 ... ]        feature 1
//
// Sums are added up in the same order as in the general search, so they have the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/row_orders.hpp"
#include "core/grow/small_tree.hpp"
#include "core/score.hpp"
#include "core/tally/node_stats.hpp"

namespace branchwork {

class SmallTreeOfNumbers {
  public:
    static constexpr std::size_t most_rows = 128;

    SmallTreeOfNumbers(const TrainingTable& table, const Options& options)
        : table_(table), options_(options), fewest_rows_(fewest_rows(options)) {}

    /// Copies the rows of a node. `place` has room for every row of `from`.
    template <class Entry>
    void copy(const RowOrders<Entry>& from, const RangeNode& node, std::vector<Row>& place) {
        const std::span<const Row> rows = from.of(node);
        const CellRows cells = from.cells(table_);
        row_count_ = rows.size();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            place[rows[i]] = rows_[i] = static_cast<Row>(i);
            values_[i] = from.target.values[rows[i]];
            sample_row_[i] = from.target.sample_row.empty() ? rows[i] : from.target.sample_row[rows[i]];
            cell_row_[i] = cells[rows[i]];
        }
        features_.clear();
        for (std::size_t j = 0; j < table_.columns.size(); ++j) {
            if (table_.is_left_out(j)) continue;
            if (table_.columns[j].nominal) {
                take_nominal(j);
            } else if (from.coded->has(j)) {
                take_counted(j, from.coded->row_slots(j), rows);
            } else if (!from.entries[j].empty()) {
                const Entry* const sorted = &from.entries[j][node.begin];
                if (sorted[0].rank == sorted[rows.size() - 1].rank) continue;
                ByteEntry* const entries = add_feature(j, Kind::sorted);
                std::uint8_t code = 0;
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    if (i > 0 && sorted[i].rank != sorted[i - 1].rank) ++code;
                    entries[i] = {static_cast<std::uint8_t>(place[from.tags.row(sorted[i].tag)]), code};
                }
            }
        }
    }

    /// Grows the subtree of the node that was copied last; the tree has rows of this weight.
    void grow(Book& book, std::int32_t node, std::int64_t depth, double whole_weight);

    SearchCost spent;

  private:
    struct ByteEntry {
        std::uint8_t row, code;
    };
    /// The general search adds up the rows of each value of a counted feature, or of each category, before it moves
    /// them to the other side.
    enum class Kind : std::uint8_t { sorted, counted, nominal };
    struct Feature {
        std::size_t column;
        Kind kind;
        std::size_t nominal = 0;  // its place in `category_`
    };
    struct Range {
        std::int32_t id;
        std::int64_t depth;
        std::size_t begin, end;

        std::size_t rows() const { return end - begin; }
    };
    struct Described {
        NodeStats<Moments> stats;
        NodeFacts facts;
    };
    /// The cut of a feature after some of a node's rows.
    struct ListCut {
        std::size_t feature = 0, left = 0;
        double cost = std::numeric_limits<double>::infinity();
    };

    void take_counted(std::size_t column, const RowSlots& slots, std::span<const Row> rows);
    void take_nominal(std::size_t column);
    ByteEntry* add_feature(std::size_t column, Kind kind);

    Described describe(const Range& node) const;
    void grow_node(Book& book, const Range& node, const Described& described);
    ListCut find_best(const Range& node, const Described& described);
    void order_categories(const Range& node, std::size_t feature);
    template <bool by_value>
    ListCut best_of(const Range& node, std::size_t feature, const Moments& all, double slack,
                    double must_beat);
    void write_cut(const Range& node, const ListCut& cut);
    std::size_t part_rows(const Range& node, const ListCut& cut);
    void part_entries(const Range& node, std::size_t chosen);

    ValueRows target() const { return {std::span(values_), {}, std::span(sample_row_)}; }
    std::span<const Row> rows_of(const Range& node) const {
        return std::span(rows_).subspan(node.begin, node.rows());
    }
    const ByteEntry* entries_of(const Range& node, std::size_t feature) const {
        return &entries_[feature * most_rows + node.begin];
    }

    const TrainingTable& table_;
    const Options& options_;
    const double fewest_rows_;  // on either side of a cut
    const SquaredError score_{};
    double whole_weight_ = 0;
    std::size_t row_count_ = 0;
    std::vector<Feature> features_;   // those that differ among the rows
    std::vector<ByteEntry> entries_;  // `most_rows` per feature
    std::array<Row, most_rows> rows_, spare_rows_, sample_row_, cell_row_;
    std::array<double, most_rows> values_;
    std::array<double, most_rows> deviation_;   // of each row of the node in hand: its value minus the centre
    std::array<std::uint8_t, most_rows> side_;  // of each row of the node in hand
    std::array<ByteEntry, most_rows> spare_;
    std::vector<std::uint8_t> next_;  // of each slot of a counted column: where its next row goes
    std::vector<std::array<std::uint8_t, most_rows>> category_;  // of each nominal feature and row
    std::array<double, 256> sum_{};                // of the deviations of a category; 0 between searches,
    std::array<std::uint8_t, 256> in_category_{};  // as is the number of its rows
    CategoryOrder order_;
    bool is_swapped_ = false;  // are the first rows of the list that was cut on the right?
    Candidate candidate_;
};

}  // namespace branchwork
