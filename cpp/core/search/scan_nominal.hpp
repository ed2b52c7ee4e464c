// The best split of one nominal column in one node, from the statistics of its categories.
//
//     multiway      one branch per category: nothing to search
//     one_vs_rest   every category against all others
//     subset        two groups. With two classes, or a mean, and a concave score, the best groups are neighbours
//                   when categories are put in order of the share of a class, or of their mean (Breiman et al.
//                   1984, Fisher 1958): L - 1 partitions. Otherwise all 2^(L-1) - 1 partitions are tried for up to
//                   12 categories. Above that there is a heuristic: the orders by the share of each class in turn.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/order.hpp"
#include "core/parallel.hpp"
#include "core/search/pair_search.hpp"
#include "core/tally/category_stats.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Up to this many categories present in a node, all ways to group them are tried.
inline constexpr std::size_t most_exhaustive = 12;

template <TargetRows Labels, class Score>
class NominalSearch {
    using Stats = typename Labels::Stats;

  public:
    NominalSearch(const Labels& target, const Score& score, const Options& options,
                  PairSearch<Labels, Score>& pairs, const Pulse& pulse)
        : target_(target), score_(score), options_(options), pairs_(pairs), pulse_(pulse) {}

    /// Where the categories of the next search are written.
    CategoryStats<Stats>& categories() { return categories_; }

    /// The pair search must have been started with the node.
    Candidate best(const Stats& all, std::int32_t levels, double slack, SearchCost& spent) {
        if (categories_.size() == 0) return {};
        if (options_.nominal == Nominal::multiway) return multiway(all, slack, spent);
        pairs_.set_missing(categories_.missing());
        spent_ = &spent;
        const BestPair best = options_.nominal == Nominal::one_vs_rest ? one_vs_rest() : subset();
        return in_two(best, levels);
    }

  private:
    // ---- one branch per category

    Candidate multiway(const Stats& all, double slack, SearchCost& spent) {
        Candidate split;
        ++spent.rules_scored;
        const Stats& missing = categories_.missing();
        const bool has_missing = missing.weight() > 0;
        const bool own_branch = has_missing && options_.missing == Missing::branch;
        if (categories_.size() + (own_branch ? 1 : 0) < 2) return split;
        double cost = 0;
        BranchShares shares(all.weight());
        for (std::size_t k = 0; k < categories_.size(); ++k) {
            if constexpr (!is_asked<Score>) cost += node(score_, categories_[k]);
            shares.add(categories_[k].weight());
        }
        split.verdict = Verdict::too_few_rows;
        if (has_missing && options_.missing == Missing::learn) {
            learn(split, all, cost, slack);
            if (split.is_split() && pairs_.in_full()) split.test = test(all, false, split.missing_child);
            return split;
        } else if (first_refused() < categories_.size() || (own_branch && !may_be_branch(missing))) {
            return split;
        } else if (has_missing) {
            if (options_.missing != Missing::share) split.missing_child = heaviest();
            shares.add(missing.weight());
            Stats known = all;
            known -= missing;
            if constexpr (!is_asked<Score>)
                cost += own_branch ? node(score_, missing) : node(score_, all) - node(score_, known);
        }
        if constexpr (is_asked<Score>) cost = asked_cost(all, own_branch, nowhere);
        split.cost = cost;
        split.split_info = shares.information();
        if (pairs_.in_full()) {
            pairs_.set_missing(missing);
            split.test = test(all, own_branch, -1);
            split.judged = pairs_.judged();
        }
        return split;
    }
    /// Missing cells have a branch of their own, join a category (its code), or are left out.
    BranchTest test(const Stats& all, bool own_branch, std::int32_t joined) const {
        const Stats& missing = categories_.missing();
        Stats rows = all;
        if (!own_branch && joined < 0) rows -= missing;
        BranchTester<Score, Stats> tester(rows);
        for (std::size_t k = 0; k < categories_.size(); ++k) {
            if (categories_.codes()[k] != joined) {
                tester.add(categories_[k]);
                continue;
            }
            Stats with = categories_[k];
            with += missing;
            tester.add(with);
        }
        if (own_branch) tester.add(missing);
        return tester.result();
    }
    bool may_be_branch(const Stats& stats) const {
        return room(target_, stats, options_) >= 0 && admits(score_, stats);
    }
    /// The first category from place k on that cannot be a branch by itself; the number of categories if there is none.
    std::size_t first_refused(std::size_t k = 0) const {
        while (k < categories_.size() && may_be_branch(categories_[k])) ++k;
        return k;
    }
    std::int32_t heaviest() const {
        std::size_t best = 0;
        for (std::size_t k = 1; k < categories_.size(); ++k)
            if (categories_[k].weight() > categories_[best].weight()) best = k;
        return categories_.codes()[best];
    }
    /// Missing cells go with the category where the split is best. A category that is too small to be a branch without
    /// them must get them. `cost` is that of the known rows.
    void learn(Candidate& split, const Stats& all, [[maybe_unused]] double cost, double slack) {
        const std::size_t refused = first_refused();
        const bool any_refused = refused < categories_.size();
        if (any_refused && first_refused(refused + 1) < categories_.size()) return;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < categories_.size(); ++k) {
            if (any_refused && k != refused) continue;
            Stats with = categories_[k];
            with += categories_.missing();
            if (!may_be_branch(with)) continue;
            double cost_with = 0;
            if constexpr (is_asked<Score>)
                cost_with = asked_cost(all, false, k);
            else
                cost_with = cost - node(score_, categories_[k]) + node(score_, with);
            BranchShares shares(all.weight());
            for (std::size_t j = 0; j < categories_.size(); ++j)
                shares.add(j == k ? with.weight() : categories_[j].weight());
            const double gain = node(score_, all) - cost_with;
            const double ratio = gain > slack ? gain_ratio(gain / all.weight(), shares.information()) : 0;
            const double badness = pairs_.by_ratio() ? -ratio : cost_with;
            if (!(badness < least - (pairs_.by_ratio() ? ratio_slack : slack))) continue;
            least = badness;
            split.cost = cost_with;
            split.split_info = shares.information();
            split.missing_child = categories_.codes()[k];
        }
    }

    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
    /// What one branch per category costs by a score that is asked. Missing cells have a branch of their own, join the
    /// category at this place, or are left out.
    double asked_cost(const Stats& all, bool own_branch, std::size_t joined)
        requires is_asked<Score>
    {
        const Stats& missing = categories_.missing();
        Stats rows = all;
        if (!own_branch && joined == nowhere) rows -= missing;
        questions_.start(rows, categories_.size() + (own_branch ? 1 : 0), AskedScore::residue * all.weight());
        for (std::size_t k = 0; k < categories_.size(); ++k) {
            Stats branch = categories_[k];
            if (k == joined) branch += missing;
            questions_.add(branch);
        }
        if (own_branch) questions_.add(missing);
        return node(score_, all) - questions_.ask(score_.functions())[0];
    }

    // ---- two branches

    enum class Shape { one, order, mask };

    BestPair one_vs_rest() {
        if (categories_.size() < 2) return nothing_but_missing();
        return best_of(Shape::one);
    }

    BestPair subset() {
        if (categories_.size() < 2) return nothing_but_missing();
        if (order_decides()) {
            if (options_.rules == Rules::rpart) return best_of(Shape::order);
            pairs_.heed_limits(false);
            const BestPair best = best_of(Shape::order);
            pairs_.heed_limits(true);
            if (!best.found() || best.room >= 0) return best;
        }
        return best_of(categories_.size() <= most_exhaustive ? Shape::mask : Shape::order);
    }
    bool order_decides() const {
        if (options_.by_ratio() || options_.criterion == Criterion::variance ||
            options_.criterion == Criterion::own)
            return false;
        for (std::size_t k = 0; k < categories_.size(); ++k)
            if (!admits(score_, categories_[k]))
                return false;  // a limit may bind, and then the order proves nothing
        if constexpr (is_classes<Labels>)
            return target_.classes == 2;
        else
            return true;
    }
    /// All rows that are known are in one category: only what is missing can be parted from it.
    BestPair nothing_but_missing() {
        shape_ = Shape::one;
        return pairs_.best(OnePartition<Stats>{nullptr});
    }

    /// The best of all partitions of a shape. One arrangement for the three shapes, so that the search is compiled once.
    BestPair best_of(Shape shape) {
        shape_ = shape;
        if (shape == Shape::order) make_orders();
        return pairs_.best([this](auto& sweep, auto&& see) {
            const auto fresh = sweep;
            switch (shape_) {
                case Shape::one:
                    for (std::size_t k = 0; k < categories_.size(); ++k) {
                        sweep = fresh;
                        sweep.move(categories_[k]);
                        visit(see, k);
                    }
                    break;
                case Shape::order:
                    for (std::size_t o = 0; o < orders_.size(); ++o) {
                        pulse_.check();
                        sweep = fresh;
                        for (std::size_t b = 1; b < categories_.size(); ++b) {
                            sweep.move(categories_[orders_[o][b - 1]]);
                            visit(see, o * categories_.size() + b);
                        }
                    }
                    break;
                case Shape::mask:
                    // Every group that holds the first category: bit k - 1 of the mask stands for category k.
                    const std::size_t all = (std::size_t{1} << (categories_.size() - 1)) - 1;
                    for (std::size_t mask = 0; mask < all; ++mask) {
                        sweep = fresh;
                        sweep.move(categories_[0]);
                        for (std::size_t rest = mask; rest != 0; rest &= rest - 1)
                            sweep.move(categories_[static_cast<std::size_t>(std::countr_zero(rest)) + 1]);
                        visit(see, mask);
                    }
            }
        });
    }
    /// Categories in order of their mean, or of the share of each class (of two classes, one is enough).
    void make_orders() {
        std::size_t wanted = 1;
        if constexpr (is_classes<Labels>) wanted = target_.classes == 2 ? 1 : target_.classes;
        orders_.resize(wanted);
        std::vector<double> key(categories_.size());
        for (std::size_t o = 0; o < wanted; ++o) {
            pulse_.check();
            for (std::size_t k = 0; k < key.size(); ++k) {
                if constexpr (is_classes<Labels>)
                    key[k] = static_cast<double>(categories_[k].of[target_.classes == 2 ? 1 : o]) /
                             categories_[k].weight();
                else
                    key[k] = categories_[k].s / categories_[k].w;
            }
            rising_order(key, orders_[o]);
        }
    }

    template <class See>
    void visit(See& see, std::size_t id) {
        see(id);
        ++spent_->rules_scored;
    }

    /// Does a partition put category k into the group that the sweep had on its left?
    std::vector<bool> left_group(std::size_t id) const {
        const std::size_t count = categories_.size();
        std::vector<bool> left(count, id == known_or_missing);
        if (id == known_or_missing) return left;
        if (shape_ == Shape::one) {
            left[id] = true;
        } else if (shape_ == Shape::mask) {
            for (std::size_t k = 0; k < count; ++k) left[k] = k == 0 || (id >> (k - 1) & 1);
        } else {
            for (std::size_t b = 0; b < id % count; ++b) left[orders_[id / count][b]] = true;
        }
        return left;
    }

    Candidate in_two(const BestPair& best, std::int32_t levels) const {
        Candidate split;
        if (best.too_few) split.verdict = Verdict::too_few_rows;
        if (!best.found()) return split;
        split.cost = best.cost;
        split.split_info = best.split_info;
        if (pairs_.in_full()) {
            split.test = pairs_.test();
            split.judged = pairs_.judged();
        }
        split.missing_child = best.missing_child;
        const std::vector<bool> left = left_group(best.id);
        const bool swap = options_.nominal == Nominal::subset && !left[0];
        if (swap && split.missing_child >= 0) split.missing_child = 1 - split.missing_child;
        const bool to_heavier = options_.missing == Missing::larger || options_.missing == Missing::surrogate;
        if (to_heavier && best.first == best.second) split.missing_child = 0;
        const Side others = best.id == known_or_missing                ? Side::first
                            : options_.nominal == Nominal::one_vs_rest ? Side::second
                                                                       : Side::absent;
        split.sides.assign(static_cast<std::size_t>(levels), others);
        for (std::size_t k = 0; k < left.size(); ++k)
            split.sides[static_cast<std::size_t>(categories_.codes()[k])] =
                left[k] != swap ? Side::first : Side::second;
        return split;
    }

    const Labels& target_;
    const Score& score_;
    const Options& options_;
    PairSearch<Labels, Score>& pairs_;
    const Pulse& pulse_;
    CategoryStats<Stats> categories_;
    Shape shape_ = Shape::one;
    std::vector<std::vector<std::size_t>> orders_;
    SearchCost* spent_ = nullptr;
    Questions questions_;
};

}  // namespace branchwork
