// Growth of one tree: tally the node, choose a split, route its rows; repeat until nothing is open.
//
// Rows live in one array `rows_`, and every numeric column has its own array of entries in sorted order. A
// node owns the same range [begin, end) of each of them. Splitting a node partitions that range, stably, in
// every array:
//
//     rows_        [ . . . . . . . . | . . . . . ]        table order within each child
//     entries_[0]  [ . . . . . . . . | . . . . . ]        sorted by column 0 within each child
//     entries_[1]  [ . . . . . . . . | . . . . . ]        sorted by column 1 within each child
//                    first child       second ...
#include "core/grow.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "core/category_tally.hpp"
#include "core/frontier.hpp"
#include "core/node_stats.hpp"
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

template <class Rows, class Score>
class Grower {
    static constexpr bool counts_classes = std::same_as<Rows, ClassRows<std::int64_t>>;
    using NodeStatsT = decltype(stats_of(std::declval<const Rows&>(), std::span<const Row>{}));

    /// What one thread needs for itself.
    struct Worker {
        Sweep<Score> sweep;
        CategoryScan<Rows, Score> categories;
        std::vector<Entry> spare;  // entries on their way to a later child
        BucketScan buckets;
        SortSpace space;
        std::vector<Entry> passing;  // a sorted column that is needed only once
        Tally tally;                 // of some rows of a node
        SearchCost spent;
    };

  public:
    Grower(std::span<const Column> columns, const Rows& target, const Score& score, std::size_t width,
           const Options& options, Pulse& pulse)
        : columns_(columns.begin(), columns.end()),
          target_(target),
          score_(score),
          options_(options),
          pulse_(pulse),
          team_(std::min(options.threads, static_cast<int>(std::min<std::size_t>(columns.size(), 256)))) {
        tree_.width = width;
        any_nominal_ = std::ranges::any_of(columns_, &Column::nominal);
        if constexpr (counts_classes) tags_ = Tags(target_.size(), target_.codes, target_.classes);
        for (int k = 0; k < team_.size(); ++k)
            workers_.push_back({Sweep<Score>(score_, width), {}, {}, {}, {}, {}, {}, {}});
    }

    GrownTree run() {
        entries_.resize(columns_.size());
        team_.run(columns_.size(), [this](std::size_t j, int) {
            if (!columns_[j].nominal && options_.search != NumericSearch::sorted)
                mark_missing(columns_[j], target_.size());
        });
        rows_.resize(target_.size());
        std::iota(rows_.begin(), rows_.end(), Row{0});
        any_numeric_ = !std::ranges::all_of(columns_, &Column::nominal);
        if (any_numeric_) child_of_row_.resize(rows_.size());
        if constexpr (counts_classes) tallies_.prepare(columns_, target_.codes, target_.classes);
        tree_.add_node();
        frontier_.push({0, 0, rows_.size(), 0, -1, {}});
        while (!frontier_.empty()) grow_node(frontier_.pop());
        tree_.order_breadth_first();
        write_routes();
        for (const Worker& worker : workers_) tree_.search_cost += worker.spent;
        return std::move(tree_);
    }

  private:
    /// A column is sorted when the root looks at it. A tree of depth 1 needs that order once and does not
    /// keep it.
    std::span<const Entry> sorted_entries(std::size_t j, const OpenNode& open, Worker& worker) {
        const bool once = options_.max_depth == 1;
        std::vector<Entry>& entries = once ? worker.passing : entries_[j];
        if (open.id == 0) {
            sort_column(columns_[j], target_.size(), tags_, entries, worker.space, pulse_,
                        worker.spent.rows_visited);
            columns_[j].has_missing = entries.back().rank == missing_rank;
        }
        return std::span(entries).subspan(open.begin, open.end - open.begin);
    }

    std::span<const Row> rows_of(const OpenNode& open) const {
        return std::span(rows_).subspan(open.begin, open.end - open.begin);
    }

    void grow_node(OpenNode open) {
        pulse_.check();
        const std::span<const Row> rows = rows_of(open);
        const NodeStatsT stats = stats_of(target_, rows);
        const double parent = node(score_, stats.stats);
        describe(open, stats, parent);
        const Stop reason = why_stop(open, stats);
        tree_.stop[static_cast<std::size_t>(open.id)] = reason;
        if (reason != Stop::split) return close(open);

        const double margin = slack(score_, stats.stats);
        if (tallies_.in_use() && open.tally.empty()) count_categories(rows, open.tally);
        std::vector<Candidate> candidates = candidates_of(open, rows, stats, margin);
        const std::int64_t best = pick(candidates, parent, margin, options_.zero_gain, stats.stats.weight());
        const bool any = std::ranges::any_of(candidates, &Candidate::is_split);
        const Candidate chosen = best < 0 ? Candidate{} : candidates[static_cast<std::size_t>(best)];
        keep_working(open, std::move(candidates));
        if (best < 0) {
            tree_.stop[static_cast<std::size_t>(open.id)] = any ? Stop::no_gain : Stop::no_candidate;
            return close(open);
        }
        split(std::move(open), chosen);
    }

    Stop why_stop(const OpenNode& open, const NodeStatsT& stats) const {
        if (open.begin == open.end) return Stop::empty;
        if (stats.pure) return Stop::pure;
        if (options_.max_depth >= 0 && open.depth >= options_.max_depth) return Stop::max_depth;
        if (stats.stats.weight() < options_.min_split_weight) return Stop::too_few_rows;
        return Stop::split;
    }

    /// Every column's best split in this node.
    std::vector<Candidate> candidates_of(const OpenNode& open, std::span<const Row> rows,
                                         const NodeStatsT& stats, double margin) {
        std::vector<Candidate> candidates(columns_.size());
        for (std::size_t j = 0; j < columns_.size(); ++j)
            candidates[j].feature = static_cast<std::int32_t>(j);
        for (std::int32_t link = open.used_nominal; link >= 0;
             link = used_[static_cast<std::size_t>(link)].before)
            candidates[static_cast<std::size_t>(used_[static_cast<std::size_t>(link)].column)].verdict =
                Verdict::used_above;
        gather_labels(rows);
        over_columns(rows.size(), [&](std::size_t j, int k) {
            if (candidates[j].verdict == Verdict::used_above) return;
            Worker& worker = workers_[static_cast<std::size_t>(k)];
            candidates[j] = best_split_of(columns_[j], j, open, rows, stats, margin, worker);
            candidates[j].feature = static_cast<std::int32_t>(j);
        });
        return candidates;
    }

    /// The classes of a node's rows, side by side: every nominal column reads them.
    void gather_labels(std::span<const Row> rows) {
        if constexpr (requires { target_.classes; }) {
            if (!any_nominal_ || tallies_.in_use()) return;
            labels_.resize(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) labels_[i] = target_.label(rows[i]);
        }
    }

    Candidate best_split_of(const Column& column, std::size_t j, const OpenNode& open,
                            std::span<const Row> rows, const NodeStatsT& stats, double margin,
                            Worker& worker) {
        if (column.nominal) {
            ++worker.spent.rules_scored;
            worker.spent.rows_visited += static_cast<std::int64_t>(rows.size());
            if constexpr (counts_classes) {
                if (tallies_.in_use()) {
                    const std::size_t counters =
                        (static_cast<std::size_t>(column.levels) + 1) * target_.classes;
                    return worker.categories.cost_of(score_, tallies_.of_column(open.tally, j, counters),
                                                     target_.classes, stats.stats.weight());
                }
            }
            return worker.categories.scan(target_, score_, stats, labels_, column, rows);
        }
        if (options_.search != NumericSearch::sorted)
            return scan_naive(target_, score_, stats, column, rows, options_, margin, pulse_, worker.spent);
        if constexpr (counts_classes)
            if (Candidate split; scan_buckets(columns_[j], open, stats, margin, worker, split)) return split;
        const SortedRows sorted{column, sorted_entries(j, open, worker), tags_};
        const auto scan = [&](auto& sweep) {
            return scan_sorted(target_, score_, sweep, stats, sorted, options_.only_changes, margin, pulse_,
                               worker.spent);
        };
        if constexpr (counts_classes) {
            if (target_.classes == 2) {
                PairSweep<Score> pair(score_);
                return scan(pair);
            }
        }
        return scan(worker.sweep);
    }

    /// Many rows, and children that will be leaves: then a bounded score needs no sorted order. False: not
    /// this way.
    bool scan_buckets(Column& column, const OpenNode& open, const NodeStatsT& stats, double margin,
                      Worker& worker, Candidate& split) {
        if (open.id != 0 || options_.max_depth != 1 || options_.only_changes ||
            target_.size() < fewest_bucketed_rows)
            return false;
        const auto scan = [&](auto side) {
            return worker.buckets.scan(target_, score_, std::move(side), stats.stats, column, margin, pulse_,
                                       worker.spent, split);
        };
        if (target_.classes == 2) return scan(PairBuckets<Score>(score_));
        if constexpr (std::same_as<Score, Accuracy<std::int64_t>>)
            return scan(MajorityBuckets(score_, target_.classes));
        else
            return false;
    }

    /// The tally of a node's rows, on all threads when there are many.
    void count_categories(std::span<const Row> rows, Tally& tally) {
        if (team_.size() == 1 || rows.size() * tallies_.columns() < parallel_cells)
            return tallies_.count(rows, tally);
        const auto parts = static_cast<std::size_t>(team_.size());
        std::vector<Tally> counted(parts);
        team_.run(parts, [&](std::size_t k, int) {
            const std::size_t begin = rows.size() * k / parts, end = rows.size() * (k + 1) / parts;
            tallies_.count(rows.subspan(begin, end - begin), counted[k]);
        });
        tally = std::move(counted[0]);
        for (std::size_t k = 1; k < parts; ++k) add(tally, counted[k]);
    }

    /// The tally of the largest child is what the others leave of the parent's: worth it unless the others
    /// are so many, and so pure, that counting them for this purpose alone costs more than counting the
    /// largest.
    void hand_down_tally(Tally parent, std::span<OpenNode> children) {
        if (!tallies_.in_use()) return;
        const auto rows = [](const OpenNode& child) { return child.end - child.begin; };
        OpenNode& largest = *std::ranges::max_element(children, {}, rows);
        if (is_pure(largest) || children[0].depth == options_.max_depth) return;
        std::size_t for_nothing = 0;
        for (const OpenNode& child : children)
            if (&child != &largest && is_pure(child)) for_nothing += rows(child);
        if (for_nothing >= rows(largest)) return;
        Tally& spare = workers_[0].tally;
        for (OpenNode& child : children) {
            if (&child == &largest || child.begin == child.end) continue;
            count_categories(rows_of(child), spare);
            subtract(parent, spare);
            // A tally larger than the cells it counts is made anew when its turn comes.
            if (rows(child) * tallies_.columns() >= tallies_.counters() && !is_pure(child))
                child.tally = spare;
        }
        largest.tally = std::move(parent);
    }

    bool is_pure(const OpenNode& open) const {
        const std::span<const Row> rows = rows_of(open);
        return std::ranges::all_of(
            rows, [&](Row row) { return target_.label(row) == target_.label(rows.front()); });
    }

    /// Runs f(column, worker) for every column, on all threads when the node is large.
    template <class F>
    void over_columns(std::size_t rows, const F& f) {
        if (rows * columns_.size() < parallel_cells) {
            for (std::size_t j = 0; j < columns_.size(); ++j) f(j, 0);
        } else {
            team_.run(columns_.size(), f);
        }
    }

    void describe(const OpenNode& open, const NodeStatsT& stats, double parent) {
        const auto id = static_cast<std::size_t>(open.id);
        const double weight = stats.stats.weight();
        tree_.weight[id] = weight;
        tree_.n_rows[id] = static_cast<std::int64_t>(open.end - open.begin);
        tree_.impurity[id] = weight > 0 ? std::max(0.0, parent / weight) : 0;
        double* out = &tree_.stats[id * tree_.width];
        if constexpr (requires { stats.stats.of; }) {
            for (std::size_t c = 0; c < tree_.width; ++c) out[c] = static_cast<double>(stats.stats.of[c]);
        } else if (weight > 0) {
            out[0] = stats.centre + stats.stats.s / weight;
        }
    }

    void keep_working(const OpenNode& open, std::vector<Candidate> candidates) {
        if (tree_.has_ledger) tree_.ledger.push_back({open.id, std::move(candidates)});
    }

    /// The ledger is cheap or absent: a tree that outgrows it loses it.
    void drop_ledger_if_large() {
        if (static_cast<std::int64_t>(tree_.size()) <= options_.ledger_nodes) return;
        tree_.has_ledger = false;
        tree_.ledger = {};
    }

    void close(const OpenNode& open) { pulse_.advance(open.end - open.begin); }

    void split(OpenNode open, const Candidate& chosen) {
        const Column& column = columns_[static_cast<std::size_t>(chosen.feature)];
        const std::int32_t children = children_of(column);
        const auto id = static_cast<std::size_t>(open.id);
        tree_.feature[id] = chosen.feature;
        tree_.cut[id] = chosen.cut;
        tree_.gain[id] = chosen.gain;
        tree_.n_children[id] = children;
        tree_.first_child[id] = static_cast<std::int32_t>(tree_.size());
        for (std::int32_t k = 0; k < children; ++k) tree_.add_node();
        drop_ledger_if_large();

        std::int32_t used = open.used_nominal;
        if (column.nominal) {
            used_.push_back({chosen.feature, open.used_nominal});
            used = static_cast<std::int32_t>(used_.size()) - 1;
        }
        const std::vector<std::size_t> begins = partition(open, column, chosen.cut, children);
        std::vector<OpenNode> below;
        for (std::int32_t k = 0; k < children; ++k)
            below.push_back({tree_.first_child[id] + k,
                             begins[static_cast<std::size_t>(k)],
                             begins[static_cast<std::size_t>(k) + 1],
                             open.depth + 1,
                             used,
                             {}});
        hand_down_tally(std::move(open.tally), below);
        for (OpenNode& child : std::views::reverse(below))  // the first child comes out first
            frontier_.push(std::move(child));
    }

    /// Parts the node's range in every array by child; returns where each child begins, and the end.
    std::vector<std::size_t> partition(const OpenNode& open, const Column& column, double cut,
                                       std::int32_t children) {
        const std::span<const Row> rows = rows_of(open);
        child_.resize(rows.size());
        route(column, cut, rows, child_);
        std::vector<std::size_t> begins(static_cast<std::size_t>(children) + 1, 0);
        for (const std::uint32_t child : child_) ++begins[child + 1];
        begins[0] = open.begin;
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        if (open.depth + 1 != options_.max_depth) partition_entries(rows, column, begins);
        if (spare_rows_.size() < rows.size()) spare_rows_.resize(rows.size());
        stable_partition(std::span(rows_), begins, spare_rows_, [this](std::size_t i) { return child_[i]; });
        return begins;
    }

    void partition_entries(std::span<const Row> rows, const Column& column,
                           const std::vector<std::size_t>& begins) {
        if (!any_numeric_) return;
        for (std::size_t i = 0; i < rows.size(); ++i) child_of_row_[rows[i]] = child_[i];
        over_columns(rows.size(), [&](std::size_t j, int worker) {
            // The column that was cut is in the order of its children already: low, high, missing.
            if (entries_[j].empty() || &columns_[j] == &column) return;
            std::vector<Entry>& spare = workers_[static_cast<std::size_t>(worker)].spare;
            if (spare.size() < rows.size()) spare.resize(rows.size());
            const std::span<Entry> entries = entries_[j];
            stable_partition(entries, begins, spare, [&, begin = begins[0]](std::size_t i) {
                return child_of_row_[tags_.row(entries[begin + i].tag)];
            });
        });
    }

    /// Moves the node's items, [begins.front(), begins.back()) of an array, to their children, keeping the
    /// order within each child. `child_of(i)` is the child of its i-th item.
    template <class Item, class ChildOf>
    static void stable_partition(std::span<Item> items, const std::vector<std::size_t>& begins,
                                 std::vector<Item>& spare, ChildOf child_of) {
        const std::size_t begin = begins.front(), count = begins.back() - begin;
        std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
        for (std::size_t i = 0; i < count; ++i) spare[next[child_of(i)]++ - begin] = items[begin + i];
        std::copy_n(spare.begin(), count, items.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    /// Where missing cells go: to the branch made for them, otherwise to the heaviest child (ties: the
    /// first). And the lookup of every nominal split: category to child, slot 0 for missing cells.
    void write_routes() {
        for (std::size_t id = 0; id < tree_.size(); ++id) {
            if (tree_.feature[id] < 0) continue;
            const Column& column = columns_[static_cast<std::size_t>(tree_.feature[id])];
            std::int32_t child = tree_.n_children[id] - 1;
            if (!column.has_missing) {
                const auto first = tree_.weight.begin() + tree_.first_child[id];
                child =
                    static_cast<std::int32_t>(std::max_element(first, first + tree_.n_children[id]) - first);
            }
            tree_.default_child[id] = child;
            if (!column.nominal) continue;
            tree_.lookup[id] = static_cast<std::int32_t>(tree_.pool.size());
            tree_.pool.push_back(child);
            for (std::int32_t code = 0; code < column.levels; ++code) tree_.pool.push_back(code);
        }
    }

    struct UsedLink {
        std::int32_t column, before;
    };

    std::vector<Column> columns_;
    const Rows& target_;
    const Score& score_;
    const Options& options_;
    Pulse& pulse_;
    Team team_;
    Tags tags_;
    CategoryTallies tallies_;
    std::vector<Worker> workers_;
    std::vector<Row> rows_, spare_rows_;
    std::vector<std::int32_t> labels_;
    bool any_nominal_ = false, any_numeric_ = false;
    std::vector<std::vector<Entry>> entries_;
    std::vector<std::uint32_t> child_;         // of each of the node's rows, at the split being made ...
    std::vector<std::uint32_t> child_of_row_;  // ... and looked up by row
    std::vector<UsedLink> used_;
    Frontier frontier_;
    GrownTree tree_;
};

}  // namespace

GrownTree grow(std::span<const Column> columns, const Target& target, const Options& options, Pulse& pulse) {
    return with_score(target, options.criterion, [&](const auto& rows, const auto& score) {
        const std::size_t width = target.is_classes() ? target.classes : 1;
        return Grower(columns, rows, score, width, options, pulse).run();
    });
}

std::int32_t GrownTree::add_node() {
    feature.push_back(-1);
    cut.push_back(std::numeric_limits<double>::quiet_NaN());
    first_child.push_back(-1);
    n_children.push_back(0);
    lookup.push_back(-1);
    default_child.push_back(-1);
    weight.push_back(0);
    n_rows.push_back(0);
    impurity.push_back(0);
    gain.push_back(0);
    stats.insert(stats.end(), width, 0.0);
    stop.push_back(Stop::empty);
    if (size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("a tree has at most 2^31 - 1 nodes");
    return static_cast<std::int32_t>(size()) - 1;
}

void GrownTree::order_breadth_first() {
    std::vector<std::int32_t> old_id{0};  // in the new order
    std::vector<std::int32_t> new_id(size(), 0);
    for (std::size_t k = 0; k < old_id.size(); ++k) {
        const auto id = static_cast<std::size_t>(old_id[k]);
        new_id[id] = static_cast<std::int32_t>(k);
        for (std::int32_t c = 0; c < n_children[id]; ++c) old_id.push_back(first_child[id] + c);
    }
    const auto reorder = [&](auto& array, std::size_t items) {
        auto out = array;
        for (std::size_t k = 0; k < old_id.size(); ++k)
            std::copy_n(
                array.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(old_id[k]) * items),
                items, out.begin() + static_cast<std::ptrdiff_t>(k * items));
        array = std::move(out);
    };
    for (std::int32_t& child : first_child)
        if (child >= 0) child = new_id[static_cast<std::size_t>(child)];
    for (LedgerPage& page : ledger) page.node = new_id[static_cast<std::size_t>(page.node)];
    std::ranges::sort(ledger, {}, &LedgerPage::node);
    reorder(feature, 1), reorder(cut, 1), reorder(first_child, 1), reorder(n_children, 1), reorder(lookup, 1);
    reorder(default_child, 1), reorder(weight, 1), reorder(n_rows, 1), reorder(impurity, 1), reorder(gain, 1);
    reorder(stop, 1), reorder(stats, width);
}

}  // namespace branchwork
