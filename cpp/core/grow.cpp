// Growth of one tree, by the kind of target. Each kind is a file of its own, because compiling them takes its
// time.
#include "core/grow.hpp"

namespace branchwork {

GrownTree grow(std::span<const Column> columns, const Target& target, const Options& options,
               const WholeTable& table, Pulse& pulse) {
    if (options.missing == Missing::share) return grow_shared(columns, target, options, table, pulse);
    if (!target.is_classes()) return grow_numbers(columns, target, options, pulse);
    return target.weights.empty() ? grow_counted(columns, target, options, pulse)
                                  : grow_weighted(columns, target, options, pulse);
}

}  // namespace branchwork
