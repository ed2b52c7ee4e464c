// Growth of one tree: tally the node, choose a split, route its rows; repeat until nothing is open.
//
// Rows live in one array `rows`, and every numeric column has its own array of entries in sorted order. A
// node owns the same range [begin, end) of each of them. Splitting a node partitions that range, stably, in
// every array:
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
#include "core/category_tally.hpp"
#include "core/data_cuts.hpp"
#include "core/defaults.hpp"
#include "core/frontier.hpp"
#include "core/local_rows.hpp"
#include "core/node_stats.hpp"
#include "core/partition.hpp"
#include "core/route.hpp"
#include "core/scan_bucketed.hpp"
#include "core/scan_naive.hpp"
#include "core/scan_nominal.hpp"
#include "core/scan_numeric.hpp"
#include "core/sorted_column.hpp"

namespace branchwork {

/// Below this many cells a node is not worth waking other threads for.
inline constexpr std::size_t parallel_cells = std::size_t{1} << 16;

/// Nodes of at most this many rows are copied: first to where a target fits into the second cache, then into
/// the first. A copy is worth its time if it is much smaller than what the node lies in.
inline constexpr std::size_t copied_rows[] = {std::size_t{1} << 15, std::size_t{1} << 10, 0};
inline constexpr std::size_t much_smaller = 4;

inline std::int32_t most_children(std::span<const Column> columns) {
    std::int32_t most = 3;
    for (const Column& column : columns) most = std::max(most, column.levels + 1);
    return most;
}

/// What all parts of a growing tree share.
struct Table {
    std::vector<Column> columns;
    CategoryTallies tallies;
    double weight = 0;
    bool any_numeric = false, any_nominal = false;
};

/// Rows of the table, or a copy of some of them, in all their orders.
template <class Target, class Entry>
struct Rows {
    Target target;
    TagsOf<typename Entry::Word> tags;
    std::vector<Row> rows;
    std::vector<std::vector<Entry>> entries;  // of each numeric column
    ChildOfRow child;
    LocalRows<Target> local;  // of a copy: what `target` refers to
};

template <class Target, class Score, class Entry = branchwork::Entry>
class Grower {
    using Stats = typename Target::Stats;
    static constexpr bool counts_rows = Target::counts_rows;
    static constexpr bool is_copy = !std::same_as<Entry, branchwork::Entry>;

    /// What one thread needs for itself.
    struct Worker {
        PairSearch<Target, Score> pairs;
        NominalSearch<Target, Score> nominal;
        Stats missing;
        std::vector<Entry> spare;  // entries on their way to a later child
        BucketScan buckets;
        SortSpace space;
        std::vector<Entry> passing;  // a sorted column that is needed only once
        SearchCost spent;

        Worker(const Target& target, const Score& score, const Options& options, std::size_t width)
            : pairs(target, score, options, width), nominal(target, score, options, pairs) {}
        Worker(const Worker&) = delete;
        Worker& operator=(const Worker&) = delete;
    };

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
          frontier_(options.max_leaves < 0 ? Order::depth : options.order) {
        const int threads = team ? team->size() : 1;
        for (int k = 0; k < threads; ++k)
            workers_.push_back(std::make_unique<Worker>(target_, score_, options_, book.tree().width));
    }
    ~Grower() {
        for (const auto& worker : workers_) book_.tree().search_cost += worker->spent;
    }
    Grower(const Grower&) = delete;
    Grower& operator=(const Grower&) = delete;

    /// The whole tree.
    void grow_all() {
        book_.tree().add_node();
        std::vector<OpenNode> root;
        root.push_back({0, 0, rows_.rows.size(), 0, UsedColumns::none, {}, {}});
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
        copy_rows(from, open, place);
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
            const std::size_t largest = rows_.rows.size() / static_cast<std::size_t>(4 * team_->size());
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
            Book book(options_, tree.width);
            book.tree().has_ledger = tree.has_ledger;
            book.tree().add_node();
            open.id = 0;
            UsedColumns used = used_;
            Grower(table_, rows_, score_, options_, pulse_, nullptr, book, used, copied_)
                .grow_below(std::move(open));
            book.stop(0, Stop::split);
            parts[order[k]] = std::move(book.tree());
        });
        for (std::size_t k = 0; k < parts.size(); ++k) {
            // What is known of the task's own node was written when it was looked at.
            const auto at = static_cast<std::size_t>(leaf[k]);
            GrownTree& part = *parts[k];
            part.weight[0] = tree.weight[at], part.n_rows[0] = tree.n_rows[at];
            part.impurity[0] = tree.impurity[at], part.variance[0] = tree.variance[at];
            std::copy_n(tree.stats.begin() + static_cast<std::ptrdiff_t>(at * tree.width), tree.width,
                        part.stats.begin());
            tree.graft(leaf[k], std::move(part));
            book_.drop_ledger_if_large();
        }
    }

    // ---- copying a node

    bool is_worth_copying(const OpenNode& open) const {
        return options_.max_leaves < 0 && options_.search == NumericSearch::sorted && table_.any_numeric &&
               open.rows() <= *copied_ && open.rows() * much_smaller <= rows_.rows.size();
    }
    void split_in_copy(OpenNode open) {
        if (!below_) below_ = std::make_unique<Below>(*this);
        if (place_.size() < rows_.rows.size()) place_.resize(rows_.rows.size());
        below_->grower.grow_copied(rows_, std::move(open), place_);
    }

    /// Ranks are made dense anew, so that they fit.
    template <class FromEntry>
    void copy_rows(const Rows<Target, FromEntry>& from, const OpenNode& open, std::vector<Row>& place) {
        const std::size_t count = open.rows();
        const auto rows = std::span(from.rows).subspan(open.begin, count);
        rows_.local.gather(from.target, rows);
        rows_.target = rows_.local.target();
        if constexpr (requires { target_.classes; })
            rows_.tags = TagsOf<typename Entry::Word>(count, target_.codes, target_.classes);
        rows_.rows.resize(count);
        std::iota(rows_.rows.begin(), rows_.rows.end(), Row{0});
        for (std::size_t i = 0; i < count; ++i) place[rows[i]] = static_cast<Row>(i);
        rows_.entries.resize(columns_.size());
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            if (from.entries[j].empty()) continue;
            std::vector<Entry>& to = rows_.entries[j];
            to.resize(count);
            typename Entry::Word rank = 0;
            const FromEntry* const entries = &from.entries[j][open.begin];
            for (std::size_t i = 0; i < count; ++i) {
                if (i > 0 && entries[i].rank != entries[i - 1].rank) ++rank;
                to[i] = {rows_.tags.make(place[from.tags.row(entries[i].tag)]),
                         entries[i].is_missing() ? Entry::missing : rank};
            }
        }
        rows_.child.resize(count, most_children(columns_));
    }

    // ---- looking at a node

    std::span<const Row> rows_of(const OpenNode& open) const {
        return std::span(rows_.rows).subspan(open.begin, open.rows());
    }
    /// The same in the table.
    std::span<const Row> table_rows_of(const OpenNode& open) {
        const std::span<const Row> rows = rows_of(open);
        if (target_.table_row.empty()) return rows;
        table_rows_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) table_rows_[i] = target_.table_row[rows[i]];
        return table_rows_;
    }

    /// Writes down what a node is, and whether it is a leaf already.
    NodeStats<Stats> describe(const OpenNode& open) {
        const std::span<const Row> rows = rows_of(open);
        NodeStats<Stats> stats = stats_of(target_, rows);
        book_.describe(open.id, rows.size(), stats, node(score_, stats.stats), variance_of(rows, stats));
        book_.stop(open.id,
                   book_.why_stop(rows.size(), open.depth, stats.pure, target_.samples(stats.stats)));
        return stats;
    }
    bool stays_open(const OpenNode& open) {
        if (book_.reason(open.id) == Stop::split) return true;
        pulse_.advance(open.rows());
        return false;
    }

    /// Chooses the split of a node; false: there is none, it is a leaf.
    bool choose(OpenNode& open, const NodeStats<Stats>& stats) {
        pulse_.check();
        if (table_.any_nominal) node_rows_ = table_rows_of(open);
        if (table_.tallies.in_use() && open.tally.empty()) count_categories(node_rows_, open.tally);
        const double parent = node(score_, stats.stats);
        const double margin = slack(score_, stats.stats);
        const double weight = stats.stats.weight();
        for (const auto& worker : workers_) worker->pairs.start(stats.stats, margin, writes_in_full());
        if (may_skip())
            find_best(open, stats, margin);
        else
            find_candidates(open, stats, margin);
        const std::int64_t best =
            pick(candidates_, parent, margin, book_.rule(weight, table_.weight), weight);
        book_.keep(open.id, candidates_);
        if (best < 0) {
            book_.stop(open.id, Book::why_unsplit(candidates_));
            pulse_.advance(open.rows());
            return false;
        }
        open.chosen = std::move(candidates_[static_cast<std::size_t>(best)]);
        if (!writes_in_full()) write_cut(open);
        open.worth = open.chosen.gain * weight;
        return true;
    }

    /// A tree of depth 1 does not keep its sorted columns, so its cuts cannot wait.
    bool writes_in_full() const { return book_.tree().has_ledger || options_.max_depth == 1; }
    /// Nobody will ask what the columns that lose would have cost.
    bool may_skip() const {
        return !writes_in_full() && !options_.by_ratio() && (!team_ || team_->size() == 1);
    }
    void write_cut(OpenNode& open) const {
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        if (columns_[j].nominal || rows_.entries[j].empty()) return;
        open.chosen.cut = cut_of(open.chosen, sorted_rows(j, open), options_.missing);
    }
    SortedRows<Entry> sorted_rows(std::size_t j, const OpenNode& open) const {
        return {columns_[j], std::span<const Entry>(rows_.entries[j]).subspan(open.begin, open.rows()),
                rows_.tags, target_.table_row};
    }

    double variance_of(std::span<const Row> rows, const NodeStats<Stats>& stats) const {
        if constexpr (std::same_as<Stats, Moments>)
            return sample_variance(target_, rows, stats);
        else
            return 0;
    }

    /// Every column's best split in this node.
    void find_candidates(const OpenNode& open, const NodeStats<Stats>& stats, double margin) {
        candidates_.assign(columns_.size(), Candidate{});
        used_.mark(open.used_nominal, candidates_);
        over_columns(open.rows(), [&](std::size_t j, int k) {
            if (candidates_[j].verdict != Verdict::used_above)
                candidates_[j] =
                    best_split_of(j, open, stats, margin, *workers_[static_cast<std::size_t>(k)]);
            candidates_[j].feature = static_cast<std::int32_t>(j);
        });
    }
    /// Only the best of them: what cannot win need not be known. A later column wins only if it is better by
    /// more than the margin, so none can once the cost is within it.
    void find_best(const OpenNode& open, const NodeStats<Stats>& stats, double margin) {
        Worker& worker = *workers_[0];
        candidates_.assign(1, Candidate{});
        Candidate& best = candidates_[0];
        for (std::size_t j = 0; j < columns_.size() && best.cost > margin; ++j) {
            if (used_.has(open.used_nominal, static_cast<std::int32_t>(j))) continue;
            worker.pairs.must_beat(best.cost);
            if (!columns_[j].nominal && !rows_.entries[j].empty()) {
                const SortedRows<Entry> sorted = sorted_rows(j, open);
                const BestPair pair = best_pair(worker.pairs, target_, stats, worker.missing, sorted,
                                                options_, pulse_, worker.spent);
                if (!pair.found() || (best.is_split() && !(pair.cost < best.cost - margin))) continue;
                best = numeric_split(pair, sorted, options_, false);
                best.feature = static_cast<std::int32_t>(j);
                continue;
            }
            Candidate candidate = best_split_of(j, open, stats, margin, worker);
            if (!candidate.is_split() || (best.is_split() && !(candidate.cost < best.cost - margin)))
                continue;
            best = std::move(candidate);
            best.feature = static_cast<std::int32_t>(j);
        }
    }

    Candidate best_split_of(std::size_t j, const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                            Worker& worker) {
        Column& column = columns_[j];
        if (column.nominal) return best_nominal(j, open, stats, margin, worker);
        if constexpr (!is_copy) {
            if (options_.search != NumericSearch::sorted)
                return scan_naive(target_, score_, stats, column, rows_of(open), options_, margin, pulse_,
                                  worker.spent);
            if constexpr (counts_rows)
                if (Candidate split; scan_buckets(column, open, stats, margin, worker, split)) return split;
            if (open.depth == 0) sort(j, worker);
            if (options_.max_depth == 1) {
                const SortedRows<Entry> once{column, worker.passing, rows_.tags, {}};
                return scan_sorted(worker.pairs, target_, stats, worker.missing, once, options_, pulse_,
                                   worker.spent, true);
            }
        }
        return scan_sorted(worker.pairs, target_, stats, worker.missing, sorted_rows(j, open), options_,
                           pulse_, worker.spent, writes_in_full());
    }

    Candidate best_nominal(std::size_t j, const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                           Worker& worker) {
        const Column& column = columns_[j];
        worker.spent.rows_visited += static_cast<std::int64_t>(open.rows());
        if constexpr (counts_rows) {
            if (table_.tallies.in_use()) {
                const std::size_t classes = target_.classes;
                const auto levels = static_cast<std::size_t>(column.levels);
                const auto counters = table_.tallies.of_column(open.tally, j, (levels + 1) * classes);
                const bool plain = options_.nominal == Nominal::multiway &&
                                   options_.missing == Missing::branch && options_.min_leaf_samples <= 0;
                if (plain) return multiway_of_counters(counters, stats.stats.weight(), worker);
                worker.nominal.categories().read(levels, stats.stats, [&](std::size_t slot) {
                    Stats of_slot(classes);
                    for (std::size_t c = 0; c < classes; ++c)
                        of_slot.add(static_cast<std::int32_t>(c), counters[slot * classes + c]);
                    return of_slot;
                });
                return worker.nominal.best(stats.stats, column.levels, margin, worker.spent);
            }
        }
        worker.nominal.categories().count(target_, stats.centre, stats.stats, column, rows_of(open),
                                          node_rows_);
        return worker.nominal.best(stats.stats, column.levels, margin, worker.spent);
    }

    /// One branch per category straight from its counters: most nodes of a nominal table come this way.
    Candidate multiway_of_counters(std::span<const std::uint32_t> counters, double node_weight,
                                   Worker& worker) {
        Candidate split;
        ++worker.spent.rules_scored;
        double cost = 0;
        BranchShares shares(node_weight);
        for (std::size_t slot = 0; slot < counters.size(); slot += target_.classes) {
            const std::span<const std::uint32_t> branch = counters.subspan(slot, target_.classes);
            const auto total = std::accumulate(branch.begin(), branch.end(), std::int64_t{0});
            if (total == 0) continue;
            cost += node(score_, branch, total);
            shares.add(static_cast<double>(total));
        }
        if (shares.branches() >= 2) split.cost = cost, split.split_info = shares.information();
        return split;
    }

    /// A column is sorted when the root looks at it. A tree of depth 1 needs that order once and does not
    /// keep it.
    void sort(std::size_t j, Worker& worker) {
        std::vector<Entry>& entries = options_.max_depth == 1 ? worker.passing : rows_.entries[j];
        sort_column(columns_[j], target_.size(), rows_.tags, entries, worker.space, pulse_,
                    worker.spent.rows_visited);
        columns_[j].has_missing = entries.back().is_missing();
    }

    /// Many rows, and children that will be leaves: then a bounded score needs no sorted order. False: not
    /// this way.
    bool scan_buckets(Column& column, const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                      Worker& worker, Candidate& split) {
        if (open.depth != 0 || options_.max_depth != 1 || options_.only_changes || options_.by_ratio() ||
            options_.missing != Missing::branch || options_.min_leaf_samples > 0 ||
            target_.size() < fewest_bucketed_rows)
            return false;
        const auto scan = [&](auto side) {
            return worker.buckets.scan(target_, score_, std::move(side), stats.stats, column, margin, pulse_,
                                       worker.spent, split);
        };
        if constexpr (std::same_as<Stats, ClassCounts<std::int64_t, 2>>)
            return scan(PairBuckets<Score>(score_));
        else if constexpr (std::same_as<Score, Accuracy<std::int64_t>>)
            return scan(MajorityBuckets(score_, target_.classes));
        else
            return false;
    }

    /// The tally of a node's rows, on all threads when there are many.
    void count_categories(std::span<const Row> rows, Tally& tally) {
        if (!team_ || team_->size() == 1 || rows.size() * table_.tallies.columns() < parallel_cells)
            return table_.tallies.count(rows, tally);
        const auto parts = static_cast<std::size_t>(team_->size());
        std::vector<Tally> counted(parts);
        team_->run(parts, [&](std::size_t k, int) {
            const std::size_t begin = rows.size() * k / parts, end = rows.size() * (k + 1) / parts;
            table_.tallies.count(rows.subspan(begin, end - begin), counted[k]);
        });
        tally = std::move(counted[0]);
        for (std::size_t k = 1; k < parts; ++k) add(tally, counted[k]);
    }

    /// Runs f(column, worker) for every column, on all threads when the node is large.
    template <class F>
    void over_columns(std::size_t rows, const F& f) {
        if (!team_ || rows * columns_.size() < parallel_cells) {
            for (std::size_t j = 0; j < columns_.size(); ++j) f(j, 0);
        } else {
            team_->run(columns_.size(), f);
        }
    }

    // ---- splitting a node

    void split(OpenNode open) {
        if (is_worth_copying(open)) return split_in_copy(std::move(open));
        const Candidate& chosen = open.chosen;
        const Column& column = columns_[static_cast<std::size_t>(chosen.feature)];
        const std::int32_t children = book_.children_of(column);
        if (!book_.make_room(children)) {
            book_.stop(open.id, Stop::max_leaves);
            pulse_.advance(open.rows());
            return;
        }
        const std::int32_t first = book_.split(open.id, column, chosen, children);
        std::int32_t used = open.used_nominal;
        if (column.nominal && options_.nominal == Nominal::multiway) used = used_.add(chosen.feature, used);
        mark_children(open, column, children);
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
        const auto is_open = [this](const OpenNode& node) { return book_.reason(node.id) == Stop::split; };
        if (std::ranges::any_of(made_, is_open)) part_entries(open);
        if constexpr (counts_rows)
            if (table_.tallies.in_use()) hand_down_tally(std::move(open.tally), made_);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < made_.size(); ++k)
            if (stays_open(made_[k]) && choose(made_[k], stats_[k])) {
                if (kept < k) made_[kept] = std::move(made_[k]);
                ++kept;
            }
        made_.resize(kept);
        take_up(made_);
    }

    std::int32_t child_of_missing(const OpenNode& open, std::int32_t children) const {
        return options_.missing == Missing::branch ? children - 1 : open.chosen.missing_child;
    }
    void mark_children(const OpenNode& open, const Column& column, std::int32_t children) {
        const Candidate& chosen = open.chosen;
        const std::int32_t missing = child_of_missing(open, children);
        const auto feature = static_cast<std::size_t>(chosen.feature);
        if (column.nominal)
            rows_.child.mark_by_code(column, book_.lookup(open.id, column).data(), missing, rows_of(open),
                                     table_rows_of(open), children);
        else if (rows_.entries[feature].empty())
            rows_.child.mark_by_value(column, chosen.cut, missing, rows_of(open), children);
        else
            rows_.child.mark_by_order(sorted_rows(feature, open).entries, rows_.tags, chosen.left_rows,
                                      missing, children);
    }

    /// Parts the node's range of every sorted column by child.
    void part_entries(const OpenNode& open) {
        const auto children = static_cast<std::int32_t>(begins_.size()) - 1;
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        over_columns(open.rows(), [&](std::size_t j, int k) {
            if (rows_.entries[j].empty()) return;
            // The column that was cut is in the order of its children already: low, high, missing.
            if (j == feature && child_of_missing(open, children) != 0) return;
            rows_.child.partition(std::span(rows_.entries[j]).subspan(open.begin, open.rows()),
                                  workers_[static_cast<std::size_t>(k)]->spare, begins_,
                                  [this](const Entry& e) { return rows_.tags.row(e.tag); });
        });
    }

    /// The tally of the largest child is what the others leave of the parent's: worth it unless the others
    /// are so many, and so pure, that counting them for this purpose alone costs more than counting the
    /// largest.
    void hand_down_tally(Tally parent, std::span<OpenNode> children) {
        OpenNode& largest = *std::ranges::max_element(children, {}, &OpenNode::rows);
        if (is_pure(largest) || children[0].depth == options_.max_depth) return;
        std::size_t for_nothing = 0;
        for (const OpenNode& child : children)
            if (&child != &largest && is_pure(child)) for_nothing += child.rows();
        if (for_nothing >= largest.rows()) return;
        for (OpenNode& child : children) {
            if (&child == &largest || child.begin == child.end) continue;
            count_categories(table_rows_of(child), spare_tally_);
            subtract(parent, spare_tally_);
            // A tally larger than the cells it counts is made anew when its turn comes.
            if (child.rows() * table_.tallies.columns() >= table_.tallies.counters() && !is_pure(child))
                child.tally = spare_tally_;
        }
        largest.tally = std::move(parent);
    }

    bool is_pure(const OpenNode& open) const {
        const std::span<const Row> rows = rows_of(open);
        return std::ranges::all_of(
            rows, [&](Row row) { return target_.label(row) == target_.label(rows.front()); });
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
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Candidate> candidates_;
    std::vector<OpenNode> made_;           // by the split in hand,
    std::vector<NodeStats<Stats>> stats_;  // and what they are
    std::vector<Row> spare_rows_, table_rows_, place_;
    std::span<const Row> node_rows_;  // of the table, while a split is chosen
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
    rows.target = target;
    if constexpr (requires { target.classes; }) rows.tags = Tags(target.size(), target.codes, target.classes);
    rows.entries.resize(columns.size());
    rows.rows.resize(target.size());
    std::iota(rows.rows.begin(), rows.rows.end(), Row{0});
    rows.child.resize(target.size(), most_children(columns));
    table.any_numeric = !std::ranges::all_of(columns, &Column::nominal);
    table.any_nominal = std::ranges::any_of(columns, &Column::nominal);
    table.weight = stats_of(target, std::span<const Row>(rows.rows)).stats.weight();
    Team team(std::min(options.threads, static_cast<int>(std::min<std::size_t>(columns.size(), 256))));
    team.run(columns.size(), [&](std::size_t j, int) {
        if (!columns[j].nominal && options.search != NumericSearch::sorted)
            mark_missing(table.columns[j], target.size());
    });
    if constexpr (Target::counts_rows) table.tallies.prepare(table.columns, target.codes, target.classes);
    Book book(options, width);
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
