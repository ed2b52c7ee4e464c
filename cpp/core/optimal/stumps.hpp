// The rows of a subproblem, and its trees of one level: the best cut of every test, by kernels that look at many rows at
// a time.
//
// The rows are those of a view whose rank in one test lies in a range (one side of a cut, or one value), or all of them.
// They are never copied: the classes of all others are marked as outside.
//
// A stump answers two classes a and b. Let A_a be what all rows cost if the answer is a. Rows left of the cut get b
// instead, which changes the cost by P, the prefix sum (in the order of the stump's test h) of cost(b) - cost(a):
//
//     left answers b, right a:   A_a + P          errors that cost 1 each: P = (rows of a) - (rows of b) on the left
//     left answers a, right b:   A_b - P
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

/// Rows of a view whose rank in one test lies between two bounds; test -1: all rows.
struct RankRange {
    std::int32_t test = -1;
    std::uint16_t low = 0, high = padding - 1;
};

/// Both sides of a cut of a root test.
struct RootSides {
    std::size_t test = 0;
    std::uint16_t rank = 0;         // the largest on the left
    bool coarse = false;            // the cut is at the end of a bucket
    std::vector<Cost> left, right;  // what each answer costs there
};

class Stumps {
  public:
    void take(const CountedView& view, const RankRange& range);
    /// The rows of another subproblem that have one value of a nominal column.
    void take_slot(const Stumps& whole, std::size_t test, std::uint16_t slot);

    const CountedView& view() const { return *view_; }
    const RankRange& range() const { return range_; }
    std::int32_t rows() const { return rows_; }
    /// Classes that can be answered.
    const std::vector<std::uint8_t>& answers() const { return answers_; }
    /// Statistics of all rows, as the loss keeps them.
    const std::vector<Cost>& stats() const { return stats_; }

    Cost leaf() const { return leaf_; }
    /// What any tree with up to this many leaves costs at least.
    Cost least(std::int64_t leaves) const;

    /// Runs the stumps of all tests.
    void find();
    /// The least cost of trees with up to one level; after `find`.
    Cost best() const { return best_; }
    Cost of(std::size_t test) const { return of_[test]; }

    /// Prepares the stumps on both sides of a root cut, as far as they cost less than these limits.
    void cut_at(const RootSides& sides, Cost left, Cost right);
    /// The stumps by test h on the sides that are wanted: a lower bound of each, exact where below the best so far.
    void on_sides(std::size_t h, bool want_left, bool want_right, Cost& left, Cost& right, Cost& best_left,
                  Cost& best_right);
    /// The cost of a leaf for each value of a nominal column that has rows, from the statistics of each value.
    Cost of_slots(const std::vector<Cost>& stats, const std::vector<std::int32_t>& rows) const;

    Counters counters;

  private:
    struct Pair {
        std::size_t number;
        std::uint8_t a, b;
        Cost others_left, others_right;  // at least: a stump with these answers
    };

    void start();
    void mark(const std::uint8_t* from, std::size_t h, std::size_t test, std::uint16_t low,
              std::uint16_t high, std::uint8_t* to) const;
    Cost others(const std::vector<Cost>& answers, std::uint8_t a, std::uint8_t b, Cost all) const;
    Cost all_of(const std::vector<Cost>& answers) const;
    Cost slots_stump(std::size_t test);
    /// Prefix sums of the pair in the order of h, on the sides of a cut that are wanted.
    void extremes(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b, ExtremesTask task,
                  CostExtremes& left, CostExtremes& right);
    const std::int8_t* signs(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b);
    const std::int64_t* steps(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b);

    const CountedView* view_ = nullptr;
    RankRange range_;
    std::size_t tests_ = 0;
    std::int32_t rows_ = 0;
    std::vector<std::uint8_t> labels_;  // in the slots of each test; 255: outside
    std::vector<Cost> stats_, answer_;  // of all rows
    std::vector<std::uint8_t> answers_;
    std::vector<std::int8_t> signs_;   // of each pair of answers and each test
    std::vector<std::int64_t> steps_;  // the same, where rows differ in what they cost
    std::vector<std::uint8_t> known_;  // which of them have been computed
    Charge charge_;
    Cost leaf_ = 0, best_ = 0;
    std::vector<Cost> of_;

    const RootSides* sides_ = nullptr;
    std::vector<Pair> pairs_;
    Cost ruled_left_ = 0,
         ruled_right_ = 0;  // the least that pairs could cost that were ruled out without a kernel
    std::vector<Cost> slot_stats_;
    std::vector<std::int32_t> slot_rows_;
};

}  // namespace branchwork::optimal
