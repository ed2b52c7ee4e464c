// The target at the door, and the one place where the kind of target, its weights and the criterion become
// types.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "core/options.hpp"
#include "core/score.hpp"
#include "core/stats.hpp"

namespace branchwork {

struct Target {
    std::span<const std::int32_t> codes;  // classes ...
    std::span<const double> values;       // ... or numbers; the other is empty
    std::span<const double> weights;      // empty: every row counts once
    std::size_t classes = 0;              // 0: numbers
    std::span<const double>
        rows_per_weight;  // of each class: 1 / its class weight, which is part of the weights

    bool is_classes() const { return classes > 0; }
    std::size_t rows() const { return is_classes() ? codes.size() : values.size(); }
    /// Numbers a node in statistics: one a class, or weight, sum and sum of squares.
    std::size_t width() const { return is_classes() ? classes : 3; }
};

/// Calls f(score) with the score of a criterion on class counts; `largest` is the most rows it will be asked
/// about.
template <class Count, class F>
decltype(auto) with_class_score(Criterion criterion, std::size_t largest, F&& f) {
    switch (criterion) {
        case Criterion::accuracy:
            return f(Accuracy<Count>(largest));
        case Criterion::entropy:
        case Criterion::gain_ratio:
            return f(Entropy<Count>(largest));
        case Criterion::gini:
            return f(Gini<Count>(largest));
        default:
            throw std::invalid_argument("this criterion needs a numeric target");
    }
}

/// Calls f(rows, score) with the score of a criterion on numbers, and the rows it works on.
template <class F>
decltype(auto) with_value_score(const Options& options, const ValueRows& rows, F&& f) {
    switch (options.criterion) {
        case Criterion::variance:
            return f(rows, SampleVariance{});
        case Criterion::squared_error:
            return f(rows, SquaredError{});
        case Criterion::poisson:
            return f(CountRows{rows}, PoissonDeviance{options.rules == Rules::rpart});
        default:
            throw std::invalid_argument("this criterion needs a target of classes");
    }
}

/// Calls f(rows, score) with rows of classes that are counted, or weighted, by `Count`.
template <class Count, class F>
decltype(auto) with_classes(const Target& target, Criterion criterion, std::size_t largest, F&& f) {
    const auto of = [&](const auto& rows) {
        return with_class_score<Count>(criterion, largest, [&](const auto& score) { return f(rows, score); });
    };
    if (target.classes == 2)
        return of(ClassRows<Count, 2>{target.codes, target.weights, 2, target.rows_per_weight});
    return of(ClassRows<Count>{target.codes, target.weights, target.classes, target.rows_per_weight});
}

/// Calls f(rows, score) with the types that the target and the criterion ask for. `largest` is the most rows
/// that the score will be asked about.
template <class F>
decltype(auto) with_score(const Target& target, const Options& options, std::size_t largest, F&& f) {
    if (!target.is_classes()) return with_value_score(options, {target.values, target.weights}, f);
    return target.weights.empty() ? with_classes<std::int64_t>(target, options.criterion, largest, f)
                                  : with_classes<double>(target, options.criterion, largest, f);
}

}  // namespace branchwork
