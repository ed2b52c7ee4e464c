// The cost of a leaf as an integer: errors or misclassification costs of classes, squared errors of numbers.
//
// A loss is a template argument of the search. It defines additive statistics (an array of `width` integers) and the
// cost of a leaf with given statistics. Doubles are scaled to integers by a power of two. Integer weights and costs
// stay as they are; others keep about 60 bits of the total.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/optimal/settings.hpp"
#include "core/target.hpp"

namespace branchwork::optimal {

/// Returns the factor that turns numbers into integers: 1 if they are integers with a total of at most 2^bits,
/// otherwise the largest power of two that keeps `total` within 2^bits.
double scale_for(std::span<const double> numbers, double total, int bits);

class ClassLoss {
  public:
    /// `costs[c * classes + k]` is the cost of predicting class k for a row of class c; if empty, every error costs 1.
    /// The penalty per leaf is needed for the scale: if it is not an integer, costs need a finer one.
    ClassLoss(const Target& target, std::span<const double> costs, double penalty);

    /// The statistics have one number per class: without costs its weight, with costs what all rows cost if the leaf
    /// predicts it.
    std::size_t width() const { return classes_; }
    double unit() const { return unit_; }
    /// Whether every error costs the same, namely `error_cost`, so that it is enough to count rows.
    bool counts_rows() const { return weight_.empty() && !has_costs(); }
    Cost error_cost() const { return one_; }
    /// Writes what all rows together cost if the leaf predicts each class.
    void answers(const Cost* stats, Cost* out) const {
        const Cost all = has_costs() ? 0 : std::reduce(stats, stats + classes_, Cost{0});
        for (std::size_t c = 0; c < classes_; ++c) out[c] = has_costs() ? stats[c] : all - stats[c];
    }
    bool has_costs() const { return !costs_.empty(); }
    std::size_t classes() const { return classes_; }
    std::int32_t code(Row row) const { return codes_[row]; }

    void add(Cost* stats, Row row) const {
        const auto c = static_cast<std::size_t>(codes_[row]);
        if (!has_costs()) {
            stats[c] += weight_.empty() ? one_ : weight_[row];
            return;
        }
        for (std::size_t k = 0; k < classes_; ++k) stats[k] += cost(row, c, k);
    }
    Cost leaf(const Cost* stats) const {
        if (has_costs()) return *std::min_element(stats, stats + classes_);
        Cost sum = 0, most = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            sum += stats[c];
            most = std::max(most, stats[c]);
        }
        return sum - most;
    }
    /// The cost of a leaf to which rows are added one by one. Without costs, adding a row takes constant time, because
    /// the largest class is either the old one or the class of the row.
    class Running {
      public:
        Running(const ClassLoss& loss, Cost* stats) : loss_(loss), stats_(stats) {}
        Cost add(Row row) {
            loss_.add(stats_, row);
            if (loss_.has_costs()) return loss_.leaf(stats_);
            const auto c = static_cast<std::size_t>(loss_.codes_[row]);
            sum_ += loss_.weight_.empty() ? loss_.one_ : loss_.weight_[row];
            most_ = std::max(most_, stats_[c]);
            return sum_ - most_;
        }

      private:
        const ClassLoss& loss_;
        Cost* stats_;
        Cost sum_ = 0, most_ = 0;
    };
    /// How much more a row costs if the prediction is b instead of a.
    Cost step(Row row, std::size_t a, std::size_t b) const {
        const auto c = static_cast<std::size_t>(codes_[row]);
        if (has_costs()) return cost(row, c, b) - cost(row, c, a);
        const Cost own = weight_.empty() ? one_ : weight_[row];
        return c == a ? own : c == b ? -own : 0;
    }
    /// The most that a row can cost in any leaf.
    Cost most(Row row) const {
        if (!has_costs()) return weight_.empty() ? one_ : weight_[row];
        Cost most = 0;
        for (std::size_t k = 0; k < classes_; ++k)
            most = std::max(most, cost(row, static_cast<std::size_t>(codes_[row]), k));
        return most;
    }
    /// A lower bound of the cost of trees with at most `leaves` leaves: they predict at most that many classes, so all
    /// rows of the other, smaller classes are errors.
    Cost with_answers(const Cost* stats, std::int64_t leaves, std::vector<Cost>& space) const;

  private:
    Cost cost(Row row, std::size_t c, std::size_t k) const {
        return static_cast<Cost>((weights_.empty() ? 1.0 : weights_[row]) * costs_[c * classes_ + k] + 0.5);
    }

    std::span<const std::int32_t> codes_;
    std::span<const double> weights_;
    std::size_t classes_;
    std::vector<Cost> weight_;   // scaled weight of each row; empty: all are the same, or there are costs
    std::vector<double> costs_;  // scaled; empty: every error costs the weight of its row
    Cost one_ = 1;               // the scaled weight of a row if all are the same
    double unit_ = 1;
};

class ValueLoss {
  public:
    explicit ValueLoss(const Target& target);

    std::size_t width() const { return 3; }
    double unit() const { return unit_; }

    void add(Cost* stats, Row row) const {
        stats[0] += weight_[row];
        stats[1] += first_[row];
        stats[2] += second_[row];
    }
    Cost leaf(const Cost* stats) const { return squares(stats[0], stats[1], stats[2]); }
    class Running {
      public:
        Running(const ValueLoss& loss, Cost* stats) : loss_(loss), stats_(stats) {}
        Cost add(Row row) {
            loss_.add(stats_, row);
            return loss_.leaf(stats_);
        }

      private:
        const ValueLoss& loss_;
        Cost* stats_;
    };
    Cost most(Row row) const { return most_[row]; }
    Cost with_answers(const Cost*, std::int64_t, std::vector<Cost>&) const { return 0; }

  private:
    /// Σ w y² − (Σ w y)² / Σ w, the squared error of the mean.
    Cost squares(Cost weight, Cost first, Cost second) const {
        if (weight <= 0) return 0;
        const long double mean_part = static_cast<long double>(first) * static_cast<long double>(first) /
                                      static_cast<long double>(weight);
        return std::max<Cost>(
            0, std::llroundl(static_cast<long double>(second) * second_unit_ - mean_part * first_unit_));
    }

    // Per row: w, w y, w y², and the most that it can cost, w (largest − smallest)².
    std::vector<Cost> weight_, first_, second_, most_;
    long double first_unit_ = 1, second_unit_ = 1;  // factors from scaled sums to costs
    double unit_ = 1;
};

}  // namespace branchwork::optimal
