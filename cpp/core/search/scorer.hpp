// The part of growth that loops over rows, for one kind of target and one score: statistics of a node, and the best
// split of one column. Everything that happens once per node is compiled once and calls these functions; each
// kind of target has its scorers in a file of its own (scorers_*.cpp).
//
//     describe(slot, rows)     statistics of a node; they stay in the slot
//     start(slot)              the next searches are in this node
//     best_cut, best_categories ...      the best split of one column
//
// A scorer belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/search/best_pair.hpp"
#include "core/search/candidate.hpp"
#include "core/search/ranked_rows.hpp"
#include "core/search/sorted_rows.hpp"
#include "core/stats.hpp"
#include "core/steps/tally.hpp"
#include "core/tally/coded_rows.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// What is known about a node once its rows have been counted.
struct NodeFacts {
    double weight = 0;
    double samples = 0;   // the weight without class weights
    double cost = 0;      // impurity times weight
    double slack = 0;     // costs closer than this are equal
    bool pure = false;    // one class, or one and the same number
    double centre = 0;    // numbers: the moments are about this point
    Moments moments;      // numbers
    double variance = 0;  // numbers: with n - 1
};

struct QuinlanRules;

class Scorer {
  public:
    virtual ~Scorer() = default;

    /// From now on rows are rows of this target, which must outlive the calls that follow.
    virtual void look_at(const Target& target) = 0;

    /// Counts a node's rows. The weight of each class is written to `counts`.
    virtual NodeFacts describe(std::size_t slot, std::span<const Row> rows, std::span<double> counts) = 0;
    /// The same for drawn rows, each counted as often as it was drawn; see rank_bins.hpp for the targets that have such
    /// rows.
    virtual NodeFacts describe(std::size_t slot, const DrawnRange& rows, std::span<double> counts) = 0;
    virtual NodeFacts describe(std::size_t slot, std::span<const std::int64_t> class_counts,
                               std::span<double> counts) = 0;
    /// The next searches are in a node that `described` counted. `in_full`: also compute what only the ledger keeps,
    /// the split information and the test.
    virtual void start(const Scorer& described, std::size_t slot, bool in_full) = 0;
    /// Splits that cost this much or more need not be found.
    virtual void must_beat(double cost) = 0;
    /// A lower bound on the cost of any split of the node's rows in two.
    virtual double least_possible(std::span<const Row> rows) const = 0;

    virtual BestPair best_cut(const SortedRows<Entry>& rows) = 0;
    virtual BestPair best_cut(const SortedRows<NarrowEntry>& rows) = 0;
    /// The best cuts of columns whose rows are not sorted. Cuts that cost more than `most`, or than those of another of
    /// the columns, need not be found.
    virtual void best_cuts(RankedColumns& columns, double most, std::span<RankCut> found) = 0;
    /// What it costs to send each row to the left (0) or to the right (1); infinite: that is not admitted.
    virtual double cost_of_sides(const DrawnRange& rows, std::span<const std::uint32_t> side) = 0;
    /// The test of the best partition that was found last, if in full.
    virtual const BranchTest& test() const = 0;
    /// The rows that partitions of the column searched last are judged by.
    virtual Judged judged() const = 0;
    /// The best cut of a column with many rows, without sorting it, where the children will be leaves. Also notes
    /// whether the column has missing cells. Returns nothing if this search does not apply.
    virtual std::optional<Candidate> best_in_buckets(Column& column) = 0;
    /// The same from the ranks of a prepared table, for two classes with weights; `column` has no missing cells.
    virtual std::optional<Candidate> best_of_ranks(const Column& column, const PreparedColumn& ranked) = 0;
    /// The slow searches of the lecture: for every threshold, count all rows.
    virtual Candidate best_threshold(const Column& column, std::span<const Row> rows, CellRows cells) = 0;

    /// The one cut that the key draws for a column, in the order of the rows; see scan_random.hpp.
    virtual Candidate random_threshold(const Column& column, std::span<const Row> rows,
                                       std::span<const Row> cell_rows, std::uint64_t key) = 0;

    /// The best split by a nominal column; `cell_rows[i]` is the row of the table that `rows[i]` has its cells in.
    virtual Candidate best_categories(const Column& column, std::span<const Row> rows,
                                      std::span<const Row> cell_rows) = 0;
    /// The same from counters.
    virtual Candidate best_categories(const Column& column, const Counters& counters) = 0;

    /// All columns of the node's tally will be asked for.
    virtual void start_all(const NumericCounters& numeric) = 0;
    /// The best cut of a numeric column that is counted; `values` are those of its slots.
    virtual Candidate best_values(const Counters& counters, std::span<const double> values) = 0;
    /// The same for any target: `slot_rows[i]` is the row that `rows[i]` has its slot at.
    virtual Candidate best_values(const RowSlots& slots, std::span<const double> values,
                                  std::span<const Row> rows, std::span<const Row> slot_rows) = 0;

    // C4.5's own rules; see quinlan.hpp. Only for classes with real weights.
    virtual Candidate quinlan_cut(const QuinlanRules& rules, const SortedRows<Entry>& rows,
                                  std::span<const double> values, std::span<const double> possible_cuts) = 0;
    virtual Candidate quinlan_values(const QuinlanRules& rules, const RowSlots& slots,
                                     std::span<const double> values, std::span<const double> possible_cuts,
                                     std::span<const Row> rows, std::span<const Row> slot_rows) = 0;
    virtual Candidate quinlan_categories(const QuinlanRules& rules, const Column& column,
                                         std::span<const Row> rows, std::span<const Row> cell_rows) = 0;

    // From a tally, for the driver in steps/.
    virtual Choice choose(const NodeTally& tally, std::span<const bool> used, double least_gain) = 0;
    virtual std::vector<Cut> list_cuts(const NodeTally& tally, const ColumnTally& column) = 0;

    SearchCost spent;
};

/// The scorer for a target and the criterion of the options. `largest` is the most rows it will be asked about. Long
/// searches listen to the pulse, which must outlive the scorer.
std::unique_ptr<Scorer> make_scorer(const Target& target, const Options& options, std::size_t largest,
                                    const Pulse& pulse);

// One maker for each kind of target, in a file of its own, because compiling them takes time.
std::unique_ptr<Scorer> scorer_of_counted_pairs(const Target& target, const Options& options,
                                                std::size_t largest, const Pulse& pulse);
std::unique_ptr<Scorer> scorer_of_counted_classes(const Target& target, const Options& options,
                                                  std::size_t largest, const Pulse& pulse);
std::unique_ptr<Scorer> scorer_of_weighted_pairs(const Target& target, const Options& options,
                                                 std::size_t largest, const Pulse& pulse);
std::unique_ptr<Scorer> scorer_of_weighted_classes(const Target& target, const Options& options,
                                                   std::size_t largest, const Pulse& pulse);
std::unique_ptr<Scorer> scorer_of_numbers(const Target& target, const Options& options, const Pulse& pulse);

}  // namespace branchwork
