// The split of one node: every column's best candidate, or only the best of them all.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/book.hpp"
#include "core/category_tally.hpp"
#include "core/frontier.hpp"
#include "core/least_cost.hpp"
#include "core/node_stats.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/scan_bucketed.hpp"
#include "core/scan_naive.hpp"
#include "core/scan_nominal.hpp"
#include "core/scan_numeric.hpp"

namespace branchwork {

/// Below this many cells a node is not worth waking other threads for.
inline constexpr std::size_t parallel_cells = std::size_t{1} << 16;

/// In a node of fewer rows all columns are asked in their order.
inline constexpr std::size_t rows_for_first = 16;

template <class Target, class Score, class Entry>
class NodeSearch {
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
    NodeSearch(Table& table, Rows<Target, Entry>& rows, const Score& score, const Options& options,
               Pulse& pulse, Team* team, std::size_t width)
        : table_(table),
          columns_(table.columns),
          rows_(rows),
          target_(rows.target),
          score_(score),
          options_(options),
          pulse_(pulse),
          team_(team) {
        const int threads = team ? team->size() : 1;
        for (int k = 0; k < threads; ++k)
            workers_.push_back(std::make_unique<Worker>(target_, score_, options_, width));
    }

    /// The candidates of a node: of all columns, or, where nobody will ask what the others would have cost,
    /// the best one. Valid until the next call. `in_full`: with cuts and split information. `first`: a column
    /// that is likely to be good.
    std::span<Candidate> candidates(OpenNode& open, const NodeStats<Stats>& stats, double margin,
                                    const UsedColumns& used, bool in_full, std::size_t first) {
        in_full_ = in_full;
        if (table_.any_nominal) node_rows_ = rows_.in_table(open, table_rows_);
        if (table_.tallies.in_use() && open.tally.empty()) count_categories(node_rows_, open.tally);
        for (const auto& worker : workers_) worker->pairs.start(stats.stats, margin, in_full);
        if (in_full || options_.by_ratio() || workers_.size() > 1)
            find_all(open, stats, margin, used);
        else
            find_best(open, stats, margin, used, first);
        return candidates_;
    }

    SearchCost spent() const {
        SearchCost sum;
        for (const auto& worker : workers_) sum += worker->spent;
        return sum;
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

    /// Memory of a worker for entries on their way.
    std::vector<Entry>& spare(int worker) { return workers_[static_cast<std::size_t>(worker)]->spare; }

  private:
    /// Every column's best split in this node.
    void find_all(const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                  const UsedColumns& used) {
        candidates_.assign(columns_.size(), Candidate{});
        used.mark(open.used_nominal, candidates_);
        over_columns(open.rows(), [&](std::size_t j, int k) {
            if (candidates_[j].verdict != Verdict::used_above)
                candidates_[j] =
                    best_split_of(j, open, stats, margin, *workers_[static_cast<std::size_t>(k)]);
            candidates_[j].feature = static_cast<std::int32_t>(j);
        });
    }
    /// Only the best of them: what cannot win need not be known. A later column wins only if it is better by
    /// more than the margin, so none can once the cost is within it of the least there is.
    void find_best(const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                   const UsedColumns& used, std::size_t first) {
        Worker& worker = *workers_[0];
        const auto ask = [&](std::size_t j) {
            return best_pair(worker.pairs, target_, stats, worker.missing, rows_.sorted(table_, j, open),
                             options_, pulse_, worker.spent);
        };
        const auto is_sorted = [&](std::size_t j) {
            return !columns_[j].nominal && !rows_.entries[j].empty();
        };
        // A column that is likely to be good is asked first. What is worse than that by twice the margin
        // loses to it, whatever comes between.
        BestPair of_first;
        double bound = std::numeric_limits<double>::infinity();
        if (open.rows() >= rows_for_first && is_sorted(first)) {
            of_first = ask(first);
            bound = of_first.cost + 2 * margin;
        }
        const double enough = least_possible(open, stats) + margin / 2;
        candidates_.assign(1, Candidate{});
        Candidate& best = candidates_[0];
        for (std::size_t j = 0; j < columns_.size() && (best.cost > enough || open.depth == 0); ++j) {
            if (used.has(open.used_nominal, static_cast<std::int32_t>(j))) continue;
            worker.pairs.must_beat(std::min(best.cost, bound));
            if (is_sorted(j)) {
                const BestPair pair = j == first && of_first.found() ? of_first : ask(j);
                if (!pair.found() || (best.is_split() && !(pair.cost < best.cost - margin))) continue;
                best = numeric_split(pair, rows_.sorted(table_, j, open), options_, false);
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

    /// A cost that no split of the node is below.
    double least_possible(const OpenNode& open, const NodeStats<Stats>& stats) const {
        if constexpr (std::same_as<Score, SquaredError>)
            if (open.rows() <= most_rows_for_least_cost && table_.splits_in_two(options_))
                return least_cost(target_, rows_.of(open), stats.stats, stats.centre, score_);
        return 0;
    }

    Candidate best_split_of(std::size_t j, const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                            Worker& worker) {
        Column& column = columns_[j];
        if (column.nominal) return best_nominal(j, open, stats, margin, worker);
        if constexpr (is_copy) {
            if (rows_.entries[j].empty()) return {};
        } else {
            if (options_.search != NumericSearch::sorted)
                return scan_naive(target_, score_, stats, column, rows_.of(open), options_, margin, pulse_,
                                  worker.spent);
            if constexpr (counts_rows)
                if (Candidate split; scan_buckets(column, open, stats, margin, worker, split)) return split;
            if (open.depth == 0) sort(j, worker);
            if (options_.sorts_once()) {
                const SortedRows<Entry> once{column, worker.passing, rows_.tags, {}};
                return scan_sorted(worker.pairs, target_, stats, worker.missing, once, options_, pulse_,
                                   worker.spent, true);
            }
        }
        return scan_sorted(worker.pairs, target_, stats, worker.missing, rows_.sorted(table_, j, open),
                           options_, pulse_, worker.spent, in_full_);
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
                                   options_.missing == Missing::branch && !options_.limits_leaves();
                if (plain) return multiway_of_counters(counters, stats.stats, worker);
                worker.nominal.categories().read(levels, stats.stats, [&](std::size_t slot) {
                    Stats of_slot(classes);
                    for (std::size_t c = 0; c < classes; ++c)
                        of_slot.add(static_cast<std::int32_t>(c), counters[slot * classes + c]);
                    return of_slot;
                });
                return worker.nominal.best(stats.stats, column.levels, margin, worker.spent);
            }
        }
        worker.nominal.categories().count(target_, stats.centre, stats.stats, column, rows_.of(open),
                                          node_rows_);
        return worker.nominal.best(stats.stats, column.levels, margin, worker.spent);
    }

    /// One branch per category straight from its counters: most nodes of a nominal table come this way.
    Candidate multiway_of_counters(std::span<const std::uint32_t> counters, const Stats& all,
                                   Worker& worker) {
        Candidate split;
        ++worker.spent.rules_scored;
        double cost = 0;
        BranchShares shares(all.weight());
        BranchTester<Score, Stats> tester(all);
        for (std::size_t slot = 0; slot < counters.size(); slot += target_.classes) {
            const std::span<const std::uint32_t> branch = counters.subspan(slot, target_.classes);
            const auto total = std::accumulate(branch.begin(), branch.end(), std::int64_t{0});
            if (total == 0) continue;
            cost += node(score_, branch, total);
            shares.add(static_cast<double>(total));
            if (worker.pairs.in_full()) tester.add_counts(branch, static_cast<double>(total));
        }
        if (shares.branches() < 2) return split;
        split.cost = cost;
        split.split_info = shares.information();
        if (worker.pairs.in_full()) split.test = tester.result();
        return split;
    }

    /// A column is sorted when the root looks at it. A tree of depth 1 needs that order once and does not
    /// keep it.
    void sort(std::size_t j, Worker& worker) {
        std::vector<Entry>& entries = options_.sorts_once() ? worker.passing : rows_.entries[j];
        sort_column(columns_[j], target_.size(), rows_.tags, entries, worker.space, pulse_,
                    worker.spent.rows_visited);
        columns_[j].has_missing = entries.back().is_missing();
    }

    /// Many rows, and children that will be leaves: then a bounded score needs no sorted order. False: not
    /// this way.
    bool scan_buckets(Column& column, const OpenNode& open, const NodeStats<Stats>& stats, double margin,
                      Worker& worker, Candidate& split) {
        if (open.depth != 0 || options_.max_depth != 1 || options_.only_changes || options_.by_ratio() ||
            options_.missing != Missing::branch || options_.limits_leaves() ||
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

    Table& table_;
    std::vector<Column>& columns_;
    Rows<Target, Entry>& rows_;
    const Target& target_;
    const Score& score_;
    const Options& options_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Candidate> candidates_;
    std::vector<Row> table_rows_;
    std::span<const Row> node_rows_;  // of the table
    bool in_full_ = true;
};

}  // namespace branchwork
