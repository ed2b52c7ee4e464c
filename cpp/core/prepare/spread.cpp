#include "core/prepare/spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

double at_place(std::span<double> numbers, std::size_t place) {
    const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(numbers.begin(), at, numbers.end());
    return *at;
}

/// Numbers counted in buckets of equal width. To find one by its place, only the numbers of its bucket are put in order:
/// the comparisons of an nth_element over all numbers cannot be predicted, which makes it three times as slow.
class Buckets {
  public:
    explicit Buckets(std::span<double> numbers) : numbers_(numbers) {
        const auto [least, most] = std::ranges::minmax(numbers);
        per_unit_ = static_cast<double>(count_.size() - 1) / (most - least);
        if (!is_even()) return;
        bucket_.resize(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)  // a loop of its own, for vector instructions
            bucket_[i] = static_cast<std::int32_t>((numbers[i] - least) * per_unit_);
        for (const std::int32_t bucket : bucket_) ++count_[static_cast<std::size_t>(bucket)];
    }

    double at(std::size_t place) const {
        if (!is_even()) return at_place(numbers_, place);
        std::size_t bucket = 0;
        for (; place >= count_[bucket]; ++bucket) place -= count_[bucket];
        std::vector<double> own;
        for (std::size_t i = 0; i < numbers_.size(); ++i)
            if (bucket_[i] == static_cast<std::int32_t>(bucket)) own.push_back(numbers_[i]);
        return at_place(own, place);
    }

  private:
    /// False where all numbers are equal, or where their range, or a bucket's, is no finite number.
    bool is_even() const { return std::isfinite(per_unit_) && per_unit_ > 0; }

    std::span<double> numbers_;
    double per_unit_;
    std::array<std::uint32_t, 257> count_{};  // the last one is the maximum's
    std::vector<std::int32_t> bucket_;        // of each number
};

Quartiles quartiles(std::span<double> numbers) {
    Buckets buckets(numbers);
    const auto quarter = [&](std::size_t k) { return buckets.at((k * numbers.size() + 3) / 4 - 1); };
    return {quarter(1), quarter(3)};
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
