// The statistics of all rows of a node. Doubles are summed in blocks of 4 096 rows in the order of the sample, so the
// result does not depend on how rows are distributed among threads or machines.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "core/search/ranked_rows.hpp"
#include "core/stats.hpp"

namespace branchwork {

template <class Stats>
struct NodeStats {
    Stats stats;
    double centre = 0;  // numbers only: the moments are about this point
    bool pure = false;  // whether all rows have the same class or number
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

template <class Count, std::size_t Classes>
NodeStats<ClassCounts<Count, Classes>> stats_of(const ClassRows<Count, Classes>& target,
                                                std::span<const Row> rows) {
    NodeStats<ClassCounts<Count, Classes>> node{ClassCounts<Count, Classes>(target.classes)};
    if constexpr (std::integral<Count>) {
        for (const Row row : rows) ++node.stats.of[static_cast<std::size_t>(target.codes[row])];
    } else {
        std::vector<BlockSum> sums(target.classes);
        for (const Row row : rows)
            sums[static_cast<std::size_t>(target.codes[row])].add(in_sample(target, row), target.weight(row));
        for (std::size_t c = 0; c < target.classes; ++c) node.stats.of[c] = sums[c].value();
    }
    for (const Count n : node.stats.of) node.stats.total += n;
    node.pure = node.stats.is_pure();
    return node;
}

template <class Numbers>
    requires std::derived_from<Numbers, ValueRows>
NodeStats<Moments> stats_of(const Numbers& target, std::span<const Row> rows) {
    NodeStats<Moments> node;
    if (rows.empty()) return node;
    const double first = target.values[rows[0]];
    node.pure = std::ranges::all_of(rows, [&](Row row) { return target.values[row] == first; });
    if constexpr (Numbers::centred) node.centre = first;
    if (Numbers::centred && !node.pure) {
        BlockSum weight, sum;
        for (const Row row : rows) {
            weight.add(in_sample(target, row), target.weight(row));
            sum.add(in_sample(target, row), target.weight(row) * (target.values[row] - first));
        }
        node.centre = first + sum.value() / weight.value();
    }
    BlockSum w, s, q;
    for (const Row row : rows) {
        const Moments m = target.moments(row, node.centre);
        w.add(in_sample(target, row), m.w);
        s.add(in_sample(target, row), m.s);
        q.add(in_sample(target, row), m.q);
    }
    node.stats = {w.value(), s.value(), q.value()};
    return node;
}

/// The same for drawn rows. They are added copy by copy, so that the sums have the same bits as if the rows of the
/// sample were added.
inline NodeStats<Moments> stats_of(const DrawnRange& drawn) {
    NodeStats<Moments> node;
    if (drawn.size() == 0) return node;
    const double first = drawn.targets[0];
    node.centre = first;
    node.pure = std::ranges::all_of(drawn.targets, [&](double t) { return t == first; });
    const auto each_copy = [&](const auto& see) {
        for (std::size_t i = 0; i < drawn.size(); ++i)
            for (std::uint32_t copy = 0; copy < drawn.rows[i].copies; ++copy)
                see(drawn.first_places[i] + copy, drawn.targets[i]);
    };
    double rows = 0;
    for (const DrawnRow& row : drawn.rows) rows += row.copies;
    if (node.pure) {
        node.stats = {rows, 0, 0};
        return node;
    }
    BlockSum sum;
    each_copy([&](Row place, double t) { sum.add(place, t - first); });
    node.centre = first + sum.value() / rows;
    BlockSum s, q;
    each_copy([&](Row place, double t) {
        s.add(place, t - node.centre);
        q.add(place, (t - node.centre) * (t - node.centre));
    });
    node.stats = {rows, s.value(), q.value()};
    return node;
}

/// The variance of the target with denominator n - 1. If the moments are not those of squared error, the squares are
/// summed again.
template <class Numbers>
double sample_variance(const Numbers& target, std::span<const Row> rows, const NodeStats<Moments>& node) {
    if (!(node.stats.w > 1)) return 0;
    if constexpr (Numbers::centred) return node.stats.squared_deviations() / (node.stats.w - 1);
    const double mean = node.stats.s / node.stats.w;
    BlockSum squares;
    for (const Row row : rows) {
        const double t = target.values[row] - mean;
        squares.add(in_sample(target, row), target.weight(row) * t * t);
    }
    return squares.value() / (node.stats.w - 1);
}

}  // namespace branchwork
