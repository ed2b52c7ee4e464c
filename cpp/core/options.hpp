// The options of growth as the core sees them: a recipe, spelled out as one plain struct.
#pragma once

#include <cstdint>

namespace branchwork {

enum class Criterion : std::uint8_t { accuracy, entropy, gini, variance, squared_error };

/// How cuts of a numeric column are searched. All three find the same partition; the first two exist to show
/// why the third is used.
enum class NumericSearch : std::uint8_t {
    grid,    // every point of a grid, counting all rows for each: O(n k) a column
    values,  // every row's own value, counting all rows for each: O(n^2)
    sorted,  // sorted once, then running counts: O(n log n)
};

struct Options {
    Criterion criterion = Criterion::entropy;
    NumericSearch search = NumericSearch::sorted;
    double grid_step = 0;              // grid search: multiples of this step ...
    std::int64_t grid_points = 0;      // ... or this many points between the smallest and the largest value
    bool only_changes = false;         // cut only where the class changes between neighbouring values
    bool zero_gain = true;             // may a split without gain be taken?
    std::int64_t max_depth = -1;       // -1: none
    double min_split_weight = 2;       // a lighter node is a leaf
    std::int64_t ledger_nodes = 1000;  // the ledger is kept for trees up to this size
    int threads = 1;
};

}  // namespace branchwork
