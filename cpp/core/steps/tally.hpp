// The statistics of a node's rows, column by column, as a value of their own: what a worker sends to a
// driver, and what `choose` needs. A nominal column has a row of statistics for each category; a numeric one
// for each distinct value, in rising order. Row 0 is for missing cells. Tallies of parts of the table add up.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/search/candidate.hpp"
#include "core/target.hpp"

namespace branchwork {

struct ColumnTally {
    bool nominal = false;
    std::vector<double> values;  // numeric: the distinct values
    std::vector<double>
        labels;  // numeric column and target: the one number at each value, NaN where they differ
    std::vector<double> stats;  // (1 + categories or values) x width, row-major
};

struct NodeTally {
    std::size_t width = 0;      // numbers in a row of statistics
    bool classes = false;       // rows are weights of classes; otherwise weight, sum and sum of squares
    bool unit_weights = false;  // weights of classes are whole numbers: chosen with integers
    std::vector<double> rows_per_weight;  // of each class, where there are class weights
    double centre = 0;                    // sums of a numeric target are about this point
    double label = 0;                     // numbers: the one that all rows have; NaN: they differ
    double deviations = 0;                // numbers: sum of squared deviations from the mean
    std::size_t rows = 0;
    std::vector<double> total;  // one row of statistics
    std::vector<ColumnTally> columns;

    double weight() const;
    double samples() const;   // the weight without class weights
    bool pure() const;        // one class, or one and the same number
    double variance() const;  // numbers: with n - 1
    double mean() const;      // numbers

    /// Adds the rows of another part of the table. Both must be about the same centre.
    NodeTally& operator+=(const NodeTally& other);
};

/// Tallies the given rows of the table, for the criterion of the options. `centre`: the point that sums of a numeric
/// target are about; none: a point near the mean of these rows.
NodeTally tally(std::span<const Column> columns, const Target& target, std::span<const Row> rows,
                const Options& options, std::optional<double> centre, const Pulse& pulse);

/// A choice: every column's candidate, the winner or -1, and the node's own impurity (times its weight).
struct Choice {
    std::vector<Candidate> candidates;
    std::int64_t best = -1;
    double parent = 0;
};

/// Chooses the split of a node from its tally. Columns in `used` (nominal ones used above) are passed over; a
/// split must gain at least `least_gain` a row.
Choice choose(const NodeTally& tally, std::span<const bool> used, double least_gain, const Options& options,
              const Pulse& pulse);

/// One cut of a numeric column: for a list of all of them.
struct Cut {
    double cut, cost, left_weight, right_weight, missing_weight;
};

/// Every cut of a numeric column that the recipe admits.
std::vector<Cut> list_cuts(const NodeTally& tally, std::size_t column, const Options& options,
                           const Pulse& pulse);

}  // namespace branchwork
