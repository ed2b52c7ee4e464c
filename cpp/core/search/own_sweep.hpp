// The sweeps of a user's own scores: from tables, cut by cut, and for scores that are asked about many cuts at once. What a
// sweep is, sweep.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/asked_score.hpp"
#include "core/own_score.hpp"
#include "core/score.hpp"
#include "core/search/move_classes.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// A user's own score. Sums of terms are kept up to date where the terms are integers; otherwise each cost is computed
/// from all counts of a side.
template <class Count>
class OwnSweep {
  public:
    using Cost = double;

    OwnSweep(const OwnScore<Count>& score, std::size_t classes)
        : score_(&score), left_(classes), right_(classes) {}

    void start(const ClassCounts<Count>& left, const ClassCounts<Count>& right) {
        left_ = left;
        right_ = right;
        left_terms_ = right_terms_ = 0;
        if (!score_->has_running_terms()) return;
        for (std::size_t c = 0; c < left_.of.size(); ++c) {
            left_terms_ += score_->fixed_term(c, left_.of[c]);
            right_terms_ += score_->fixed_term(c, right_.of[c]);
        }
    }
    void move(std::int32_t cls, Count w) {
        const auto c = static_cast<std::size_t>(cls);
        Count &l = left_.of[c], &r = right_.of[c];
        if (score_->has_running_terms()) {
            left_terms_ += score_->fixed_term(c, l + w) - score_->fixed_term(c, l);
            right_terms_ += score_->fixed_term(c, r - w) - score_->fixed_term(c, r);
        }
        l += w, r -= w;
        left_.total += w, right_.total -= w;
    }
    void move(const ClassCounts<Count>& rows) { move_classes(*this, rows); }
    Cost raw() const { return left_raw() + right_raw(); }
    /// What each side costs.
    Cost left_raw() const { return side(left_, left_terms_); }
    Cost right_raw() const { return side(right_, right_terms_); }
    static double real(Cost raw) { return raw; }
    static Cost units(double cost) { return cost; }
    static Cost limit(double cost) { return cost; }
    double cost() const { return raw(); }
    const ClassCounts<Count>& left() const { return left_; }
    const ClassCounts<Count>& right() const { return right_; }

  private:
    Cost side(const ClassCounts<Count>& rows, std::int64_t terms) const {
        return score_->has_running_terms() ? score_->combine(rows.total, terms) : node(*score_, rows);
    }
    const OwnScore<Count>* score_;
    ClassCounts<Count> left_, right_;
    std::int64_t left_terms_ = 0, right_terms_ = 0;
};

/// A score that is asked about many cuts at once: nothing but the weights on both sides is kept.
template <std::size_t Classes>
class AskedSweep {
    using Counts = ClassCounts<double, Classes>;

  public:
    using Cost = double;

    AskedSweep(const AskedScore&, std::size_t classes) : left_(classes), right_(classes) {}

    void start(const Counts& left, const Counts& right) { left_ = left, right_ = right; }
    void move(std::int32_t cls, double w) {
        left_.add(cls, w);
        right_.add(cls, -w);
    }
    void move(const Counts& rows) {
        left_ += rows;
        right_ -= rows;
    }
    static Cost units(double cost) { return cost; }
    static Cost limit(double cost) { return cost; }
    const Counts& left() const { return left_; }
    const Counts& right() const { return right_; }

  private:
    Counts left_, right_;
};

}  // namespace branchwork
