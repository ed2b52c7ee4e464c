// The scorer for a target of classes, by the name of its criterion.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/search/scorer_of.hpp"

namespace branchwork {

/// The scorer of a criterion on class counts.
template <TargetRows Labels>
std::unique_ptr<Scorer> class_scorer(const Target& target, const Options& options, std::size_t largest,
                                     const Pulse& pulse) {
    using Count = typename Labels::Stats::Count;
    const auto of = [&]<class Score>(Score score) -> std::unique_ptr<Scorer> {
        return std::make_unique<ScorerOf<Labels, Score>>(target, std::move(score), options, pulse);
    };
    switch (options.criterion) {
        case Criterion::accuracy:
            return of(Accuracy<Count>(largest));
        case Criterion::entropy:
        case Criterion::gain_ratio:
            return of(Entropy<Count>(largest));
        case Criterion::gini:
            return of(Gini<Count>(largest));
        case Criterion::own:
            if constexpr (!Labels::counts_rows)
                if (options.asked) {
                    if (options.asked->classes != target.classes)
                        throw std::invalid_argument("the functions of the score are for other classes");
                    return of(AskedScore(options.asked));
                }
            if (!options.own || options.own->classes != target.classes || options.own->stride <= largest)
                throw std::invalid_argument("the tables of the score are for other classes or fewer rows");
            return of(OwnScore<Count>(options.own));
        default:
            throw std::invalid_argument("this criterion needs a numeric target");
    }
}

}  // namespace branchwork
