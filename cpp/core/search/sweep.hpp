// A cut that moves over sorted rows: everything starts on the right, one row at a time moves to the left, and
// `raw()` is node(left) + node(right) at any moment, in the score's own units (but for a constant, for
// numbers); `real(raw)` is the cost in the units of impurity.
//
//        left                 right
//     . . . . . . . |  . . . . . . . . . .
//                   '-> move(label, weight) takes the next row across
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/score.hpp"
#include "core/search/move_classes.hpp"
#include "core/search/own_sweep.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// The limit, rounded up to an integer so that no cost below it is lost.
template <class Cost>
Cost limit_of(Cost units) {
    return std::integral<Cost> ? units + 1 : units;
}

/// A running sum of doubles whose rounding errors are summed beside it, so that it does not drift.
class CarefulSum {
  public:
    void add(double x) {
        const double sum = sum_ + x, added = sum - sum_;
        lost_ += (sum_ - (sum - added)) + (x - added);
        sum_ = sum;
    }
    double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0, lost_ = 0;
};

/// Sums of terms on both sides. With integers they are kept up to date, in O(1) per row for any number of classes; with
/// real weights they are summed anew at each cut, because a running sum of doubles would drift. With very many classes
/// that would take too long, so the sums are kept up to date with their rounding errors.
template <ClassScore Score>
    requires requires { typename Score::Term; }
class TermSweep {
    using Count = typename Score::Count;
    using Term = typename Score::Term;

  public:
    TermSweep(const Score& score, std::size_t classes) : score_(&score), left_(classes), right_(classes) {}

    using Cost = typename Score::Cost;

    void start(const ClassCounts<Count>& left, const ClassCounts<Count>& right) {
        left_ = left;
        right_ = right;
        left_terms_ = right_terms_ = 0;
        for (const Count n : left_.of) left_terms_ += score_->term(n);
        for (const Count n : right_.of) right_terms_ += score_->term(n);
        if (runs_) {
            start(left_.of, left_run_);
            start(right_.of, right_run_);
        }
    }
    /// Sets whether sums of real numbers are kept up to date, from the next start on.
    void let_run(bool runs)
        requires(!std::integral<Count>)
    {
        runs_ = runs;
    }
    void move(std::int32_t cls, Count w) {
        Count& l = left_.of[static_cast<std::size_t>(cls)];
        Count& r = right_.of[static_cast<std::size_t>(cls)];
        if constexpr (std::integral<Count>) {
            left_terms_ += score_->term(l + w) - score_->term(l);
            right_terms_ += score_->term(r - w) - score_->term(r);
        }
        l += w, r -= w;
        left_.total += w, right_.total -= w;
        if (runs_) {
            left_run_.set(static_cast<std::size_t>(cls), static_cast<double>(score_->term(l)));
            right_run_.set(static_cast<std::size_t>(cls), static_cast<double>(score_->term(r)));
        }
    }
    void move(const ClassCounts<Count>& rows) { move_classes(*this, rows); }
    Cost raw() const {
        if constexpr (std::integral<Count>)
            return left_raw() + right_raw();
        else if (runs_)
            return score_->combine(left_.total, left_run_.sum.value()) +
                   score_->combine(right_.total, right_run_.sum.value());
        else
            return node(*score_, left_) + node(*score_, right_);
    }
    /// What each side costs.
    Cost left_raw() const
        requires std::integral<Count>
    {
        return score_->combine(left_.total, left_terms_);
    }
    Cost right_raw() const
        requires std::integral<Count>
    {
        return score_->combine(right_.total, right_terms_);
    }
    double real(Cost raw) const { return score_->real(raw); }
    Cost units(double cost) const { return score_->units(cost); }
    Cost limit(double cost) const { return limit_of<Cost>(units(cost)); }
    double cost() const { return real(raw()); }
    const ClassCounts<Count>& left() const { return left_; }
    const ClassCounts<Count>& right() const { return right_; }

  private:
    /// The term of each class, and their sum.
    struct Run {
        std::vector<double> term;
        CarefulSum sum;

        void set(std::size_t cls, double now) {
            sum.add(now);
            sum.add(-term[cls]);
            term[cls] = now;
        }
    };
    void start(const std::vector<Count>& counts, Run& run) const {
        run = {std::move(run.term), {}};
        run.term.assign(counts.size(), 0.0);
        for (std::size_t c = 0; c < counts.size(); ++c)
            run.set(c, static_cast<double>(score_->term(counts[c])));
    }

    const Score* score_;
    ClassCounts<Count> left_, right_;
    Term left_terms_ = 0, right_terms_ = 0;
    bool runs_ = false;
    Run left_run_, right_run_;
};

/// The largest of many counts while they shrink one by one.
///
/// Integers: `holders_[k]` is the number of classes that stand at k. When the last holder of the maximum
/// loses a row, the new maximum is exactly one less. This takes O(1) per row for any number of classes. Doubles: looked
/// up anew only when the leader loses weight.
template <class Count>
class ShrinkingMax {
  public:
    void start(const std::vector<Count>& counts) {
        at_ = counts.empty() ? Count{0} : *std::ranges::max_element(counts);
        if constexpr (std::integral<Count>) {
            if (holders_.size() <= static_cast<std::size_t>(at_))
                holders_.resize(static_cast<std::size_t>(at_) + 1);
            for (const Count n : counts) ++holders_[static_cast<std::size_t>(n)];
        }
    }
    /// `counts[cls]` has just gone from `before` to `after`.
    void shrink(const std::vector<Count>& counts, Count before, Count after) {
        if constexpr (std::integral<Count>) {
            ++holders_[static_cast<std::size_t>(after)];
            if (--holders_[static_cast<std::size_t>(before)] == 0 && before == at_)
                while (holders_[static_cast<std::size_t>(at_)] == 0) --at_;
        } else if (before == at_) {
            at_ = *std::ranges::max_element(counts);
        }
    }
    void finish(const std::vector<Count>& counts) {
        if constexpr (std::integral<Count>)
            if (!holders_.empty())
                for (const Count n : counts) holders_[static_cast<std::size_t>(n)] = 0;
    }
    Count value() const { return at_; }

  private:
    Count at_ = 0;
    std::vector<std::int32_t> holders_;
};

/// Rows that the majority of each side gets wrong.
template <class Count>
class MajoritySweep {
  public:
    using Cost = Count;

    MajoritySweep(const Accuracy<Count>&, std::size_t classes) : left_(classes), right_(classes) {}

    void start(const ClassCounts<Count>& left, const ClassCounts<Count>& right) {
        right_max_.finish(right_.of);
        left_ = left;
        left_max_ = *std::ranges::max_element(left_.of);
        right_ = right;
        right_max_.start(right_.of);
    }
    void move(std::int32_t cls, Count w) {
        Count& l = left_.of[static_cast<std::size_t>(cls)];
        Count& r = right_.of[static_cast<std::size_t>(cls)];
        l += w;
        left_max_ = std::max(left_max_, l);
        const Count before = r;
        r -= w;
        right_max_.shrink(right_.of, before, r);
        left_.total += w, right_.total -= w;
    }
    void move(const ClassCounts<Count>& rows) { move_classes(*this, rows); }
    Cost raw() const { return left_raw() + right_raw(); }
    /// What each side costs.
    Cost left_raw() const { return left_.total - left_max_; }
    Cost right_raw() const { return right_.total - right_max_.value(); }
    static double real(Cost raw) { return static_cast<double>(raw); }
    static Cost units(double cost) { return static_cast<Cost>(cost); }
    static Cost limit(double cost) { return limit_of<Cost>(units(cost)); }
    double cost() const { return real(raw()); }
    const ClassCounts<Count>& left() const { return left_; }
    const ClassCounts<Count>& right() const { return right_; }

  private:
    ClassCounts<Count> left_, right_;
    Count left_max_ = 0;
    ShrinkingMax<Count> right_max_;
};

/// Two classes: both sides follow from two running counts, and nothing but these is kept up to date.
template <ClassScore Score>
class PairSweep {
    using Count = typename Score::Count;
    using Counts = ClassCounts<Count, 2>;

  public:
    using Cost = typename Score::Cost;

    explicit PairSweep(const Score& score, std::size_t = 2) : score_(&score) {}

    void start(const Counts& left, const Counts& right) {
        left_zeros_ = left.of[0], left_ones_ = left.of[1];
        zeros_ = left.of[0] + right.of[0], ones_ = left.of[1] + right.of[1];
    }
    void move(std::int32_t cls, Count w) {
        const Count one = static_cast<Count>(cls) * w;
        left_zeros_ += w - one;
        left_ones_ += one;
    }
    void move(const Counts& rows) { left_zeros_ += rows.of[0], left_ones_ += rows.of[1]; }
    [[gnu::always_inline]] Cost raw() const {
        return node_of_two(left_zeros_, left_ones_) + node_of_two(zeros_ - left_zeros_, ones_ - left_ones_);
    }
    /// True only if raw() would not be below the limit: cheaper than raw() where that takes logarithms.
    bool surely_at_least(Cost limit) const
        requires requires(const Score& s, Count n) { s.of_two_at_least(n, n); }
    {
        return at_least(left_zeros_, left_ones_) >= limit;
    }
    /// Rows ahead of the sweep. Both counts only rise, so all cuts on the way lie in a rectangle of counts.
    /// If the left side has the larger share of zeros, one more zero on the left costs less and one more one
    /// costs more, because impurity is concave; otherwise it is the other way round. So the cost is least
    /// where all rows of one class have moved and none of the other: at one of two corners.
    struct Ahead {
        Count zeros, ones;

        void move(std::int32_t cls, Count w) {
            const Count one = static_cast<Count>(cls) * w;
            zeros += w - one;
            ones += one;
        }
    };
    Ahead ahead() const { return {left_zeros_, left_ones_}; }
    void jump(const Ahead& ahead) { left_zeros_ = ahead.zeros, left_ones_ = ahead.ones; }
    bool surely_at_least(const Ahead& ahead, Cost limit) const {
        if constexpr (requires { Score::cuts_at_least(0.0, 0.0, 0.0, 0.0, limit); })
            return cuts_at_least(ahead, limit);
        if constexpr (requires { score_->is_concave(); })
            return score_->is_homogeneous() ? two_corners_at_least(ahead, limit)
                                            : corners_at_least(ahead, limit);
        Cost least = std::min(at_least(ahead.zeros, left_ones_), at_least(left_zeros_, ahead.ones));
        if constexpr (std::integral<Cost>)
            least -= Score::rounding;
        else
            least *= 1 - 1e-12;
        return least >= limit;
    }
    double real(Cost raw) const { return score_->real(raw); }
    Cost units(double cost) const { return score_->units(cost); }
    Cost limit(double cost) const { return limit_of<Cost>(units(cost)); }
    double cost() const { return real(raw()); }
    Counts left() const { return counts(left_zeros_, left_ones_); }
    Counts right() const { return counts(zeros_ - left_zeros_, ones_ - left_ones_); }

  private:
    /// How much the left leans to a class is linear in the counts, so it is largest at one of two corners; the product
    /// of both sides' rows is concave, so it is least at one of the ends.
    bool cuts_at_least(const Ahead& ahead, Cost limit) const {
        const auto zeros = static_cast<double>(zeros_), ones = static_cast<double>(ones_);
        const auto from_zeros = static_cast<double>(left_zeros_), from_ones = static_cast<double>(left_ones_);
        const auto to_zeros = static_cast<double>(ahead.zeros), to_ones = static_cast<double>(ahead.ones);
        const double lean = std::max(std::abs(zeros * from_ones - ones * to_zeros),
                                     std::abs(zeros * to_ones - ones * from_zeros));
        const auto product = [all = zeros + ones](double left) { return left * (all - left); };
        return Score::cuts_at_least(
            zeros, ones, lean, std::min(product(from_zeros + from_ones), product(to_zeros + to_ones)), limit);
    }
    /// A user's own score that behaves as the built-in ones do.
    bool two_corners_at_least(const Ahead& ahead, Cost limit) const {
        limit += score_->below_two_corners(zeros_ + ones_);
        return at_least(ahead.zeros, left_ones_) >= limit && at_least(left_zeros_, ahead.ones) >= limit;
    }
    /// A score that is concave in each count, but of which nothing else is known: all four corners.
    bool corners_at_least(const Ahead& ahead, Cost limit) const {
        if (!score_->is_concave()) return false;
        limit += score_->below_corners(ahead.zeros - left_zeros_, ahead.ones - left_ones_, zeros_ + ones_);
        return at_least(ahead.zeros, left_ones_) >= limit && at_least(left_zeros_, ahead.ones) >= limit &&
               at_least(left_zeros_, left_ones_) >= limit && at_least(ahead.zeros, ahead.ones) >= limit;
    }
    /// A lower bound on the cost of a cut with these counts on the left.
    Cost at_least(Count zeros, Count ones) const {
        if constexpr (requires { score_->of_two_at_least(zeros, ones); })
            return score_->of_two_at_least(zeros, ones) +
                   score_->of_two_at_least(zeros_ - zeros, ones_ - ones);
        else
            return node_of_two(zeros, ones) + node_of_two(zeros_ - zeros, ones_ - ones);
    }
    Cost node_of_two(Count a, Count b) const {
        if constexpr (requires { score_->of_two(a, b); })
            return score_->of_two(a, b);
        else if constexpr (requires { typename Score::Term; })
            return score_->combine(a + b, score_->term(a) + score_->term(b));
        else
            return std::min(a, b);
    }
    static Counts counts(Count zeros, Count ones) {
        Counts both;
        both.of = {zeros, ones};
        both.total = zeros + ones;
        return both;
    }
    const Score* score_;
    Count zeros_ = 0, ones_ = 0, left_zeros_ = 0, left_ones_ = 0;
};

/// Numbers: weight and sum of the left side are kept up to date, and the squares only where the score of two
/// branches needs them.
template <class Score>
class MomentSweep {
    static constexpr bool needs_squares = !requires { Score::pair_at_least(0.0, 0.0, Moments{}, 0.0); };

  public:
    using Cost = double;

    MomentSweep(const Score& score, std::size_t) : score_(&score) {}
    void start(const Moments& left, const Moments& right) {
        w_ = left.w, s_ = left.s, q_ = left.q;
        all_ = left;
        all_ += right;
        offset_ = score_->offset(all_);
    }
    void move(const Moments& rows) {
        w_ += rows.w, s_ += rows.s;
        if constexpr (needs_squares) q_ += rows.q;
    }
    Cost raw() const { return score_->pair(left(), right()); }
    /// True only if raw() would not be below the limit: cheaper than raw() where that divides.
    bool surely_at_least(Cost limit) const
        requires(!needs_squares)
    {
        return Score::pair_at_least(std::abs(s_), w_ * (all_.w - w_), all_, limit);
    }
    /// Rows ahead of the sweep: where it will stand, and how far from 0 the sum gets on the way.
    struct Ahead {
        double w, s;
        double farthest = 0;

        void move(const Moments& row) {
            w += row.w, s += row.s;
            farthest = std::max(farthest, std::abs(s));
        }
    };
    Ahead ahead() const
        requires(!needs_squares)
    {
        return {w_, s_};
    }
    void jump(const Ahead& ahead) { w_ = ahead.w, s_ = ahead.s; }
    bool surely_at_least(const Ahead& ahead, Cost limit) const {
        const auto product = [this](double w) { return w * (all_.w - w); };  // concave
        return Score::pair_at_least(ahead.farthest, std::min(product(w_), product(ahead.w)), all_, limit);
    }
    double real(Cost raw) const { return std::max(0.0, raw + offset_); }
    static Cost units(double cost) { return cost; }
    Cost limit(double cost) const { return cost - offset_; }
    double cost() const { return real(raw()); }
    Moments left() const { return {w_, s_, q_}; }
    Moments right() const { return {all_.w - w_, all_.s - s_, all_.q - q_}; }

  private:
    const Score* score_;
    double w_ = 0, s_ = 0, q_ = 0;
    Moments all_;
    double offset_ = 0;
};

/// A run of rows that a sweep has passed, and may come back to.
template <class Ahead>
struct Run {
    std::size_t begin;
    Ahead from, to;
};
template <class SweepT>
struct RunsOf {
    using type = std::vector<Run<int>>;  // for sweeps that never come back
};
template <class SweepT>
    requires requires { typename SweepT::Ahead; }
struct RunsOf<SweepT> {
    using type = std::vector<Run<typename SweepT::Ahead>>;
};

/// The sweep for a score and the statistics of a target.
template <class Score, class Stats>
struct SweepOf {
    using type = MomentSweep<Score>;
};
template <class Score, class Count>
struct SweepOf<Score, ClassCounts<Count>> {
    using type = TermSweep<Score>;
};
template <class Count>
struct SweepOf<Accuracy<Count>, ClassCounts<Count>> {
    using type = MajoritySweep<Count>;
};
template <class Count>
struct SweepOf<OwnScore<Count>, ClassCounts<Count>> {
    using type = OwnSweep<Count>;
};
template <>
struct SweepOf<AskedScore, ClassCounts<double>> {
    using type = AskedSweep<0>;
};
template <>
struct SweepOf<AskedScore, ClassCounts<double, 2>> {
    using type = AskedSweep<2>;
};
template <class Score, class Count>
struct SweepOf<Score, ClassCounts<Count, 2>> {
    using type = PairSweep<Score>;
};
template <class Score, class Stats>
using Sweep = typename SweepOf<Score, Stats>::type;

}  // namespace branchwork
