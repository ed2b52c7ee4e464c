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
// With several threads, large nodes share out their columns; a node small enough is a task of its own, and
// the whole subtree below it is grown by one thread in the same ranges. Nothing of this shows in the tree.
#include "core/grow.hpp"

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
#include "core/node_stats.hpp"
#include "core/partition.hpp"
#include "core/route.hpp"
#include "core/scan_bucketed.hpp"
#include "core/scan_naive.hpp"
#include "core/scan_nominal.hpp"
#include "core/scan_numeric.hpp"
#include "core/sorted_column.hpp"

namespace branchwork {
namespace {

/// Below this many cells a node is not worth waking other threads for.
constexpr std::size_t parallel_cells = std::size_t{1} << 16;

/// What all parts of a growing tree share.
template <class Target>
struct Rows {
    std::vector<Column> columns;
    const Target& target;
    Tags tags;
    CategoryTallies tallies;
    std::vector<Row> rows;
    std::vector<std::vector<Entry>> entries;  // of each numeric column
    ChildOfRow child;
    double weight = 0;  // of the whole table
    bool any_numeric = false;
};

template <class Target, class Score>
class Grower {
    using Stats = typename Target::Stats;
    static constexpr bool counts_rows = Target::counts_rows;

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
    Grower(Rows<Target>& shared, const Score& score, std::size_t width, const Options& options, Pulse& pulse,
           Team* team)
        : shared_(shared),
          columns_(shared.columns),
          target_(shared.target),
          score_(score),
          options_(options),
          pulse_(pulse),
          team_(team),
          frontier_(options.max_leaves < 0 ? Order::depth : options.order),
          book_(options, width) {
        const int threads = team ? team->size() : 1;
        for (int k = 0; k < threads; ++k)
            workers_.push_back(std::make_unique<Worker>(target_, score_, options_, width));
    }

    /// The whole tree.
    GrownTree grow_all() {
        book_.tree().add_node();
        std::vector<OpenNode> made;
        made.push_back({0, 0, shared_.rows.size(), 0, UsedColumns::none, {}, {}});
        take_up(made);
        grow_open();
        grow_tasks();
        return finished();
    }

  private:
    /// The subtree of a node whose split has been chosen; `used` is the chain of columns used above it.
    GrownTree grow_below(OpenNode open, const UsedColumns& used) {
        used_ = used;
        book_.tree().add_node();
        open.id = 0;
        split(std::move(open));
        grow_open();
        book_.stop(0, Stop::split);
        return finished();
    }
    GrownTree finished() {
        for (const auto& worker : workers_) book_.tree().search_cost += worker->spent;
        return std::move(book_.tree());
    }

    void grow_open() {
        while (!frontier_.empty()) split(frontier_.pop());
    }

    /// Looks at new nodes; those that are to be split wait in the frontier, or for a thread of their own.
    void take_up(std::vector<OpenNode>& made) {
        std::erase_if(made, [this](OpenNode& open) { return !examine(open); });
        if (team_ && team_->size() > 1 && options_.max_leaves < 0) {
            const std::size_t largest = shared_.rows.size() / static_cast<std::size_t>(4 * team_->size());
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
            Grower part(shared_, score_, tree.width, options_, pulse_, nullptr);
            part.book_.tree().has_ledger = tree.has_ledger;
            parts[order[k]] = part.grow_below(std::move(tasks_[order[k]]), used_);
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

    // ---- looking at a node

    std::span<const Row> rows_of(const OpenNode& open) const {
        return std::span(shared_.rows).subspan(open.begin, open.rows());
    }

    /// Describes a node and chooses its split; false: it is a leaf.
    bool examine(OpenNode& open) {
        pulse_.check();
        const std::span<const Row> rows = rows_of(open);
        const NodeStats<Stats> stats = stats_of(target_, rows);
        const double parent = node(score_, stats.stats);
        book_.describe(open.id, rows.size(), stats, parent, variance_of(rows, stats));
        const Stop reason = book_.why_stop(rows.size(), open.depth, stats.pure, target_.samples(stats.stats));
        book_.stop(open.id, reason);
        if (reason != Stop::split) return close(open);

        const double margin = slack(score_, stats.stats);
        if (shared_.tallies.in_use() && open.tally.empty()) count_categories(rows, open.tally);
        find_candidates(open, rows, stats, margin);
        const double weight = stats.stats.weight();
        const std::int64_t best =
            pick(candidates_, parent, margin, book_.rule(weight, shared_.weight), weight);
        book_.keep(open.id, candidates_);
        if (best < 0) {
            book_.stop(open.id, Book::why_unsplit(candidates_));
            return close(open);
        }
        open.chosen = std::move(candidates_[static_cast<std::size_t>(best)]);
        if (!writes_in_full()) write_cut(open);
        open.worth = open.chosen.gain * weight;
        return true;
    }

    /// A tree of depth 1 does not keep its sorted columns, so its cuts cannot wait.
    bool writes_in_full() const { return book_.tree().has_ledger || options_.max_depth == 1; }
    void write_cut(OpenNode& open) const {
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        if (columns_[j].nominal || shared_.entries[j].empty()) return;
        const auto entries = std::span<const Entry>(shared_.entries[j]).subspan(open.begin, open.rows());
        open.chosen.cut = cut_of(open.chosen, {columns_[j], entries, shared_.tags}, options_.missing);
    }

    double variance_of(std::span<const Row> rows, const NodeStats<Stats>& stats) const {
        if constexpr (std::same_as<Stats, Moments>)
            return sample_variance(target_, rows, stats);
        else
            return 0;
    }

    bool close(const OpenNode& open) {
        pulse_.advance(open.rows());
        return false;
    }

    /// Every column's best split in this node.
    void find_candidates(const OpenNode& open, std::span<const Row> rows, const NodeStats<Stats>& stats,
                         double margin) {
        candidates_.assign(columns_.size(), Candidate{});
        used_.mark(open.used_nominal, candidates_);
        over_columns(rows.size(), [&](std::size_t j, int k) {
            if (candidates_[j].verdict != Verdict::used_above)
                candidates_[j] =
                    best_split_of(j, open, rows, stats, margin, *workers_[static_cast<std::size_t>(k)]);
            candidates_[j].feature = static_cast<std::int32_t>(j);
        });
    }

    Candidate best_split_of(std::size_t j, const OpenNode& open, std::span<const Row> rows,
                            const NodeStats<Stats>& stats, double margin, Worker& worker) {
        Column& column = columns_[j];
        if (column.nominal) return best_nominal(j, open, rows, stats, margin, worker);
        if (options_.search != NumericSearch::sorted)
            return scan_naive(target_, score_, stats, column, rows, options_, margin, pulse_, worker.spent);
        if constexpr (counts_rows)
            if (Candidate split; scan_buckets(column, open, stats, margin, worker, split)) return split;
        const SortedRows sorted{column, sorted_entries(j, open, worker), shared_.tags};
        return scan_sorted(worker.pairs, target_, stats, worker.missing, sorted, options_, margin, pulse_,
                           worker.spent, writes_in_full());
    }

    Candidate best_nominal(std::size_t j, const OpenNode& open, std::span<const Row> rows,
                           const NodeStats<Stats>& stats, double margin, Worker& worker) {
        const Column& column = columns_[j];
        worker.spent.rows_visited += static_cast<std::int64_t>(rows.size());
        if constexpr (counts_rows) {
            if (shared_.tallies.in_use()) {
                const std::size_t classes = target_.classes;
                const auto levels = static_cast<std::size_t>(column.levels);
                const auto counters = shared_.tallies.of_column(open.tally, j, (levels + 1) * classes);
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
        worker.nominal.categories().count(target_, stats.centre, stats.stats, column, rows, rows);
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
    std::span<const Entry> sorted_entries(std::size_t j, const OpenNode& open, Worker& worker) {
        const bool once = options_.max_depth == 1;
        std::vector<Entry>& entries = once ? worker.passing : shared_.entries[j];
        if (open.depth == 0) {
            sort_column(columns_[j], target_.size(), shared_.tags, entries, worker.space, pulse_,
                        worker.spent.rows_visited);
            columns_[j].has_missing = entries.back().rank == missing_rank;
        }
        return std::span(entries).subspan(open.begin, open.rows());
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
        if (!team_ || team_->size() == 1 || rows.size() * shared_.tallies.columns() < parallel_cells)
            return shared_.tallies.count(rows, tally);
        const auto parts = static_cast<std::size_t>(team_->size());
        std::vector<Tally> counted(parts);
        team_->run(parts, [&](std::size_t k, int) {
            const std::size_t begin = rows.size() * k / parts, end = rows.size() * (k + 1) / parts;
            shared_.tallies.count(rows.subspan(begin, end - begin), counted[k]);
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
        const Candidate& chosen = open.chosen;
        const Column& column = columns_[static_cast<std::size_t>(chosen.feature)];
        const std::int32_t children = book_.children_of(column);
        if (!book_.make_room(children)) {
            book_.stop(open.id, Stop::max_leaves);
            close(open);
            return;
        }
        const std::int32_t first = book_.split(open.id, column, chosen, children);
        std::int32_t used = open.used_nominal;
        if (column.nominal && options_.nominal == Nominal::multiway) used = used_.add(chosen.feature, used);
        const std::vector<std::size_t> begins = part(open, column, children);
        std::vector<OpenNode> below;
        below.reserve(static_cast<std::size_t>(children));
        for (std::int32_t k = 0; k < children; ++k)
            below.push_back({first + k,
                             begins[static_cast<std::size_t>(k)],
                             begins[static_cast<std::size_t>(k) + 1],
                             open.depth + 1,
                             used,
                             {},
                             {}});
        if constexpr (counts_rows)
            if (shared_.tallies.in_use()) hand_down_tally(std::move(open.tally), below);
        take_up(below);
    }

    /// Parts the node's range in every array by child; returns where each child begins, and the end.
    std::vector<std::size_t> part(const OpenNode& open, const Column& column, std::int32_t children) {
        const Candidate& chosen = open.chosen;
        const auto feature = static_cast<std::size_t>(chosen.feature);
        const std::int32_t missing =
            options_.missing == Missing::branch ? children - 1 : chosen.missing_child;
        const std::span<Row> rows = std::span(shared_.rows).subspan(open.begin, open.rows());
        const bool leaves_below = open.depth + 1 == options_.max_depth;
        ChildOfRow& child = shared_.child;
        if (column.nominal) {
            child.mark_by_code(column, book_.lookup(open.id, column).data(), missing, rows, children);
        } else if (shared_.entries[feature].empty()) {
            child.mark_by_value(column, chosen.cut, missing, rows, children);
        } else {
            child.mark_by_order(std::span(shared_.entries[feature]).subspan(open.begin, open.rows()),
                                shared_.tags, chosen.left_rows, missing, children);
        }
        if (shared_.any_numeric && !leaves_below) {
            over_columns(rows.size(), [&](std::size_t j, int k) {
                if (shared_.entries[j].empty()) return;
                // The column that was cut is in the order of its children already: low, high, missing.
                if (j == feature && missing != 0) return;
                const std::span<Entry> entries =
                    std::span(shared_.entries[j]).subspan(open.begin, open.rows());
                child.partition(entries, workers_[static_cast<std::size_t>(k)]->spare, children,
                                [this](const Entry& e) { return shared_.tags.row(e.tag); });
            });
        }
        std::vector<std::size_t> begins =
            child.partition(rows, spare_rows_, children, [](Row row) { return row; });
        for (std::size_t& begin : begins) begin += open.begin;
        return begins;
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
            count_categories(rows_of(child), spare_tally_);
            subtract(parent, spare_tally_);
            // A tally larger than the cells it counts is made anew when its turn comes.
            if (child.rows() * shared_.tallies.columns() >= shared_.tallies.counters() && !is_pure(child))
                child.tally = spare_tally_;
        }
        largest.tally = std::move(parent);
    }

    bool is_pure(const OpenNode& open) const {
        const std::span<const Row> rows = rows_of(open);
        return std::ranges::all_of(
            rows, [&](Row row) { return target_.label(row) == target_.label(rows.front()); });
    }

    Rows<Target>& shared_;
    std::vector<Column>& columns_;
    const Target& target_;
    const Score& score_;
    const Options& options_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Candidate> candidates_;
    std::vector<Row> spare_rows_;
    Tally spare_tally_;
    UsedColumns used_;
    Frontier frontier_;
    std::vector<OpenNode> tasks_;  // small enough for one thread
    Book book_;
};

template <class Target, class Score>
GrownTree grow_rows(std::span<const Column> columns, const Target& target, const Score& score,
                    std::size_t width, const Options& options, Pulse& pulse) {
    Rows<Target> shared{{columns.begin(), columns.end()}, target, {}, {}, {}, {}, {}, 0, false};
    if constexpr (requires { target.classes; })
        shared.tags = Tags(target.size(), target.codes, target.classes);
    shared.entries.resize(columns.size());
    shared.rows.resize(target.size());
    std::iota(shared.rows.begin(), shared.rows.end(), Row{0});
    std::int32_t most_children = 3;
    for (const Column& column : columns) most_children = std::max(most_children, column.levels + 1);
    shared.child.resize(target.size(), most_children);
    shared.any_numeric = !std::ranges::all_of(columns, &Column::nominal);
    shared.weight = stats_of(target, std::span<const Row>(shared.rows)).stats.weight();
    Team team(std::min(options.threads, static_cast<int>(std::min<std::size_t>(columns.size(), 256))));
    team.run(columns.size(), [&](std::size_t j, int) {
        if (!columns[j].nominal && options.search != NumericSearch::sorted)
            mark_missing(shared.columns[j], target.size());
    });
    if constexpr (Target::counts_rows) shared.tallies.prepare(shared.columns, target.codes, target.classes);
    GrownTree tree = Grower<Target, Score>(shared, score, width, options, pulse, &team).grow_all();
    tree.order_breadth_first([&](std::int32_t feature) {
        return static_cast<std::size_t>(columns[static_cast<std::size_t>(feature)].levels) + 1;
    });
    write_defaults(tree, shared.columns, options);
    if (options.data_cuts) move_to_data(tree, shared.columns, target.size());
    return tree;
}

}  // namespace

GrownTree grow(std::span<const Column> columns, const Target& target, const Options& options, Pulse& pulse) {
    if (options.missing == Missing::share) return grow_shared(columns, target, options, pulse);
    return with_score(target, options.criterion, target.rows(), [&](const auto& rows, const auto& score) {
        const std::size_t width = target.is_classes() ? target.classes : 1;
        return grow_rows(columns, rows, score, width, options, pulse);
    });
}

}  // namespace branchwork
