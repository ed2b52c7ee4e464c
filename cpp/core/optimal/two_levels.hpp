// Trees of two levels by counting: the best root cut with the best cut on each of its sides.
//
// The rows are those of a view on one side of a cut (or all of them). They are never copied: the classes of all others are
// marked as outside. A subproblem keeps, for every root test g and cut, lower bounds of the stumps by every test h, so
// that a kernel runs only where it can still matter.
//
// A stump that answers the classes a and b is right on those alone. With signs +1 for a and -1 for b, the prefix sums P in
// the order of h tell the errors of every cut:
//
//     left answers b, right a:   (rows of a on the left) + (rows of b on the right) = T_b + P
//     left answers a, right b:                                                        T_a - P
//
// So the best stump of the pair is min(T_b + min P, T_a - max P), plus the rows of all other classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/extremes.hpp"
#include "core/optimal/counted_view.hpp"
#include "core/optimal/settings.hpp"
#include "core/optimal/watch.hpp"

namespace branchwork::optimal {

/// A root cut: a test and the largest rank on its left; test -1: none is known.
struct RootCut {
    std::int32_t test = -1;
    std::int32_t rank = -1;
};

class TwoLevels {
  public:
    /// All rows of a view.
    void take(const CountedView& view);
    /// Those on one side of a cut that has `position` rows on its left.
    void take_side(const CountedView& view, std::size_t test, std::uint16_t rank, std::uint32_t position,
                   bool left);

    std::int32_t rows() const { return rows_; }
    /// The fewest errors of one leaf, and of trees with up to two leaves (after `find_stumps`).
    std::int32_t leaf() const;
    std::int32_t stump() const { return stump_; }
    /// Runs the stumps of all tests.
    void find_stumps();

    /// The fewest errors of a tree of up to two levels if they are below the limit, otherwise a lower bound that is not.
    /// `bounds`: lower bounds for each root test, which are raised. `best`: in, a cut to try first; out, the best one.
    std::int32_t solve(std::int32_t limit, std::int32_t* bounds, RootCut& best);

    /// The first root cut, in the order of tests and cuts, of a tree with fewer errors than the limit that has the fewest.
    /// The errors are returned; test -1: there is none.
    std::int32_t first_best(std::int32_t limit, std::int32_t only_column, const std::vector<Test>& tests,
                            RootCut& best);

    Counters counters;
    const Watch* watch = nullptr;

  private:
    struct Pair {
        std::size_t number;
        std::uint8_t a, b;
        std::int32_t others_left, others_right;  // rows of other classes
    };
    /// A root cut that was evaluated: the errors of both sides, or lower bounds of them, and the same for each stump test.
    struct Point {
        std::uint32_t position;
        std::int32_t rows;  // of this subproblem, on the left
        std::int32_t left, right;
    };
    struct Interval {
        std::size_t from, to;
    };
    struct Chosen {
        std::uint32_t position;
        std::int32_t rows;
    };

    void start();
    std::int32_t run(std::size_t g, std::int32_t limit, std::int32_t hint, bool first, RootCut& best);
    bool choose(std::size_t g, std::int32_t low, std::int32_t high, std::int32_t wanted, std::int32_t spread,
                Chosen& at) const;
    std::size_t evaluate(std::size_t g, const Interval& open, const Chosen& at, std::int32_t limit);
    void list_pairs(std::int32_t rows_left, std::int32_t left, std::int32_t right);
    void run_stump(std::size_t g, std::size_t h, std::uint16_t rank, bool coarse, bool want_left,
                   bool want_right, std::int32_t& left, std::int32_t& right, std::int32_t& best_left,
                   std::int32_t& best_right);
    void set_bits(std::size_t g);
    std::int32_t count(std::uint32_t position) const;
    std::uint32_t select(std::int32_t nth) const;
    void count_classes(std::size_t g, std::uint32_t position);
    std::size_t add_point(std::uint32_t position, std::int32_t rows, std::int32_t left, std::int32_t right);
    const std::int8_t* signs(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b);
    std::int32_t top(const std::vector<std::int32_t>& counts, std::size_t most) const;

    const CountedView* view_ = nullptr;
    std::int32_t side_test_ = -1;  // -1: all rows
    std::uint16_t side_rank_ = 0;
    bool side_left_ = true;
    std::size_t tests_ = 0;
    std::int32_t rows_ = 0, stump_ = 0;
    std::vector<std::uint8_t> labels_;   // in the slots of each test; 255: outside
    std::vector<std::int32_t> total_;    // rows of each class
    std::vector<std::uint8_t> present_;  // classes that have rows
    std::vector<std::int8_t> signs_;     // of each pair of classes and each test
    std::vector<std::uint8_t> signs_known_;
    std::vector<std::int32_t> stump_of_;  // of each test

    // one root test
    std::vector<std::uint64_t> bits_;         // its rows of this subproblem, in its order
    std::vector<std::int32_t> before_;        // rows in the words before each
    std::vector<std::int32_t> class_before_;  // and of each class that is present
    std::vector<Point> points_;
    std::vector<std::int32_t> left_of_, right_of_;  // of each point and stump test
    std::vector<Interval> queue_;
    std::vector<std::int32_t> on_left_, on_right_;  // rows of each class
    std::vector<Pair> pairs_;
    std::int32_t ruled_left_ = 0,
                 ruled_right_ = 0;  // the best that pairs could do that were ruled out by their counts
    std::vector<std::size_t> stump_order_;
};

}  // namespace branchwork::optimal
