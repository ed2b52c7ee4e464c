// The best cut of a large column without sorting it: exact, at the speed of counting. For classes with unit
// weights, where nobody needs the sorted order afterwards (the children are leaves).
//
//     rows       . .. ....  ... . .... . .  ..  .. .  ...      in order of value, in 16 384 buckets of equal width
//     buckets  |    |    |    |    |    |    |    |    |
//              each boundary between buckets is a cut, scored from counts alone
//
// A bound tells which buckets can hold a better cut than the best boundary; only these are sorted and
// scanned, on most columns a few rows in a hundred. (The idea of Alsabti, Ranka and Singh's CLOUDS, 1998.)
// Two bounds are in use:
//
//   two classes   A cut inside a bucket has (a, b) rows of the two classes on its left, and (a, b) lies in the box
//                 between the counts at the bucket's ends. Costs are concave, so the smallest cost in that box is
//                 at one of its four corners.
//   accuracy      A cut gets right the rows of the largest class on its left and of the largest class on its right.
//                 If one class leads on both sides, these are no more than all rows of a class. If two classes
//                 lead: from left to right, counts on the left only grow and counts on the right only shrink, so
//                 inside a bucket they are no more than one leader's count at the right end plus the other's at
//                 the left end.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/search/branch_test.hpp"
#include "core/search/buckets.hpp"
#include "core/search/candidate.hpp"
#include "core/search/sweep.hpp"
#include "core/stats.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// The best cut so far. The first of equal cuts stays: smaller cuts win ties.
struct BestCut {
    double slack;
    double cost = std::numeric_limits<double>::infinity();
    double left_weight = 0;
    std::size_t position = 0;  // groups or rows on the left

    void see(std::size_t at, double cost_at, double left_weight_at) {
        if (cost_at < cost - slack || (position == 0 && cost_at < cost))
            cost = cost_at, left_weight = left_weight_at, position = at;
    }
    bool found() const { return position > 0; }
};

/// What both bounds fill in: the cost at each bucket's right end, and the least cost of any cut inside it.
struct BucketCosts {
    std::vector<double> at_end, inside;
};

/// Two classes: counts at the ends, corners in between.
template <ClassScore Score>
class PairBuckets {
    using Counts = ClassCounts<std::int64_t, 2>;

  public:
    explicit PairBuckets(const Score& score) : sweep_(score) {}

    void costs(const BucketedColumn& column, const Counts& known, BucketCosts& out) {
        ones_.assign(bucket_count + 1, 0);
        sweep_.start(Counts(), known);
        for (std::size_t b = 0; b < bucket_count; ++b) {
            const std::span<const std::int32_t> labels = column.labels(b);
            std::int64_t ones = 0;
            for (const std::int32_t label : labels) ones += label;
            const std::int64_t zeros = static_cast<std::int64_t>(labels.size()) - ones;
            PairSweep<Score> only_ones = sweep_;
            only_ones.move(1, ones);
            PairSweep<Score> only_zeros = sweep_;
            only_zeros.move(0, zeros);
            const double begin = sweep_.cost();
            sweep_.move(0, zeros);
            sweep_.move(1, ones);
            ones_[b + 1] = ones_[b] + ones;
            out.at_end[b] = sweep_.cost();
            out.inside[b] = std::min({begin, only_ones.cost(), only_zeros.cost(), out.at_end[b]});
        }
    }
    /// The two sides at a bucket's left end.
    PairSweep<Score>& enter(const BucketedColumn& column, const Counts& known, std::size_t bucket) {
        sweep_.start(Counts(), known);
        sweep_.move(1, ones_[bucket]);
        sweep_.move(0, static_cast<std::int64_t>(column.begin(bucket)) - ones_[bucket]);
        return sweep_;
    }

  private:
    PairSweep<Score> sweep_;
    std::vector<std::int64_t> ones_;  // rows of class 1 left of each bucket
};

/// The two largest classes of a side, while it grows one row at a time.
struct Leaders {
    std::int32_t first_class = -1;
    std::int64_t first = 0, second = 0;

    void grow(std::int32_t label, std::int64_t count) {
        if (label == first_class) {
            first = count;
        } else if (count > first) {
            second = first;
            first = count;
            first_class = label;
        } else if (count > second) {
            second = count;
        }
    }
};

/// Accuracy with any number of classes: a running maximum from the left, and one from the right at the same
/// time.
class MajorityBuckets {
    using Counts = ClassCounts<std::int64_t>;

  public:
    MajorityBuckets(const Accuracy<std::int64_t>& score, std::size_t classes)
        : sweep_(score, classes), left_(classes), right_(classes) {}

    void costs(const BucketedColumn& column, const Counts& known, BucketCosts& out) {
        start(known);
        const std::span<const std::int32_t> labels = column.known_labels();
        Leaders left;                  // moving right ...
        Leaders right;                 // ... and moving left: two chains that do not wait for each other
        std::size_t b = 0;             // bucket being filled from the left
        std::size_t d = bucket_count;  // bucket boundary being approached from the right
        left_leaders_.assign(bucket_count + 1, Leaders{});
        right_leaders_.assign(bucket_count + 1, Leaders{});
        for (std::size_t i = 0; i <= labels.size(); ++i) {
            for (; b < bucket_count && column.begin(b + 1) == i; ++b) {
                left_leaders_[b + 1] = left;
                if ((b + 1) % snapshot_step == 0) snapshots_.push_back(left_);
            }
            for (; d > 0 && column.begin(d - 1) == labels.size() - i; --d) right_leaders_[d - 1] = right;
            if (i == labels.size()) break;
            const std::int32_t from_left = labels[i];
            left.grow(from_left, ++at(left_, from_left));
            const std::int32_t from_right = labels[labels.size() - 1 - i];
            right.grow(from_right, ++at(right_, from_right));
        }
        const std::int64_t one_class =
            *std::ranges::max_element(known.of);  // the same class leads on both sides
        for (std::size_t k = 0; k < bucket_count; ++k) {
            const Leaders& l = left_leaders_[k + 1];
            const Leaders& r = right_leaders_[k];
            const std::int64_t two_classes = l.first_class != r.first_class
                                                 ? l.first + r.first
                                                 : std::max(l.first + r.second, l.second + r.first);
            out.at_end[k] = static_cast<double>(known.total - l.first - right_leaders_[k + 1].first);
            out.inside[k] = static_cast<double>(known.total - std::max(one_class, two_classes));
        }
    }
    /// The two sides at a bucket's left end.
    MajoritySweep<std::int64_t>& enter(const BucketedColumn& column, const Counts& known,
                                       std::size_t bucket) {
        const std::size_t snapshot = bucket / snapshot_step;
        if (snapshot > 0)
            left_ = snapshots_[snapshot - 1];
        else
            left_ = Counts(known.of.size());
        for (std::size_t b = snapshot * snapshot_step; b < bucket; ++b)
            for (const std::int32_t label : column.labels(b)) ++at(left_, label);
        left_.total = static_cast<std::int64_t>(column.begin(bucket));
        right_ = known;
        right_ -= left_;
        sweep_.start(left_, right_);
        return sweep_;
    }

  private:
    static constexpr std::size_t snapshot_step = 64;

    static std::int64_t& at(Counts& counts, std::int32_t label) {
        return counts.of[static_cast<std::size_t>(label)];
    }
    void start(const Counts& known) {
        left_ = right_ = Counts(known.of.size());
        snapshots_.clear();
    }

    MajoritySweep<std::int64_t> sweep_;
    Counts left_, right_;
    std::vector<Counts> snapshots_;                      // left counts at the end of every 64th bucket
    std::vector<Leaders> left_leaders_, right_leaders_;  // of each side of each boundary
};

/// Buffers and search of one worker.
class BucketScan {
  public:
    /// Writes the column's best cut to `split`; false if its values cannot be bucketed.
    template <class Labels, ClassScore Score, class Side>
    bool scan(const Labels& target, const Score& score, Side side, const typename Labels::Stats& all,
              Column& column, double slack, const Pulse& pulse, SearchCost& spent, Candidate& split) {
        if (!buckets_.fill(column, target.codes, pulse)) return false;
        column.has_missing = buckets_.has_missing();
        typename Labels::Stats missing(target.classes);
        for (const std::int32_t label : buckets_.labels(missing_bucket)) missing.add(label, 1);
        typename Labels::Stats known = all;
        known -= missing;

        mark_promising(side, known, slack);
        const std::vector<Inside> inside = buckets_.inside(promising_, target.codes, pulse);
        BestCut best{slack};
        const Place place = scan_promising(side, known, inside, best, spent, pulse);
        const bool parts_known = best.found();
        double cut = place.cut;
        typename Labels::Stats left = known;
        if (parts_known) left = left_of(side, known, inside, place, best.position);
        if (column.has_missing) {
            const std::size_t before = best.position;
            best.see(buckets_.known(), node(score, known), known.weight());
            if (best.position != before) cut = buckets_.largest(), left = known;
            ++spent.rules_scored;
        }
        spent.rows_visited += 3 * static_cast<std::int64_t>(target.size());
        split.cost = best.cost + node(score, missing);
        split.cut = cut;
        const double weights[] = {best.left_weight, known.weight() - best.left_weight, missing.weight()};
        split.split_info = split_information(weights);
        typename Labels::Stats right = known;
        right -= left;
        BranchTester<Score, typename Labels::Stats> tester(all);
        for (const auto* branch : {&left, &right, &missing}) tester.add(*branch);
        split.test = tester.result();
        return true;
    }

  private:
    /// Where the best cut of known rows lies: in this bucket, or at its right end; `first_inside` is where
    /// the sorted rows of the bucket begin, if it was promising.
    struct Place {
        std::size_t bucket = 0, first_inside = 0;
        double cut = std::numeric_limits<double>::quiet_NaN();
    };

    /// The rows left of a cut, by class.
    template <class Side, class Counts>
    Counts left_of(Side& side, const Counts& known, std::span<const Inside> inside, const Place& place,
                   std::size_t position) {
        auto& sweep = side.enter(buckets_, known, place.bucket);
        const std::span<const std::int32_t> labels = buckets_.labels(place.bucket);
        const std::size_t more = position - buckets_.begin(place.bucket);
        for (std::size_t i = 0; i < more; ++i)
            sweep.move(more == labels.size() ? labels[i] : inside[place.first_inside + i].label, 1);
        return sweep.left();
    }

    /// Which buckets may hold a better cut than the best boundary, or an equal one before it.
    template <class Side, class Counts>
    void mark_promising(Side& side, const Counts& known, double slack) {
        costs_.at_end.resize(bucket_count);
        costs_.inside.resize(bucket_count);
        side.costs(buckets_, known, costs_);
        BestCut boundary{slack};
        for (std::size_t b = 0, rows = 0; b < bucket_count; ++b) {
            rows += buckets_.labels(b).size();
            if (rows > 0 && rows < buckets_.known()) boundary.see(b + 1, costs_.at_end[b], 0);
        }
        promising_.assign(bucket_count + 1, 0);
        for (std::size_t b = 0; b < bucket_count; ++b)
            promising_[b] = buckets_.labels(b).size() > 1 &&
                            (costs_.inside[b] < boundary.cost - slack ||
                             (b < boundary.position && costs_.inside[b] <= boundary.cost + slack));
    }

    /// All boundaries, and all cuts inside promising buckets, from left to right.
    template <class Side, class Counts>
    Place scan_promising(Side& side, const Counts& known, std::span<const Inside> inside, BestCut& best,
                         SearchCost& spent, const Pulse& pulse) {
        Place place;
        const auto see = [&](std::size_t position, double cost, const Place& at) {
            best.see(position, cost, static_cast<double>(position));
            ++spent.rules_scored;
            if (best.position == position) place = at;
        };
        std::size_t rows = 0;
        std::size_t next = 0;  // of the rows inside promising buckets
        for (std::size_t b = 0; b < bucket_count; ++b) {
            const std::span<const std::int32_t> labels = buckets_.labels(b);
            if (labels.empty()) continue;
            if (b % 256 == 0) pulse.check();
            const std::size_t first = next;
            if (promising_[b]) {
                auto& sweep = side.enter(buckets_, known, b);
                for (std::size_t i = 0; i < labels.size(); ++i, ++next) {
                    sweep.move(inside[next].label, 1);
                    if (i + 1 < labels.size() && inside[next + 1].value != inside[next].value)
                        see(rows + i + 1, sweep.cost(),
                            {b, first, cut_between(inside[next].value, inside[next + 1].value)});
                }
            }
            rows += labels.size();
            if (rows < buckets_.known()) see(rows, costs_.at_end[b], {b, first});
        }
        if (std::isnan(place.cut)) place.cut = buckets_.cut_right_of(place.bucket, pulse);
        return place;
    }

    BucketedColumn buckets_;
    BucketCosts costs_;
    std::vector<std::uint8_t> promising_;
};

}  // namespace branchwork
