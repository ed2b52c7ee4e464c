// The searches of growth over a tally of rows: what the driver in steps/ chooses from.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/search/pair_search.hpp"
#include "core/search/scan_nominal.hpp"
#include "core/search/scan_sorted.hpp"
#include "core/search/sorted_rows.hpp"
#include "core/steps/tally.hpp"

namespace branchwork {

/// One row of a tally as the statistics that the score works on.
template <class Stats>
Stats stats_from(const NodeTally& tally, const double* row) {
    if constexpr (Stats::of_classes) {
        Stats counts(tally.width);
        for (std::size_t c = 0; c < tally.width; ++c)
            counts.add(static_cast<std::int32_t>(c), static_cast<typename Stats::Count>(row[c]));
        return counts;
    } else {
        return Moments{row[0], row[1], row[2]};
    }
}

/// Distinct values of a numeric column, one group each.
template <class Stats>
class TallyGroups {
  public:
    TallyGroups(const NodeTally& tally, const ColumnTally& column) : tally_(tally), column_(column) {}

    bool done() const { return next_ == column_.values.size(); }
    std::size_t position() const { return next_; }

    template <class SweepT>
    void take(SweepT& sweep) {
        sweep.move(stats_from<Stats>(tally_, row(next_++)));
    }
    auto next_sameness() const {
        if constexpr (Stats::of_classes) {
            Sameness<std::int32_t> sameness;
            for (std::size_t c = 0; c < tally_.width; ++c)
                if (row(next_)[c] > 0) sameness.see(static_cast<std::int32_t>(c));
            return sameness;
        } else {
            Sameness<double> sameness;
            sameness.see(column_.labels[next_]);  // NaN is like nothing else, itself included
            return sameness;
        }
    }

  private:
    const double* row(std::size_t value) const { return &column_.stats[(value + 1) * tally_.width]; }

    const NodeTally& tally_;
    const ColumnTally& column_;
    std::size_t next_ = 0;
};

/// A sweep that only adds up what lies below the gap.
template <class Stats>
struct Below {
    Stats rows;

    void move(const Stats& group) { rows += group; }
};

/// The searches of growth, over a tally: the same scores and tie rule, with distinct values instead of rows.
template <TargetRows Labels, class Score>
class TallySearch {
    using Stats = typename Labels::Stats;

  public:
    TallySearch(const NodeTally& tally, const Score& score, const Options& options,
                PairSearch<Labels, Score>& pairs, NominalSearch<Labels, Score>& nominal, const Pulse& pulse)
        : tally_(tally),
          score_(score),
          options_(options),
          total_(stats_from<Stats>(tally, tally.total.data())),
          margin_(slack(score, total_)),
          pairs_(pairs),
          nominal_(nominal),
          pulse_(pulse) {}

    Choice choose(std::span<const bool> used, double least_gain) {
        Choice choice;
        choice.parent = node(score_, total_);
        pairs_.start(total_, margin_);
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
        const PickRule rule{options_.zero_gain, options_.by_ratio(), least_gain, !options_.asked};
        choice.best = pick(choice.candidates, choice.parent, margin_, rule, total_.weight());
        return choice;
    }

    /// Every cut by itself: what it would cost if it were the only one.
    std::vector<Cut> cuts(const ColumnTally& column) {
        std::vector<Cut> all;
        const Stats missing = stats_from<Stats>(tally_, column.stats.data());
        Below<Stats> below{stats_from<Stats>(tally_, column.stats.data())};
        below.rows.clear();
        each_gap(TallyGroups<Stats>(tally_, column), below, options_.only_changes, pulse_,
                 [&](std::size_t at) {
                     pairs_.start(total_, margin_);
                     pairs_.set_missing(missing);
                     const BestPair best = pairs_.best(OnePartition<Stats>{&below.rows, at});
                     if (best.found() && best.id == at)
                         all.push_back({cut_between(column.values[at - 1], column.values[at]), best.cost,
                                        best.first, best.second, missing.weight()});
                 });
        pairs_.start(total_, margin_);
        pairs_.set_missing(missing);
        const BestPair last = pairs_.best(OnePartition<Stats>{nullptr});
        if (last.found())
            all.push_back({cut_after(column.values.size(), column.values.size(), options_,
                                     [&](std::size_t at) { return column.values[at]; }),
                           last.cost, last.first, 0, missing.weight()});
        return all;
    }

  private:
    Candidate categories(const ColumnTally& column) {
        const std::size_t levels = column.stats.size() / tally_.width - 1;
        nominal_.categories().read(levels, total_, [&](std::size_t slot) {
            return stats_from<Stats>(tally_, &column.stats[slot * tally_.width]);
        });
        SearchCost spent;
        return nominal_.best(total_, static_cast<std::int32_t>(levels), margin_, spent);
    }

    Candidate best_cut(const ColumnTally& column) {
        Candidate split;
        if (column.values.empty()) return split;
        pairs_.set_missing(stats_from<Stats>(tally_, column.stats.data()));
        const BestPair best = pairs_.best([&](auto& sweep, auto&& see) {
            each_gap(TallyGroups<Stats>(tally_, column), sweep, options_.only_changes, pulse_, see);
        });
        if (best.too_few) split.verdict = Verdict::too_few_rows;
        if (!best.found()) return split;
        split.cost = best.cost;
        split.split_info = best.split_info;
        split.test = pairs_.test();
        split.judged = pairs_.judged();
        split.missing_child = best.missing_child;
        split.cut =
            cut_after(best.id == known_or_missing ? column.values.size() : best.id, column.values.size(),
                      options_, [&](std::size_t at) { return column.values[at]; });
        return split;
    }

    const NodeTally& tally_;
    const Score& score_;
    const Options& options_;
    Stats total_;
    double margin_;
    PairSearch<Labels, Score>& pairs_;
    NominalSearch<Labels, Score>& nominal_;
    const Pulse& pulse_;
};

}  // namespace branchwork
