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
            return f(Entropy<Count>(largest));
        case Criterion::gini:
            return f(Gini<Count>(largest));
        default:
            throw std::invalid_argument("this criterion needs a numeric target");
    }
}

/// Calls f(score) with the score of a criterion on numbers.
template <class F>
decltype(auto) with_value_score(Criterion criterion, F&& f) {
    switch (criterion) {
        case Criterion::variance:
            return f(SampleVariance{});
        case Criterion::squared_error:
            return f(SquaredError{});
        default:
            throw std::invalid_argument("this criterion needs a target of classes");
    }
}

/// Calls f(rows, score) with the types that the target and the criterion ask for.
template <class F>
decltype(auto) with_score(const Target& target, Criterion criterion, F&& f) {
    if (!target.is_classes())
        return with_value_score(
            criterion, [&](const auto& score) { return f(ValueRows{target.values, target.weights}, score); });
    const auto classes = [&]<class Count>(const ClassRows<Count>& rows) {
        return with_class_score<Count>(criterion, target.rows(),
                                       [&](const auto& score) { return f(rows, score); });
    };
    if (target.weights.empty()) return classes(ClassRows<std::int64_t>{target.codes, {}, target.classes});
    return classes(ClassRows<double>{target.codes, target.weights, target.classes});
}

}  // namespace branchwork
