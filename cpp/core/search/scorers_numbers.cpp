// Targets of numbers, with weights or without.
#include "core/search/scorer_of.hpp"

namespace branchwork {

std::unique_ptr<Scorer> scorer_of_numbers(const Target& target, const Options& options, const Pulse& pulse) {
    switch (options.criterion) {
        case Criterion::variance:
            return std::make_unique<ScorerOf<ValueRows, SampleVariance>>(target, SampleVariance{}, options,
                                                                         pulse);
        case Criterion::squared_error:
            return std::make_unique<ScorerOf<ValueRows, SquaredError>>(target, SquaredError{}, options,
                                                                       pulse);
        case Criterion::poisson:
            return std::make_unique<ScorerOf<CountRows, PoissonDeviance>>(
                target, PoissonDeviance{options.rules == Rules::rpart}, options, pulse);
        default:
            throw std::invalid_argument("this criterion needs a target of classes");
    }
}

}  // namespace branchwork
