// What every cut of a counted column costs, from counters alone; for classes with whole counts.
//
// The costs are those that a sweep over the sorted rows would find, bit for bit, so it does not matter which of the two
// looked at a column.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/own_score.hpp"
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
    static constexpr Cost unreachable = std::numeric_limits<Cost>::has_infinity
                                            ? std::numeric_limits<Cost>::infinity()
                                            : std::numeric_limits<Cost>::max();

  public:
    /// The next columns are of a node with these rows.
    void start(const Stats& all) {
        numeric_ = nullptr;
        present_.clear();
        totals_.clear();
        for (std::size_t c = 0; c < all.of.size(); ++c)
            if (all.of[c] > 0 || Classes == 2) {
                present_.push_back(c);
                totals_.push_back(static_cast<double>(all.of[c]));
            }
        rows_ = all.total;
        classes_ = all.of.size();
    }
    /// Rows of the node that have a slot's value.
    std::int64_t rows_at(const Counters& counters, std::size_t slot) const {
        std::int64_t sum = 0;
        for (const std::size_t c : present_) sum += counters.at(slot, c);
        return sum;
    }
    /// All columns will be asked for: their costs are found at once.
    void start_all(const NumericCounters& numeric) {
        // Running counts over all columns are 32-bit numbers.
        const double most =
            static_cast<double>(rows_) * (numeric.before.empty() ? 0 : numeric.before.back() + 1);
        if (most > std::numeric_limits<std::int32_t>::max()) return;
        numeric_ = numeric.first;
        before_ = numeric.before;
        is_written_ = false;
    }
    /// The cost of a cut after each value of a column without missing cells. A cut with nothing on one side costs more
    /// than any other, or is not a number.
    std::span<const Cost> of(const Score& score, const Counters& counters) {
        if (!numeric_) {
            zeros_.resize(counters.slots, 0);
            write(score, counters.first, counters.stride, zeros_, counters.slots);
            return std::span<const Cost>(cost_).subspan(1);
        }
        if (!is_written_) write(score, numeric_, counters.stride, before_, before_.size());
        is_written_ = true;
        const auto first = static_cast<std::size_t>(counters.first - numeric_);
        return std::span<const Cost>(cost_).subspan(first + 1, counters.slots - 1);
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
    void write(const Score& score, const std::uint32_t* first, std::size_t stride,
               std::span<const double> before, std::size_t slots) {
        of_.clear();
        for (const std::size_t c : present_) of_.push_back(first + c * stride);
        cost_.resize(slots);
        write(score,
              {of_.data(), totals_.data(), of_.size(), slots, before.data(), static_cast<double>(rows_)});
    }
    void write(const Gini<std::int64_t>&, const ClassCounters& counters) {
        space_.resize(4 * counters.slots);
        if constexpr (Classes == 2)
            kernels().gini_pair_costs(counters, cost_.data(), space_.data());
        else
            kernels().gini_costs(counters, cost_.data(), space_.data());
    }

    /// Terms are looked up only where a count changes; at the end of a column they are what they were at its beginning.
    void write(const Entropy<std::int64_t>& score, const ClassCounters& counters) {
        left_.assign(counters.slots, 0);
        terms_.assign(counters.slots, 0);
        for (std::size_t k = 0; k < counters.classes; ++k) {
            const auto total = static_cast<std::int64_t>(counters.totals[k]);
            std::int64_t up_to = 0, terms = score.term(total);
            for (std::size_t s = 0; s < counters.slots; ++s) {
                up_to += counters.of[k][s];
                const std::int64_t below = up_to - static_cast<std::int64_t>(counters.before[s]) * total;
                if (counters.of[k][s] != 0) terms = score.term(below) + score.term(total - below);
                left_[s] += below;
                terms_[s] += terms;
            }
        }
        for (std::size_t s = 0; s < counters.slots; ++s) {
            const std::int64_t right = rows_ - left_[s];
            const bool parts = left_[s] > 0 && right > 0;
            cost_[s] = parts ? score.term(left_[s]) + score.term(right) - terms_[s] : unreachable;
        }
    }

    void write(const OwnScore<std::int64_t>& score, const ClassCounters& counters) {
        if (score.has_running_terms()) {
            write_sums<std::int64_t>(
                counters, [&](std::size_t c, std::int64_t n) { return score.fixed_term(c, n); },
                [&](std::int64_t n, std::int64_t terms) { return score.combine(n, terms); });
            return;
        }
        const auto term = [&](std::size_t c, std::int64_t n) { return score.term(c, n); };
        const auto combine = [&](std::int64_t n, double terms) { return score.combine(n, terms); };
        if (score.by_maximum())
            write_maxima(counters, term, combine);
        else
            write_sums<double>(counters, term, combine);
    }
    /// Any other score on class counts.
    template <ClassScore Other>
        requires requires { typename Other::Term; }
    void write(const Other& score, const ClassCounters& counters) {
        write_sums<typename Other::Term>(
            counters, [&](std::size_t, std::int64_t n) { return score.term(n); },
            [&](std::int64_t n, typename Other::Term terms) { return score.combine(n, terms); });
    }
    template <class Term, class TermOf, class Combine>
    void write_sums(const ClassCounters& counters, const TermOf& term, const Combine& combine) {
        write_sides<Term>(counters, Term{0}, term, combine, [](Term a, Term b) { return a + b; });
    }
    template <class TermOf, class Combine>
    void write_maxima(const ClassCounters& counters, const TermOf& term, const Combine& combine) {
        // Absent classes have terms of 0, which matter if all other terms are below 0.
        const double least = counters.classes == classes_ ? std::numeric_limits<double>::lowest() : 0;
        write_sides<double>(counters, least, term, combine,
                            [](double a, double b) { return std::max(a, b); });
    }
    /// Terms of both sides, merged class by class.
    template <class Term, class TermOf, class Combine, class Merge>
    void write_sides(const ClassCounters& counters, Term first, const TermOf& term, const Combine& combine,
                     const Merge& merge) {
        auto& [lefts, rights] = terms_of_sides<Term>();
        left_.assign(counters.slots, 0);
        lefts.assign(counters.slots, first);
        rights.assign(counters.slots, first);
        for (std::size_t k = 0; k < counters.classes; ++k) {
            const std::size_t c = present_[k];
            const auto total = static_cast<std::int64_t>(counters.totals[k]);
            std::int64_t up_to = 0;
            Term left = 0, right = 0;
            for (std::size_t s = 0; s < counters.slots; ++s) {
                up_to += counters.of[k][s];
                const std::int64_t below = up_to - static_cast<std::int64_t>(counters.before[s]) * total;
                if (counters.of[k][s] != 0 || below == 0)  // it changes, or a column begins
                    left = term(c, below), right = term(c, total - below);
                left_[s] += below;
                lefts[s] = merge(lefts[s], left);
                rights[s] = merge(rights[s], right);
            }
        }
        for (std::size_t s = 0; s < counters.slots; ++s) {
            const std::int64_t right = rows_ - left_[s];
            const bool parts = left_[s] > 0 && right > 0;
            cost_[s] = parts ? combine(left_[s], lefts[s]) + combine(right, rights[s]) : unreachable;
        }
    }
    template <class Term>
    auto& terms_of_sides() {
        if constexpr (std::integral<Term>)
            return whole_terms_;
        else
            return real_terms_;
    }

    void write(const Accuracy<std::int64_t>&, const ClassCounters& counters) {
        left_.assign(counters.slots, 0);
        most_left_.assign(counters.slots, 0);
        most_right_.assign(counters.slots, 0);
        for (std::size_t k = 0; k < counters.classes; ++k) {
            const auto total = static_cast<std::int64_t>(counters.totals[k]);
            std::int64_t up_to = 0;
            for (std::size_t s = 0; s < counters.slots; ++s) {
                up_to += counters.of[k][s];
                const std::int64_t below = up_to - static_cast<std::int64_t>(counters.before[s]) * total;
                left_[s] += below;
                most_left_[s] = std::max(most_left_[s], below);
                most_right_[s] = std::max(most_right_[s], total - below);
            }
        }
        for (std::size_t s = 0; s < counters.slots; ++s) {
            const bool parts = left_[s] > 0 && left_[s] < rows_;
            cost_[s] = parts ? rows_ - most_left_[s] - most_right_[s] : unreachable;
        }
    }

    std::vector<std::size_t> present_;  // classes that the node has
    std::vector<double> totals_;        // and their rows
    std::int64_t rows_ = 0;
    std::size_t classes_ = 0;
    const std::uint32_t* numeric_ = nullptr;  // counters of all columns; none: one column at a time
    std::span<const double> before_;
    bool is_written_ = false;
    std::vector<double> zeros_;
    std::vector<const std::uint32_t*> of_;
    std::vector<Cost> cost_;
    std::vector<double> space_;
    std::vector<std::int64_t> left_, terms_, most_left_, most_right_;
    std::array<std::vector<std::int64_t>, 2> whole_terms_;
    std::array<std::vector<double>, 2> real_terms_;
};

}  // namespace branchwork
