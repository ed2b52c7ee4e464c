// What a split is worth. A score answers `node(stats)`: the impurity of a node times its weight, so that
//
//     gain of a split  =  node(parent) - sum of node(child)          for two children or many.
//
// A score on class counts is written as  node = combine(n, sum of term(n_c)):  the sum can then be kept up to
// date while rows move from one side of a cut to the other, and the cost of a cut does not depend on the
// number of classes. A search compares sums of `combine`, of type Cost; `real` turns them into impurity.
// Every such score is concave in the counts: mixing two groups of rows never lowers it. Searches rely on
// that.
//
// Unit-weight terms are 64-bit integers. For entropy, x * log2(x) is taken from a table of fixed-point
// numbers: integers add up exactly in any order, so candidates that are equal on paper are equal here, bit
// for bit.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/stats.hpp"

namespace branchwork {

/// "Equal" and "zero" in this library: within this share of the parent's impurity ...
inline constexpr double relative_slack = 1e-12;
/// ... plus this share of the largest number that the impurity was computed from (its rounding error).
inline constexpr double rounding_slack = 1e-15;

inline double x_log2_x(double x) { return x > 0 ? x * std::log2(x) : 0; }

/// x * log2(x) for whole x, in fixed point. Tables are shared: logarithms would be half the time of a small
/// fit.
struct TermTable {
    std::vector<std::int64_t> terms;
    double unit = 1;

    /// A table for 0 ... n. Its size is a power of two, so the terms do not depend on which fit came first.
    static std::shared_ptr<const TermTable> up_to(std::size_t n);
};

/// Entropy of two classes in bits, at equal steps of the share of one of them.
struct EntropyChords {
    static constexpr std::size_t steps = 4096;
    double at[steps + 2];

    static const EntropyChords& get();
};

/// node = n log2 n - sum n_c log2 n_c   (bits times rows)
template <class Count>
class Entropy;

template <>
class Entropy<std::int64_t> {
  public:
    using Count = std::int64_t;
    using Term = std::int64_t;

    explicit Entropy(std::size_t n)
        : shared_(TermTable::up_to(n)), table_(shared_->terms.data()), unit_(shared_->unit) {}
    using Cost = std::int64_t;

    static constexpr Cost rounding = 8;  // of the six terms of a cut in two

    Term term(Count n) const { return table_[static_cast<std::size_t>(n)]; }
    Cost combine(Count n, Term terms) const { return term(n) - terms; }
    double real(Cost cost) const { return static_cast<double>(cost) * unit_; }
    Cost units(double cost) const { return static_cast<Cost>(cost / unit_); }
    double magnitude(Count n) const { return real(term(n)); }

  private:
    std::shared_ptr<const TermTable> shared_;
    const Term* table_;
    double unit_;
};

template <>
class Entropy<double> {
  public:
    using Count = double;
    using Term = double;
    using Cost = double;
    explicit Entropy(std::size_t) : chords_(EntropyChords::get().at) {}
    Term term(Count n) const { return x_log2_x(n); }
    static double real(Cost cost) { return cost; }
    static Cost units(double cost) { return cost; }
    double combine(Count n, Term terms) const { return x_log2_x(n) - terms; }
    double magnitude(Count n) const { return std::abs(x_log2_x(n)) + n; }
    /// Not above the impurity of two classes, without a logarithm: entropy is concave, so the chord between
    /// two points of a table lies below it. The last factor covers the rounding of both.
    double of_two_at_least(Count a, Count b) const {
        const double n = a + b;
        if (!(n > 0)) return 0;
        const double at = std::clamp(b / n, 0.0, 1.0) * EntropyChords::steps;
        const auto k = static_cast<std::size_t>(at);
        const double* const h = chords_ + k;
        return n * (h[0] + (at - static_cast<double>(k)) * (h[1] - h[0])) * (1 - 1e-12);
    }

  private:
    const double* chords_;
};

/// node = n - sum n_c^2 / n
template <class C>
class Gini {
  public:
    using Count = C;
    using Term = C;  // int64 holds n^2 for any table of fewer than 3 037 000 500 rows
    using Cost = double;
    explicit Gini(std::size_t) {}
    Term term(Count n) const { return n * n; }
    static double real(Cost cost) { return cost; }
    static Cost units(double cost) { return cost; }
    double combine(Count n, Term terms) const {
        return n > 0 ? static_cast<double>(n) - static_cast<double>(terms) / static_cast<double>(n) : 0;
    }
    double magnitude(Count n) const { return static_cast<double>(n); }
    /// Does a cut into m and n rows, whose class counts have these sums of squares, surely cost the limit or more? It costs
    /// m - a / m + n - b / n. Nothing is divided; the small factor covers rounding.
    static bool cut_at_least(double m, double a, double n, double b, double limit) {
        return (a * n + b * m) * (1 + 1e-12) < (m + n - limit) * (m * n);
    }
    /// Two classes: n - (a^2 + b^2) / n is 2 a b / n.
    static Cost of_two(Count a, Count b) {
        const double n = static_cast<double>(a) + static_cast<double>(b);
        return n > 0 ? 2 * static_cast<double>(a) * static_cast<double>(b) / n : 0;
    }
    /// Do all cuts in two, of `a` rows of one class and `b` of the other, surely cost the limit or more?
    /// With c and d of them on the left and m and n rows on both sides, a cut costs
    ///
    ///     (2 a b - 2 lean^2 / (m n)) / (a + b),     lean = a d - b c
    ///
    /// where `lean` is at most this far from 0, and m n is at least `product`. Nothing is divided; the small factors
    /// cover rounding.
    static bool cuts_at_least(double a, double b, double lean, double product, double limit) {
        const double all = 2 * a * b, most = lean + 1e-15 * all;
        return 2 * (1 + 1e-12) * most * most < (all * (1 - 4e-15) - limit * (a + b)) * product;
    }
};

/// node = n - max n_c   (rows that the majority gets wrong). Its "sum" is a maximum: see RunningMax in
/// sweep.hpp.
template <class C>
class Accuracy {
  public:
    using Count = C;
    using Cost = C;
    explicit Accuracy(std::size_t) {}
    static constexpr Cost rounding = 0;
    static double real(Cost cost) { return static_cast<double>(cost); }
    static Cost units(double cost) { return static_cast<Cost>(cost); }
    double magnitude(Count n) const { return std::integral<C> ? 0 : static_cast<double>(n); }
};

/// CART's: node = sum of squared deviations.
struct SquaredError {
    double node(const Moments& m) const { return m.squared_deviations(); }
    /// Cost of two branches of a node without a constant, which leaves less to compute at every cut.
    double pair(const Moments& left, const Moments& right) const {
        return -(square_over_weight(left) + square_over_weight(right));
    }
    double offset(const Moments& all) const { return all.q; }
    /// Is pair() surely not below a limit? The sum on the left is at most `left_sum` away from 0, and the product of
    /// the weights on both sides is at least `product`. The sum on the right differs from that on the left by the sum
    /// of all rows, which is almost 0 because numbers are about the mean. Nothing is divided; the factor covers
    /// rounding.
    static bool pair_at_least(double left_sum, double product, const Moments& all, double limit) {
        const double most = left_sum + std::abs(all.s);
        return most * most * (all.w * (1 + 1e-12)) < -limit * product;
    }

  private:
    static double square_over_weight(const Moments& m) { return m.w > 0 ? m.s * m.s / m.w : 0; }
};

/// The lecture's: node = n * variance with n - 1; a branch of one row has variance 0.
/// Not concave: a split may have a negative gain.
struct SampleVariance {
    /// Shares of rows that add up to one row must count as one, whatever rounding makes of their sum.
    static constexpr double one_row = 1 + 1e-9;

    double node(const Moments& m) const {
        return m.w > one_row ? m.w * m.squared_deviations() / (m.w - 1) : 0;
    }
    double pair(const Moments& left, const Moments& right) const { return node(left) + node(right); }
    double offset(const Moments&) const { return 0; }
};

/// Half the deviance of counts: node = 2 * (sum of t log t - s log(s / w)). The moments are about 0, and `q`
/// is the sum of w * t log t. A branch without counts has a rate of 0, which no later count would forgive: it
/// is refused beside one that has some, unless rates are made positive afterwards, as in rpart.
struct PoissonDeviance {
    bool may_be_empty = false;

    double node(const Moments& m) const {
        return m.s > 0 ? std::max(0.0, 2 * (m.q - m.s * std::log(m.s / m.w))) : 0;
    }
    double pair(const Moments& left, const Moments& right) const {
        if (!admits(left, right) || !admits(right, left)) return std::numeric_limits<double>::infinity();
        return -2 * (part(left) + part(right));
    }
    double offset(const Moments& all) const { return 2 * all.q; }
    bool admits(const Moments& branch) const { return may_be_empty || branch.s > 0; }
    /// Beside the rest of the node. A branch that was found by subtraction keeps a rounding error of counts.
    bool admits(const Moments& branch, const Moments& rest) const {
        return may_be_empty || branch.s > 1e-13 * rest.s;
    }

  private:
    static double part(const Moments& m) { return m.s > 0 ? m.s * std::log(m.s / m.w) : 0; }
};

template <class Score>
concept ClassScore = requires { typename Score::Count; };

template <ClassScore Score, class Counter>
double node(const Score& score, std::span<const Counter> counts, typename Score::Count total) {
    using Count = typename Score::Count;
    if constexpr (requires { score.of_counts(counts, total); }) {
        return score.of_counts(counts, total);
    } else if constexpr (requires { typename Score::Term; }) {
        typename Score::Term terms = 0;
        for (const Counter n : counts) terms += score.term(static_cast<Count>(n));
        return score.real(score.combine(total, terms));
    } else {
        return static_cast<double>(
            total - static_cast<Count>(counts.empty() ? 0 : *std::ranges::max_element(counts)));
    }
}

template <ClassScore Score, std::size_t Classes>
double node(const Score& score, const ClassCounts<typename Score::Count, Classes>& stats) {
    return node(score, std::span<const typename Score::Count>(stats.of), stats.total);
}

template <class Score>
    requires(!ClassScore<Score>)
double node(const Score& score, const Moments& stats) {
    return score.node(stats);
}

/// May a split have such a branch, or two such branches?
template <class Score, class Stats>
bool admits(const Score& score, const Stats& branch) {
    if constexpr (requires { score.admits(branch); })
        return score.admits(branch);
    else
        return true;
}

template <class Score, class Stats>
bool admits_both(const Score& score, const Stats& left, const Stats& right) {
    if constexpr (requires { score.admits(left, right); })
        return score.admits(left, right) && score.admits(right, left);
    else
        return true;
}

/// How much better a later candidate must be to win, in the units of `node`.
template <ClassScore Score, std::size_t Classes>
double slack(const Score& score, const ClassCounts<typename Score::Count, Classes>& parent) {
    double magnitude = 0;
    if constexpr (requires { score.magnitude_of(std::span<const double>(parent.of), parent.total); })
        magnitude = score.magnitude_of(std::span<const double>(parent.of), parent.total);
    else
        magnitude = score.magnitude(parent.total);
    return relative_slack * std::abs(node(score, parent)) + rounding_slack * magnitude;
}

template <class Score>
    requires(!ClassScore<Score>)
double slack(const Score& score, const Moments& parent) {
    return relative_slack * score.node(parent) + rounding_slack * std::abs(parent.q);
}

}  // namespace branchwork
