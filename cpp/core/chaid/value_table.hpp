// A numeric target by the categories of one feature in one node, tested by analysis of variance (F test).
//
//               weight    mean    sum of squared deviations from the mean
//     red         12      0.21      0.83
//     green        7     −0.40      0.35
//
// The numbers are between −1 and 1. The degrees of freedom are groups − 1 and weight − groups. If the latter is not
// positive, p is 1. Groups without any variance whose means differ have p = 0. Sums of squares that may be nothing but
// rounding errors count as zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/chaid/class_table.hpp"
#include "core/chaid/sums.hpp"
#include "core/chaid/tails.hpp"

namespace branchwork::chaid {

class ValueTable {
  public:
    /// An F with 1 and d degrees of freedom has the same p-value as some chi-square q with one degree of freedom, and
    ///
    ///     (d − 1/2) · ln(1 + F / d)  <=  q  <=  d · ln(1 + F / d)          (Wallace 1959)
    ///
    /// These bounds are `low` and `high`. They decide most comparisons of p-values without computing any.
    struct Test {
        double statistic, freedom, low, high;
        static Test of(double f, double d) {
            if (d > as_good_as_infinite) return {f, d, f, f};
            const double log_ratio = std::log1p(f / d);
            return {f, d, std::max(d - 0.5, 0.0) * log_ratio, d * log_ratio};
        }
    };

    static constexpr std::size_t columns = 3;  // weight, mean, squares

    /// `rows` is (categories, 3).
    ValueTable(std::span<const double> rows, const SpecialFunctions& special)
        : rows_(rows), special_(special) {}

    std::size_t categories() const { return rows_.size() / columns; }
    std::size_t width() const { return columns; }
    std::span<const double> row(std::size_t category) const {
        return rows_.subspan(category * columns, columns);
    }

    /// Writes the row of a group of categories.
    void combine(std::span<const std::uint16_t> members, std::span<double> out) const {
        double weight = 0, total = 0, squares = 0, spread = 0;
        for (const std::uint16_t k : members) {
            weight += row(k)[0];
            total += row(k)[0] * row(k)[1];
            squares += row(k)[2];
        }
        const double centre = total / weight;
        for (const std::uint16_t k : members) {
            const double apart = row(k)[1] - centre;
            spread += apart * apart * row(k)[0];
        }
        out[0] = weight, out[1] = centre, out[2] = squares + spread;
    }

    /// Compares two groups. `freedom` of the result is that of the denominator; the numerator has one degree.
    Test compare(std::span<const double> a, std::span<const double> b) const {
        const double n = a[0] + b[0], apart = a[1] - b[1];
        const auto [f, freedom] = f_of(a[0] / n * b[0] * (apart * apart), a[2] + b[2], 1, n - 2, n);
        return Test::of(f, freedom);
    }

    /// Tests all groups together. `groups` has their rows, one after the other.
    Evidence test(std::span<const double> groups) const {
        const std::size_t count = groups.size() / columns;
        const auto over_groups = [&](auto get) {
            return sum_in_pairs(count, [&](std::size_t g) { return get(groups.data() + g * columns); });
        };
        const double n = over_groups([](const double* g) { return g[0]; });
        const double centre = over_groups([](const double* g) { return g[0] * g[1]; }) / n;
        const double between =
            over_groups([&](const double* g) { return g[0] * ((g[1] - centre) * (g[1] - centre)); });
        const double within = over_groups([](const double* g) { return g[2]; });
        const double d1 = static_cast<double>(count) - 1;
        const auto [f, freedom] = f_of(between, within, d1, n - static_cast<double>(count), n);
        const Tail tail = f_tail(special_, f, d1, freedom);
        return {f, tail.p, tail.log_p};
    }

    double log_p(const Test& test) const { return f_tail(special_, test.statistic, 1, test.freedom).log_p; }

    /// Whether the p-value of `a` is surely not above that of `b`. It falls with F and with the degrees of freedom of
    /// the denominator.
    static bool surely_no_likelier(const Test& a, const Test& b) {
        return a.low >= b.high || (a.statistic >= b.statistic && a.freedom >= b.freedom);
    }

    /// Whether the p-value of `a` is surely below that of `best`, and not a tie.
    static bool surely_below(const Test& a, const Test& best) { return surely_no_tie(a.low, best.high); }

    double size(std::size_t category) const { return row(category)[0]; }

    /// Returns the order of some categories by mean. The best split into two groups is a cut of this order.
    std::vector<std::vector<std::uint16_t>> orders(std::span<const std::uint16_t> members) const {
        std::vector<std::uint16_t> order(members.begin(), members.end());
        std::ranges::stable_sort(order, {}, [&](std::uint16_t k) { return row(k)[1]; });
        return {order};
    }

    /// The mean square about the means of the groups.
    double remainder(std::span<const double> groups) const {
        const std::size_t count = groups.size() / columns;
        return sum_in_pairs(count, [&](std::size_t g) { return groups[g * columns + 2]; }) /
               sum_in_pairs(count, [&](std::size_t g) { return groups[g * columns]; });
    }

  private:
    static constexpr double noise = 1e-28;  // squares per row that may be nothing but rounding errors

    struct F {
        double f, freedom;
    };
    static F f_of(double between, double within, double d1, double d2, double n) {
        between = between > noise * n ? between : 0;
        within = within > noise * n ? within : 0;
        const bool has_freedom = d2 > 0;
        d2 = has_freedom ? d2 : 1;
        return {between > 0 && has_freedom ? between / d1 / (within / d2) : 0, d2};
    }

    std::span<const double> rows_;
    const SpecialFunctions& special_;
};

}  // namespace branchwork::chaid
