// C4.5's way to find and choose splits, as Release 8 does it, and as Weka's J48 does.
//
// A numeric column offers the cut with the largest gain among those with enough rows on both sides; the gain
// pays log2(cuts tried) / rows for the choice. A nominal column offers one branch per category if two of them
// are large enough. Of the columns whose gain is not below the average, the one with the largest gain ratio
// wins. Gains are of known rows, times their share; unknown cells are one more branch in the split
// information.
//
// The original computes with 32-bit floats. Where that shows in the result of a sound computation (which
// value of the table a cut is moved to, and whether two values are far enough apart) cells are compared as
// 32-bit floats here too; sums are 64-bit, and a small slack stands in for what rounding decides there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/score.hpp"
#include "core/search/branch_test.hpp"
#include "core/search/candidate.hpp"
#include "core/stats.hpp"
#include "core/tally/category_stats.hpp"

namespace branchwork {

/// With at least this many classes, nodes list only the classes that occur in them, and sums over classes are kept up
/// to date while a cut moves.
inline constexpr std::size_t many_classes = 256;

struct QuinlanRules {
    bool j48 = false;
    bool by_ratio = true;
    bool penalty = true;  // does a cut pay for having been chosen among many?
    bool in_full = true;  // also compute what only the ledger keeps?
    double min_objects = 2;
    double table_weight = 0;
    std::size_t classes = 0;  // of the whole sample

    double slack() const { return j48 ? 1e-6 : 1e-9; }
    bool more(double a, double b) const { return a - b > slack(); }
    bool enough(double a, double b) const { return b - a <= slack(); }  // a >= b

    /// The rows that each side of a cut must have: a tenth of the average number of rows per class. 25 rows are always
    /// enough, even if the limit on branches is higher.
    double min_side(double known) const {
        const double tenth = 0.1 * known / static_cast<double>(classes);
        return enough(min_objects, tenth) ? min_objects : std::min(tenth, 25.0);
    }
    bool apart(double a, double b) const {
        if (j48) return a + 1e-5 < b;
        return static_cast<double>(static_cast<float>(a)) < static_cast<double>(static_cast<float>(b)) - 1e-5;
    }
    /// The largest of the table's values that is not above the midpoint.
    double cut(double a, double b, std::span<const double> values) const {
        const auto at_most = [&](double value) {
            if (j48) return value - (a + b) / 2 < 1e-6;
            const auto middle = static_cast<float>(
                (static_cast<double>(static_cast<float>(a)) + static_cast<double>(static_cast<float>(b))) /
                2);
            return static_cast<float>(value) <= middle;
        };
        const auto above = std::partition_point(values.begin(), values.end(), at_most);
        return above == values.begin() ? a : std::max(a, *(above - 1));
    }
};

/// Gain and split information of branches. Missing cells are one more branch in the split information.
template <class Score, class Stats>
class QuinlanGain {
  public:
    QuinlanGain(const Score& score, const Stats& all, const Stats& missing)
        : score_(score), whole_(all.weight()), missing_(missing.weight()), known_stats_(all) {
        known_stats_ -= missing;
        known_ = known_stats_.weight();
        before_ = node(score_, known_stats_);
    }
    const Stats& known_stats() const { return known_stats_; }
    double known() const { return known_; }
    double whole() const { return whole_; }
    Judged judged(double price = 0) const {
        Judged found = judged_by(score_, known_stats_, whole_);
        found.price = price;
        return found;
    }
    /// `cost`: the sum of node() over branches.
    double gain(double cost) const { return (before_ - cost) / whole_; }
    double split_info(std::span<const double> branches) const {
        BranchShares shares(whole_);
        if (missing_ > 0) shares.add(missing_);
        for (const double weight : branches)
            if (weight > 0) shares.add(weight);
        return shares.information();
    }

    /// The same for two branches.
    BranchTest test(const Stats& left, const Stats& right) const {
        BranchTester<Score, Stats> tester(known_stats_);
        tester.add(left);
        tester.add(right);
        return tester.result();
    }

  private:
    const Score& score_;
    double whole_, missing_, known_ = 0, before_ = 0;
    Stats known_stats_;
};

inline Candidate quinlan_candidate(double gain, double split_info, double whole, double parent) {
    Candidate split;
    split.gain = gain;
    split.split_info = split_info;
    split.cost = parent - gain * whole;
    return split;
}

/// One branch per category.
template <class Score, class Stats>
Candidate quinlan_categories(const QuinlanRules& rules, const Score& score, const Stats& all, double parent,
                             const CategoryStats<Stats>& categories) {
    const QuinlanGain<Score, Stats> gain(score, all, categories.missing());
    double cost = 0;
    std::size_t large = 0;
    std::vector<double> weights;
    for (std::size_t k = 0; k < categories.size(); ++k) {
        cost += node(score, categories[k]);
        weights.push_back(categories[k].weight());
        large += rules.enough(weights.back(), rules.min_objects);
    }
    Candidate none;
    if (categories.size() >= 2) none.verdict = Verdict::too_few_rows;
    if (large < 2) return none;
    const double gained = gain.gain(cost);
    Candidate split = quinlan_candidate(std::abs(gained) <= 1e-12 ? 0 : gained, gain.split_info(weights),
                                        gain.whole(), parent);
    if (rules.in_full) {
        BranchTester<Score, Stats> tester(gain.known_stats());
        for (std::size_t k = 0; k < categories.size(); ++k) tester.add(categories[k]);
        split.test = tester.result();
        split.judged = gain.judged();
    }
    return split;
}

/// One category against all others: the one with the largest gain ratio.
template <class Score, class Stats>
Candidate quinlan_one_category(const QuinlanRules& rules, const Score& score, const Stats& all, double parent,
                               const CategoryStats<Stats>& categories, std::size_t levels) {
    const QuinlanGain<Score, Stats> gain(score, all, categories.missing());
    Candidate best;
    if (categories.size() >= 2) best.verdict = Verdict::too_few_rows;
    double largest = 0;
    for (std::size_t k = 0; k < categories.size(); ++k) {
        const double weights[] = {categories[k].weight(), gain.known() - categories[k].weight()};
        if (!rules.enough(weights[0], rules.min_objects) || !rules.enough(weights[1], rules.min_objects))
            continue;
        Stats others = gain.known_stats();
        others -= categories[k];
        double gained = gain.gain(node(score, categories[k]) + node(score, others));
        if (gained * gain.whole() <= rules.slack()) gained = 0;
        const double info = gain.split_info(weights);
        const double ratio = info > 0 ? gained / info : 0;
        if (best.is_split() && !rules.more(ratio, largest)) continue;
        largest = ratio;
        best = quinlan_candidate(gained, info, gain.whole(), parent);
        if (rules.in_full) {
            best.test = gain.test(categories[k], others);
            best.judged = gain.judged();
        }
        best.sides.assign(levels, Side::second);
        best.sides[static_cast<std::size_t>(categories.codes()[k])] = Side::first;
    }
    return best;
}

/// The best cut. `value(i)` is the i-th known value in rising order, `move(sweep, i)` takes its row across.
template <class Score, class Stats, class SweepT, class ValueAt, class MoveRow>
Candidate quinlan_cut(const QuinlanRules& rules, const Score& score, SweepT& sweep, const Stats& all,
                      const Stats& missing, double parent, std::size_t known_rows,
                      std::span<const double> table_values, const Pulse& pulse, const ValueAt& value,
                      const MoveRow& move) {
    Candidate none;
    const QuinlanGain<Score, Stats> gain(score, all, missing);
    const double least = rules.min_side(gain.known());
    if (!rules.enough(gain.known(), rules.j48 ? 2 * least : 2 * rules.min_objects)) return none;
    Stats kept = all;  // the left side of the best cut so far
    kept.clear();
    const bool has_many = rules.classes >= many_classes;
    const auto start = [&](bool runs) {
        if constexpr (requires { sweep.let_run(runs); }) sweep.let_run(runs);
        sweep.start(kept, gain.known_stats());
    };
    start(has_many);
    double best_gain = 0, best_left = 0, left = 0;
    std::size_t best = 0, tried = 0;
    constexpr std::size_t rows_between_checks = 65'536;
    for (std::size_t i = 0; i + 1 < known_rows; ++i) {
        if (i % rows_between_checks == 0) pulse.check();
        left += move(sweep, i);
        if (!rules.enough(left, least)) continue;
        if (!rules.enough(gain.known() - left, least)) break;
        if (!rules.apart(value(i), value(i + 1))) continue;
        ++tried;
        const double gained = gain.gain(sweep.real(sweep.raw()));
        if (best > 0 && !rules.more(gained, best_gain)) continue;
        if (!(gained > rules.slack())) continue;
        best_gain = gained, best_left = left, best = i + 1;
        if (rules.in_full && !has_many) kept = sweep.left();
    }
    none.verdict = tried == 0 ? Verdict::too_few_rows : Verdict::no_gain;
    if (best == 0) return none;
    const double price = rules.penalty ? std::log2(static_cast<double>(tried)) / gain.whole() : 0;
    const double net = best_gain - price;
    if (!(net > rules.slack())) return none;
    const double weights[] = {best_left, gain.known() - best_left};
    Candidate split = quinlan_candidate(net, gain.split_info(weights), gain.whole(), parent);
    if (rules.in_full) {
        if (has_many) {  // copying the counts for every better cut would take longer than moving back to the best one
            start(false);
            for (std::size_t i = 0; i < best; ++i) move(sweep, i);
            kept = sweep.left();
        }
        Stats right = gain.known_stats();
        right -= kept;
        split.test = gain.test(kept, right);
        split.judged = gain.judged(price);
    }
    split.left_rows = best;
    split.cut = rules.cut(value(best - 1), value(best), table_values);
    return split;
}

/// The winner, or -1: the largest gain ratio among candidates of at least average gain. Writes the verdicts.
inline std::int64_t quinlan_pick(const QuinlanRules& rules, std::span<Candidate> candidates,
                                 std::span<const Column> columns) {
    const auto many_valued = [&](std::size_t j) {
        return columns[j].nominal && static_cast<double>(columns[j].levels) >= 0.3 * rules.table_weight;
    };
    bool all_many_valued = true;
    for (std::size_t j = 0; j < columns.size(); ++j) all_many_valued &= many_valued(j);
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t j = 0; j < candidates.size(); ++j)
        if (candidates[j].is_split() && (all_many_valued || !many_valued(j)))
            sum += candidates[j].gain, ++counted;
    const double average =
        counted > 0 ? sum / static_cast<double>(counted) : std::numeric_limits<double>::infinity();

    std::int64_t best = -1;
    double largest = rules.j48 ? 0 : -1e-3;
    const double least_info = rules.j48 ? 0 : 1e-3;
    const auto worth = [&](const Candidate& c) {
        if (!rules.by_ratio) return c.gain;
        const bool qualifies = c.gain >= average - 1e-3 && c.split_info > least_info;
        return qualifies ? c.gain / c.split_info : -std::numeric_limits<double>::infinity();
    };
    for (std::size_t j = 0; j < candidates.size(); ++j)
        if (candidates[j].is_split() && rules.more(worth(candidates[j]), largest))
            best = static_cast<std::int64_t>(j), largest = worth(candidates[j]);
    for (Candidate& c : candidates) {
        if (!c.is_split()) continue;
        c.verdict = rules.by_ratio && c.gain < average - 1e-3          ? Verdict::below_average
                    : best >= 0 && worth(c) >= largest - rules.slack() ? Verdict::tie_lost
                    : best < 0                                         ? Verdict::no_gain
                                                                       : Verdict::lower_gain;
    }
    if (best >= 0) candidates[static_cast<std::size_t>(best)].verdict = Verdict::chosen;
    return best;
}

}  // namespace branchwork
