// A cut that moves over sorted rows: everything starts on the right, one row at a time moves to the left, and
// `cost()` is node(left) + node(right) at any moment.
//
//        left                 right
//     . . . . . . . |  . . . . . . . . . .
//                   '-> move(label, weight) takes the next row across
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/score.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// Sums of terms on both sides. With integers they are kept up to date, O(1) a row for any number of classes;
/// with real weights they are summed anew at each cut, because a running sum of doubles would drift.
template <ClassScore Score>
    requires requires { typename Score::Term; }
class TermSweep {
    using Count = typename Score::Count;
    using Term = typename Score::Term;

  public:
    TermSweep(const Score& score, std::size_t classes) : score_(score), left_(classes), right_(classes) {}

    void start(const ClassCounts<Count>& all) {
        std::ranges::fill(left_.of, Count{0});
        left_.total = 0;
        right_ = all;
        left_terms_ = right_terms_ = 0;
        for (const Count n : right_.of) right_terms_ += score_.term(n);
    }
    void move(std::int32_t cls, Count w) {
        Count& l = left_.of[static_cast<std::size_t>(cls)];
        Count& r = right_.of[static_cast<std::size_t>(cls)];
        if constexpr (std::integral<Count>) {
            left_terms_ += score_.term(l + w) - score_.term(l);
            right_terms_ += score_.term(r - w) - score_.term(r);
        }
        l += w, r -= w;
        left_.total += w, right_.total -= w;
    }
    double cost() const {
        if constexpr (std::integral<Count>)
            return score_.combine(left_.total, left_terms_) + score_.combine(right_.total, right_terms_);
        else
            return node(score_, left_) + node(score_, right_);
    }
    double left_weight() const { return left_.weight(); }

  private:
    const Score& score_;
    ClassCounts<Count> left_, right_;
    Term left_terms_ = 0, right_terms_ = 0;
};

/// The largest of many counts while they shrink one by one.
///
/// Integers: `holders_[k]` is the number of classes that stand at k. When the last holder of the maximum
/// loses a row, the new maximum is exactly one less. O(1) a row, whatever the number of classes. Doubles:
/// looked up anew only when the leader loses weight.
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
    MajoritySweep(const Accuracy<Count>&, std::size_t classes) : left_(classes), right_(classes) {}

    void start(const ClassCounts<Count>& all) { start(ClassCounts<Count>(all.of.size()), all); }
    void start(const ClassCounts<Count>& left, const ClassCounts<Count>& right) {
        right_max_.finish(right_.of);
        left_ = left;
        left_max_ = *std::ranges::max_element(left_.of);
        right_ = right;
        right_max_.start(right_.of);
    }
    const ClassCounts<Count>& left() const { return left_; }
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
    double cost() const {
        return static_cast<double>(left_.total - left_max_) +
               static_cast<double>(right_.total - right_max_.value());
    }
    double left_weight() const { return left_.weight(); }

  private:
    ClassCounts<Count> left_, right_;
    Count left_max_ = 0;
    ShrinkingMax<Count> right_max_;
};

/// Two classes with unit weights: both sides follow from two running counts, and nothing but these is kept up
/// to date.
template <ClassScore Score>
class PairSweep {
    using Count = std::int64_t;

  public:
    explicit PairSweep(const Score& score) : score_(score) {}

    void start(const ClassCounts<Count>& all) {
        zeros_ = all.of[0], ones_ = all.of[1];
        left_ = left_ones_ = 0;
    }
    void move(std::int32_t cls, Count w) {
        left_ += w;
        left_ones_ += cls * w;
    }
    double cost() const {
        const Count left_zeros = left_ - left_ones_;
        return node_of_two(left_zeros, left_ones_) + node_of_two(zeros_ - left_zeros, ones_ - left_ones_);
    }
    double left_weight() const { return static_cast<double>(left_); }

  private:
    double node_of_two(Count a, Count b) const {
        if constexpr (requires { typename Score::Term; })
            return score_.combine(a + b, score_.term(a) + score_.term(b));
        else
            return static_cast<double>(std::min(a, b));
    }
    const Score& score_;
    Count zeros_ = 0, ones_ = 0, left_ = 0, left_ones_ = 0;
};

template <class Score>
class MomentSweep {
  public:
    MomentSweep(const Score& score, std::size_t) : score_(score) {}
    void start(const Moments& all) { left_ = {}, all_ = all; }
    void move(double t, double w) { left_.add(t, w); }
    void move(const Moments& group) { left_ += group; }
    double cost() const { return score_.node(left_) + score_.node(right()); }
    double left_weight() const { return left_.w; }

  private:
    Moments right() const {
        Moments rest = all_;
        rest -= left_;
        return rest;
    }
    const Score& score_;
    Moments left_, all_;
};

template <class Score>
struct SweepOf {
    using type = MomentSweep<Score>;
};
template <ClassScore Score>
struct SweepOf<Score> {
    using type = TermSweep<Score>;
};
template <class Count>
struct SweepOf<Accuracy<Count>> {
    using type = MajoritySweep<Count>;
};
template <class Score>
using Sweep = typename SweepOf<Score>::type;

}  // namespace branchwork
