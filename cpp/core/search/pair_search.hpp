// The best way to part a node's rows in two, whatever kind of column they are parted by.
//
// A search is an *arrangement* that goes through partitions and a *judgement* that keeps the best. An
// arrangement moves a Sweep from one partition to the next and calls see(id) at each; sorted rows, categories
// in an order, one category against the rest, and all subsets are arrangements. What becomes of missing cells
// is a matter of where the sweep starts:
//
//     branch          known rows only; the branch of missing cells costs what it costs, whatever the cut
//     larger, share, surrogate
//                     known rows only; the gain is that of the known rows
//     learn           first all missing rows on the right, then all on the left
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/asked_score.hpp"
#include "core/options.hpp"
#include "core/score.hpp"
#include "core/search/best_pair.hpp"
#include "core/search/branch_test.hpp"
#include "core/search/candidate.hpp"
#include "core/search/sweep.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// How far a branch is above the limits on branches; below 0: too small.
template <TargetRows Labels>
double room(const Labels& target, const typename Labels::Stats& branch, const Options& options) {
    return std::min(target.samples(branch) - options.min_leaf_samples,
                    branch.weight() - options.min_leaf_weight);
}

/// The arrangement of a single partition, with these rows on the left, or of none. One type for all callers, so that
/// its search is compiled once for each score.
template <Stats StatsT>
struct OnePartition {
    const StatsT* left;  // none: only missing cells can be parted from the others
    std::size_t id = 1;
    std::int64_t* scored = nullptr;  // counts the calls, where there is a counter

    template <class SweepT, class See>
    void operator()(SweepT& sweep, See&& see) const {
        if (!left) return;
        sweep.move(*left);
        see(id);
        if (scored) ++*scored;
    }
};

template <TargetRows Labels, class Score>
class PairSearch {
    using Stats = typename Labels::Stats;
    using SweepT = Sweep<Score, Stats>;
    using Cost = typename SweepT::Cost;
    static constexpr bool of_entropy =
        std::same_as<Score, Entropy<std::int64_t>> || std::same_as<Score, Entropy<double>>;

  public:
    PairSearch(const Labels& target, const Score& score, const Options& options, std::size_t width)
        : target_(target),
          score_(score),
          options_(options),
          limited_(options.limits_leaves()),
          sweep_(score, width) {}

    /// Starts a node with these rows. A later partition wins only if it is better by more than `slack`. `in_full`: also
    /// compute what only the ledger keeps, the split information and the test.
    void start(const Stats& all, double slack, bool in_full = true) {
        in_full_ = in_full;
        all_ = known_ = missing_ = nothing_ = all;
        if (in_full) kept_left_ = all;
        missing_.clear(), nothing_.clear();
        has_missing_ = false;
        slack_ = slack;
        must_beat_ = std::numeric_limits<double>::infinity();
    }
    /// Rows of the node whose cell is missing in the column that comes next.
    void set_missing(const Stats& missing) {
        missing_ = missing;
        known_ = all_;
        known_ -= missing;
        has_missing_ = missing.weight() > 0;
    }
    void set_none_missing() {
        if (!has_missing_) return;
        missing_.clear();
        known_ = all_;
        has_missing_ = false;
    }
    bool in_full() const { return in_full_; }
    /// Only gains of entropy are ever divided: the compiler drops the search by ratio for all other scores.
    bool by_ratio() const { return of_entropy && options_.by_ratio(); }
    /// The test of the best partition that was found last, if in full.
    const BranchTest& test() const { return test_; }
    /// The rows that partitions of the current column are judged by.
    Judged judged() const {
        const bool leaves_out = options_.missing == Missing::larger || options_.missing == Missing::share ||
                                options_.missing == Missing::surrogate;
        return leaves_out ? judged_by(score_, known_, all_.weight()) : Judged{};
    }
    /// Partitions that cost this much or more need not be found.
    void must_beat(double cost) { must_beat_ = cost; }
    /// The limit that a cut of a column without missing cells must stay below. A later cut must be better by `slack()`.
    Cost limit() const {
        if (std::isfinite(must_beat_)) return sweep_.limit(must_beat_);
        return std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                       : std::numeric_limits<Cost>::max();
    }
    Cost slack() const { return sweep_.units(slack_); }
    /// The place of the cut that a judge would keep, from the costs of all cuts in order; their number if there is
    /// none.
    std::size_t best_of(std::span<const Cost> costs) const {
        Cost limit = this->limit();
        const Cost slack = this->slack();
        std::size_t best = costs.size();
        for (std::size_t i = 0; i < costs.size(); ++i)
            if (costs[i] < limit) {
                limit = costs[i] - slack;
                best = i;
            }
        return best;
    }
    /// Switches the limits on branches on or off for the searches that follow.
    void heed_limits(bool heed) { limited_ = heed && options_.limits_leaves(); }

    /// The partition that has these rows on its left, if it is admitted.
    BestPair best_of_one(const Stats& left) { return best(OnePartition<Stats>{&left}); }

    /// Writes what only the ledger keeps about the partition that has these rows on its left; no value is missing.
    void write_in_full(const Stats& left, Candidate& split) {
        right_ = all_;
        right_ -= left;
        split.split_info = information(left.weight(), right_.weight(), false);
        split.test = test_of(all_, {&left, &right_});
        split.judged = judged();
    }

    /// Goes through arrange(see) as often as the policy for missing cells asks for.
    template <class Arrange>
    BestPair best(const Arrange& arrange) {
        best_ = {};
        const bool has_missing = has_missing_;
        switch (options_.missing) {
            case Missing::branch:
                if (has_missing && room_of(missing_) < 0) {
                    best_.too_few = true;
                    break;
                }
                if (has_missing && !admits(score_, missing_)) break;
                pass(nothing_, known_, has_missing ? cost_apart() : 0, -1, arrange);
                if (has_missing) see_known_or_missing(-1);
                break;
            case Missing::larger:
            case Missing::share:
            case Missing::surrogate:
                pass(nothing_, known_, has_missing ? cost_apart() : 0, -1, arrange);
                if (options_.missing != Missing::share && has_missing)
                    best_.missing_child = best_.first >= best_.second ? 0 : 1;
                break;
            case Missing::learn:
                if (!has_missing) {
                    pass(nothing_, known_, 0, -1, arrange);
                    break;
                }
                pass(nothing_, all_, 0, 1, arrange);
                pass(missing_, known_, 0, 0, arrange);
                see_known_or_missing(1);
                break;
        }
        return best_;
    }

  private:
    /// Keeps the best of the partitions that a sweep passes. Those that cannot be better are ruled out cheaply.
    struct Judge {
        const PairSearch& search;
        const SweepT& sweep;
        typename RunsOf<SweepT>::type& runs;  // those that may hold a better cut
        BestPair& found;
        Stats& left;  // of what was found
        Cost slack;
        Cost limit = std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                             : std::numeric_limits<Cost>::max();

        [[gnu::always_inline]] void operator()(std::size_t id) {
            if constexpr (requires { sweep.surely_at_least(limit); })
                if (sweep.surely_at_least(limit)) return;
            const Cost cost = sweep.raw();
            if (cost < limit && search.admissible(sweep, found)) {
                limit = cost - slack;
                search.keep(sweep, found, left, id, sweep.real(cost), 0);
            }
        }
        /// The sweep stands at a cut that will be judged later, so the best cut costs no more than this one. Equal cuts
        /// may come before it, and the first of them must win.
        [[gnu::always_inline]] void glance() {
            const Cost cost = sweep.raw();
            if (cost < limit && search.admissible(sweep, found))
                limit = std::min(limit, above(static_cast<Cost>(cost + slack)));
        }
        /// Can no cut be better from where the sweep stands to the place ahead?
        template <class Ahead>
            requires requires(const SweepT& s, const Ahead& a, Cost c) { s.surely_at_least(a, c); }
        [[gnu::always_inline]] bool rules_out(const Ahead& ahead) const {
            return sweep.surely_at_least(ahead, limit);
        }

      private:
        static Cost above(Cost cost) {
            if constexpr (std::integral<Cost>)
                return cost + 1;
            else
                return std::nextafter(cost, std::numeric_limits<Cost>::infinity());
        }
    };

    /// `extra`: what rows cost that are in neither of the two branches.
    template <class Arrange>
    void pass(const Stats& left, const Stats& right, [[maybe_unused]] double extra,
              std::int32_t missing_child, const Arrange& arrange) {
        if constexpr (is_asked<Score>)
            ask(left, right, missing_child, arrange);
        else
            judge(left, right, extra, missing_child, arrange);
    }

    /// The score is asked about many partitions at once, and the first of the best ones is kept.
    template <class Arrange>
    void ask(const Stats& left, const Stats& right, std::int32_t missing_child, const Arrange& arrange) {
        struct Sides {
            const Stats &of_left, &of_right;
            const Stats& left() const { return of_left; }
            const Stats& right() const { return of_right; }
        };
        const bool has_branch = options_.missing == Missing::branch && has_missing_;
        Stats parted = left;
        parted += right;
        if (has_branch) parted += missing_;
        const double before = node(score_, all_);
        BestPair found;
        double limit = must_beat_;
        questions_.start(parted, has_branch ? 3 : 2, AskedScore::residue * all_.weight());
        asked_.clear();
        const auto judge_asked = [&] {
            const std::span<const double> gains = questions_.ask(score_.functions());
            for (std::size_t k = 0; k < gains.size(); ++k) {
                const double cost = before - gains[k];
                if (!(cost < limit)) continue;
                limit = cost - slack_;
                keep(Sides{asked_[k].left, asked_[k].right}, found, kept_left_, asked_[k].id, cost, 0);
            }
            questions_.clear();
            asked_.clear();
        };
        sweep_.start(left, right);
        arrange(sweep_, [&](std::size_t id) {
            if (!admissible(sweep_, found)) return;
            questions_.add(sweep_.left());
            questions_.add(sweep_.right());
            if (has_branch) questions_.add(missing_);
            asked_.push_back({id, sweep_.left(), sweep_.right()});
            if (questions_.is_full()) judge_asked();
        });
        judge_asked();
        best_.too_few |= found.too_few;
        if (!found.found()) return;
        if (in_full_)
            found.split_info =
                information(found.first, found.second, options_.missing != Missing::learn && has_missing_);
        found.missing_child = missing_child;
        if (merge(found) && in_full_) test_ = test(left, right, kept_left_);
    }

    template <class Arrange>
    void judge(const Stats& left, const Stats& right, double extra, std::int32_t missing_child,
               const Arrange& arrange) {
        // A sweep of few numbers is copied so that it stays in registers; a reference to it would force it into memory.
        std::conditional_t<std::is_trivially_copyable_v<SweepT>, SweepT, SweepT&> sweep = sweep_;
        std::conditional_t<std::is_trivially_copyable_v<Stats>, Stats, Stats&> kept_left = kept_left_;
        sweep.start(left, right);
        const bool apart = options_.missing != Missing::learn && has_missing_;
        BestPair found;
        if (by_ratio()) {
            double least = std::numeric_limits<double>::infinity();
            arrange(sweep, [&](std::size_t id) {
                const double cost = sweep.real(sweep.raw());
                const double info = information(sweep, apart);
                const double ratio = ratio_of(cost + extra, info);
                if (-ratio < least - ratio_slack && admissible(sweep, found)) {
                    least = -ratio;
                    keep(sweep, found, kept_left, id, cost, info);
                }
            });
        } else {
            Judge judge{*this, sweep, runs_, found, kept_left, sweep.units(slack_)};
            if (std::isfinite(must_beat_)) judge.limit = sweep.limit(must_beat_ - extra);
            arrange(sweep, judge);
            if (found.found() && in_full_) found.split_info = information(found.first, found.second, apart);
        }
        best_.too_few |= found.too_few;
        if (!found.found()) return;
        found.cost += extra;
        found.missing_child = missing_child;
        if (merge(found) && in_full_) test_ = test(left, right, kept_left);
    }

    /// Keeps the better of two passes. Ties go to the smaller cut, then to the first pass. Returns whether the pass
    /// just made has won.
    bool merge(const BestPair& found) {
        const double gap = badness(found) - badness(best_);
        const double enough = by_ratio() ? ratio_slack : slack_;
        if (best_.found() && !(gap < -enough || (gap <= enough && found.id < best_.id))) return false;
        const bool too_few = best_.too_few;
        best_ = found;
        best_.too_few = too_few;
        return true;
    }
    double badness(const BestPair& pair) const {
        return by_ratio() && pair.found() ? -ratio_of(pair.cost, pair.split_info) : pair.cost;
    }

    void see_known_or_missing(std::int32_t missing_child) {
        if (limited_ && std::min(room_of(known_), room_of(missing_)) < 0) {
            best_.too_few = true;
            return;
        }
        if (!(known_.weight() > 0) || !admits_both(score_, known_, missing_)) return;
        BestPair found;
        found.cost = cost_of_known_and_missing();
        found.id = known_or_missing;
        found.first = known_.weight();
        found.second = missing_child == 1 ? missing_.weight() : 0;
        found.missing_child = missing_child;
        found.room = std::min(room_of(known_), room_of(missing_));
        found.split_info = information(known_.weight(), missing_.weight(), false);
        if (merge(found) && in_full_) test_ = test_of(all_, {&known_, &missing_});
    }

    /// What missing cells cost that are in neither of two branches. A score that is asked knows what the whole way gains.
    double cost_apart() const {
        if constexpr (is_asked<Score>)
            return 0;
        else if (options_.missing == Missing::branch)
            return node(score_, missing_);
        else
            return node(score_, all_) - node(score_, known_);
    }
    double cost_of_known_and_missing() {
        if constexpr (is_asked<Score>) {
            questions_.start(all_, 2, AskedScore::residue * all_.weight());
            questions_.add(known_);
            questions_.add(missing_);
            return node(score_, all_) - questions_.ask(score_.functions())[0];
        } else {
            return node(score_, known_) + node(score_, missing_);
        }
    }

    template <class Sides>
    void keep(const Sides& sweep, BestPair& found, Stats& left, std::size_t id, double cost,
              double info) const {
        if (in_full_) left = sweep.left();
        found.cost = cost;
        found.id = id;
        found.split_info = info;
        found.first = sweep.left().weight();
        found.second = sweep.right().weight();
        if (options_.limits_leaves()) found.room = std::min(room_of(sweep.left()), room_of(sweep.right()));
    }
    bool admissible(const SweepT& sweep, BestPair& found) const {
        if (!limited_) return true;
        const bool enough = std::min(room_of(sweep.left()), room_of(sweep.right())) >= 0;
        found.too_few |= !enough;
        return enough;
    }
    double room_of(const Stats& branch) const { return room(target_, branch, options_); }
    /// The test of a partition of a pass that began with these sides.
    BranchTest test(const Stats& from_left, const Stats& from_right, const Stats& left) const {
        Stats parted = from_left;
        parted += from_right;
        Stats right = parted;
        right -= left;
        if (options_.missing != Missing::branch || !has_missing_) return test_of(parted, {&left, &right});
        parted += missing_;
        return test_of(parted, {&left, &right, &missing_});
    }
    static BranchTest test_of(const Stats& rows, std::initializer_list<const Stats*> branches) {
        BranchTester<Score, Stats> tester(rows);
        for (const Stats* branch : branches) tester.add(*branch);
        return tester.result();
    }
    double ratio_of(double cost, double info) const {
        const double gain = node(score_, all_) - cost;
        return gain > slack_ ? gain_ratio(gain / all_.weight(), info) : 0;
    }
    double information(const SweepT& sweep, bool apart) const {
        return information(sweep.left().weight(), sweep.right().weight(), apart);
    }
    double information(double first, double second, bool apart) const {
        BranchShares shares(all_.weight());
        for (const double weight : {first, second, apart ? missing_.weight() : 0})
            if (weight > 0) shares.add(weight);
        return shares.information();
    }

    const Labels& target_;
    const Score& score_;
    const Options& options_;
    bool limited_;  // do limits on branches count?
    SweepT sweep_;
    typename RunsOf<SweepT>::type runs_;
    struct Asked {
        std::size_t id;
        Stats left, right;
    };
    Questions questions_;
    std::vector<Asked> asked_;  // the partitions that the questions are about
    Stats all_, known_, missing_, nothing_, kept_left_, right_;
    double slack_ = 0;
    double must_beat_ = std::numeric_limits<double>::infinity();
    bool has_missing_ = false;
    bool in_full_ = true;
    BranchTest test_;
    BestPair best_;
};

}  // namespace branchwork
