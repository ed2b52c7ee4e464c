// The target at the door: what every row of a sample is to be predicted as, and how much it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"

namespace branchwork {

struct Target {
    std::span<const std::int32_t> codes;  // classes ...
    std::span<const double> values;       // ... or numbers; the other is empty
    std::span<const double> weights;      // empty: every row counts once
    std::size_t classes = 0;              // 0: numbers
    std::span<const double>
        rows_per_weight;              // of each class: 1 / its class weight, which is part of the weights
    std::span<const Row> sample_row;  // of each row, where these are a copy of some; empty: all of a sample

    bool is_classes() const { return classes > 0; }
    std::size_t rows() const { return is_classes() ? codes.size() : values.size(); }
    /// Numbers that statistics hold: one for each class, or weight, sum and sum of squares.
    std::size_t width() const { return is_classes() ? classes : 3; }
    double weight(Row row) const { return weights.empty() ? 1.0 : weights[row]; }
    /// What limits on samples are compared with: the weight without the class weight.
    double samples(Row row) const {
        return rows_per_weight.empty() ? weight(row)
                                       : weight(row) * rows_per_weight[static_cast<std::size_t>(codes[row])];
    }
    double label(Row row) const { return is_classes() ? codes[row] : values[row]; }
};

/// Some rows of a target, renumbered 0, 1, 2 ... and copied side by side: what is read in any order should lie
/// close together.
class TargetCopy {
  public:
    /// Row i of the copy is `rows[i]` of `from`.
    const Target& gather(const Target& from, std::span<const Row> rows) {
        draw(from, rows);
        sample_row_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            sample_row_[i] = from.sample_row.empty() ? rows[i] : from.sample_row[rows[i]];
        target_.sample_row = sample_row_;
        return target_;
    }
    /// The rows of a sample: the copy is a target of its own, whose rows are numbered as the sample's are.
    const Target& draw(const Target& from, std::span<const Row> rows) {
        target_ = from;
        target_.sample_row = {};
        if (from.is_classes())
            target_.codes = copy(from.codes, rows, codes_);
        else
            target_.values = copy(from.values, rows, values_);
        if (!from.weights.empty()) target_.weights = copy(from.weights, rows, weights_);
        return target_;
    }

  private:
    template <class T>
    static std::span<const T> copy(std::span<const T> from, std::span<const Row> rows, std::vector<T>& to) {
        to.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
        return to;
    }

    Target target_;
    std::vector<std::int32_t> codes_;
    std::vector<double> values_, weights_;
    std::vector<Row> sample_row_;
};

}  // namespace branchwork
