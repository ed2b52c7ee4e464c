// Many classes, rows with weights.
#include "core/search/class_scorer.hpp"

namespace branchwork {

std::unique_ptr<Scorer> scorer_of_weighted_classes(const Target& target, const Options& options,
                                                   std::size_t largest, const Pulse& pulse) {
    return class_scorer<ClassRows<double>>(target, options, largest, pulse);
}

}  // namespace branchwork
