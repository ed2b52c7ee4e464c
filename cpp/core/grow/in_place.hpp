// The layout of rows where each row goes one way: a node owns a range of common arrays, and splitting it partitions
// that range of every array, stably (row_orders.hpp draws them).
//
// A node small enough is copied, and the subtree below it grown in the copy: rows are renumbered, so entries need half
// the bits and what is looked up by row lies close together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/node_search.hpp"
#include "core/grow/row_orders.hpp"
#include "core/grow/small_tree_of_classes.hpp"
#include "core/grow/small_tree_of_numbers.hpp"
#include "core/route/surrogates.hpp"

namespace branchwork {

/// Nodes of at most this many rows are copied: 2^15 rows of a target fit in the L2 cache, 2^10 in L1.
inline constexpr std::size_t copied_rows[] = {std::size_t{1} << 15, std::size_t{1} << 10, 0};
/// If all columns are tallied, a copy only brings rows closer together. That is not worth while if they take no more than
/// this many bytes and so lie in the L2 cache anyway.
inline constexpr std::size_t cached_bytes = std::size_t{1} << 19;
/// A copy is worth its time if the node is this many times smaller than what it lies in.
inline constexpr std::size_t much_smaller = 4;

template <class Entry>
class InPlace {
  public:
    using Node = RangeNode;
    using CopyLayout = InPlace<NarrowEntry>;
    static constexpr bool copies = true;

    /// All rows of a sample.
    InPlace(TrainingTable& table, const Target& sample, const Options& options, Pulse& pulse, Team* team)
        : table_(table),
          own_(std::make_unique<RowOrders<Entry>>()),
          rows_(*own_),
          options_(options),
          pulse_(pulse),
          largest_(sample.rows()) {
        rows_.take_all(table, sample);
        if constexpr (std::same_as<Entry, branchwork::Entry>) table.use_tags(rows_.tags);
        search_.emplace(table, rows_, options, pulse, team, largest_);
    }
    /// The same rows, for a thread of its own.
    InPlace(InPlace& team, Alone)
        : table_(team.table_),
          rows_(team.rows_),
          options_(team.options_),
          pulse_(team.pulse_),
          largest_(team.largest_),
          copied_(team.copied_) {
        search_.emplace(table_, rows_, options_, pulse_, nullptr, largest_);
    }
    /// For copies of nodes that lie in another layout. The first copy brings the rows.
    template <class FromEntry>
    explicit InPlace(InPlace<FromEntry>& above)
        : table_(above.table_),
          own_(std::make_unique<RowOrders<Entry>>()),
          rows_(*own_),
          options_(above.options_),
          pulse_(above.pulse_),
          largest_(above.largest_),
          copied_(above.copied_ + 1) {}
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

    /// Takes over the rows of a node, which lies in this layout from then on.
    template <class FromEntry>
    void copy(InPlace<FromEntry>& above, RangeNode& open) {
        if (above.place_.size() < above.rows_.size()) above.place_.resize(above.rows_.size());
        rows_.copy(table_, above.rows_, open, above.place_);
        open.tally.clear();  // slots are numbered differently in the copy
        if (const auto j = static_cast<std::size_t>(open.chosen.feature);
            !table_.columns[j].nominal && rows_.coded->has(j))
            open.chosen.left_slot = rows_.coded->slot_of(j, open.chosen.cut);
        open.end -= std::exchange(open.begin, 0);
        if (search_)
            search_->look_again();
        else
            search_.emplace(table_, rows_, options_, pulse_, nullptr, largest_);
    }

    Node root() const {
        Node root;
        root.end = rows_.size();
        return root;
    }
    std::size_t size() const { return rows_.size(); }
    bool is_classes() const { return rows_.target.is_classes(); }
    const Column& column(std::size_t j) const { return table_.columns[j]; }
    void know_whole(const NodeFacts&) {}
    SearchCost spent() const { return search_ ? search_->spent() : SearchCost{}; }

    bool is_worth_copying(const Node& open) const {
        return options_.max_leaves < 0 && options_.search == NumericSearch::sorted && table_.any_numeric &&
               open.rows() <= *copied_ && open.rows() * much_smaller <= rows_.size() &&
               (table_.any_sorted || !search_->tallies() || rows_.coded->bytes() > cached_bytes);
    }

    /// Can the subtree of a node be grown on its own, as small_tree.hpp says? To be asked once the root has been searched.
    bool is_small(const Node& node) const {
        if (!small_rows_) small_rows_ = most_small_rows();
        return node.rows() <= *small_rows_;
    }
    /// Does a row of a node have a missing cell that a small tree cannot take?
    bool has_missing(const Node& node) {
        if (may_miss_cells_in_small_trees(rows_.target, options_)) return false;
        for (std::size_t j = 0; j < table_.columns.size(); ++j) {
            const Column& column = table_.columns[j];
            if (!column.has_missing || table_.is_left_out(j)) continue;
            if (column.nominal) {
                for (const Row row : rows_.cell_rows(table_, node, cell_rows_))
                    if (code_at(column, row) < 0) return true;
            } else if (rows_.coded->has(j)) {
                const RowSlots slots = rows_.coded->row_slots(j);
                for (const Row row : rows_.of(node))
                    if (slots[row] == 0) return true;
            } else if (!rows_.entries[j].empty() && rows_.entries[j][node.end - 1].is_missing()) {
                return true;
            }
        }
        return false;
    }
    template <class SmallTree>
    void copy_small(const Node& node, SmallTree& to) {
        if (place_.size() < rows_.size()) place_.resize(rows_.size());
        to.copy(rows_, node, place_);
    }
    const TrainingTable& table() const { return table_; }

    // ---- looking at a node

    NodeFacts describe(const Node& node, std::size_t slot, const CountsOut& counts) {
        return search_->scorer().describe(slot, rows_.of(node), counts.all);
    }
    bool is_too_light(const NodeFacts&) const { return false; }
    /// Must every column's best split be found, together with its cut? A tree of depth 1 does not keep its sorted
    /// columns, so it cannot write cuts later.
    bool needs_all(bool has_ledger) const { return has_ledger || options_.sorts_once(); }
    std::span<Candidate> candidates(Node& open, std::size_t slot, const NodeFacts& facts,
                                    const UsedColumns& used, bool in_full, std::size_t likely) {
        return search_->candidates(open, slot, facts, used, in_full, likely);
    }
    std::int64_t pick(std::span<Candidate> candidates, const NodeFacts& facts, const PickRule& rule) const {
        return branchwork::pick(candidates, facts.cost, facts.slack, rule, facts.weight);
    }
    void write_cut(Node& open) const {
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        if (table_.columns[j].nominal || rows_.entries[j].empty()) return;  // it was written at once
        open.chosen.cut = cut_of(open.chosen, rows_.sorted(table_, j, open), options_);
    }

    // ---- splitting a node

    /// Sends the node's rows to its children.
    void part(Node& open, Book& book, std::span<Node> made) {
        const auto children = static_cast<std::int32_t>(made.size());
        mark_children(open, book, children);
        if (options_.missing == Missing::surrogate) find_surrogates(open, book);
        const std::span<Row> rows = std::span(rows_.rows).subspan(open.begin, open.rows());
        rows_.child.count(rows, children, begins_);
        rows_.child.partition(rows, spare_rows_, begins_, [](Row row) { return row; });
        for (std::size_t k = 0; k < made.size(); ++k) {
            made[k].begin = open.begin + begins_[k];
            made[k].end = open.begin + begins_[k + 1];
        }
    }
    void finish(Book&) const {}
    /// Parts the node's range of every sorted column, and hands its tally down.
    template <class IsOpen>
    void hand_down(Node& open, std::span<Node> made, const IsOpen& is_open) {
        part_entries(open);
        if (!open.tally.empty()) hand_down_tally(std::move(open.tally), made, is_open);
    }

  private:
    template <class>
    friend class InPlace;

    std::size_t most_small_rows() const {
        if (!may_have_small_trees(table_, rows_.target, options_)) return 0;
        return is_classes() ? SmallTreeOfClasses::most_rows_of(table_) : SmallTreeOfNumbers::most_rows;
    }

    std::int32_t child_of_missing(const Node& open, std::int32_t children) const {
        if (options_.missing == Missing::surrogate) return no_side;
        return options_.missing == Missing::branch ? children - 1 : open.chosen.missing_child;
    }
    void mark_children(const Node& open, const Book& book, std::int32_t children) {
        const Candidate& chosen = open.chosen;
        // There is no such child where no cell was missing. A cell that another thread changes meanwhile may be.
        const std::int32_t missing = std::max(0, child_of_missing(open, children));
        const auto feature = static_cast<std::size_t>(chosen.feature);
        const Column& column = table_.columns[feature];
        if (column.nominal)
            rows_.child.mark_by_code(column, book.lookup(open.id, column).data(), missing, rows_.of(open),
                                     rows_.cell_rows(table_, open, cell_rows_), children);
        else if (rows_.coded->has(feature))
            rows_.child.mark_by_slot(rows_.coded->row_slots(feature), chosen.left_slot, missing,
                                     rows_.of(open), children);
        else if (rows_.entries[feature].empty())
            rows_.child.mark_by_value(column, chosen.cut, missing, rows_.of(open),
                                      rows_.cell_rows(table_, open, cell_rows_), children);
        else
            rows_.child.mark_by_order(rows_.sorted(table_, feature, open).entries, rows_.tags,
                                      chosen.left_rows, missing, children);
    }

    /// The columns that stand in for the chosen one, and the children of rows that need them.
    void find_surrogates(const Node& open, Book& book) {
        const std::span<const Row> rows = rows_.of(open),
                                   cell_rows = rows_.cell_rows(table_, open, cell_rows_);
        const std::span<std::uint8_t> side = rows_.child.of_two();
        const SurrogateSearch search(rows_.target, options_, rows, side);
        std::vector<Surrogate> found(table_.columns.size());
        search_->over_columns(open.rows(), [&](std::size_t j, int k) {
            if (static_cast<std::int32_t>(j) == open.chosen.feature) return;
            pulse_.check();
            if (table_.columns[j].nominal)
                found[j] = search.best_groups(table_.columns[j], cell_rows);
            else if (rows_.coded->has(j))
                found[j] = search.best_cut(rows_.in_order(table_, j, open, search_->spare(k)));
            else if (!rows_.entries[j].empty())
                found[j] = search.best_cut(rows_.sorted(table_, j, open));
            found[j].feature = static_cast<std::int32_t>(j);
        });
        found = best_surrogates(std::move(found), options_.max_surrogates);
        send_by_surrogates(found, search.majority(), table_.columns, rows, cell_rows, side);
        book.keep_surrogates(open.id, search.majority(), std::move(found));
    }

    /// Is the column that was cut in the order of its children already: low, high, missing?
    bool parts_in_order(const Node& open, std::int32_t children) const {
        if (options_.missing != Missing::surrogate) return child_of_missing(open, children) != 0;
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        return !rows_.entries[feature].empty() && !rows_.entries[feature][open.end - 1].is_missing();
    }
    void part_entries(const Node& open) {
        const auto children = static_cast<std::int32_t>(begins_.size()) - 1;
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        search_->over_columns(open.rows(), [&](std::size_t j, int k) {
            if (rows_.entries[j].empty()) return;
            pulse_.check();
            if (j == feature && parts_in_order(open, children)) return;
            rows_.child.partition(std::span(rows_.entries[j]).subspan(open.begin, open.rows()),
                                  search_->spare(k), begins_,
                                  [this](const Entry& e) { return rows_.tags.row(e.tag); });
        });
    }

    /// The tally of the largest child is the parent's minus those of the other children. That pays unless the others
    /// are leaves with so many rows that counting them costs more than counting the largest child.
    template <class IsOpen>
    void hand_down_tally(Tally parent, std::span<Node> children, const IsOpen& is_open) {
        Node& largest = *std::ranges::max_element(children, {}, &Node::rows);
        if (!is_open(largest)) return;
        std::size_t for_nothing = 0;
        for (const Node& child : children)
            if (&child != &largest && !is_open(child)) for_nothing += child.rows();
        if (for_nothing >= largest.rows()) return;
        for (Node& child : children) {
            if (&child == &largest || child.begin == child.end) continue;
            search_->count(rows_.of(child), spare_tally_);
            subtract(parent, spare_tally_);
            // A tally that is larger than the cells it counts is not kept; it is made again when the child is searched.
            if (is_open(child) && child.rows() * rows_.coded->cells_per_row() >= spare_tally_.size())
                child.tally = spare_tally_;
        }
        largest.tally = std::move(parent);
    }

    TrainingTable& table_;
    std::unique_ptr<RowOrders<Entry>> own_;
    RowOrders<Entry>& rows_;
    const Options& options_;
    Pulse& pulse_;
    std::size_t largest_;  // rows of the whole sample: entropy's unit depends on it
    const std::size_t* copied_ = copied_rows;
    std::optional<NodeSearch<Entry>> search_;
    mutable std::optional<std::size_t>
        small_rows_;  // that are few enough for a small tree, once it was asked
    std::vector<Row> spare_rows_, cell_rows_, place_;
    std::vector<std::size_t> begins_;
    Tally spare_tally_;
};

}  // namespace branchwork
