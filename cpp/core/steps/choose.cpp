// Chooses a split from a tally, with the same searches, scores and tie-breaking as when growing a tree.
#include <memory>

#include "core/search/scorer.hpp"
#include "core/steps/tally.hpp"

namespace branchwork {
namespace {

std::unique_ptr<Scorer> scorer_for(const NodeTally& tally, const Options& options, const Pulse& pulse) {
    Target target;
    target.classes = tally.classes ? tally.width : 0;
    target.rows_per_weight = tally.rows_per_weight;
    static constexpr double one = 1;
    if (!tally.unit_weights || options.asked) target.weights = {&one, 1};  // only whether it is empty matters
    return make_scorer(target, options, static_cast<std::size_t>(tally.weight()), pulse);
}

}  // namespace

Choice choose(const NodeTally& tally, std::span<const bool> used, double least_gain, const Options& options,
              const Pulse& pulse) {
    return scorer_for(tally, options, pulse)->choose(tally, used, least_gain);
}

std::vector<Cut> list_cuts(const NodeTally& tally, std::size_t column, const Options& options,
                           const Pulse& pulse) {
    return scorer_for(tally, options, pulse)->list_cuts(tally, tally.columns.at(column));
}

}  // namespace branchwork
