// The tally of a node: the statistics of its rows for each value of each feature. It is all that `choose` needs, and
// what a worker sends to a driver when a table is distributed: tallies of parts of a table can be added. A categorical
// feature has a row of statistics per category, a numeric one per distinct value, ascending. Row 0 is for missing
// values.
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
    // Numeric feature and numeric target: the target of all rows with each value, NaN if they differ.
    std::vector<double> labels;
    std::vector<double> stats;  // (1 + categories or values, width)
};

struct NodeTally {
    std::size_t width = 0;  // numbers in a row of statistics
    bool classes = false;   // a row has the weight of each class; otherwise weight, sum and sum of squares
    bool unit_weights = false;            // all weights are 1, so `choose` computes with integers
    std::vector<double> rows_per_weight;  // per class if there are class weights, otherwise empty
    double centre = 0;                    // subtracted from a numeric target before it is summed
    double label = 0;                     // numbers: the target if all rows have the same, otherwise NaN
    double deviations = 0;                // numbers: sum of squared deviations from the mean
    std::size_t rows = 0;
    std::vector<double> total;  // one row of statistics
    std::vector<ColumnTally> columns;

    double weight() const;
    double samples() const;   // the weight without class weights
    bool pure() const;        // whether all rows have the same class or number
    double variance() const;  // numbers: with denominator n - 1
    double mean() const;      // numbers

    /// Adds the rows of another part of the table. Both tallies must have the same centre.
    NodeTally& operator+=(const NodeTally& other);
};

/// Tallies the given rows of the table for the criterion of the options. `centre` is subtracted from a numeric target;
/// if there is none, a point near the mean of these rows is.
NodeTally tally(std::span<const Column> columns, const Target& target, std::span<const Row> rows,
                const Options& options, std::optional<double> centre, const Pulse& pulse);

/// The candidates of all features, the index of the best or -1, and the impurity of the node times its weight.
struct Choice {
    std::vector<Candidate> candidates;
    std::int64_t best = -1;
    double parent = 0;
};

/// Chooses the split of a node from its tally. Features marked in `used` (categorical ones that an ancestor used) are
/// skipped. A split must gain at least `least_gain` per row.
Choice choose(const NodeTally& tally, std::span<const bool> used, double least_gain, const Options& options,
              const Pulse& pulse);

/// A threshold of a numeric feature, as listed by list_cuts.
struct Cut {
    double cut, cost, left_weight, right_weight, missing_weight;
};

/// Lists every threshold of a numeric feature that the options allow.
std::vector<Cut> list_cuts(const NodeTally& tally, std::size_t column, const Options& options,
                           const Pulse& pulse);

}  // namespace branchwork
