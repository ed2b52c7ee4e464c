// Growth where a row whose cell is missing goes down every branch, with a share of its weight.
//
// Siblings then share rows, so a node cannot own a range of one common array: it owns lists of its own.
// Numeric columns are still sorted only once, because a child's list is its parent's, filtered:
//
//     parent   entries [ a  b  c  d  e ]      b is missing in the column that is cut, and goes both ways
//     left     entries [ a  b     d    ]      at weights 1, .6, 1
//     right    entries [    b  c     e ]      at weights .4, 1, 1
//
// An entry's tag is the place of its row in the node's own list, where weight and class lie side by side.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <deque>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/book.hpp"
#include "core/data_cuts.hpp"
#include "core/defaults.hpp"
#include "core/grow.hpp"
#include "core/local_rows.hpp"
#include "core/node_stats.hpp"
#include "core/quinlan.hpp"
#include "core/route.hpp"
#include "core/scan_nominal.hpp"
#include "core/scan_numeric.hpp"
#include "core/sorted_column.hpp"
#include "core/value_groups.hpp"

namespace branchwork {
namespace {

struct SharedNode {
    std::int32_t id = 0;
    std::int64_t depth = 0;
    std::int32_t used_nominal = UsedColumns::none;
    std::vector<Row> rows;                    // of the table
    std::vector<double> weights;              // of each of them, here
    std::vector<std::vector<Entry>> entries;  // of each numeric column; tags are places in `rows`
    Candidate chosen;
    double worth = 0;
};

/// Where the rows of a node go.
struct Ways {
    static constexpr std::int32_t every = -1;

    std::vector<std::int32_t> child;   // of each row; `every`: shared
    std::vector<std::uint32_t> place;  // in the child's list; of a shared row: its number among those
    std::vector<std::vector<std::uint32_t>> shared;  // of each child: the place of each shared row
    std::vector<double> known;                       // weight of each child's own rows
};

template <class Whole, class Score>
class SharedGrower {
    using Stats = typename Whole::Stats;
    static constexpr bool has_classes = requires { typename Stats::Count; };

  public:
    SharedGrower(std::span<const Column> columns, const Whole& whole, const Score& score, std::size_t width,
                 const Options& options, const WholeTable& table, Pulse& pulse)
        : columns_(columns.begin(), columns.end()),
          whole_(whole),
          score_(score),
          options_(options),
          table_(table),
          pulse_(pulse),
          book_(options, width, nodes_),
          pairs_(whole, score, options, width),
          nominal_(whole, score, options, pairs_),
          sweep_(score, width) {
        rules_.j48 = options.rules == Rules::j48;
        rules_.by_ratio = options.by_ratio();
        rules_.penalty = options.cut_penalty;
        rules_.min_objects = options.min_leaf_samples;
    }

    GrownTree run() {
        book_.add_root();
        SharedNode root;
        root.rows.resize(whole_.size());
        std::iota(root.rows.begin(), root.rows.end(), Row{0});
        root.weights.resize(whole_.size());
        for (Row row = 0; row < whole_.size(); ++row)
            root.weights[row] = static_cast<double>(whole_.weight(row));
        sort_columns(root);
        std::vector<SharedNode> made;
        made.push_back(std::move(root));
        take_up(made);
        while (!open_.empty()) split(next());
        return std::move(book_.tree());
    }

  private:
    void sort_columns(SharedNode& root) {
        root.entries.resize(columns_.size());
        values_.resize(columns_.size());
        possible_cuts_.resize(columns_.size());
        SortSpace space;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            if (columns_[j].nominal) continue;
            std::int64_t& visits = book_.tree().search_cost.rows_visited;
            sort_column(columns_[j], whole_.size(), Tags(), root.entries[j], space, pulse_, visits);
            if (options_.rules == Rules::plain) continue;
            list_values(columns_[j], root.entries[j], values_[j]);
            if (table_.columns.empty()) continue;
            const Column& other = table_.columns[j];
            std::vector<Entry> entries;
            sort_column(other, table_.rows, Tags(), entries, space, pulse_, visits);
            list_values(other, entries, possible_cuts_[j]);
        }
    }
    static void list_values(const Column& column, std::span<const Entry> sorted,
                            std::vector<double>& values) {
        for (const Entry& e : sorted)
            if (!e.is_missing() && e.rank == values.size()) values.push_back(number_at(column, e.tag));
    }

    void take_up(std::vector<SharedNode>& made) {
        std::erase_if(made, [this](SharedNode& node) { return !examine(node); });
        const bool depth_first = options_.max_leaves < 0 || options_.order == Order::depth;
        if (depth_first) std::ranges::reverse(made);
        for (SharedNode& node : made) open_.push_back(std::move(node));
    }
    SharedNode next() {
        auto at = open_.end() - 1;
        if (options_.max_leaves >= 0 && options_.order == Order::breadth) at = open_.begin();
        if (options_.max_leaves >= 0 && options_.order == Order::best)
            at = std::ranges::max_element(open_, [](const SharedNode& a, const SharedNode& b) {
                return a.worth != b.worth ? a.worth < b.worth : a.id > b.id;
            });
        SharedNode node = std::move(*at);
        open_.erase(at);
        return node;
    }

    /// Describes a node and chooses its split; false: it is a leaf.
    bool examine(SharedNode& open) {
        pulse_.check();
        local_.gather(whole_, open.rows, open.weights);
        const Whole& target = local_.target();
        places_.resize(open.rows.size());
        std::iota(places_.begin(), places_.end(), Row{0});
        const NodeStats<Stats> stats = stats_of(target, std::span<const Row>(places_));
        const double parent = node(score_, stats.stats);
        const double weight = stats.stats.weight();
        if (open.id == 0) {
            whole_weight_ = weight;
            rules_.table_weight = table_.columns.empty() ? weight : table_.weight;
        }
        double variance = 0;
        if constexpr (!has_classes) variance = sample_variance(target, std::span<const Row>(places_), stats);
        book_.describe(open.id, open.rows.size(), stats, parent, variance);
        Stop reason = book_.why_stop(open.rows.size(), open.depth, stats.pure, whole_.samples(stats.stats));
        if (reason == Stop::split && options_.rules != Rules::plain &&
            !rules_.enough(weight, 2 * rules_.min_objects))
            reason = Stop::too_few_rows;
        book_.stop(open.id, reason);
        if (reason != Stop::split) return close(open);

        find_candidates(open, target, stats, parent);
        const std::int64_t best = options_.rules == Rules::plain
                                      ? pick(candidates_, parent, slack(score_, stats.stats),
                                             book_.rule(weight, whole_weight_), weight)
                                      : quinlan_pick(rules_, candidates_, columns_);
        book_.keep(open.id, candidates_);
        if (best < 0) {
            book_.stop(open.id, Book::why_unsplit(candidates_));
            return close(open);
        }
        open.chosen = candidates_[static_cast<std::size_t>(best)];
        open.worth = open.chosen.gain * weight;
        return true;
    }

    bool close(const SharedNode& open) {
        pulse_.advance(open.rows.size());
        return false;
    }

    void find_candidates(const SharedNode& open, const Whole& target, const NodeStats<Stats>& stats,
                         double parent) {
        SearchCost& spent = book_.tree().search_cost;
        const double margin = slack(score_, stats.stats);
        const bool in_full = book_.tree().has_ledger || options_.by_ratio();
        double least =
            std::numeric_limits<double>::infinity();  // cost so far: all that counts if not in full
        candidates_.assign(columns_.size(), Candidate{});
        used_.mark(open.used_nominal, candidates_);
        pairs_.start(stats.stats, margin, in_full);
        rules_.in_full = in_full;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            Candidate& candidate = candidates_[j];
            if (candidate.verdict != Verdict::used_above) {
                if (columns_[j].nominal) {
                    spent.rows_visited += static_cast<std::int64_t>(open.rows.size());
                    nominal_.categories().count(target, stats.centre, stats.stats, columns_[j],
                                                std::span<const Row>(places_), open.rows);
                    candidate = options_.rules == Rules::plain
                                    ? nominal_.best(stats.stats, columns_[j].levels, margin, spent)
                                    : best_categories(stats.stats, parent, columns_[j]);
                } else {
                    const SortedRows<Entry> sorted{columns_[j], open.entries[j], tags_, open.rows};
                    if (!in_full) pairs_.must_beat(least);
                    candidate = options_.rules == Rules::plain
                                    ? scan_sorted(pairs_, target, stats, missing_, sorted, options_, pulse_,
                                                  spent, true)
                                    : best_cut(target, stats.stats, parent, sorted, j);
                }
                least = std::min(least, candidate.cost);
            }
            candidate.feature = static_cast<std::int32_t>(j);
        }
    }

    Candidate best_categories(const Stats& all, double parent, const Column& column) {
        if constexpr (has_classes) {
            const CategoryStats<Stats>& categories = nominal_.categories();
            const auto levels = static_cast<std::size_t>(column.levels);
            if (options_.nominal == Nominal::one_vs_rest)
                return quinlan_one_category(rules_, score_, all, parent, categories, levels);
            if (options_.nominal == Nominal::groups && levels > 2)
                return ValueGroups<Score, Stats>(rules_, score_, all, categories).best(parent, levels);
            return quinlan_categories(rules_, score_, all, parent, categories);
        } else {
            throw std::invalid_argument("C4.5 needs a target of classes");
        }
    }
    Candidate best_cut(const Whole& target, const Stats& all, double parent, const SortedRows<Entry>& sorted,
                       std::size_t j) {
        if constexpr (has_classes) {
            const std::size_t known = sorted.known();
            missing_ = all;
            missing_.clear();
            for (const Entry& e : sorted.entries.subspan(known)) target.add(e.tag, 0, missing_);
            return quinlan_cut(
                rules_, score_, sweep_, all, missing_, parent, target.classes, known,
                table_.columns.empty() ? values_[j] : possible_cuts_[j],
                [&](std::size_t i) { return values_[j][sorted.entries[i].rank]; },
                [&](auto& sweep, std::size_t i) {
                    const Row place = sorted.entries[i].tag;
                    sweep.move(target.label(place), target.weight(place));
                    return target.weight(place);
                });
        } else {
            throw std::invalid_argument("C4.5 needs a target of classes");
        }
    }

    void split(SharedNode open) {
        const Column& column = columns_[static_cast<std::size_t>(open.chosen.feature)];
        const std::int32_t children = book_.children_of(column, open.chosen);
        if (!book_.make_room(children)) {
            book_.stop(open.id, Stop::max_leaves);
            close(open);
            return;
        }
        const std::int32_t first = book_.split(open.id, column, open.chosen, children);
        std::int32_t used = open.used_nominal;
        if (column.nominal && open.chosen.sides.empty()) used = used_.add(open.chosen.feature, used);
        Ways ways = ways_of(open, column, static_cast<std::size_t>(children));
        std::vector<SharedNode> below(static_cast<std::size_t>(children));
        for (std::int32_t k = 0; k < children; ++k) {
            SharedNode& child = below[static_cast<std::size_t>(k)];
            child.id = first + k;
            child.depth = open.depth + 1;
            child.used_nominal = used;
        }
        share_rows(open, ways, below);
        share_entries(open, ways, below);
        open = {};  // its lists are not needed any more
        take_up(below);
    }

    Ways ways_of(const SharedNode& open, const Column& column, std::size_t children) const {
        Ways ways;
        const std::size_t count = open.rows.size();
        ways.child.assign(count, Ways::every);
        ways.place.resize(count);
        ways.known.assign(children, 0);
        if (column.nominal) {
            const std::span<const std::int32_t> lookup = book_.lookup(open.id, column);
            const Cells<std::int32_t> cells{column.data, column.stride};
            for (std::size_t i = 0; i < count; ++i)
                if (const std::int32_t code = cells[open.rows[i]]; code >= 0)
                    ways.child[i] = std::max(0, lookup[static_cast<std::size_t>(code)]);
        } else {
            const std::vector<Entry>& entries = open.entries[static_cast<std::size_t>(open.chosen.feature)];
            for (std::size_t k = 0; k < count && !entries[k].is_missing(); ++k)
                ways.child[entries[k].tag] = k < open.chosen.left_rows ? 0 : 1;
        }
        for (std::size_t i = 0; i < count; ++i)
            if (ways.child[i] >= 0) ways.known[static_cast<std::size_t>(ways.child[i])] += open.weights[i];
        ways.shared.resize(children);
        return ways;
    }

    /// Lists of rows and weights. Children without rows of their own get none of the shared ones.
    static void share_rows(const SharedNode& open, Ways& ways, std::span<SharedNode> below) {
        const double known = std::accumulate(ways.known.begin(), ways.known.end(), 0.0);
        std::uint32_t shared = 0;
        for (std::size_t i = 0; i < open.rows.size(); ++i) {
            const auto send = [&](std::size_t k, double weight) {
                below[k].rows.push_back(open.rows[i]);
                below[k].weights.push_back(weight);
                return static_cast<std::uint32_t>(below[k].rows.size() - 1);
            };
            if (ways.child[i] >= 0) {
                ways.place[i] = send(static_cast<std::size_t>(ways.child[i]), open.weights[i]);
                continue;
            }
            ways.place[i] = shared++;
            for (std::size_t k = 0; k < below.size(); ++k)
                ways.shared[k].push_back(
                    ways.known[k] > 0 ? send(k, open.weights[i] * (ways.known[k] / known)) : 0);
        }
    }

    void share_entries(const SharedNode& open, const Ways& ways, std::span<SharedNode> below) const {
        for (SharedNode& child : below) child.entries.resize(columns_.size());
        std::vector<Entry*> next(below.size());
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            if (columns_[j].nominal) continue;
            for (std::size_t k = 0; k < below.size(); ++k) {
                below[k].entries[j].resize(below[k].rows.size());
                next[k] = below[k].entries[j].data();
            }
            for (const Entry& e : open.entries[j]) {
                const std::int32_t child = ways.child[e.tag];
                if (child >= 0) {
                    *next[static_cast<std::size_t>(child)]++ = {ways.place[e.tag], e.rank};
                    continue;
                }
                for (std::size_t k = 0; k < below.size(); ++k)
                    if (ways.known[k] > 0) *next[k]++ = {ways.shared[k][ways.place[e.tag]], e.rank};
            }
        }
    }

    std::vector<Column> columns_;
    const Whole& whole_;
    const Score& score_;
    const Options& options_;
    const WholeTable& table_;
    Pulse& pulse_;
    std::atomic<std::int64_t> nodes_{0};
    Book book_;
    PairSearch<Whole, Score> pairs_;
    NominalSearch<Whole, Score> nominal_;
    Sweep<Score, Stats> sweep_;
    QuinlanRules rules_;
    const Tags tags_;
    std::vector<std::vector<double>> values_;         // of each numeric column: distinct, rising; C4.5 only
    std::vector<std::vector<double>> possible_cuts_;  // the same of a table of more rows, if there is one
    LocalRows<Whole> local_;                          // the rows of the node in hand
    std::vector<Row> places_;
    Stats missing_;
    std::vector<Candidate> candidates_;
    UsedColumns used_;
    std::deque<SharedNode> open_;
    double whole_weight_ = 0;
};

/// C4.5 takes back what makes no fewer errors on the training rows than a leaf would. From the leaves up; J48
/// does it from the root down, so that it counts the errors of the tree as it was grown.
void collapse(GrownTree& tree, bool top_down) {
    std::vector<double> errors(tree.size());
    for (std::size_t id = tree.size(); id-- > 0;) {  // children come after their parents
        const auto first = tree.stats.begin() + static_cast<std::ptrdiff_t>(id * tree.width);
        const double as_leaf =
            tree.weight[id] - *std::max_element(first, first + static_cast<std::ptrdiff_t>(tree.width));
        errors[id] = as_leaf;
        if (tree.feature[id] < 0) continue;
        double below = 0;
        for (std::int32_t k = 0; k < tree.n_children[id]; ++k)
            below += errors[static_cast<std::size_t>(tree.first_child[id] + k)];
        const bool pointless = below >= as_leaf - 1e-3;
        if (pointless) tree.make_leaf(static_cast<std::int32_t>(id), Stop::collapsed);
        if (!pointless || top_down) errors[id] = below;
    }
}

}  // namespace

GrownTree grow_shared(std::span<const Column> columns, const Target& target, const Options& options,
                      const WholeTable& table, Pulse& pulse) {
    std::vector<double> ones;
    Target weighted = target;
    if (target.weights.empty()) {
        ones.assign(target.rows(), 1.0);
        weighted.weights = ones;
    }
    const auto run = [&]<class Rows, class Score>(const Rows& rows, const Score& score) {
        const std::size_t width = target.is_classes() ? target.classes : 1;
        return SharedGrower<Rows, Score>(columns, rows, score, width, options, table, pulse).run();
    };
    GrownTree tree = target.is_classes()
                         ? with_classes<double>(weighted, options.criterion, target.rows(), run)
                         : with_value_score(options, {weighted.values, weighted.weights}, run);
    if (options.collapse) collapse(tree, options.rules == Rules::j48);
    tree.order_breadth_first([&](std::int32_t feature) {
        return static_cast<std::size_t>(columns[static_cast<std::size_t>(feature)].levels) + 1;
    });
    write_defaults(tree, columns, options);
    if (options.data_cuts && options.rules == Rules::plain) move_to_data(tree, columns, target.rows());
    return tree;
}

}  // namespace branchwork
