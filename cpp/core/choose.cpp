// Choosing from a tally: the same scores, sweeps and tie rule as in growth, over distinct values instead of
// rows.
#include <cmath>
#include <limits>

#include "core/node_stats.hpp"
#include "core/scan_nominal.hpp"
#include "core/scan_sorted.hpp"
#include "core/sweep.hpp"
#include "core/tally.hpp"

namespace branchwork {
namespace {

/// One row of statistics in the type that the score works on.
template <class Score>
auto stats_from(const NodeTally& tally, const double* row) {
    if constexpr (ClassScore<Score>) {
        using Count = typename Score::Count;
        ClassCounts<Count> counts(tally.width);
        for (std::size_t c = 0; c < tally.width; ++c)
            counts.add(static_cast<std::int32_t>(c), static_cast<Count>(row[c]));
        return counts;
    } else {
        return Moments{row[0], row[1], row[2]};
    }
}

/// Distinct values of a numeric column, one group each.
template <class Score>
class TallyGroups {
  public:
    TallyGroups(const NodeTally& tally, const ColumnTally& column) : tally_(tally), column_(column) {}

    bool done() const { return next_ == column_.values.size(); }
    std::size_t position() const { return next_; }

    template <class SweepT>
    auto take(SweepT& sweep) {
        const double* row = &column_.stats[++next_ * tally_.width];
        if constexpr (ClassScore<Score>) {
            Sameness<std::int32_t> sameness;
            for (std::size_t c = 0; c < tally_.width; ++c) {
                if (row[c] <= 0) continue;
                sameness.see(static_cast<std::int32_t>(c));
                sweep.move(static_cast<std::int32_t>(c), static_cast<typename Score::Count>(row[c]));
            }
            return sameness;
        } else {
            const Moments group{row[0], row[1], row[2]};
            sweep.move(group);
            Sameness<double> sameness;
            sameness.see(column_.labels[next_ - 1]);  // NaN is like nothing else, itself included
            return sameness;
        }
    }

  private:
    const NodeTally& tally_;
    const ColumnTally& column_;
    std::size_t next_ = 0;
};

template <class Score>
class Chooser {
  public:
    Chooser(const NodeTally& tally, const Score& score, const Options& options)
        : tally_(tally),
          score_(score),
          options_(options),
          total_(stats_from<Score>(tally, tally.total.data())),
          margin_(slack(score, total_)),
          sweep_(score, tally.width) {}

    Choice choose(std::span<const bool> used) {
        Choice choice;
        choice.parent = node(score_, total_);
        for (std::size_t j = 0; j < tally_.columns.size(); ++j) {
            Candidate candidate;
            if (used[j])
                candidate.verdict = Verdict::used_above;
            else
                candidate =
                    tally_.columns[j].nominal ? categories(tally_.columns[j]) : best_cut(tally_.columns[j]);
            candidate.feature = static_cast<std::int32_t>(j);
            choice.candidates.push_back(candidate);
        }
        choice.best = pick(choice.candidates, choice.parent, margin_, options_.zero_gain, total_.weight());
        return choice;
    }

    std::vector<Cut> cuts(const ColumnTally& column) {
        std::vector<Cut> all;
        each_cut(column, [&](std::size_t position, const Cut& cut) {
            (void)position;
            all.push_back(cut);
        });
        return all;
    }

  private:
    Candidate categories(const ColumnTally& column) const {
        if constexpr (ClassScore<Score>) {
            using Count = typename Score::Count;
            std::vector<Count> counts(column.stats.size());
            for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = static_cast<Count>(column.stats[k]);
            return CategoryScan<ClassRows<Count>, Score>::cost_of(score_, std::span<const Count>(counts),
                                                                  tally_.width, total_.weight());
        } else {
            std::vector<Moments> moments;
            for (std::size_t k = 0; k < column.stats.size(); k += 3)
                moments.push_back({column.stats[k], column.stats[k + 1], column.stats[k + 2]});
            return CategoryScan<ValueRows, Score>::cost_of(score_, moments, total_.weight());
        }
    }

    template <class Visit>
    void each_cut(const ColumnTally& column, Visit&& visit) {
        if (column.values.empty()) return;
        const auto missing = stats_from<Score>(tally_, column.stats.data());
        auto known = total_;
        known -= missing;
        const double missing_cost = node(score_, missing);
        const double weight = known.weight();
        sweep_.start(known);
        const Pulse pulse;
        scan_cuts(TallyGroups<Score>(tally_, column), sweep_, options_.only_changes, pulse,
                  [&](std::size_t position, double cost, double left) {
                      const double cut = cut_between(column.values[position - 1], column.values[position]);
                      visit(position, Cut{cut, cost + missing_cost, left, weight - left, missing.weight()});
                  });
        if (missing.weight() > 0)
            visit(column.values.size(), Cut{column.values.back(), node(score_, known) + missing_cost, weight,
                                            0.0, missing.weight()});
    }

    Candidate best_cut(const ColumnTally& column) {
        BestCut best{margin_};
        Candidate split;
        each_cut(column, [&](std::size_t position, const Cut& cut) {
            best.see(position, cut.cost, cut.left_weight);
            if (best.position != position) return;
            split.cut = cut.cut;
            const double weights[] = {cut.left_weight, cut.right_weight, cut.missing_weight};
            split.split_info = split_information(weights);
        });
        if (best.found()) split.cost = best.cost;
        return split;
    }

    const NodeTally& tally_;
    const Score& score_;
    const Options& options_;
    decltype(stats_from<Score>(std::declval<const NodeTally&>(), nullptr)) total_;
    double margin_;
    Sweep<Score> sweep_;
};

/// Calls f(chooser) with the score that the tally and the criterion ask for.
template <class F>
auto with_chooser(const NodeTally& tally, const Options& options, F&& f) {
    const auto run = [&]<class Score>(const Score& score) {
        return f(Chooser<Score>(tally, score, options));
    };
    if (!tally.classes) return with_value_score(options.criterion, run);
    const auto rows = static_cast<std::size_t>(tally.weight());
    return tally.unit_weights ? with_class_score<std::int64_t>(options.criterion, rows, run)
                              : with_class_score<double>(options.criterion, rows, run);
}

}  // namespace

Choice choose(const NodeTally& tally, std::span<const bool> used, const Options& options) {
    return with_chooser(tally, options, [&](auto chooser) { return chooser.choose(used); });
}

std::vector<Cut> list_cuts(const NodeTally& tally, std::size_t column, const Options& options) {
    return with_chooser(tally, options, [&](auto chooser) { return chooser.cuts(tally.columns.at(column)); });
}

}  // namespace branchwork
