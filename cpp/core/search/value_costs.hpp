// What every cut of a counted column costs, from counters alone; for classes with whole counts.
//
// The costs are those that a sweep over the sorted rows would find, bit for bit, so it does not matter which of the two
// looked at a column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/score.hpp"
#include "core/stats.hpp"
#include "core/tally/coded_rows.hpp"

namespace branchwork {

template <class Score, class Stats>
class ValueCosts;

template <class Score, std::size_t Classes>
class ValueCosts<Score, ClassCounts<std::int64_t, Classes>> {
    using Stats = ClassCounts<std::int64_t, Classes>;
    using Cost = typename Score::Cost;
    static constexpr Cost unreachable = std::numeric_limits<Cost>::max();

  public:
    /// The next columns are of a node with these rows.
    void start(const Stats& all) {
        present_.clear();
        totals_.clear();
        for (std::size_t c = 0; c < all.of.size(); ++c)
            if (all.of[c] > 0 || Classes == 2) {
                present_.push_back(c);
                totals_.push_back(static_cast<double>(all.of[c]));
            }
        rows_ = all.total;
    }
    /// Rows of the node that have a slot's value.
    std::int64_t rows_at(const Counters& counters, std::size_t slot) const {
        std::int64_t sum = 0;
        for (const std::size_t c : present_) sum += counters.at(slot, c);
        return sum;
    }
    /// The cost of a cut after each value of a column without missing cells. A cut with nothing on one side costs more
    /// than any other, or is not a number.
    std::span<const Cost> of(const Score& score, const Counters& counters) {
        of_.clear();
        for (const std::size_t c : present_) of_.push_back(counters.first + c * counters.stride + 1);
        const ClassCounters of_classes{of_.data(), totals_.data(), of_.size(), counters.slots - 1,
                                       static_cast<double>(rows_)};
        cost_.resize(of_classes.values);
        write(score, of_classes);
        return cost_;
    }
    /// The classes of rows up to a slot.
    void add_up_to(const Counters& counters, std::size_t slot, Stats& to) const {
        for (const std::size_t c : present_) {
            std::int64_t sum = 0;
            for (std::size_t s = 1; s <= slot; ++s) sum += counters.at(s, c);
            to.add(static_cast<std::int32_t>(c), sum);
        }
    }

  private:
    void write(const Gini<std::int64_t>&, const ClassCounters& counters) {
        space_.resize(4 * counters.values);
        if constexpr (Classes == 2)
            kernels().gini_pair_costs(counters, cost_.data(), space_.data());
        else
            kernels().gini_costs(counters, cost_.data(), space_.data());
    }

    /// Terms are looked up only where a count changes.
    void write(const Entropy<std::int64_t>& score, const ClassCounters& counters) {
        left_.assign(counters.values, 0);
        terms_.assign(counters.values, 0);
        for (std::size_t k = 0; k < counters.classes; ++k) {
            const auto total = static_cast<std::int64_t>(counters.totals[k]);
            std::int64_t below = 0, terms = score.term(total);
            for (std::size_t v = 0; v < counters.values; ++v) {
                if (counters.of[k][v] != 0) {
                    below += counters.of[k][v];
                    terms = score.term(below) + score.term(total - below);
                }
                left_[v] += below;
                terms_[v] += terms;
            }
        }
        for (std::size_t v = 0; v < counters.values; ++v) {
            const std::int64_t right = rows_ - left_[v];
            const bool parts = left_[v] > 0 && right > 0;
            cost_[v] = parts ? score.term(left_[v]) + score.term(right) - terms_[v] : unreachable;
        }
    }

    void write(const Accuracy<std::int64_t>&, const ClassCounters& counters) {
        left_.assign(counters.values, 0);
        most_left_.assign(counters.values, 0);
        most_right_.assign(counters.values, 0);
        for (std::size_t k = 0; k < counters.classes; ++k) {
            const auto total = static_cast<std::int64_t>(counters.totals[k]);
            std::int64_t below = 0;
            for (std::size_t v = 0; v < counters.values; ++v) {
                below += counters.of[k][v];
                left_[v] += below;
                most_left_[v] = std::max(most_left_[v], below);
                most_right_[v] = std::max(most_right_[v], total - below);
            }
        }
        for (std::size_t v = 0; v < counters.values; ++v) {
            const bool parts = left_[v] > 0 && left_[v] < rows_;
            cost_[v] = parts ? rows_ - most_left_[v] - most_right_[v] : unreachable;
        }
    }

    std::vector<std::size_t> present_;  // classes that the node has
    std::vector<double> totals_;        // and their rows
    std::int64_t rows_ = 0;
    std::vector<const std::uint32_t*> of_;
    std::vector<Cost> cost_;
    std::vector<double> space_;
    std::vector<std::int64_t> left_, terms_, most_left_, most_right_;
};

}  // namespace branchwork
