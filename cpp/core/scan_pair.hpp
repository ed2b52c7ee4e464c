// The best way to part a node's rows in two, whatever kind of column they are parted by.
//
// A search is an *arrangement* that goes through partitions and a *judgement* that keeps the best. An
// arrangement moves a Sweep from one partition to the next and calls see(id) at each; sorted rows, categories
// in an order, one category against the rest, and all subsets are arrangements. What becomes of missing cells
// is a matter of where the sweep starts:
//
//     branch          known rows only; the branch of missing cells costs what it costs, whatever the cut
//     larger, share   known rows only; the gain is that of the known rows
//     learn           first all missing rows on the right, then all on the left
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/options.hpp"
#include "core/score.hpp"
#include "core/split.hpp"
#include "core/stats.hpp"
#include "core/sweep.hpp"

namespace branchwork {

/// The partition "everything known | everything missing", which no arrangement goes through.
inline constexpr std::size_t known_or_missing = std::numeric_limits<std::size_t>::max();

struct BestPair {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t id = 0;
    double split_info = 0;
    std::int32_t missing_child = -1;
    double first = 0, second = 0;  // weight of each side, learned missing cells included ...
    double fewest = 0;             // ... and the samples of the smaller
    bool too_few = false;          // partitions were refused for a branch below the limit

    bool found() const { return cost < std::numeric_limits<double>::infinity(); }
};

template <class Target, class Score>
class PairSearch {
    using Stats = typename Target::Stats;
    using SweepT = Sweep<Score, Stats>;
    using Cost = typename SweepT::Cost;

  public:
    PairSearch(const Target& target, const Score& score, const Options& options, std::size_t width)
        : target_(target),
          score_(score),
          options_(options),
          least_samples_(options.min_leaf_samples),
          sweep_(score, width) {}

    /// A new search: the node's rows, those whose cell is missing, and how much better is better. Split
    /// information costs logarithms: it is computed where someone will read it.
    void start(const Stats& all, const Stats& missing, double slack, bool with_split_info = true) {
        with_split_info_ = with_split_info;
        all_ = known_ = nothing_ = all;
        known_ -= missing;
        nothing_.clear();
        missing_ = missing;
        slack_ = slack;
        best_ = {};
    }
    /// Another search of the same rows.
    void restart() { best_ = {}; }
    /// Searches from here on ignore, or heed again, the least number of samples in a branch.
    void heed_limits(bool heed) { least_samples_ = heed ? options_.min_leaf_samples : 0; }

    /// Goes through arrange(see) as often as the policy for missing cells asks for.
    template <class Arrange>
    BestPair best(const Arrange& arrange) {
        const bool has_missing = missing_.weight() > 0;
        switch (options_.missing) {
            case Missing::branch:
                if (has_missing && target_.samples(missing_) < options_.min_leaf_samples) {
                    best_.too_few = true;
                    break;
                }
                if (has_missing && !admits(score_, missing_)) break;
                pass(nothing_, known_, has_missing ? node(score_, missing_) : 0, -1, arrange);
                if (has_missing) see_known_or_missing(-1);
                break;
            case Missing::larger:
            case Missing::share:
                pass(nothing_, known_, has_missing ? node(score_, all_) - node(score_, known_) : 0, -1,
                     arrange);
                if (options_.missing == Missing::larger && has_missing)
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
    template <class Arrange>
    void pass(const Stats& left, const Stats& right, double extra, std::int32_t missing_child,
              const Arrange& arrange) {
        sweep_.start(left, right);
        const bool apart = options_.missing != Missing::learn && missing_.weight() > 0;
        BestPair found;
        if (options_.by_ratio()) {
            double least = std::numeric_limits<double>::infinity();
            arrange(sweep_, [&](std::size_t id) {
                const double cost = sweep_.real(sweep_.raw());
                const double info = information(apart);
                const double ratio = ratio_of(cost + extra, info);
                if (-ratio < least - ratio_slack && admissible(found)) {
                    least = -ratio;
                    keep(found, id, cost, info);
                }
            });
        } else {
            Cost limit = std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                                 : std::numeric_limits<Cost>::max();
            const Cost slack = sweep_.units(slack_);
            arrange(sweep_, [&](std::size_t id) {
                if constexpr (requires { sweep_.surely_at_least(limit); })
                    if (sweep_.surely_at_least(limit)) return;
                const Cost cost = sweep_.raw();
                if (cost < limit && admissible(found)) {
                    limit = cost - slack;
                    keep(found, id, sweep_.real(cost), 0);
                }
            });
            if (found.found() && with_split_info_)
                found.split_info = information(found.first, found.second, apart);
        }
        best_.too_few |= found.too_few;
        if (!found.found()) return;
        found.cost += extra;
        found.missing_child = missing_child;
        merge(found);
    }

    /// Of two passes the better one; of equal ones the smaller cut, then the first pass.
    void merge(const BestPair& found) {
        const double gap = badness(found) - badness(best_);
        const double enough = options_.by_ratio() ? ratio_slack : slack_;
        if (best_.found() && !(gap < -enough || (gap <= enough && found.id < best_.id))) return;
        const bool too_few = best_.too_few;
        best_ = found;
        best_.too_few = too_few;
    }
    double badness(const BestPair& pair) const {
        return options_.by_ratio() && pair.found() ? -ratio_of(pair.cost, pair.split_info) : pair.cost;
    }

    void see_known_or_missing(std::int32_t missing_child) {
        if (target_.samples(known_) < least_samples_ || target_.samples(missing_) < least_samples_) {
            best_.too_few = true;
            return;
        }
        if (!(known_.weight() > 0) || !admits(score_, known_) || !admits(score_, missing_)) return;
        BestPair found;
        found.cost = node(score_, known_) + node(score_, missing_);
        found.id = known_or_missing;
        found.first = known_.weight();
        found.second = missing_child == 1 ? missing_.weight() : 0;
        found.missing_child = missing_child;
        found.fewest = std::min(target_.samples(known_), target_.samples(missing_));
        found.split_info = information(known_.weight(), missing_.weight(), false);
        merge(found);
    }

    void keep(BestPair& found, std::size_t id, double cost, double info) const {
        found.cost = cost;
        found.id = id;
        found.split_info = info;
        found.first = sweep_.left().weight();
        found.second = sweep_.right().weight();
        found.fewest = std::min(target_.samples(sweep_.left()), target_.samples(sweep_.right()));
    }
    bool admissible(BestPair& found) const {
        if (least_samples_ <= 0) return true;
        const bool enough = target_.samples(sweep_.left()) >= least_samples_ &&
                            target_.samples(sweep_.right()) >= least_samples_;
        found.too_few |= !enough;
        return enough;
    }
    double ratio_of(double cost, double info) const {
        const double gain = node(score_, all_) - cost;
        return gain > slack_ ? gain_ratio(gain / all_.weight(), info) : 0;
    }
    double information(bool apart) const {
        return information(sweep_.left().weight(), sweep_.right().weight(), apart);
    }
    double information(double first, double second, bool apart) const {
        BranchShares shares(all_.weight());
        for (const double weight : {first, second, apart ? missing_.weight() : 0})
            if (weight > 0) shares.add(weight);
        return shares.information();
    }

    const Target& target_;
    const Score& score_;
    const Options& options_;
    double least_samples_;
    SweepT sweep_;
    Stats all_, known_, missing_, nothing_;
    double slack_ = 0;
    bool with_split_info_ = true;
    BestPair best_;
};

}  // namespace branchwork
