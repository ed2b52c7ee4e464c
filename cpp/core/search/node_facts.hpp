// What a scorer sees of a target, and what it tells about a node.
#pragma once

#include <cstddef>
#include <span>

#include "core/score.hpp"
#include "core/search/scorer.hpp"
#include "core/stats.hpp"
#include "core/tally/node_stats.hpp"
#include "core/target.hpp"

namespace branchwork {

/// A light view of a target for one kind of rows.
template <TargetRows Labels>
Labels view_of(const Target& target) {
    if constexpr (is_classes<Labels>)
        return {target.codes, target.weights, target.classes, target.rows_per_weight, target.sample_row};
    else
        return Labels{target.values, target.weights, target.sample_row};
}

/// What is known about a node once its rows have been counted. The weight of each class is written to `counts`.
template <TargetRows Labels, class Score, class Stats>
NodeFacts facts_of(const Labels& target, const Score& score, const NodeStats<Stats>& node_stats,
                   [[maybe_unused]] std::span<double> counts) {
    const Stats& stats = node_stats.stats;
    NodeFacts facts;
    facts.weight = stats.weight();
    facts.samples = target.samples(stats);
    facts.cost = node(score, stats);
    facts.slack = slack(score, stats);
    facts.pure = node_stats.pure;
    facts.centre = node_stats.centre;
    if constexpr (is_classes<Labels>)
        for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = static_cast<double>(stats.of[c]);
    return facts;
}

/// The same for numbers, with their variance.
template <TargetRows Labels, class Score>
NodeFacts facts_of_numbers(const Labels& target, const Score& score, const NodeStats<Moments>& node_stats,
                           std::span<double> counts) {
    NodeFacts facts = facts_of(target, score, node_stats, counts);
    facts.moments = node_stats.stats;
    facts.variance = facts.weight > 1 ? node_stats.stats.squared_deviations() / (facts.weight - 1) : 0;
    return facts;
}

}  // namespace branchwork
