// The split of one node whose rows lie in sorted orders: every column's best candidate, or only the best of them all.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/row_orders.hpp"
#include "core/grow/training_table.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/search/buckets.hpp"
#include "core/search/scan_random.hpp"
#include "core/search/scorer.hpp"

namespace branchwork {

/// In nodes of fewer rows, all columns are searched in their order.
inline constexpr std::size_t rows_for_first = 16;

template <class Entry>
class NodeSearch {
    static constexpr bool is_copy = !std::same_as<Entry, branchwork::Entry>;

    /// What one thread needs for itself.
    struct Worker {
        std::unique_ptr<Scorer> scorer;
        std::vector<Entry> spare;  // entries on their way to a later child
        SortSpace space;
        std::vector<Entry> passing;  // a sorted column that is needed only once
    };

  public:
    NodeSearch(TrainingTable& table, RowOrders<Entry>& rows, const Options& options, Pulse& pulse, Team* team,
               std::size_t largest)
        : table_(table), rows_(rows), options_(options), pulse_(pulse), team_(team) {
        workers_.resize(team ? static_cast<std::size_t>(team->size()) : 1);
        for (Worker& worker : workers_) worker.scorer = make_scorer(rows.target, options, largest, pulse);
    }

    Scorer& scorer() { return *workers_[0].scorer; }
    /// From now on the rows are those of another copy.
    void look_again() {
        for (Worker& worker : workers_) worker.scorer->look_at(rows_.target);
    }

    /// The candidates of a node: those of all columns, or only the best one if nobody will ask for the others. Valid
    /// until the next call. `in_full`: with cuts and split information. `first`: a column that is likely to be good.
    std::span<Candidate> candidates(RangeNode& open, std::size_t slot, const NodeFacts& facts,
                                    const UsedColumns& used, bool in_full, std::size_t first) {
        in_full_ = in_full;
        if (table_.any_nominal || options_.search == NumericSearch::random)
            node_cells_ = rows_.cell_rows(table_, open, cell_rows_);
        if (tallies() && open.tally.empty() && is_worth_a_tally(open)) count(rows_.of(open), open.tally);
        for (const Worker& worker : workers_) {
            worker.scorer->start(scorer(), slot, in_full);
            if (!open.tally.empty() && options_.max_features < 0)
                worker.scorer->start_all(rows_.coded->numeric(open.tally));
        }
        if (options_.max_features >= 0)
            find_drawn(open, used);
        else if (in_full || options_.by_ratio() || workers_.size() > 1)
            find_all(open, used);
        else
            find_best(open, facts.slack, used, first);
        return candidates_;
    }

    SearchCost spent() const {
        SearchCost sum;
        for (const Worker& worker : workers_) sum += worker.scorer->spent;
        return sum;
    }

    /// Are counted columns tallied all at once? Only whole rows of classes are.
    bool tallies() const {
        return rows_.target.is_classes() && rows_.target.weights.empty() && !rows_.coded->empty();
    }
    /// A tally larger than this many times the cells it counts is not worth making: the columns are counted one by one.
    bool is_worth_a_tally(const RangeNode& open) const {
        return open.rows() * rows_.coded->columns() * 8 >= rows_.coded->slots();
    }
    /// The tally of a node's rows, on all threads when there are many.
    void count(std::span<const Row> rows, Tally& tally) {
        const CodedRows& coded = *rows_.coded;
        const Target& target = rows_.target;
        if (!team_ || team_->size() == 1 || rows.size() * coded.cells_per_row() < parallel_cells)
            return coded.count(rows, target.codes, target.classes, tally);
        const auto parts = static_cast<std::size_t>(team_->size());
        std::vector<Tally> counted(parts);
        team_->run(parts, [&](std::size_t k, int) {
            const std::size_t begin = rows.size() * k / parts, end = rows.size() * (k + 1) / parts;
            coded.count(rows.subspan(begin, end - begin), target.codes, target.classes, counted[k]);
        });
        tally = std::move(counted[0]);
        for (std::size_t k = 1; k < parts; ++k) add(tally, counted[k]);
    }

    /// Runs f(column, worker) for every column, on all threads when the node is large.
    template <class F>
    void over_columns(std::size_t rows, const F& f) {
        if (!team_ || rows * table_.columns.size() < parallel_cells) {
            for (std::size_t j = 0; j < table_.columns.size(); ++j) f(j, 0);
        } else {
            team_->run(table_.columns.size(), f);
        }
    }

    /// Memory of a worker for entries that are being moved.
    std::vector<Entry>& spare(int worker) { return workers_[static_cast<std::size_t>(worker)].spare; }

  private:
    /// Every column's best split in this node.
    void find_all(const RangeNode& open, const UsedColumns& used) {
        candidates_.assign(table_.columns.size(), Candidate{});
        used.mark(open.used_nominal, candidates_);
        over_columns(open.rows(), [&](std::size_t j, int k) {
            if (table_.is_left_out(j))
                candidates_[j].verdict = Verdict::not_drawn;
            else if (candidates_[j].verdict != Verdict::used_above)
                candidates_[j] = best_split_of(j, open, workers_[static_cast<std::size_t>(k)]);
            candidates_[j].feature = static_cast<std::int32_t>(j);
        });
    }

    /// Columns in the order of their draws; the first that have a split compete. Ties still go by the order of the
    /// table.
    void find_drawn(const RangeNode& open, const UsedColumns& used) {
        const std::size_t columns = table_.columns.size();
        candidates_.assign(columns, Candidate{});
        drawn_.clear();
        const std::uint64_t key = key_of(open.key, Purpose::features);
        for (std::size_t j = 0; j < columns; ++j) {
            candidates_[j].feature = static_cast<std::int32_t>(j);
            candidates_[j].verdict = Verdict::not_drawn;
            drawn_.emplace_back(key_of(key, j), j);
        }
        used.mark(open.used_nominal, candidates_);
        std::ranges::sort(drawn_);
        std::int64_t found = 0;
        for (const auto& [draw, j] : drawn_) {
            if (open.depth == 0 && !table_.columns[j].nominal && !table_.coded.has(j) &&
                options_.search == NumericSearch::sorted)
                sort_once(j, workers_[0]);
            if (found == options_.max_features || candidates_[j].verdict == Verdict::used_above) continue;
            candidates_[j] = best_split_of(j, open, workers_[0]);
            candidates_[j].feature = static_cast<std::int32_t>(j);
            found += candidates_[j].is_split();
        }
    }

    /// Finds only the best candidate. A later column wins only if it is better by more than the margin, so the search
    /// ends once the cost is within the margin of the least possible one.
    void find_best(const RangeNode& open, double margin, const UsedColumns& used, std::size_t first) {
        Worker& worker = workers_[0];
        const auto ask = [&](std::size_t j) {
            return worker.scorer->best_cut(rows_.sorted(table_, j, open));
        };
        const auto is_sorted = [&](std::size_t j) {
            return !table_.columns[j].nominal && !rows_.entries[j].empty();
        };
        // A column that is likely to be good is asked first. Columns that are worse by twice the margin lose to it,
        // whatever the columns between them do.
        BestPair of_first;
        double bound = std::numeric_limits<double>::infinity();
        if (open.rows() >= rows_for_first && is_sorted(first)) {
            of_first = ask(first);
            bound = of_first.cost + 2 * margin;
        }
        const double least = table_.splits_in_two(options_) || options_.asked
                                 ? worker.scorer->least_possible(rows_.of(open))
                                 : 0;
        const double enough = least + margin / 2;
        candidates_.assign(1, Candidate{});
        Candidate& best = candidates_[0];
        for (std::size_t j = 0; j < table_.columns.size() && (best.cost > enough || open.depth == 0); ++j) {
            if (table_.is_left_out(j) || used.has(open.used_nominal, static_cast<std::int32_t>(j))) continue;
            worker.scorer->must_beat(std::min(best.cost, bound));
            if (is_sorted(j)) {
                const BestPair pair = j == first && of_first.found() ? of_first : ask(j);
                if (!pair.found() || (best.is_split() && !(pair.cost < best.cost - margin))) continue;
                best = numeric_split(pair, rows_.sorted(table_, j, open), options_, false);
                best.feature = static_cast<std::int32_t>(j);
                continue;
            }
            Candidate candidate = best_split_of(j, open, worker);
            if (!candidate.is_split() || (best.is_split() && !(candidate.cost < best.cost - margin)))
                continue;
            best = std::move(candidate);
            best.feature = static_cast<std::int32_t>(j);
        }
    }

    Candidate best_split_of(std::size_t j, const RangeNode& open, Worker& worker) {
        Column& column = table_.columns[j];
        if (column.nominal) return best_nominal(j, open, worker);
        if (rows_.coded->has(j)) return best_counted(j, open, worker);
        if (table_.coded.has(j)) return {};  // in this copy it has one value
        if constexpr (!is_copy) {
            if (options_.search == NumericSearch::random)
                return worker.scorer->random_threshold(column, rows_.of(open), node_cells_,
                                                       cut_key(open.key, j));
            if (options_.search != NumericSearch::sorted)
                return worker.scorer->best_threshold(column, rows_.of(open), rows_.cells(table_));
            if (may_use_buckets(open))
                if (std::optional<Candidate> split = worker.scorer->best_in_buckets(column)) return *split;
            if (may_use_ranks(open, j)) {
                column.has_missing = false;
                if (std::optional<Candidate> split =
                        worker.scorer->best_of_ranks(column, table_.prepared->numeric(j)))
                    return *split;
            }
            if (open.depth == 0) sort_once(j, worker);
            if (options_.sorts_once()) {
                const SortedRows<Entry> once{column, worker.passing, rows_.tags, rows_.cells(table_)};
                return in_order(once, worker, true);
            }
        }
        if (rows_.entries[j].empty()) return {};
        return in_order(rows_.sorted(table_, j, open), worker, in_full_);
    }
    Candidate in_order(const SortedRows<Entry>& sorted, Worker& worker, bool with_cut) {
        Candidate split = numeric_split(worker.scorer->best_cut(sorted), sorted, options_, with_cut);
        if (split.is_split() && in_full_) {
            split.test = worker.scorer->test();
            split.judged = worker.scorer->judged();
        }
        return split;
    }
    Candidate best_nominal(std::size_t j, const RangeNode& open, Worker& worker) {
        const Column& column = table_.columns[j];
        if (!open.tally.empty() && rows_.coded->has(j))
            return worker.scorer->best_categories(column, rows_.coded->counters(open.tally, j));
        return worker.scorer->best_categories(column, rows_.of(open), node_cells_);
    }
    Candidate best_counted(std::size_t j, const RangeNode& open, Worker& worker) {
        const CodedRows& coded = *rows_.coded;
        if (!open.tally.empty())
            return worker.scorer->best_values(coded.counters(open.tally, j), coded.values(j));
        const std::span<const Row> rows = rows_.of(open);
        return worker.scorer->best_values(coded.row_slots(j), coded.values(j), rows, rows);
    }

    /// A column is sorted when the root looks at it. A tree of depth 1 needs that order once and does not keep it.
    void sort_once(std::size_t j, Worker& worker) {
        if constexpr (!is_copy) {
            std::vector<Entry>& entries = options_.sorts_once() ? worker.passing : rows_.entries[j];
            table_.sort(j, rows_.tags, entries, worker.space, pulse_, worker.scorer->spent.rows_visited);
            table_.columns[j].has_missing = entries.back().is_missing();
        }
    }

    /// With many rows, and children that will be leaves, a score with bounds needs no sorted order.
    bool may_use_buckets(const RangeNode& open) const {
        return open.depth == 0 && options_.max_depth == 1 && !options_.only_changes && !options_.by_ratio() &&
               options_.missing == Missing::branch && !options_.limits_leaves() &&
               options_.max_features < 0 && table_.cell_row.empty() && !table_.prepared &&
               rows_.size() >= fewest_bucketed_rows;
    }

    /// Are the ranks of the table those of the rows, with no need for their order later?
    bool may_use_ranks(const RangeNode& open, std::size_t j) const {
        return open.depth == 0 && options_.sorts_once() && options_.max_features < 0 &&
               table_.has_every_row && table_.prepared->numeric(j).known == table_.rows;
    }

    TrainingTable& table_;
    RowOrders<Entry>& rows_;
    const Options& options_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    std::vector<Worker> workers_;
    std::vector<Candidate> candidates_;
    std::vector<std::pair<std::uint64_t, std::size_t>> drawn_;
    std::vector<Row> cell_rows_;
    std::span<const Row> node_cells_;  // rows of the table that the node's rows have their cells in
    bool in_full_ = true;
};

}  // namespace branchwork
