// Some rows of a target, renumbered 0, 1, 2 ... and copied side by side: what is read in any order should lie
// close together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/stats.hpp"

namespace branchwork {

template <class Target>
class LocalRows {
  public:
    /// Row i of the copy is `rows[i]` of `from`.
    void gather(const Target& from, std::span<const Row> rows) {
        gather_labels(from, rows);
        if (!from.weights.empty()) target_.weights = copy(from.weights, rows, weights_);
    }
    /// The same with weights of their own, borrowed.
    void gather(const Target& from, std::span<const Row> rows, std::span<const double> weights) {
        gather_labels(from, rows);
        target_.weights = weights;
    }
    const Target& target() const { return target_; }

  private:
    void gather_labels(const Target& from, std::span<const Row> rows) {
        target_ = from;
        if constexpr (requires { from.codes; })
            target_.codes = copy(from.codes, rows, codes_);
        else
            target_.values = copy(from.values, rows, values_);
        table_row_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) table_row_[i] = in_table(from, rows[i]);
        target_.table_row = table_row_;
    }
    template <class T>
    static std::span<const T> copy(std::span<const T> from, std::span<const Row> rows, std::vector<T>& to) {
        to.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
        return to;
    }

    Target target_;
    std::vector<std::int32_t> codes_;
    std::vector<double> values_, weights_;
    std::vector<Row> table_row_;
};

}  // namespace branchwork
