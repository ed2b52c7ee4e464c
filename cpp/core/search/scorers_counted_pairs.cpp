// Two classes, every row counting once.
#include "core/search/class_scorer.hpp"

namespace branchwork {

std::unique_ptr<Scorer> scorer_of_counted_pairs(const Target& target, const Options& options,
                                                std::size_t largest, const Pulse& pulse) {
    return class_scorer<ClassRows<std::int64_t, 2>>(target, options, largest, pulse);
}

}  // namespace branchwork
