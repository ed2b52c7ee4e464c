// The thresholds of one feature, and the rank of a number among them.
//
// Trees do nothing with numbers but compare them with thresholds, so a number can be replaced by its rank: how many
// thresholds of its feature lie below it. x <= cuts[k] if and only if rank(x) <= k. Ranks are small integers, and they
// are exact for cells of every type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/kernels/predict_types.hpp"

namespace branchwork {

/// Number of cells that are read and ranked together.
inline constexpr std::size_t cells_together = 64;

class Ranks {
  public:
    /// `cuts` are ascending and distinct, and at most 65 534.
    explicit Ranks(std::span<const double> cuts);

    std::size_t size() const { return size_; }
    /// Returns the index of one of the cuts.
    std::size_t place_of(double cut) const;
    RankTable table() const {
        return {cuts_.data(),
                start_bytes_.empty() ? nullptr : start_bytes_.data(),
                start_words_.data(),
                low_,
                scale_,
                top_,
                most_};
    }
    std::size_t bytes() const {
        return cuts_.size() * sizeof(double) + start_bytes_.size() +
               start_words_.size() * sizeof(std::uint16_t);
    }

  private:
    std::size_t bucket_of(double x) const;

    std::size_t size_;
    std::vector<double> cuts_;
    std::vector<std::uint8_t> start_bytes_;
    std::vector<std::uint16_t> start_words_;
    float low_ = 0, scale_ = 0, top_ = 0;
    std::uint32_t most_ = 0;
};

/// Writes up to 64 cells of a numeric column as doubles.
void read_cells(const Column& column, std::size_t begin, std::size_t n, double* x);

}  // namespace branchwork
