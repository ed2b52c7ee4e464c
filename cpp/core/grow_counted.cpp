// Classes, every row counting once.
#include "core/grow.hpp"
#include "core/grower.hpp"
#include "core/target.hpp"

namespace branchwork {

GrownTree grow_counted(std::span<const Column> columns, const Target& target, const Options& options,
                       Pulse& pulse) {
    return with_classes<std::int64_t>(
        target, options.criterion, target.rows(), [&](const auto& rows, const auto& score) {
            return grow_rows(columns, rows, score, target.classes, options, pulse);
        });
}

}  // namespace branchwork
