// Growth of one tree: tally the node, choose a split, route its rows; repeat until nothing is open.
//
// Splitting a node partitions its range of every array, stably:
//
//     rows        [ . . . . . . . . | . . . . . ]        table order within each child
//     entries[0]  [ . . . . . . . . | . . . . . ]        sorted by column 0 within each child
//     entries[1]  [ . . . . . . . . | . . . . . ]        sorted by column 1 within each child
//                   first child       second ...
//
// A node small enough is copied, and the subtree below it grown in the copy: rows are renumbered, so entries
// need half the bits and what is looked up by row lies close together. With several threads, large nodes
// share out their columns, and a smaller node is a task of its own. Nothing of this shows in the tree.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>

#include "core/book.hpp"
#include "core/data_cuts.hpp"
#include "core/defaults.hpp"
#include "core/frontier.hpp"
#include "core/node_search.hpp"
#include "core/node_stats.hpp"
#include "core/route.hpp"
#include "core/rows.hpp"
#include "core/surrogates.hpp"

namespace branchwork {

/// Nodes to make room for beforehand. A tree may have two per row, but seldom does, and with many classes a
/// node is large: so the statistics get at most 64 MB, or a small part of the memory that is known to be
/// free. Beyond that, arrays grow and are copied.
inline std::size_t reserved_nodes(const GrownTree& tree, std::size_t rows, const Options& options) {
    constexpr std::size_t most_nodes = std::size_t{1} << 19, most_bytes = std::size_t{1} << 26;
    constexpr std::int64_t small_part = 8;
    const auto free = static_cast<std::size_t>(std::max<std::int64_t>(0, options.most_nodes / small_part));
    return std::min({2 * rows, most_nodes, std::max(tree.nodes_in(most_bytes), free)});
}

/// Nodes of at most this many rows are copied: first to where a target fits into the second cache, then into
/// the first. A copy is worth its time if it is much smaller than what the node lies in.
inline constexpr std::size_t copied_rows[] = {std::size_t{1} << 15, std::size_t{1} << 10, 0};
inline constexpr std::size_t much_smaller = 4;

template <class Target, class Score, class Entry = branchwork::Entry>
class Grower {
    using Stats = typename Target::Stats;
    static constexpr bool counts_rows = Target::counts_rows;

  public:
    /// `copied`: nodes of at most so many rows are grown in a copy.
    Grower(Table& table, Rows<Target, Entry>& rows, const Score& score, const Options& options, Pulse& pulse,
           Team* team, Book& book, UsedColumns& used, const std::size_t* copied)
        : table_(table),
          columns_(table.columns),
          rows_(rows),
          target_(rows.target),
          score_(score),
          options_(options),
          pulse_(pulse),
          team_(team),
          book_(book),
          used_(used),
          copied_(copied),
          frontier_(options.max_leaves < 0 ? Order::depth : options.order),
          search_(table, rows, score, options, pulse, team, book.tree().width) {}
    ~Grower() { book_.tree().search_cost += search_.spent(); }
    Grower(const Grower&) = delete;
    Grower& operator=(const Grower&) = delete;

    /// The whole tree.
    void grow_all() {
        book_.add_root();
        std::vector<OpenNode> root;
        root.push_back({0, 0, rows_.size(), 0, UsedColumns::none, {}, {}});
        const NodeStats<Stats> stats = describe(root[0]);
        if (stays_open(root[0]) && choose(root[0], stats)) take_up(root);
        grow_open();
        grow_tasks();
    }

    /// The subtree of a node whose split has been chosen.
    void grow_below(OpenNode open) {
        split(std::move(open));
        grow_open();
    }

    /// The same in a copy of the node's rows, which lie in `from`.
    template <class FromEntry>
    void grow_copied(const Rows<Target, FromEntry>& from, OpenNode open, std::vector<Row>& place) {
        rows_.copy(table_, from, open, place);
        open.end -= std::exchange(open.begin, 0);
        grow_below(std::move(open));
    }

  private:
    void grow_open() {
        while (!frontier_.empty()) split(frontier_.pop());
    }

    /// Nodes that are to be split wait in the frontier, or for a thread of their own.
    void take_up(std::vector<OpenNode>& made) {
        if (team_ && team_->size() > 1 && options_.max_leaves < 0) {
            const std::size_t largest = rows_.size() / static_cast<std::size_t>(4 * team_->size());
            std::vector<OpenNode> large;
            for (OpenNode& open : made) (open.rows() > largest ? large : tasks_).push_back(std::move(open));
            made = std::move(large);
        }
        frontier_.push(made);
    }

    void grow_tasks() {
        if (tasks_.empty()) return;
        GrownTree& tree = book_.tree();
        std::vector<std::size_t> order(tasks_.size());  // the largest first
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater{}, [this](std::size_t k) { return tasks_[k].rows(); });
        std::vector<std::int32_t> leaf(tasks_.size());
        for (std::size_t k = 0; k < tasks_.size(); ++k) leaf[k] = tasks_[k].id;
        std::vector<std::optional<GrownTree>> parts(tasks_.size());
        team_->run(tasks_.size(), [&](std::size_t k, int) {
            OpenNode& open = tasks_[order[k]];
            Book book(options_, tree.width, book_.nodes());
            book.tree().has_ledger = tree.has_ledger;
            book.tree().add_node();
            open.id = 0;
            UsedColumns used = used_;
            Grower(table_, rows_, score_, options_, pulse_, nullptr, book, used, copied_)
                .grow_below(std::move(open));
            book.stop(0, Stop::split);
            parts[order[k]] = std::move(book.tree());
        });
        std::size_t nodes = tree.size();
        for (const std::optional<GrownTree>& part : parts) nodes += part->size() - 1;
        tree.reserve(nodes);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            // What is known of the task's own node was written when it was looked at.
            const auto at = static_cast<std::size_t>(leaf[k]);
            GrownTree& part = *parts[k];
            part.weight[0] = tree.weight[at], part.n_rows[0] = tree.n_rows[at];
            part.impurity[0] = tree.impurity[at], part.variance[0] = tree.variance[at];
            std::copy_n(tree.stats.begin() + static_cast<std::ptrdiff_t>(at * tree.width), tree.width,
                        part.stats.begin());
            tree.graft(leaf[k], std::move(part));
            parts[k].reset();  // its memory is needed for the next
            book_.drop_ledger_if_large();
        }
    }

    // ---- copying a node

    bool is_worth_copying(const OpenNode& open) const {
        const bool one_thread = !team_ || team_->size() == 1;  // otherwise that is for the tasks to do
        return one_thread && options_.max_leaves < 0 && options_.search == NumericSearch::sorted &&
               table_.any_numeric && open.rows() <= *copied_ && open.rows() * much_smaller <= rows_.size();
    }
    void split_in_copy(OpenNode open) {
        if (!below_) below_ = std::make_unique<Below>(*this);
        if (place_.size() < rows_.size()) place_.resize(rows_.size());
        below_->grower.grow_copied(rows_, std::move(open), place_);
    }

    // ---- looking at a node

    /// Writes down what a node is, and whether it is a leaf already.
    NodeStats<Stats> describe(const OpenNode& open) {
        const std::span<const Row> rows = rows_.of(open);
        NodeStats<Stats> stats = stats_of(target_, rows);
        book_.describe(open.id, rows.size(), stats, node(score_, stats.stats), variance_of(rows, stats));
        book_.stop(open.id,
                   book_.why_stop(rows.size(), open.depth, stats.pure, target_.samples(stats.stats)));
        return stats;
    }
    bool is_open(const OpenNode& described) const { return book_.reason(described.id) == Stop::split; }
    bool stays_open(const OpenNode& open) {
        if (is_open(open)) return true;
        pulse_.advance(open.rows());
        return false;
    }

    /// Chooses the split of a node; false: there is none, it is a leaf. `likely`: a column that may be good.
    bool choose(OpenNode& open, const NodeStats<Stats>& stats, std::size_t likely = 0) {
        pulse_.check();
        const double parent = node(score_, stats.stats);
        const double margin = slack(score_, stats.stats);
        const double weight = stats.stats.weight();
        // A tree of depth 1 does not keep its sorted columns, so its cuts cannot wait.
        const bool in_full = book_.tree().has_ledger || options_.sorts_once();
        const std::span<Candidate> candidates =
            search_.candidates(open, stats, margin, used_, in_full, likely);
        const std::int64_t best = pick(candidates, parent, margin, book_.rule(weight, table_.weight), weight);
        book_.keep(open.id, candidates);
        if (best < 0) {
            book_.stop(open.id, Book::why_unsplit(candidates));
            pulse_.advance(open.rows());
            return false;
        }
        open.chosen = std::move(candidates[static_cast<std::size_t>(best)]);
        if (!in_full) write_cut(open);
        open.worth = open.chosen.gain * weight;
        return true;
    }

    void write_cut(OpenNode& open) const {
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        if (columns_[j].nominal || rows_.entries[j].empty()) return;
        open.chosen.cut = cut_of(open.chosen, rows_.sorted(table_, j, open), options_);
    }
    double variance_of(std::span<const Row> rows, const NodeStats<Stats>& stats) const {
        if constexpr (std::same_as<Stats, Moments>)
            return sample_variance(target_, rows, stats);
        else
            return 0;
    }

    // ---- splitting a node

    void split(OpenNode open) {
        if (is_worth_copying(open)) return split_in_copy(std::move(open));
        const Candidate& chosen = open.chosen;
        const Column& column = columns_[static_cast<std::size_t>(chosen.feature)];
        const std::int32_t children = book_.children_of(column, chosen);
        if (!book_.make_room(children)) {
            book_.stop(open.id, Stop::max_leaves);
            pulse_.advance(open.rows());
            return;
        }
        const std::int32_t first = book_.split(open.id, column, chosen, children);
        std::int32_t used = open.used_nominal;
        if (column.nominal && options_.nominal == Nominal::multiway) used = used_.add(chosen.feature, used);
        mark_children(open, column, children);
        if (options_.missing == Missing::surrogate) find_surrogates(open);
        const std::span<Row> rows = std::span(rows_.rows).subspan(open.begin, open.rows());
        rows_.child.count(rows, children, begins_);
        rows_.child.partition(rows, spare_rows_, begins_, [](Row row) { return row; });

        made_.clear(), stats_.clear();
        for (std::int32_t k = 0; k < children; ++k) {
            const std::size_t begin = open.begin + begins_[static_cast<std::size_t>(k)];
            const std::size_t end = open.begin + begins_[static_cast<std::size_t>(k) + 1];
            made_.push_back({first + k, begin, end, open.depth + 1, used, {}, {}});
            stats_.push_back(describe(made_.back()));
        }
        if (std::ranges::any_of(made_, [this](const OpenNode& child) { return is_open(child); }))
            part_entries(open);
        if constexpr (counts_rows)
            if (table_.tallies.in_use()) hand_down_tally(std::move(open.tally), made_);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < made_.size(); ++k)
            if (stays_open(made_[k]) &&
                choose(made_[k], stats_[k], static_cast<std::size_t>(chosen.feature))) {
                if (kept < k) made_[kept] = std::move(made_[k]);
                ++kept;
            }
        made_.resize(kept);
        take_up(made_);
    }

    std::int32_t child_of_missing(const OpenNode& open, std::int32_t children) const {
        if (options_.missing == Missing::surrogate) return no_side;
        return options_.missing == Missing::branch ? children - 1 : open.chosen.missing_child;
    }
    void mark_children(const OpenNode& open, const Column& column, std::int32_t children) {
        const Candidate& chosen = open.chosen;
        const std::int32_t missing = child_of_missing(open, children);
        const auto feature = static_cast<std::size_t>(chosen.feature);
        if (column.nominal)
            rows_.child.mark_by_code(column, book_.lookup(open.id, column).data(), missing, rows_.of(open),
                                     rows_.in_table(open, table_rows_), children);
        else if (rows_.entries[feature].empty())
            rows_.child.mark_by_value(column, chosen.cut, missing, rows_.of(open), children);
        else
            rows_.child.mark_by_order(rows_.sorted(table_, feature, open).entries, rows_.tags,
                                      chosen.left_rows, missing, children);
    }

    /// The columns that stand in for the chosen one, and the children of rows that need them.
    void find_surrogates(const OpenNode& open) {
        const std::span<const Row> rows = rows_.of(open), in_table = rows_.in_table(open, table_rows_);
        const std::span<std::uint8_t> side = rows_.child.of_two();
        const SurrogateSearch<Target> search(target_, options_, rows, side);
        std::vector<Surrogate> found(columns_.size());
        search_.over_columns(open.rows(), [&](std::size_t j, int) {
            if (static_cast<std::int32_t>(j) == open.chosen.feature) return;
            if (columns_[j].nominal)
                found[j] = search.best_groups(columns_[j], in_table);
            else if (!rows_.entries[j].empty())
                found[j] = search.best_cut(rows_.sorted(table_, j, open));
            found[j].feature = static_cast<std::int32_t>(j);
        });
        found = best_surrogates(std::move(found), options_.max_surrogates);
        send_by_surrogates(found, search.majority(), columns_, rows, in_table, side);
        book_.keep_surrogates(open.id, search.majority(), std::move(found));
    }

    /// Is the column that was cut in the order of its children already: low, high, missing?
    bool parts_in_order(const OpenNode& open, std::int32_t children) const {
        if (options_.missing != Missing::surrogate) return child_of_missing(open, children) != 0;
        return !rows_.entries[static_cast<std::size_t>(open.chosen.feature)][open.end - 1].is_missing();
    }

    /// Parts the node's range of every sorted column by child.
    void part_entries(const OpenNode& open) {
        const auto children = static_cast<std::int32_t>(begins_.size()) - 1;
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        search_.over_columns(open.rows(), [&](std::size_t j, int k) {
            if (rows_.entries[j].empty()) return;
            if (j == feature && parts_in_order(open, children)) return;
            rows_.child.partition(std::span(rows_.entries[j]).subspan(open.begin, open.rows()),
                                  search_.spare(k), begins_,
                                  [this](const Entry& e) { return rows_.tags.row(e.tag); });
        });
    }

    /// The tally of the largest child is what the others leave of the parent's: worth it unless the others
    /// are so many, and leaves, that counting them for this purpose alone costs more than counting the
    /// largest.
    void hand_down_tally(Tally parent, std::span<OpenNode> children) {
        OpenNode& largest = *std::ranges::max_element(children, {}, &OpenNode::rows);
        if (!is_open(largest)) return;
        std::size_t for_nothing = 0;
        for (const OpenNode& child : children)
            if (&child != &largest && !is_open(child)) for_nothing += child.rows();
        if (for_nothing >= largest.rows()) return;
        for (OpenNode& child : children) {
            if (&child == &largest || child.begin == child.end) continue;
            search_.count_categories(rows_.in_table(child, table_rows_), spare_tally_);
            subtract(parent, spare_tally_);
            // A tally larger than the cells it counts is made anew when its turn comes.
            if (is_open(child) && child.rows() * table_.tallies.columns() >= table_.tallies.counters())
                child.tally = spare_tally_;
        }
        largest.tally = std::move(parent);
    }

    /// A grower for copies of small nodes.
    struct Below {
        Rows<Target, NarrowEntry> rows;
        Grower<Target, Score, NarrowEntry> grower;

        explicit Below(Grower& above)
            : grower(above.table_, rows, above.score_, above.options_, above.pulse_, nullptr, above.book_,
                     above.used_, above.copied_ + 1) {}
    };

    Table& table_;
    std::vector<Column>& columns_;
    Rows<Target, Entry>& rows_;
    const Target& target_;
    const Score& score_;
    const Options& options_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    Book& book_;
    UsedColumns& used_;
    const std::size_t* copied_;
    Frontier frontier_;
    NodeSearch<Target, Score, Entry> search_;
    std::vector<OpenNode> made_;           // by the split in hand,
    std::vector<NodeStats<Stats>> stats_;  // and what they are
    std::vector<Row> spare_rows_, table_rows_, place_;
    std::vector<std::size_t> begins_;
    Tally spare_tally_;
    std::vector<OpenNode> tasks_;  // small enough for one thread
    std::unique_ptr<Below> below_;
};

template <class Target, class Score>
GrownTree grow_rows(std::span<const Column> columns, const Target& target, const Score& score,
                    std::size_t width, const Options& options, Pulse& pulse) {
    Table table{{columns.begin(), columns.end()}, {}, 0, false, false};
    Rows<Target, Entry> rows;
    rows.take_all(table, target);
    table.any_numeric = !std::ranges::all_of(columns, &Column::nominal);
    table.any_nominal = std::ranges::any_of(columns, &Column::nominal);
    table.weight = stats_of(target, std::span<const Row>(rows.rows)).stats.weight();
    Team team(std::min(options.threads, static_cast<int>(std::min<std::size_t>(columns.size(), 256))));
    team.run(columns.size(), [&](std::size_t j, int) {
        if (!columns[j].nominal && options.search != NumericSearch::sorted)
            mark_missing(table.columns[j], target.size());
    });
    if constexpr (Target::counts_rows) table.tallies.prepare(table.columns, target.codes, target.classes);
    std::atomic<std::int64_t> nodes{0};
    Book book(options, width, nodes);
    book.tree().reserve(reserved_nodes(book.tree(), target.size(), options));
    UsedColumns used;
    Grower<Target, Score>(table, rows, score, options, pulse, &team, book, used, copied_rows).grow_all();
    GrownTree tree = std::move(book.tree());
    tree.order_breadth_first([&](std::int32_t feature) {
        return static_cast<std::size_t>(columns[static_cast<std::size_t>(feature)].levels) + 1;
    });
    write_defaults(tree, table.columns, options);
    if (options.data_cuts) move_to_data(tree, table.columns, target.size());
    return tree;
}

}  // namespace branchwork
