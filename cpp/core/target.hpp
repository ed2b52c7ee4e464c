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

/// Calls f(rows, score) with the types that the target and the criterion ask for.
template <class F>
decltype(auto) with_score(const Target& target, Criterion criterion, F&& f) {
    const std::size_t n = target.rows();
    const auto classes = [&]<class Count>(ClassRows<Count> rows) {
        switch (criterion) {
            case Criterion::accuracy:
                return f(rows, Accuracy<Count>(n));
            case Criterion::entropy:
                return f(rows, Entropy<Count>(n));
            case Criterion::gini:
                return f(rows, Gini<Count>(n));
            default:
                throw std::invalid_argument("this criterion needs a numeric target");
        }
    };
    if (target.is_classes()) {
        if (target.weights.empty()) return classes(ClassRows<std::int64_t>{target.codes, {}, target.classes});
        return classes(ClassRows<double>{target.codes, target.weights, target.classes});
    }
    const ValueRows rows{target.values, target.weights};
    switch (criterion) {
        case Criterion::variance:
            return f(rows, SampleVariance{});
        case Criterion::squared_error:
            return f(rows, SquaredError{});
        default:
            throw std::invalid_argument("this criterion needs a target of classes");
    }
}

}  // namespace branchwork
