// Turns a numeric feature with few distinct values into codes. Such a feature is counted instead of sorted.
//
//     cells    2.5   1.0    –    2.5   7.0         '–' = missing
//     codes     2     1     0     2     3          0: missing; 1 + k: values[k]
//     values   1.0   2.5   7.0                     ascending
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
    std::vector<std::uint16_t> codes;  // per row of the sample
    bool has_missing = false;
};

/// Returns the codes of a feature, or nothing if it has (or seems to have) more distinct values than `most`. `cell_row`
/// is the table row of each row of the sample; empty: the sample is the whole table.
std::optional<FewValues> few_values(const Column& column, std::size_t rows, std::span<const Row> cell_row,
                                    std::size_t most, const Pulse& pulse);

/// The same from ranks that exist already.
std::optional<FewValues> few_values(const Column& column, const PreparedColumn& prepared,
                                    std::span<const Row> cell_row, std::size_t most, const Pulse& pulse);

}  // namespace branchwork
