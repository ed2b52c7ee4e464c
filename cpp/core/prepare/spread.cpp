#include "core/prepare/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace branchwork {
namespace {

/// Of larger tables, only this many evenly spaced rows are read: a scale must not take as long as growing a tree.
constexpr std::size_t most_rows = 1024;
/// Sums of weights have rounding errors, so a quartile counts as reached within this share of the total.
constexpr double slack = 1e-12;

struct Quartiles {
    double first, third;
};

Quartiles quartiles(std::span<double> numbers) {
    const auto at = [&](std::size_t quarters) {
        return numbers.begin() + static_cast<std::ptrdiff_t>((quarters * numbers.size() + 3) / 4 - 1);
    };
    std::nth_element(numbers.begin(), at(1), numbers.end());
    const double first = *at(1);
    std::nth_element(at(1), at(3), numbers.end());
    return {first, *at(3)};
}

Quartiles quartiles(std::span<const double> numbers, std::span<const double> weights) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return numbers[k]; });
    std::vector<double> up_to;
    double sum = 0;
    for (const std::size_t k : order) up_to.push_back(sum += weights[k]);
    const auto at = [&](double share) {
        const auto reached = std::ranges::lower_bound(up_to, sum * (share - slack));
        return numbers[order[static_cast<std::size_t>(reached - up_to.begin())]];
    };
    return {at(0.25), at(0.75)};
}

}  // namespace

double spread(const Column& column, std::size_t rows, std::span<const double> weights) {
    const std::size_t looked_at = std::min(rows, most_rows);
    std::vector<double> numbers, of_numbers;
    numbers.reserve(looked_at);
    with_cells(column, [&](auto cells) {
        for (std::size_t k = 0; k < looked_at; ++k) {
            const std::size_t row = rows == looked_at ? k : k * rows / looked_at;
            const double number = static_cast<double>(cells[row]);
            if (!std::isfinite(number)) continue;
            numbers.push_back(number);
            if (!weights.empty()) of_numbers.push_back(weights[row]);
        }
    });
    if (numbers.empty()) return 1.0;
    const auto [first, third] = weights.empty() ? quartiles(numbers) : quartiles(numbers, of_numbers);
    double width = third - first;
    if (!(width > 0)) {
        const auto [least, most] = std::ranges::minmax(numbers);
        width = most - least;
    }
    if (!(width > 0)) return 1.0;
    return std::min(width, std::numeric_limits<double>::max());  // the difference of two doubles may overflow
}

}  // namespace branchwork
