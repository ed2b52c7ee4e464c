// The values of a counted column that cross a cut one by one: an arrangement for PairSearch, like that of sorted rows.
//
//     value    1      3      4      9          only values that the node has
//     rows    a b     b    b b b    a
//                gap 1   gap 2   gap 3
#pragma once

#include <cstddef>
#include <limits>

#include "core/stats.hpp"
#include "core/tally/category_stats.hpp"

namespace branchwork {

/// The statistics of each value, as each_gap() takes them; see scan_sorted.hpp.
template <class Stats>
class CountedGroups {
  public:
    explicit CountedGroups(const CategoryStats<Stats>& values) : values_(values) {}

    bool done() const { return next_ == values_.size(); }
    std::size_t position() const { return next_; }
    template <class SweepT>
    void take(SweepT& sweep) {
        sweep.move(values_[next_++]);
    }
    auto next_sameness() const {
        if constexpr (Stats::of_classes) {
            Sameness<std::int32_t> sameness;
            for (std::size_t c = 0; c < values_[next_].of.size(); ++c)
                if (values_[next_].of[c] > 0) sameness.see(static_cast<std::int32_t>(c));
            return sameness;
        } else {
            Sameness<double>
                sameness;  // of numbers, only their sum is known here: they are like nothing else
            sameness.see(std::numeric_limits<double>::quiet_NaN());
            return sameness;
        }
    }

  private:
    const CategoryStats<Stats>& values_;
    std::size_t next_ = 0;
};

}  // namespace branchwork
