// Sorting places by numbers. Plain functions, because each sort with a key of its own would be compiled anew for every
// score and layout.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace branchwork {

/// The places of these numbers in rising order; equal numbers keep their order.
void rising_order(std::span<const double> numbers, std::vector<std::size_t>& places);

/// The places of these sizes, the largest first; equal sizes keep their order.
std::vector<std::size_t> largest_first(std::span<const std::size_t> sizes);

}  // namespace branchwork
