// The rows of a subproblem in the order of one root test: how many lie left of a cut, and what they cost with each answer.
//
// The subproblem is a set of bits, one for each row of the view in the order of the root test:
//
//     order of g     r7 r2 r9 | r4 r1 r0 ...     words of 64 rows
//     bits            1  0  1 |  1  1  0 ...     rows of the subproblem
//     before          0       |  2               rows in the words before
//
// Where all errors cost the same, classes are counted in the same way. Otherwise there are prefix sums over its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/optimal/stumps.hpp"

namespace branchwork::optimal {

class RootOrder {
  public:
    void set(const Stumps& rows, std::size_t g);

    /// Rows of the subproblem among the first `position` of the order.
    std::int32_t count(std::uint32_t position) const;
    /// The place in the order of the n-th row of the subproblem, counted from 1.
    std::uint32_t select(std::int32_t nth) const;

    /// The most that the first rows of the subproblem can cost.
    Cost most(std::int32_t rows) const {
        return most_.empty() ? each_ * rows : most_[static_cast<std::size_t>(rows)];
    }
    /// The first number of rows from `from` on that can cost more than the first `from` rows and `excess`.
    std::int32_t beyond(std::int32_t from, Cost excess) const;
    /// The last number of rows up to `from` for which the rows between can cost more than `excess`.
    std::int32_t before(std::int32_t from, Cost excess) const;

    /// What each answer costs left and right of a place.
    void answers(std::uint32_t position, std::int32_t rows, std::vector<Cost>& left,
                 std::vector<Cost>& right);
    /// The cost of a leaf for each value of a nominal test, left and right of a place.
    void slots(std::size_t test, std::uint32_t position, Cost& left, Cost& right);

  private:
    void count_classes();
    void add_up();

    const Stumps* rows_ = nullptr;
    const CountedView* view_ = nullptr;
    std::size_t g_ = 0;
    Cost each_ = 1;
    std::vector<std::uint64_t> bits_, above_;
    std::vector<std::int32_t> before_;        // rows in the words before each
    std::vector<std::int32_t> class_before_;  // and of each class that can be answered
    Charge charge_;
    std::vector<Cost> most_, sums_;  // after each number of rows; sums_: statistics of the loss
    std::vector<Cost> side_, slot_left_, slot_right_;
    std::vector<std::int32_t> rows_left_, rows_right_;
};

}  // namespace branchwork::optimal
