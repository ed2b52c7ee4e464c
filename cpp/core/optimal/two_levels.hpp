// Trees of two levels: the best root cut with the best stump on each of its sides.
//
// A root test is searched as an interval of cuts (see line.hpp). For every cut that was evaluated, lower bounds of the
// stumps by every test h are kept on both sides, so that a kernel runs only where it can still matter:
//
//     cut a ────── cut c ────── cut b        left of c there are more rows than left of a, and fewer than left of b:
//                                            stump h costs at least what it costs left of a, and at least what it costs
//                                            left of b, less what the rows between c and b can cost
//
// A root with one branch for each value of a nominal column is the sum of the best stumps of its branches.
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

    /// The least cost of a tree of up to two levels if it is below the limit, otherwise a lower bound that is not.
    /// `bounds`: lower bounds for each root test, which are raised. `best`: in, a cut to try first; out, the best one.
    Cost solve(Cost limit, Cost* bounds, RootCut& best);

    /// The first root cut, in the order of tests and cuts, of the best tree that costs less than the limit, and its cost.
    /// The limit, and test -1, if there is none.
    Cost first_best(Cost limit, std::int32_t only_column, const std::vector<Test>& tests, RootCut& best);

    Counters counters() const;

  private:
    /// A root cut that was evaluated: the least costs of both sides, or lower bounds of them.
    struct Point {
        std::uint32_t position;
        std::int32_t rows;  // of this subproblem, on the left
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
    std::unique_ptr<Stumps> branch_;  // one value of a nominal root
    RootOrder order_;                 // of the root test that is searched
    std::vector<Point> points_;
    std::vector<Cost> left_of_, right_of_;  // of each point and stump test
    std::vector<Interval> queue_;
    std::vector<std::size_t> stump_order_;
    RootSides sides_;
    Counters counters_;
};

}  // namespace branchwork::optimal
