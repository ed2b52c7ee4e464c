// A large numeric column in buckets of equal width, in order of value, for searches that do not sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"

namespace branchwork {

inline constexpr std::size_t bucket_count = std::size_t{1} << 14;
inline constexpr std::size_t missing_bucket = bucket_count;  // one more, the last, for missing cells

/// With fewer rows than this, sorting is faster than making buckets.
inline constexpr std::size_t fewest_bucketed_rows = std::size_t{1} << 16;

/// A row of a promising bucket.
struct Inside {
    double value;
    std::int32_t label;
    std::uint16_t bucket;
};

class BucketedColumn {
  public:
    /// False if the values cannot be bucketed: one value, or an infinite range.
    bool fill(const Column& column, std::span<const std::int32_t> labels, const Pulse& pulse) {
        const std::size_t rows = labels.size();
        read_values(column, rows, pulse);
        const double range = largest_ - smallest_;
        // Rounding keeps the order: x <= y has bucket(x) <= bucket(y).
        const double scale = static_cast<double>(bucket_count - 1) / range;
        if (!std::isfinite(range) || !(range > 0) || !std::isfinite(scale)) return false;

        bucket_of_.resize(rows);
        begins_.assign(bucket_count + 2, 0);
        in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                const double x = values_[row];
                const std::size_t bucket =
                    std::isnan(x) ? missing_bucket : static_cast<std::size_t>((x - smallest_) * scale);
                bucket_of_[row] = static_cast<std::uint16_t>(bucket);
                ++begins_[bucket + 1];
            }
        });
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        group(labels, pulse);
        return true;
    }

    /// The labels of a bucket's rows, side by side.
    std::span<const std::int32_t> labels(std::size_t bucket) const {
        return std::span(labels_).subspan(begins_[bucket], begins_[bucket + 1] - begins_[bucket]);
    }
    /// Rows left of a bucket.
    std::size_t begin(std::size_t bucket) const { return begins_[bucket]; }
    std::span<const std::int32_t> known_labels() const { return std::span(labels_).first(known()); }
    std::size_t known() const { return begins_[missing_bucket]; }
    bool has_missing() const { return known() < labels_.size(); }
    double largest() const { return largest_; }

    /// The rows of some buckets, sorted by value.
    std::vector<Inside> inside(std::span<const std::uint8_t> wanted, std::span<const std::int32_t> labels,
                               const Pulse& pulse) const {
        std::vector<Inside> rows;
        in_blocks(labels.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                if (wanted[bucket_of_[row]]) rows.push_back({values_[row], labels[row], bucket_of_[row]});
        });
        sort_in_blocks(std::span(rows), pulse,
                       [](const Inside& a, const Inside& b) { return a.value < b.value; });
        return rows;
    }

    /// The cut between a bucket and what lies right of it.
    double cut_right_of(std::size_t bucket, const Pulse& pulse) const {
        double below = smallest_;
        double above = largest_;
        in_blocks(values_.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                if (bucket_of_[row] <= bucket)
                    below = std::max(below, values_[row]);
                else if (bucket_of_[row] != missing_bucket)
                    above = std::min(above, values_[row]);
            }
        });
        return cut_between(below, above);
    }

  private:
    void read_values(const Column& column, std::size_t rows, const Pulse& pulse) {
        values_.resize(rows);
        smallest_ = std::numeric_limits<double>::infinity();
        largest_ = -smallest_;
        with_cells(column, [&](auto cells) {
            in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
                for (std::size_t row = begin; row < end; ++row) {
                    const auto x = static_cast<double>(cells[row]);
                    values_[row] = x;
                    smallest_ = x < smallest_ ? x : smallest_;  // false for NaN
                    largest_ = x > largest_ ? x : largest_;
                }
            });
        });
    }

    void group(std::span<const std::int32_t> labels, const Pulse& pulse) {
        labels_.resize(labels.size());
        next_.assign(begins_.begin(), begins_.end() - 1);
        in_blocks(labels.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) labels_[next_[bucket_of_[row]]++] = labels[row];
        });
    }

    std::vector<double> values_;
    std::vector<std::uint16_t> bucket_of_;
    std::vector<std::uint32_t> begins_, next_;
    std::vector<std::int32_t> labels_;
    double smallest_ = 0, largest_ = 0;
};

}  // namespace branchwork
