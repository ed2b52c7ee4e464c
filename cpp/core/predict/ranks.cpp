#include "core/predict/ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace branchwork {

namespace {

/// The grid has about as many buckets as there are cuts, up to this many.
constexpr std::size_t most_buckets = std::size_t{1} << 14;

}  // namespace

Ranks::Ranks(std::span<const double> cuts) : size_(cuts.size()), cuts_(cuts.begin(), cuts.end()) {
    const auto finite = [](double cut) { return std::isfinite(static_cast<float>(cut)); };
    const auto lowest = std::ranges::find_if(cuts, finite);
    std::size_t buckets = 1;
    if (lowest != cuts.end()) {
        const auto highest = std::find_if(cuts.rbegin(), cuts.rend(), finite);
        buckets = std::min(std::bit_ceil(size_), most_buckets);
        low_ = static_cast<float>(*lowest);
        scale_ = static_cast<float>(buckets - 1) / (static_cast<float>(*highest) - low_);
        if (!std::isfinite(scale_)) scale_ = 0, buckets = 1;
    }
    top_ = static_cast<float>(buckets - 1);
    std::vector<std::uint32_t> count(buckets);
    for (const double cut : cuts) ++count[bucket_of(cut)];
    std::uint32_t before = 0;
    for (const std::uint32_t here : count) {
        if (size_ <= std::numeric_limits<std::uint8_t>::max())
            start_bytes_.push_back(static_cast<std::uint8_t>(before));
        else
            start_words_.push_back(static_cast<std::uint16_t>(before));
        before += here;
        most_ = std::max(most_, here);
    }
    start_bytes_.shrink_to_fit();
    start_words_.shrink_to_fit();
    // A search may read this many entries beyond the last cut. Infinity is not below any cell, so it counts nothing.
    cuts_.resize(size_ + std::max<std::size_t>(most_, most_compared),
                 std::numeric_limits<double>::infinity());
    cuts_.shrink_to_fit();
}

/// Must do the same float operations in the same order as `ranks_of` in kernels/predict.hpp.
std::size_t Ranks::bucket_of(double x) const {
    float place = (static_cast<float>(x) - low_) * scale_;
    place = place > 0.0F ? place : 0.0F;
    place = place < top_ ? place : top_;
    return static_cast<std::size_t>(place);
}

std::size_t Ranks::place_of(double cut) const {
    const std::size_t bucket = bucket_of(cut);
    const auto begin = cuts_.begin() + (start_bytes_.empty() ? start_words_[bucket] : start_bytes_[bucket]);
    return static_cast<std::size_t>(
        std::lower_bound(begin, std::min(begin + most_, cuts_.begin() + static_cast<std::ptrdiff_t>(size_)),
                         cut) -
        cuts_.begin());
}

void read_cells(const Column& column, std::size_t begin, std::size_t n, double* x) {
    with_cells(column, [begin, n, x](auto cells) {
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(cells[begin + i]);
    });
}

}  // namespace branchwork
