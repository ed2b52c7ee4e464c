// A user's own score on whole class counts, from tables:
//
//     node  =  offset(n) + scale(n) * sum of term(n_c)              or the maximum of the terms instead of their sum
//
// The functions are tabulated once per fit for all counts from 0 to the number of rows, so that a search only looks
// them up. A node without rows costs 0, and so does the term of a class without rows.
//
// With two classes every cost is computed afresh from two terms. With more, the sum of terms is kept up to date while
// rows cross a cut; a running sum of doubles would drift, so the terms are then integers in fixed point (as those of
// entropy are). Terms that differ too much in size for that, and maxima, are looked up anew for each cut.
//
// What searches know of the built-in scores, that they are concave and homogeneous, nobody has proved of a user's. Where
// the scale is one number, two weaker facts can be proved from the tables in one pass each (see own_score.cpp), and
// searches use them if they hold:
//
//     is_concave    along the count of one class, the others held: within a box of counts the cost of a cut is then
//                   least at one of the corners
//     is_monotone   one more row never lowers the cost of a node
//
// Where terms and scale are powers, as those of Gini, Tsallis entropy and accuracy are, more can be proved:
//
//     is_homogeneous    twice the rows of every class cost twice as much, and the cost is concave in all counts together:
//                       the least cost in a box of counts is then at one of two corners, as for the built-in scores
//     is_linear         terms and offset are multiples of the count, to the bit: they are computed, not looked up
//
// Otherwise every cut is scored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/stats.hpp"

namespace branchwork {

struct OwnTables {
    struct PerTotal {
        double offset = 0, scale = 0;
    };

    /// `offset` and `scale` have a number for each count 0 ... n, `terms` one such table for each class, one after the
    /// other, or one table for all. The numbers for count 0 are not used.
    OwnTables(std::span<const double> offset, std::span<const double> scale, std::span<const double> terms,
              std::size_t classes, bool by_maximum);

    std::size_t stride = 0;  // numbers in a table: the largest count, and one more
    std::size_t classes = 0;
    bool per_class = false;  // is there a table of terms for each class?
    bool by_maximum = false;
    std::vector<PerTotal> of_total;
    std::vector<double> terms;
    std::vector<std::int64_t> fixed;  // the terms as integers; empty: not exact enough, or not needed
    double unit = 1;                  // of these integers
    std::vector<double> magnitude;    // of numbers that a node of up to so many rows is computed from

    bool is_concave = false;
    double curvature = 0;  // no second difference is above this (rounding)
    bool is_monotone = false;
    double fall = 0;  // no row lowers the cost by more than this (rounding)
    bool is_homogeneous = false;
    double deviation = 0;  // of the tables from powers, as a share of the magnitude (rounding)
    bool is_linear = false;

  private:
    void make_fixed();
    void prove_shape();
    void recognise_powers();
};

/// The score that the tables describe. Counts are integers, or whole numbers held as doubles: rows with whole weights.
template <class C>
class OwnScore {
  public:
    using Count = C;
    using Cost = double;

    explicit OwnScore(std::shared_ptr<const OwnTables> tables)
        : tables_(std::move(tables)),
          of_total_(tables_->of_total.data()),
          terms_(tables_->terms.data()),
          fixed_(tables_->fixed.empty() ? nullptr : tables_->fixed.data()),
          unit_(tables_->unit),
          ones_at_(tables_->per_class ? tables_->stride : 0),
          by_maximum_(tables_->by_maximum),
          is_linear_(tables_->is_linear),
          of_row_{terms_[1], terms_[ones_at_ + 1], of_total_[1].offset, of_total_[1].scale} {}

    static double real(Cost cost) { return cost; }
    static Cost units(double cost) { return cost; }
    double magnitude(Count n) const { return tables_->magnitude[index(n)]; }

    /// Can sums of terms be kept up to date?
    bool has_running_terms() const { return fixed_ != nullptr; }
    std::int64_t fixed_term(std::size_t cls, Count n) const { return fixed_[cls * ones_at_ + index(n)]; }
    Cost combine(Count n, std::int64_t fixed_terms) const {
        return combine(n, static_cast<double>(fixed_terms) * unit_);
    }
    double term(std::size_t cls, Count n) const { return terms_[cls * ones_at_ + index(n)]; }
    bool by_maximum() const { return by_maximum_; }
    Cost combine(Count n, double terms) const {
        const OwnTables::PerTotal& of = of_total_[index(n)];
        return of.offset + of.scale * terms;
    }

    template <class Counter>
    Cost of_counts(std::span<const Counter> counts, Count total) const {
        if (has_running_terms()) {
            std::int64_t sum = 0;
            for (std::size_t c = 0; c < counts.size(); ++c)
                sum += fixed_term(c, static_cast<Count>(counts[c]));
            return combine(total, sum);
        }
        double terms = by_maximum_ ? term(0, static_cast<Count>(counts[0])) : 0;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const double one = term(c, static_cast<Count>(counts[c]));
            terms = by_maximum_ ? std::max(terms, one) : terms + one;
        }
        return combine(total, terms);
    }
    /// Two classes.
    Cost of_two(Count zeros, Count ones) const {
        if (is_linear_) {  // the very numbers of the tables
            const double a = of_row_.zero * static_cast<double>(zeros);
            const double b = of_row_.one * static_cast<double>(ones);
            const double all = of_row_.offset * static_cast<double>(zeros + ones);
            return all + of_row_.scale * (by_maximum_ ? std::max(a, b) : a + b);
        }
        const double a = terms_[index(zeros)], b = terms_[ones_at_ + index(ones)];
        return combine(zeros + ones, by_maximum_ ? std::max(a, b) : a + b);
    }

    /// Is the cost of a cut, within a box of counts, least where all rows of one class have moved and none of the other?
    bool is_homogeneous() const { return tables_->is_homogeneous; }
    /// By how much it may be less, because numbers are rounded, in a node of n rows.
    double below_two_corners(Count n) const { return 8 * tables_->deviation * magnitude(n); }
    /// Is the cost of a cut, within a box of counts, least at one of the corners?
    bool is_concave() const { return tables_->is_concave; }
    /// By how much it may be less inside, because numbers are rounded: a box of so many rows of each class, in a node of
    /// n rows.
    double below_corners(Count zeros, Count ones, Count n) const {
        const auto a = static_cast<double>(zeros), b = static_cast<double>(ones);
        return tables_->curvature * (a * a + b * b) + 4e-15 * magnitude(n);
    }
    /// A bound on the cost of branches that have some of n rows, from the cost of parts of these branches; less what
    /// rounding may have added to it.
    Cost surely_below(Cost bound, Count n) const {
        if (!tables_->is_monotone) return -std::numeric_limits<double>::infinity();
        return bound - tables_->fall * static_cast<double>(n) - 4e-15 * magnitude(n);
    }

  private:
    static std::size_t index(Count n) { return static_cast<std::size_t>(n); }

    std::shared_ptr<const OwnTables> tables_;
    const OwnTables::PerTotal* of_total_;
    const double* terms_;
    const std::int64_t* fixed_;
    double unit_;
    std::size_t ones_at_;  // where the terms of class 1 begin, and of each later class after the one before
    bool by_maximum_, is_linear_;
    struct PerRow {
        double zero, one, offset, scale;
    };
    PerRow of_row_;  // of a linear score: the terms of both classes, offset and scale
};

}  // namespace branchwork
