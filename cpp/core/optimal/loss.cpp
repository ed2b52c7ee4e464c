#include "core/optimal/loss.hpp"

#include <functional>
#include <numeric>

namespace branchwork::optimal {
namespace {

constexpr int total_bits = 60;   // size of sums over all rows
constexpr int square_bits = 50;  // size of the squared error of all rows: the precision of costs of numbers

double power_of_two_below(double ratio) { return std::exp2(std::floor(std::log2(ratio))); }

Cost scaled(double number, double scale) { return static_cast<Cost>(std::llround(number * scale)); }

}  // namespace

double scale_for(std::span<const double> numbers, double total, int bits) {
    const double room = std::exp2(bits);
    const bool whole = std::ranges::all_of(numbers, [](double x) { return x == std::floor(x); });
    if (whole && total <= room) return 1;
    return total > 0 ? power_of_two_below(room / total) : 1;
}

ClassLoss::ClassLoss(const Target& target, std::span<const double> costs, double penalty)
    : codes_(target.codes), weights_(target.weights), classes_(target.classes) {
    std::vector<double> numbers(costs.begin(), costs.end());
    numbers.insert(numbers.end(), weights_.begin(), weights_.end());
    numbers.push_back(penalty);
    const double total =
        weights_.empty() ? static_cast<double>(codes_.size()) : std::reduce(weights_.begin(), weights_.end());
    const double dearest = costs.empty() ? 1 : *std::ranges::max_element(costs);
    unit_ = scale_for(numbers, total * std::max(dearest, penalty), total_bits);
    for (const double one : costs) costs_.push_back(one * unit_);
    one_ = scaled(1, unit_);
    if (weights_.empty() || has_costs()) return;
    weight_.resize(weights_.size());
    for (std::size_t row = 0; row < weight_.size(); ++row) weight_[row] = scaled(weights_[row], unit_);
}

Cost ClassLoss::with_answers(const Cost* stats, std::int64_t leaves, std::vector<Cost>& space) const {
    if (has_costs() || leaves >= static_cast<std::int64_t>(classes_)) return 0;
    space.assign(stats, stats + classes_);
    std::ranges::nth_element(space, space.begin() + leaves, std::greater<>());
    return std::reduce(space.begin() + leaves, space.end(), Cost{0});
}

ValueLoss::ValueLoss(const Target& target) {
    const std::size_t rows = target.values.size();
    weight_.resize(rows);
    first_.resize(rows);
    second_.resize(rows);
    most_.resize(rows);
    // Centre the values to lose fewer bits. The middle of the range does not depend on the order of rows.
    const auto [smallest, largest] = std::ranges::minmax(target.values);
    const double middle = smallest / 2 + largest / 2, range = largest - smallest;
    double total = 0, firsts = 0, squares = 0;
    for (Row row = 0; row < rows; ++row) {
        const double w = target.weight(row), apart = target.values[row] - middle;
        total += w;
        firsts += w * std::abs(apart);
        squares += w * apart * apart;
    }
    const double weight_scale = target.weights.empty() ? 1 : scale_for(target.weights, total, total_bits);
    const double first_scale = firsts > 0 ? power_of_two_below(std::exp2(total_bits) / firsts) : 1;
    const double second_scale = squares > 0 ? power_of_two_below(std::exp2(total_bits) / squares) : 1;
    unit_ = squares > 0 ? power_of_two_below(std::exp2(square_bits) / squares) : 1;
    // With integer weights, a row of weight k must give the same sums as k rows of weight 1.
    const bool whole = weight_scale == 1;
    for (Row row = 0; row < rows; ++row) {
        const double w = target.weight(row), apart = target.values[row] - middle;
        weight_[row] = scaled(w, weight_scale);
        first_[row] = whole ? weight_[row] * scaled(apart, first_scale) : scaled(w * apart, first_scale);
        second_[row] = whole ? weight_[row] * scaled(apart * apart, second_scale)
                             : scaled(w * apart * apart, second_scale);
        const double dear = std::ceil(w * range * range * unit_) + 1;
        most_[row] = dear < static_cast<double>(unbounded) ? static_cast<Cost>(dear) : unbounded;
    }
    second_unit_ = static_cast<long double>(unit_) / static_cast<long double>(second_scale);
    first_unit_ = static_cast<long double>(unit_) * static_cast<long double>(weight_scale) /
                  (static_cast<long double>(first_scale) * static_cast<long double>(first_scale));
}

}  // namespace branchwork::optimal
