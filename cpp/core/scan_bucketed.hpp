// The best cut of a large column without sorting it: exact, at the speed of counting. For two classes with unit weights,
// where nobody needs the sorted order afterwards (the children are leaves).
//
//     rows     . .. ....  ... . .... . .  ..  .. .  ...      in 16 384 buckets of equal width, in order of value
//     buckets |    |    |    |    |    |    |    |    |
//              each boundary between buckets is a cut, scored from counts alone
//
// A cut inside a bucket has some (a, b) rows of the two classes on its left, with (a, b) in the box between the counts at
// the bucket's two ends. The cost is concave, so in that box it is smallest at a corner: four evaluations bound every cut
// inside. Only buckets whose bound can beat the best boundary are sorted and scanned; on most columns these hold a few
// rows in a thousand. (The idea of Alsabti, Ranka and Singh's CLOUDS, 1998.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"
#include "core/scan_sorted.hpp"
#include "core/split.hpp"
#include "core/stats.hpp"
#include "core/sweep.hpp"
#include "core/tree.hpp"

namespace branchwork {

inline constexpr std::size_t bucket_count = std::size_t{1} << 14;

/// Fewer rows are sorted sooner than bucketed.
inline constexpr std::size_t fewest_bucketed_rows = std::size_t{1} << 16;

template <ClassScore Score>
class BucketScan {
    using Count = std::int64_t;

    struct Pair {
        std::uint32_t of[2] = {0, 0};
        std::uint32_t total() const { return of[0] + of[1]; }
    };
    struct Inside {
        double value;
        std::uint16_t bucket;
        std::uint8_t label;
    };

  public:
    /// Writes the column's best cut to `split`; false if its values cannot be bucketed (an infinite range).
    bool scan(const ClassRows<Count>& target, const Score& score, const ClassCounts<Count>& all, const Column& column,
              double slack, const Pulse& pulse, SearchCost& spent, bool& has_missing, Candidate& split) {
        if (!fill_buckets(target, column, pulse)) return false;
        ClassCounts<Count> known = all;
        for (std::size_t c = 0; c < 2; ++c) known.of[c] -= missing_.of[c], known.total -= missing_.of[c];
        has_missing = missing_.total() > 0;

        PairSweep<Score> sweep(score);
        mark_promising(sweep, known, slack);
        collect_inside(target, pulse);
        BestCut best{slack};
        const double cut = scan_promising(sweep, known, best, spent);
        spent.rows_visited += 3 * static_cast<std::int64_t>(target.size());
        const double missing_cost = node(score, missing_counts());
        if (has_missing) {
            const BestCut before = best;
            best.see(target.size(), node(score, known), known.weight());
            ++spent.rules_scored;
            split.cut = best.position == before.position ? cut : largest_;
        } else {
            split.cut = cut;
        }
        if (!best.found()) return true;
        split.cost = best.cost + missing_cost;
        const double weights[] = {best.left_weight, known.weight() - best.left_weight,
                                  static_cast<double>(missing_.total())};
        split.split_info = split_information(weights);
        return true;
    }

  private:
    /// Values side by side, their range, and how many rows of each class every bucket has.
    bool fill_buckets(const ClassRows<Count>& target, const Column& column, const Pulse& pulse) {
        const std::size_t rows = target.size();
        values_.resize(rows);
        bucket_of_.resize(rows);
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
        const double range = largest_ - smallest_;
        if (!std::isfinite(range) || !(range > 0)) return false;
        // Rounding keeps the order: x <= y has bucket(x) <= bucket(y).
        const double scale = static_cast<double>(bucket_count - 1) / range;
        if (!std::isfinite(scale)) return false;
        counts_.assign(bucket_count, Pair{});
        missing_ = {};
        in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                const auto label = static_cast<std::size_t>(target.codes[row]);
                const double x = values_[row];
                if (std::isnan(x)) {
                    ++missing_.of[label];
                    bucket_of_[row] = no_bucket;
                    continue;
                }
                const auto bucket = static_cast<std::uint16_t>((x - smallest_) * scale);
                bucket_of_[row] = bucket;
                ++counts_[bucket].of[label];
            }
        });
        return true;
    }

    ClassCounts<Count> missing_counts() const {
        ClassCounts<Count> counts(2);
        for (std::int32_t c = 0; c < 2; ++c) counts.add(c, missing_.of[c]);
        return counts;
    }

    /// The smallest cost that a cut inside a bucket can have; the sweep stands at the bucket's left end.
    static double bound(PairSweep<Score> at_left_end, const Pair& bucket) {
        PairSweep<Score> one = at_left_end;
        one.move(1, bucket.of[1]);
        PairSweep<Score> zero = at_left_end;
        zero.move(0, bucket.of[0]);
        PairSweep<Score> both = one;
        both.move(0, bucket.of[0]);
        return std::min({at_left_end.cost(), one.cost(), zero.cost(), both.cost()});
    }

    /// Which buckets may hold a better cut than the best boundary, or an equal one before it.
    void mark_promising(PairSweep<Score>& sweep, const ClassCounts<Count>& known, double slack) {
        bounds_.assign(bucket_count, std::numeric_limits<double>::infinity());
        BestCut boundary{slack};
        sweep.start(known);
        for (std::size_t b = 0; b < bucket_count; ++b) {
            const Pair& bucket = counts_[b];
            if (bucket.total() == 0) continue;
            if (bucket.total() > 1) bounds_[b] = bound(sweep, bucket);
            sweep.move(0, bucket.of[0]);
            sweep.move(1, bucket.of[1]);
            if (sweep.left_weight() < known.weight()) boundary.see(b + 1, sweep.cost(), sweep.left_weight());
        }
        promising_.assign(bucket_count, 0);
        for (std::size_t b = 0; b < bucket_count; ++b)
            promising_[b] = !boundary.found() || bounds_[b] < boundary.cost - slack ||
                            (b < boundary.position && bounds_[b] <= boundary.cost + slack);
    }

    /// The rows of promising buckets, sorted by value.
    void collect_inside(const ClassRows<Count>& target, const Pulse& pulse) {
        inside_.clear();
        in_blocks(target.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                if (bucket_of_[row] != no_bucket && promising_[bucket_of_[row]])
                    inside_.push_back({values_[row], bucket_of_[row], static_cast<std::uint8_t>(target.codes[row])});
        });
        std::sort(inside_.begin(), inside_.end(), [](const Inside& a, const Inside& b) { return a.value < b.value; });
    }

    /// All boundaries, and all cuts inside promising buckets, from left to right; returns the cut of the best.
    double scan_promising(PairSweep<Score>& sweep, const ClassCounts<Count>& known, BestCut& best, SearchCost& spent) {
        std::size_t next = 0;               // of the rows inside promising buckets
        std::size_t best_bucket = 0;        // the best cut is the right end of this bucket ...
        double inside_cut = std::numeric_limits<double>::quiet_NaN();  // ... unless it lies inside one
        sweep.start(known);
        const auto see = [&](std::size_t bucket, double cut) {
            const auto position = static_cast<std::size_t>(sweep.left_weight());
            best.see(position, sweep.cost(), sweep.left_weight());
            ++spent.rules_scored;
            if (best.position == position) best_bucket = bucket, inside_cut = cut;
        };
        for (std::size_t b = 0; b < bucket_count; ++b) {
            const Pair& bucket = counts_[b];
            if (bucket.total() == 0) continue;
            if (promising_[b]) {
                for (; next < inside_.size() && inside_[next].bucket == b; ++next) {
                    sweep.move(inside_[next].label, 1);
                    const bool more = next + 1 < inside_.size() && inside_[next + 1].bucket == b;
                    if (more && inside_[next + 1].value != inside_[next].value)
                        see(b, cut_between(inside_[next].value, inside_[next + 1].value));
                }
            } else {
                sweep.move(0, bucket.of[0]);
                sweep.move(1, bucket.of[1]);
            }
            if (sweep.left_weight() < known.weight()) see(b, std::numeric_limits<double>::quiet_NaN());
        }
        return best.found() && std::isnan(inside_cut) ? cut_right_of(best_bucket) : inside_cut;
    }

    double cut_right_of(std::size_t bucket) const {
        double below = -std::numeric_limits<double>::infinity();
        double above = std::numeric_limits<double>::infinity();
        for (std::size_t row = 0; row < values_.size(); ++row) {
            if (bucket_of_[row] == no_bucket) continue;
            if (bucket_of_[row] <= bucket) below = std::max(below, values_[row]);
            else above = std::min(above, values_[row]);
        }
        return cut_between(below, above);
    }

    static constexpr std::uint16_t no_bucket = 0xFFFF;

    std::vector<double> values_;
    std::vector<std::uint16_t> bucket_of_;
    std::vector<Pair> counts_;
    std::vector<double> bounds_;
    std::vector<std::uint8_t> promising_;
    std::vector<Inside> inside_;
    Pair missing_;
    double smallest_ = 0, largest_ = 0;
};

}  // namespace branchwork
