// The rows of a subproblem and its trees of one level: the best cut of every test, by kernels that process many rows at
// a time.
//
// The rows are all rows of a view, or those whose rank in one test is in a range (one side of a cut, or one value).
// They are not copied. Instead, all other rows get the class `outside`.
//
// A stump predicts two classes a and b. Let A_a be the cost of all rows if a is predicted for all of them. Predicting b
// left of a cut instead changes the cost by P, the prefix sum of cost(b) - cost(a) in the order of the test h of the
// stump:
//
//     left b, right a:   A_a + P          if errors cost 1 each: P = (rows of class a) - (rows of class b) on the left
//     left a, right b:   A_b - P
//
// So the best stump of the pair costs min(A_a + min P, A_b - max P), plus the penalty of a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/extremes.hpp"
#include "core/optimal/counted_view.hpp"
#include "core/optimal/settings.hpp"

namespace branchwork::optimal {

/// The rows of a view whose rank in one test is from `low` to `high`; test -1: all rows.
struct RankRange {
    std::int32_t test = -1;
    std::uint16_t low = 0, high = padding - 1;
};

/// Both sides of a cut of a root test.
struct RootSides {
    std::size_t test = 0;
    std::uint16_t rank = 0;         // the largest rank on the left
    bool coarse = false;            // the cut is at the end of a bucket
    std::vector<Cost> left, right;  // the cost of each side if a leaf predicts each class
};

class Stumps {
  public:
    void take(const CountedView& view, const RankRange& range);
    /// Takes the rows of another subproblem that have one value of a categorical feature.
    void take_slot(const Stumps& whole, std::size_t test, std::uint16_t slot);

    const CountedView& view() const { return *view_; }
    const RankRange& range() const { return range_; }
    std::int32_t rows() const { return rows_; }
    /// The classes that a leaf may predict.
    const std::vector<std::uint8_t>& answers() const { return answers_; }
    /// The statistics of all rows, as defined by the loss.
    const std::vector<Cost>& stats() const { return stats_; }

    Cost leaf() const { return leaf_; }
    /// A lower bound of the cost of trees with up to `leaves` (at most 4) leaves.
    Cost least(std::int64_t leaves) const;

    /// Finds the best stump of each test.
    void find();
    /// The least cost of a leaf or a stump; valid after `find`.
    Cost best() const { return best_; }
    /// The cost of the best stump of a test, or a lower bound that is not below best(); valid after `find`.
    Cost of(std::size_t test) const { return of_[test]; }

    /// Prepares `on_sides` for a root cut: keeps the pairs of classes whose stumps may cost less than these limits.
    void cut_at(const RootSides& sides, Cost left, Cost right);
    /// Computes the cost of the best stump of test h on each wanted side: exact if it is below the best so far,
    /// otherwise a lower bound. Updates the best costs.
    void on_sides(std::size_t h, bool want_left, bool want_right, Cost& left, Cost& right, Cost& best_left,
                  Cost& best_right);
    /// The cost of a multiway split into leaves, from the statistics and number of rows of each value.
    Cost of_slots(const std::vector<Cost>& stats, const std::vector<std::int32_t>& rows) const;

    Counters counters;

  private:
    struct Pair {
        std::size_t number;
        std::uint8_t a, b;
        Cost others_left, others_right;  // lower bounds of the cost of a stump with these two classes
    };

    void start();
    void mark(const std::uint8_t* from, std::size_t h, std::size_t test, std::uint16_t low,
              std::uint16_t high, std::uint8_t* to) const;
    Cost others(const std::vector<Cost>& answers, std::uint8_t a, std::uint8_t b, Cost all) const;
    Cost all_of(const std::vector<Cost>& answers) const;
    Cost slots_stump(std::size_t test);
    /// Finds the extremes of the prefix sums of a pair in the order of h, on the wanted sides of a cut.
    void extremes(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b, ExtremesTask task,
                  CostExtremes& left, CostExtremes& right);
    const std::int8_t* signs(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b);
    const std::int64_t* steps(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b);

    const CountedView* view_ = nullptr;
    RankRange range_;
    std::size_t tests_ = 0;
    std::int32_t rows_ = 0;
    std::vector<std::uint8_t> labels_;  // class of the row in each slot of each test; 255: outside
    std::vector<Cost> stats_, answer_;  // of all rows: statistics, and the cost of predicting each class
    std::vector<std::uint8_t> answers_;
    std::vector<std::int8_t> signs_;   // per pair of classes, test and slot
    std::vector<std::int64_t> steps_;  // the same if rows have different costs
    std::vector<std::uint8_t> known_;  // per pair and test: whether the signs or steps have been computed
    Charge charge_;
    Cost leaf_ = 0, best_ = 0;
    std::vector<Cost> of_;

    const RootSides* sides_ = nullptr;
    std::vector<Pair> pairs_;
    Cost ruled_left_ = 0, ruled_right_ = 0;  // the smallest lower bounds of the pairs that cut_at ruled out
    std::vector<Cost> slot_stats_;
    std::vector<std::int32_t> slot_rows_;
};

}  // namespace branchwork::optimal
