// C4.5's groups of values (Release 8's option -s): the branches of a nominal column, each with values of its
// own.
//
// Every value begins as a block of its own; blocks of one and the same class are merged at once. Then pairs
// are merged, the best first, as long as the gain ratio rises. Values that the node has (almost) nothing of
// are not looked at: together they are one more branch, the last.
//
//     sunny 2/3, overcast 4/0, rain 3/2, snow 0/0     ->     {sunny, rain} | {overcast} | {snow}
//
// Merging two blocks changes the cost and the split information of these two only, and a pair is measured
// anew only if one of its blocks has changed: O(values^2) additions per merger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/score.hpp"
#include "core/search/candidate.hpp"
#include "core/search/quinlan.hpp"
#include "core/tally/category_stats.hpp"

namespace branchwork {

template <class Score, class Stats>
class ValueGroups {
    static constexpr double least_of_a_value = 0.5;  // a value of less weight joins those that are absent
    static constexpr double least_rise = 1e-5;       // of the gain ratio, for a merger
    static constexpr double least_info = 1e-3;       // split information below which there is no ratio

  public:
    ValueGroups(const QuinlanRules& rules, const Score& score, const Stats& all,
                const CategoryStats<Stats>& categories)
        : rules_(rules), score_(score), gain_(score, all, categories.missing()), categories_(categories) {
        for (std::size_t k = 0; k < categories.size(); ++k) {
            if (rules.enough(categories[k].weight(), least_of_a_value)) {
                blocks_.push_back(block_of(categories[k]));
                blocks_.back().members.push_back(k);
            } else if (left_over_.empty()) {
                left_over_.push_back(categories[k]);
            } else {
                left_over_.front() += categories[k];
            }
        }
    }

    Candidate best(double parent, std::size_t levels) {
        Candidate none;
        if (categories_.size() >= 2) none.verdict = Verdict::too_few_rows;
        if (blocks_.size() < 2) return none;
        merge_pure();
        measure_all();
        const double half = now_.gain / 2;
        while (blocks_.size() > 2) {
            const Merger merger = best_merger(half);
            const bool rises = merger.found() && merger.worth.ratio() >= now_.ratio() + least_rise;
            if (!merger.found() || (!rises && heavy() >= 2)) break;
            merge(merger.i, merger.j);
            update_pairs(merger.i, merger.j);
            measure_all();
        }
        if (heavy() < 2) return none;
        none.verdict = Verdict::no_gain;
        if (!(now_.gain > rules_.slack())) return none;
        Candidate split = quinlan_candidate(now_.gain, now_.info, gain_.whole(), parent);
        if (rules_.in_full) {
            BranchTester<Score, Stats> tester(gain_.known_stats());
            for (const Block& block : blocks_) tester.add(block.stats);
            for (const Stats& stats : left_over_) tester.add(stats);
            split.test = tester.result();
            split.judged = gain_.judged();
        }
        split.sides.assign(levels, static_cast<Side>(blocks_.size()));
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            for (const std::size_t k : blocks_[b].members)
                split.sides[static_cast<std::size_t>(categories_.codes()[k])] = static_cast<Side>(b);
        return split;
    }

  private:
    struct Block {
        Stats stats;
        double weight = 0;
        double cost = 0;  // node(stats)
        double bits = 0;  // its part of the split information
        std::vector<std::size_t> members;
        std::vector<double> costs;  // of this block merged with each one before it
    };
    struct Worth {
        double gain = 0, info = 0;
        double ratio() const { return info > least_info ? gain / info : -least_info; }
    };
    struct Merger {
        std::size_t i = 0, j = 0;
        Worth worth;
        bool found() const { return j > 0; }
    };

    Block block_of(const Stats& stats) const {
        Block block;
        block.stats = stats;
        describe(block);
        return block;
    }
    void describe(Block& block) const {
        block.weight = block.stats.weight();
        block.cost = node(score_, block.stats);
        block.bits = bits(block.weight);
    }
    double bits(double weight) const {
        const double share = weight / gain_.whole();
        return share > 0 ? -share * std::log2(share) : 0;
    }
    std::size_t heavy() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            blocks_, [&](const Block& b) { return rules_.enough(b.weight, rules_.min_objects); }));
    }
    std::size_t largest() const {
        std::size_t best = 0;
        for (std::size_t b = 1; b < blocks_.size(); ++b)
            if (rules_.more(blocks_[b].weight, blocks_[best].weight)) best = b;
        return best;
    }

    /// Puts the second of two blocks into the first; the last block fills the gap.
    void merge(std::size_t i, std::size_t j) {
        Block& into = blocks_[i];
        into.stats += blocks_[j].stats;
        into.members.insert(into.members.end(), blocks_[j].members.begin(), blocks_[j].members.end());
        describe(into);
        if (j + 1 < blocks_.size()) blocks_[j] = std::move(blocks_.back());
        blocks_.pop_back();
    }
    static bool same_class(const Block& a, const Block& b) {
        std::size_t present = 0;
        for (std::size_t c = 0; c < a.stats.of.size(); ++c) present += a.stats.of[c] > 0 || b.stats.of[c] > 0;
        return present == 1;
    }
    void merge_pure() {
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (std::size_t j = i + 1; j < blocks_.size();)
                if (same_class(blocks_[i], blocks_[j]))
                    merge(i, j);
                else
                    ++j;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            blocks_[b].costs.resize(b);
            for (std::size_t a = 0; a < b; ++a) blocks_[b].costs[a] = cost_of_pair(a, b);
        }
    }
    double cost_of_pair(std::size_t a, std::size_t b) const {
        Stats together = blocks_[a].stats;
        together += blocks_[b].stats;
        return node(score_, together);
    }
    /// After a merger: block i has changed, and another block may stand at j.
    void update_pairs(std::size_t i, std::size_t j) {
        for (const std::size_t changed : {i, j}) {
            if (changed >= blocks_.size()) continue;
            blocks_[changed].costs.resize(changed);
            for (std::size_t other = 0; other < blocks_.size(); ++other) {
                if (other == changed) continue;
                const auto [a, b] = std::minmax(other, changed);
                blocks_[b].costs[a] = cost_of_pair(a, b);
            }
        }
    }

    void measure_all() {
        cost_ = bits_ = 0;
        if (!left_over_.empty()) {
            cost_ = node(score_, left_over_.front());
            bits_ = bits(left_over_.front().weight());
        }
        bits_ += bits(categories_.missing().weight());
        for (const Block& block : blocks_) cost_ += block.cost, bits_ += block.bits;
        now_ = {gain_.gain(cost_), bits_};
    }
    Worth worth_of_pair(std::size_t i, std::size_t j) const {
        const Block &a = blocks_[i], &b = blocks_[j];
        return {gain_.gain(cost_ - a.cost - b.cost + b.costs[i]),
                bits_ - a.bits - b.bits + bits(a.weight + b.weight)};
    }
    /// The pair whose merging is worth most, the last of equals. A pair of less than half the gain at the
    /// start gives way to one of more gain, any other to one of a larger gain ratio. The largest block stays
    /// alone unless three are heavy enough.
    Merger best_merger(double half) const {
        const std::size_t alone = heavy() < 3 ? largest() : blocks_.size();
        Merger best;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (std::size_t j = i + 1; j < blocks_.size(); ++j) {
                if (i == alone || j == alone) continue;
                const Worth worth = worth_of_pair(i, j);
                const bool by_ratio = rules_.enough(best.worth.gain, half);
                const bool worse = by_ratio ? rules_.more(best.worth.ratio(), worth.ratio())
                                            : rules_.more(best.worth.gain, worth.gain);
                if (!best.found() || !worse) best = {i, j, worth};
            }
        return best;
    }

    const QuinlanRules& rules_;
    const Score& score_;
    const QuinlanGain<Score, Stats> gain_;
    const CategoryStats<Stats>& categories_;
    std::vector<Block> blocks_;
    std::vector<Stats> left_over_;  // of the values that are hardly there; none or one
    double cost_ = 0, bits_ = 0;
    Worth now_;
};

}  // namespace branchwork
