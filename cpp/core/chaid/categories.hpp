// Turns all features into categories for CHAID. Numeric features are binned into intervals.
//
// Binning is done once, on the whole table: a value with mean rank r among N rows goes into interval floor(r · bins /
// (N + 1)). So intervals have about equal weight, and rows with the same value stay together. A feature with at most
// `bins` values keeps them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork::chaid {

/// The largest number of categories that codes of two bytes can number, with one more code for missing values.
inline constexpr std::size_t most_codes = 65'534;

struct Categories {
    std::vector<std::uint16_t> codes;  // per row; `count` means missing. Empty if count > most_codes
    std::size_t count = 0;
    bool is_ordered = false;
    bool is_numeric = false;
    std::vector<double> bounds;  // numeric: the bound between each category and the next
};

/// Turns every feature of a table into categories. `ordinal[j]` says for a categorical feature whether its categories
/// are ordered, and for a numeric one whether it keeps all its values. `weights` has one number per row; empty: all are
/// 1.
std::vector<Categories> categories_of(std::span<const Column> columns, std::size_t rows,
                                      std::span<const std::uint8_t> ordinal, std::size_t bins,
                                      std::span<const double> weights, int threads, const Pulse& pulse);

}  // namespace branchwork::chaid
