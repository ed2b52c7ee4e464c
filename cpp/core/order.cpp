#include "core/order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace branchwork {

void rising_order(std::span<const double> numbers, std::vector<std::size_t>& places) {
    places.resize(numbers.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [numbers](std::size_t k) { return numbers[k]; });
}

std::vector<std::size_t> largest_first(std::span<const std::size_t> sizes) {
    std::vector<std::size_t> places(sizes.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, std::greater{}, [sizes](std::size_t k) { return sizes[k]; });
    return places;
}

}  // namespace branchwork
