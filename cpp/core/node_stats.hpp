// Statistics of all rows of a node. Doubles are summed in blocks of 4 096 rows of the table's own order, so
// the result does not depend on how rows are spread over threads or machines.
#pragma once

#include <span>
#include <vector>

#include "core/stats.hpp"

namespace branchwork {

template <class Stats>
struct NodeStats {
    Stats stats;
    double centre = 0;  // numbers only: the moments are about this point
    bool pure = false;  // one class, or one and the same number
};

/// Adds doubles block by block.
class BlockSum {
  public:
    void add(Row row, double x) {
        if (row >> block_shift != block_) {
            total_ += partial_;
            partial_ = 0;
            block_ = row >> block_shift;
        }
        partial_ += x;
    }
    double value() const { return total_ + partial_; }

  private:
    Row block_ = 0;
    double total_ = 0, partial_ = 0;
};

template <class Count>
NodeStats<ClassCounts<Count>> stats_of(const ClassRows<Count>& target, std::span<const Row> rows) {
    NodeStats<ClassCounts<Count>> node{ClassCounts<Count>(target.classes)};
    if constexpr (std::integral<Count>) {
        for (const Row row : rows) ++node.stats.of[static_cast<std::size_t>(target.codes[row])];
    } else {
        std::vector<BlockSum> sums(target.classes);
        for (const Row row : rows)
            sums[static_cast<std::size_t>(target.codes[row])].add(row, target.weight(row));
        for (std::size_t c = 0; c < target.classes; ++c) node.stats.of[c] = sums[c].value();
    }
    for (const Count n : node.stats.of) node.stats.total += n;
    node.pure = node.stats.is_pure();
    return node;
}

inline NodeStats<Moments> stats_of(const ValueRows& target, std::span<const Row> rows) {
    NodeStats<Moments> node;
    if (rows.empty()) return node;
    const double first = target.values[rows[0]];
    node.pure = true;
    BlockSum weight, sum;
    for (const Row row : rows) {
        const double t = target.values[row];
        node.pure &= t == first;
        weight.add(row, target.weight(row));
        sum.add(row, target.weight(row) * (t - first));
    }
    node.centre = node.pure ? first : first + sum.value() / weight.value();
    BlockSum s, q;
    for (const Row row : rows) {
        const double d = target.values[row] - node.centre;
        const double w = target.weight(row);
        s.add(row, w * d);
        q.add(row, w * d * d);
    }
    node.stats = {weight.value(), s.value(), q.value()};
    return node;
}

}  // namespace branchwork
