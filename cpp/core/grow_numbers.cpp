// Numbers.
#include "core/grow.hpp"
#include "core/grower.hpp"
#include "core/target.hpp"

namespace branchwork {

GrownTree grow_numbers(std::span<const Column> columns, const Target& target, const Options& options,
                       Pulse& pulse) {
    return with_value_score(options, {target.values, target.weights},
                            [&](const auto& rows, const auto& score) {
                                return grow_rows(columns, rows, score, 1, options, pulse);
                            });
}

}  // namespace branchwork
