// One whole tree in one call.
#pragma once

#include <cstddef>
#include <span>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// What C4.5 knows of a table of more rows: cuts are values of it, and its weight says which columns have
/// many values. No columns: the rows are the whole table.
struct WholeTable {
    std::span<const Column> columns;
    std::size_t rows = 0;
    double weight = 0;
};

GrownTree grow(std::span<const Column> columns, const Target& target, const Options& options,
               const WholeTable& table, Pulse& pulse);

// Its parts, by what a row of the target is.
GrownTree grow_counted(std::span<const Column> columns, const Target& target, const Options& options,
                       Pulse& pulse);
GrownTree grow_weighted(std::span<const Column> columns, const Target& target, const Options& options,
                        Pulse& pulse);
GrownTree grow_numbers(std::span<const Column> columns, const Target& target, const Options& options,
                       Pulse& pulse);

/// The same where a row whose cell is missing goes down every branch (Missing::share), and for C4.5.
GrownTree grow_shared(std::span<const Column> columns, const Target& target, const Options& options,
                      const WholeTable& table, Pulse& pulse);

}  // namespace branchwork
