// A numeric column with few distinct values, as codes: such a column is counted instead of sorted.
//
//     cells    2.5   1.0    –    2.5   7.0         '–' = missing
//     codes     2     1     0     2     3          0: missing; 1 + k: the k-th of the values
//     values   1.0   2.5   7.0                     rising
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"

namespace branchwork {

struct FewValues {
    std::vector<double> values;
    std::vector<std::uint16_t> codes;  // of each row of the sample
    bool has_missing = false;
};

/// Codes of a column's cells; nothing if it has more distinct values than `most`. `cell_row` is the row of the table that
/// each row of the sample has its cell in; empty: the same.
std::optional<FewValues> few_values(const Column& column, std::size_t rows, std::span<const Row> cell_row,
                                    std::size_t most, const Pulse& pulse);

/// The same from ranks that were made beforehand.
std::optional<FewValues> few_values(const Column& column, const PreparedColumn& prepared,
                                    std::span<const Row> cell_row, std::size_t most, const Pulse& pulse);

}  // namespace branchwork
