// Classes of weighted rows.
#include "core/grow.hpp"
#include "core/grower.hpp"
#include "core/target.hpp"

namespace branchwork {

GrownTree grow_weighted(std::span<const Column> columns, const Target& target, const Options& options,
                        Pulse& pulse) {
    return with_classes<double>(target, options.criterion, target.rows(),
                                [&](const auto& rows, const auto& score) {
                                    return grow_rows(columns, rows, score, target.classes, options, pulse);
                                });
}

}  // namespace branchwork
