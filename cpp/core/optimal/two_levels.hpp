// Trees of two levels: the best root cut with the best stump on each of its sides.
//
// The cuts of a root test are searched as intervals (see line.hpp). For every evaluated cut and every test h, lower
// bounds of the stumps by h on both sides are kept, so that a kernel runs only if it can still find something better:
//
//     cut a ────── cut c ────── cut b        Left of c there are more rows than left of a, and fewer than left of b. So a
//                                            stump by h left of c costs at least as much as left of a, and at least as
//                                            much as left of b minus what the rows between c and b can cost.
//
// The cost of a multiway root is the sum of the best stumps of its branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/optimal/root_order.hpp"
#include "core/optimal/stumps.hpp"

namespace branchwork::optimal {

/// A root cut: a test and the largest rank on its left; test -1: none is known.
struct RootCut {
    std::int32_t test = -1;
    std::int32_t rank = -1;
};

class TwoLevels {
  public:
    void take(const CountedView& view, const RankRange& range = {}) { stumps_.take(view, range); }

    /// The least cost of a tree of up to two levels: exact if it is below the limit, otherwise a lower bound of at
    /// least the limit. `bounds` are lower bounds for each root test, and are raised. `best` is a cut to try first on
    /// entry, and the best cut on return.
    Cost solve(Cost limit, Cost* bounds, RootCut& best);

    /// Finds the best tree that costs less than the limit. `best` becomes its root cut, of equally good ones the first
    /// in the order of tests and cuts. Returns its cost; if there is none, returns the limit and sets the test to -1.
    Cost first_best(Cost limit, std::int32_t only_column, const std::vector<Test>& tests, RootCut& best);

    Counters counters() const;

  private:
    /// A root cut that was evaluated: the least costs of both sides, or lower bounds.
    struct Point {
        std::uint32_t position;
        std::int32_t rows;  // number of rows of the subproblem on the left
        Cost left, right;
    };
    struct Interval {
        std::size_t from, to;
    };
    struct Chosen {
        std::uint32_t position;
        std::int32_t rows;
    };

    Cost run(std::size_t g, Cost limit, std::int32_t hint, bool first, RootCut& best);
    bool take_hint(std::size_t g, std::int32_t rank, std::int32_t low, std::int32_t high, Chosen& at) const;
    bool choose(std::size_t g, std::int32_t low, std::int32_t high, std::int32_t wanted, std::int32_t spread,
                Chosen& at) const;
    std::size_t evaluate(std::size_t g, const Interval& open, const Chosen& at, Cost limit);
    Cost multiway(std::size_t g, Cost limit);
    std::size_t add_point(std::uint32_t position, std::int32_t rows, Cost left, Cost right);

    const CountedView& view() const { return stumps_.view(); }
    std::size_t tests() const { return view().table().tests(); }

    Stumps stumps_;
    std::unique_ptr<Stumps> branch_;  // the rows of one branch of a multiway root
    RootOrder order_;                 // of the root test that is being searched
    std::vector<Point> points_;
    std::vector<Cost> left_of_, right_of_;  // per point and test h: lower bounds of the stumps on its sides
    std::vector<Interval> queue_;
    std::vector<std::size_t> stump_order_;
    RootSides sides_;
    Counters counters_;
};

}  // namespace branchwork::optimal
