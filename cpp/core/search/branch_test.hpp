// Do branches differ by more than chance would have it? Pearson's chi-square of branches against classes, the
// F ratio for numbers; src/branchwork/measure/chance.py turns both into p-values. The ledger keeps them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>

#include "core/score.hpp"
#include "core/search/candidate.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// Weights below this share of all rows are rounding residue of a subtraction; they are treated as zero.
inline constexpr double no_rows = 1e-12;

/// Takes the branches of a split one by one, and then computes the statistic.
///
///     chi-square = W * (sum over branches k and classes c of n_kc^2 / (n_k * n_c) - 1)
///     F          = (between / (branches - 1)) / (within / (W - branches))
template <class Score, class Stats>
class BranchTester {
  public:
    /// `rows`: those of all branches together.
    explicit BranchTester(const Stats& rows) : rows_(rows), least_(no_rows * rows.weight()) {}

    void add(const Stats& branch) {
        if (!(branch.weight() > least_)) return;
        if constexpr (Stats::of_classes)
            add_counts(std::span<const typename Stats::Count>(branch.of), branch.weight());
        else
            ++branches_, sum_ += branch.s * branch.s / branch.w;  // `q` is not moved by every sweep
    }
    /// A branch of classes by its counts alone.
    template <class Counter>
    void add_counts(std::span<const Counter> counts, double total) {
        ++branches_;
        double shares = 0;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            const auto n = static_cast<double>(counts[c]);
            if (n > least_) shares += n * n / static_cast<double>(rows_.of[c]);
        }
        sum_ += shares / total;
    }
    BranchTest result() const {
        BranchTest test;
        if constexpr (Stats::of_classes) {
            test.freedom = static_cast<double>((branches_ - 1) * (classes() - 1));
            test.statistic = test.freedom > 0 ? std::max(0.0, rows_.weight() * (sum_ - 1)) : 0;
        } else if constexpr (!std::same_as<Score, PoissonDeviance>) {
            test.freedom = static_cast<double>(branches_ - 1);
            test.rest = rows_.w - static_cast<double>(branches_);
            test.statistic = test.freedom > 0 && test.rest > 0 ? ratio(test) : 0;
        }
        return test;
    }

  private:
    std::ptrdiff_t classes() const {
        std::ptrdiff_t present = 0;
        for (const auto n : rows_.of) present += static_cast<double>(n) > least_;
        return present;
    }

    double ratio(const BranchTest& test) const
        requires(!Stats::of_classes)
    {
        const double all = rows_.squared_deviations();
        const double between = std::max(0.0, sum_ - rows_.s * rows_.s / rows_.w), within = all - between;
        if (within > no_rows * all) return between / test.freedom / (within / test.rest);
        return between > 0 ? std::numeric_limits<double>::infinity() : 0;
    }

    const Stats& rows_;
    double least_;
    std::ptrdiff_t branches_ = 0;
    double sum_ = 0;
};

/// What a candidate is judged by where missing cells are left out: the known rows of a node whose weight is `whole`.
template <class Score, class Stats>
Judged judged_by(const Score& score, const Stats& known, double whole) {
    const double weight = known.weight();
    return {weight / whole, weight > 0 ? std::max(0.0, node(score, known) / weight) : 0, 0};
}

}  // namespace branchwork
