#include "core/search/scorer.hpp"

namespace branchwork {

std::unique_ptr<Scorer> make_scorer(const Target& target, const Options& options, std::size_t largest,
                                    const Pulse& pulse) {
    if (!target.is_classes()) return scorer_of_numbers(target, options, pulse);
    const bool two = target.classes == 2;
    if (target.weights.empty())
        return (two ? scorer_of_counted_pairs : scorer_of_counted_classes)(target, options, largest, pulse);
    return (two ? scorer_of_weighted_pairs : scorer_of_weighted_classes)(target, options, largest, pulse);
}

}  // namespace branchwork
