// The rows of a subproblem in the order of one root test: how many are left of a cut, and what they cost if a leaf
// predicts each class.
//
// The subproblem is a bit set with one bit per row of the view, in the order of the root test:
//
//     order of g     r7 r2 r9 | r4 r1 r0 ...     words (of 64 rows)
//     bits            1  0  1 |  1  1  0 ...     rows of the subproblem
//     before          0       |  2               number of rows in the words before
//
// If all errors cost the same, the classes are counted in the same way. Otherwise there are prefix sums over the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/optimal/stumps.hpp"

namespace branchwork::optimal {

class RootOrder {
  public:
    void set(const Stumps& rows, std::size_t g);

    /// The number of rows of the subproblem among the first `position` of the order.
    std::int32_t count(std::uint32_t position) const;
    /// The place in the order of the n-th row of the subproblem, counted from 1.
    std::uint32_t select(std::int32_t nth) const;

    /// The most that the first `rows` rows of the subproblem can cost.
    Cost most(std::int32_t rows) const {
        return most_.empty() ? each_ * rows : most_[static_cast<std::size_t>(rows)];
    }
    /// The smallest number n of rows above `from` such that the rows between `from` and n can cost more than `excess`.
    std::int32_t beyond(std::int32_t from, Cost excess) const;
    /// The largest number n of rows below `from` such that the rows between n and `from` can cost more than `excess`.
    std::int32_t before(std::int32_t from, Cost excess) const;

    /// Writes what the rows left and right of a cut cost if a leaf predicts each class.
    void answers(std::uint32_t position, std::int32_t rows, std::vector<Cost>& left,
                 std::vector<Cost>& right);
    /// Computes the cost of a multiway split into leaves, left and right of a cut.
    void slots(std::size_t test, std::uint32_t position, Cost& left, Cost& right);

  private:
    void count_classes();
    void add_up();

    const Stumps* rows_ = nullptr;
    const CountedView* view_ = nullptr;
    std::size_t g_ = 0;
    Cost each_ = 1;
    std::vector<std::uint64_t> bits_, above_;
    std::vector<std::int32_t> before_;        // number of rows in the words before each word
    std::vector<std::int32_t> class_before_;  // the same for each class in rows_->answers()
    Charge charge_;
    std::vector<Cost> most_, sums_;  // prefix sums: the most that rows can cost, and statistics of the loss
    std::vector<Cost> side_, slot_left_, slot_right_;
    std::vector<std::int32_t> rows_left_, rows_right_;
};

}  // namespace branchwork::optimal
