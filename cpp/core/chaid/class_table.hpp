// The contingency table of the categories of one feature and the classes in one node, tested by chi-square.
//
//               class 0   class 1   class 2   all
//     red           4         0         1       5      one row per category; the row of a group of categories
//     green         2         7         0       9      is the sum of their rows
//
// The table has only the classes that occur in the node. Counts are divided by a power of two above their sum, which
// rounds nothing and prevents overflow. The degrees of freedom are (groups − 1) · (classes − 1), where only classes
// that occur in these groups count. If there are none, p is 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/chaid/sums.hpp"
#include "core/chaid/tails.hpp"

namespace branchwork::chaid {

struct Evidence {
    double statistic, p_value, log_p;
};

enum class Statistic : std::uint8_t { pearson, likelihood };

/// Whether the p-value of a chi-square statistic `q` with one degree of freedom is below that of `best`, and by more
/// than a tie (merging.hpp). The logarithm of this p-value falls by at least half of what the statistic grows, and at a
/// statistic x its absolute value is below 1 + x. So this difference is enough:
inline bool surely_no_tie(double q, double best) { return q >= best + 1e-8 * (1 + best); }

class ClassTable {
  public:
    struct Test {
        double statistic, freedom;
        static Test of(double statistic, double freedom) { return {statistic, freedom}; }
    };

    /// `counts` is (categories, classes + 1) and is changed: its last column is filled with the sums of the rows, and
    /// all numbers are scaled. `per_weight` has the number of samples per weight of 1 for each class; empty: all are 1.
    ClassTable(std::span<double> counts, std::size_t classes, std::span<const double> per_weight,
               Statistic statistic, const SpecialFunctions& special)
        : rows_(counts),
          classes_(classes),
          per_weight_(per_weight),
          statistic_(statistic),
          special_(special) {
        for (std::size_t k = 0; k < categories(); ++k) add_up(counts.subspan(k * width(), width()));
        int exponent = 0;
        std::frexp(sum_in_pairs(categories(), [&](std::size_t k) { return total(row(k)); }), &exponent);
        unit_ = std::ldexp(1.0, exponent);
        for (double& count : counts) count /= unit_;
    }

    std::size_t categories() const { return rows_.size() / width(); }
    std::size_t width() const { return classes_ + 1; }
    std::span<const double> row(std::size_t category) const {
        return rows_.subspan(category * width(), width());
    }

    /// Writes the row of a group of categories.
    void combine(std::span<const std::uint16_t> members, std::span<double> out) const {
        std::ranges::fill(out, 0.0);
        for (const std::uint16_t category : members)
            for (std::size_t c = 0; c < classes_; ++c) out[c] += row(category)[c];
        add_up(out);
    }

    /// Compares two groups. Pearson's statistic of two rows is Σ (a_c·|b| − b_c·|a|)² / (|a|·|b|·(a_c + b_c)). In this
    /// form it is exactly zero for rows with the same proportions.
    Test compare(std::span<const double> a, std::span<const double> b) const {
        const double n_a = total(a), n_b = total(b);
        std::size_t occur = 0;
        for (std::size_t c = 0; c < classes_; ++c) occur += a[c] + b[c] != 0;
        double found;
        if (statistic_ == Statistic::pearson) {
            const double both = n_a * n_b;
            found = sum_in_pairs(classes_, [&](std::size_t c) {
                const double apart = a[c] * n_b - b[c] * n_a, expected = both * (a[c] + b[c]);
                return expected > 0 ? apart * apart / expected : 0.0;
            });
        } else {
            const double n = n_a + n_b;
            found = sum_in_pairs(classes_, [&](std::size_t c) {
                const double both = a[c] + b[c];
                return 2 * (surprise(a[c], n_a * both / n) + surprise(b[c], n_b * both / n));
            });
        }
        return {std::max(found, 0.0) * unit_, static_cast<double>(occur) - 1};
    }

    /// Tests all groups together. `groups` has their rows, one after the other.
    Evidence test(std::span<const double> groups) const {
        const std::size_t count = groups.size() / width();
        std::vector<double> of_class(classes_, 0.0);
        for (std::size_t g = 0; g < count; ++g)
            for (std::size_t c = 0; c < classes_; ++c) of_class[c] += groups[g * width() + c];
        const double all = sum_in_pairs(classes_, [&](std::size_t c) { return of_class[c]; });
        const double found = sum_in_pairs(count * classes_, [&](std::size_t i) {
            const std::size_t g = i / classes_, c = i % classes_;
            const double seen = groups[g * width() + c];
            const double expected = groups[g * width() + classes_] * of_class[c] / all;
            if (statistic_ == Statistic::likelihood) return 2 * surprise(seen, expected);
            const double apart = seen - expected;
            return expected > 0 ? apart * apart / expected : 0.0;
        });
        const auto occur =
            static_cast<double>(std::ranges::count_if(of_class, [](double n) { return n != 0; }));
        const double statistic = std::max(found, 0.0) * unit_;
        const Tail tail =
            chi_square_tail(special_, statistic, (static_cast<double>(count) - 1) * (occur - 1));
        return {statistic, tail.p, tail.log_p};
    }

    double log_p(const Test& test) const {
        return log_chi_square_tail(special_, test.statistic, test.freedom);
    }

    /// Whether the p-value of `a` is surely not above that of `b`. It falls with the statistic and rises with the
    /// degrees of freedom.
    static bool surely_no_likelier(const Test& a, const Test& b) {
        return a.statistic >= b.statistic && a.freedom <= b.freedom;
    }

    /// Whether the p-value of `a` is surely below that of `best`, and not a tie.
    static bool surely_below(const Test& a, const Test& best) {
        return a.freedom <= 1 && best.freedom <= 1 && surely_no_tie(a.statistic, best.statistic);
    }

    /// The number of samples of a category: its weight without class weights.
    double size(std::size_t category) const {
        if (per_weight_.empty()) return total(row(category)) * unit_;
        double samples = 0;
        for (std::size_t c = 0; c < classes_; ++c) samples += row(category)[c] * per_weight_[c];
        return samples * unit_;
    }

    /// Returns orders of some categories, by the share of each class. In one of them, the categories of a good split
    /// into two groups are likely to be next to each other.
    std::vector<std::vector<std::uint16_t>> orders(std::span<const std::uint16_t> members) const {
        std::vector<std::vector<std::uint16_t>> found;
        for (std::size_t c = 0; c < classes_; ++c) {
            std::vector<std::uint16_t>& order = found.emplace_back(members.begin(), members.end());
            std::ranges::stable_sort(order, {}, [&](std::uint16_t k) { return row(k)[c] / total(row(k)); });
        }
        return found;
    }

    /// The mean entropy of the groups, in bits.
    double remainder(std::span<const double> groups) const {
        const std::size_t count = groups.size() / width();
        const auto of_group = [&](std::size_t g) { return total(groups.subspan(g * width(), width())); };
        const double all = sum_in_pairs(count, of_group);
        return sum_in_pairs(count, [&](std::size_t g) {
            const double size = std::max(of_group(g), std::numeric_limits<double>::min());
            return of_group(g) / all * std::abs(sum_in_pairs(classes_, [&](std::size_t c) {
                       const double share = groups[g * width() + c] / size;
                       return share > 0 ? share * std::log2(share) : 0.0;
                   }));
        });
    }

  private:
    static double total(std::span<const double> row) { return row.back(); }
    static void add_up(std::span<double> row) {
        row.back() = sum_in_pairs(row.size() - 1, [&](std::size_t c) { return row[c]; });
    }
    /// O · ln(O / E), or 0 if O is 0.
    static double surprise(double observed, double expected) {
        return observed > 0 && expected > 0 ? observed * std::log(observed / expected) : 0.0;
    }

    std::span<const double> rows_;
    std::size_t classes_;
    std::span<const double> per_weight_;
    Statistic statistic_;
    const SpecialFunctions& special_;
    double unit_;
};

}  // namespace branchwork::chaid
