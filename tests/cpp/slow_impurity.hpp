// Impurity times weight of a branch, from its rows alone: no running sums, no tables, nothing of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/options.hpp"

namespace branchwork {

/// Rows of a branch: a label (a class or a number) and a weight each.
struct SlowRows {
    std::vector<double> labels, weights;

    void add(double label, double weight) { labels.push_back(label), weights.push_back(weight); }
    std::size_t size() const { return labels.size(); }
};

inline long double slow_impurity(Criterion criterion, const SlowRows& rows) {
    long double weight = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        weight += rows.weights[i], sum += rows.weights[i] * rows.labels[i];
    if (!(weight > 0)) return 0;
    const long double mean = sum / weight;
    for (std::size_t i = 0; i < rows.size(); ++i)
        squares += rows.weights[i] * (rows.labels[i] - mean) * (rows.labels[i] - mean);
    if (criterion == Criterion::squared_error) return squares;
    if (criterion == Criterion::variance) return weight > 1 ? weight * squares / (weight - 1) : 0;
    if (criterion == Criterion::poisson) {
        long double deviance = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows.labels[i] > 0)
                deviance += rows.weights[i] * rows.labels[i] * std::log(rows.labels[i] / mean);
        return 2 * deviance;
    }
    std::vector<long double> of;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        of.resize(std::max(of.size(), static_cast<std::size_t>(rows.labels[i]) + 1));
        of[static_cast<std::size_t>(rows.labels[i])] += rows.weights[i];
    }
    if (criterion == Criterion::accuracy) return weight - *std::ranges::max_element(of);
    long double cost = criterion == Criterion::gini ? weight : 0;
    for (const long double n : of)
        if (n > 0) cost -= criterion == Criterion::gini ? n * n / weight : n * std::log2(n / weight);
    return cost;
}

}  // namespace branchwork
