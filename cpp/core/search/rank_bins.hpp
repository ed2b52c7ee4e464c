// The best cut of a node by the ranks of one column, for rows that nobody keeps in order: trees that ask only a few
// columns in each node (forests). Sorting these anew would take most of the time, so most rows are never sorted.
//
//     rows of a node, in no order     41 3 90 7 3 68 44 ...
//
//     in bins of ranks       | 3 3 7 |   | 41 44 |   | 68 |  | 90 |
//                                    ^   ^       ^   ^    ^  ^          each border is a cut, scored from what the bins hold
//
// A bound tells which bins may hold a better cut than the best border, of this column or of one that was asked before;
// only the rows of these bins are sorted and scanned. Up to 64 rows are not put in bins: all pairs of rows are
// compared, which counts for each row what lies below it.
//
// The cost of a cut is computed from counts alone, so it has the same bits as in a scan of sorted rows; of equal cuts
// the smallest one is taken, as there.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/search/ranked_rows.hpp"
#include "core/search/sort_ranks.hpp"
#include "core/search/sweep.hpp"
#include "core/stats.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Collects cuts that cost less than a limit, which falls with every better cut. Cuts may come in any order.
template <class Cost>
class BestRank {
  public:
    BestRank(Cost limit, Cost slack) : limit_(limit), slack_(slack) {}

    /// Cuts that cost this much or more need not be reported.
    Cost limit() const { return limit_; }
    void see(Cost cost, std::uint32_t left_rank) {
        if (!(cost < limit_)) return;
        seen_.push_back({cost, left_rank});
        // Equal cuts may still come, and the one of the smallest rank must win.
        limit_ = std::min(limit_, above(static_cast<Cost>(cost + slack_)));
    }
    /// The smallest rank among those that cost no more than the least, but for the slack.
    const auto* best() const {
        const Seen* found = nullptr;
        if (seen_.empty()) return found;
        Cost least = seen_[0].cost;
        for (const Seen& one : seen_) least = std::min(least, one.cost);
        for (const Seen& one : seen_)
            if (!(one.cost > least + slack_) && (!found || one.left_rank < found->left_rank)) found = &one;
        return found;
    }
    void start(Cost limit, Cost slack) {
        limit_ = limit;
        slack_ = slack;
        seen_.clear();
    }

  private:
    struct Seen {
        Cost cost;
        std::uint32_t left_rank;
    };
    static Cost above(Cost cost) {
        if constexpr (std::integral<Cost>)
            return cost + 1;
        else
            return std::nextafter(cost, std::numeric_limits<Cost>::infinity());
    }
    Cost limit_, slack_;
    std::vector<Seen> seen_;
};

/// The smallest and the largest rank of some rows.
struct RankEnds {
    std::uint32_t low = 0, high = 0;

    static RankEnds of(const RankedRows& rows) {
        RankEnds ends;
        kernels().rank_ends(rows.ranks.data(), rows.size(), &ends.low, &ends.high);
        return ends;
    }
    bool is_one() const { return low == high; }
};

/// How ranks are put in bins: equally wide ones, a power of two of ranks each.
struct BinWidth {
    int shift = 0;
    std::uint32_t first = 0;  // the bin of the smallest rank would have this number if bins began at rank 0
    std::size_t count = 0;

    BinWidth() = default;
    BinWidth(const RankEnds& ends, std::size_t most) {
        while ((ends.high >> shift) - (ends.low >> shift) >= most) ++shift;
        first = ends.low >> shift;
        count = (ends.high >> shift) - first + 1;
    }
    std::size_t of(std::uint32_t rank) const { return (rank >> shift) - first; }
    std::uint32_t last_rank(std::size_t bin) const {
        return ((first + static_cast<std::uint32_t>(bin) + 1) << shift) - 1;
    }
    /// Does a bin hold one rank only?
    bool is_exact() const { return shift == 0; }
};

inline constexpr std::size_t rows_per_bin = 4, fewest_bins = 64, most_bins = 2048;
/// Up to this many rows are compared pair by pair.
inline constexpr std::size_t few_rows = 64;
/// The kernels count two classes in the halves of a word.
inline constexpr std::int64_t half_word = 0x7fff;

/// What all scans of ranks share: limits on branches, and the rows of bins that are looked into.
template <class SweepT>
class RankScanBase {
  public:
    using Cost = typename SweepT::Cost;

  protected:
    explicit RankScanBase(const Options& options)
        : least_(std::max({options.min_leaf_samples, options.min_leaf_weight, 1.0})) {}

    bool admits(std::int64_t left, std::int64_t all) const {
        return static_cast<double>(left) >= least_ && static_cast<double>(all - left) >= least_;
    }
    /// Could a cut between these two be admitted?
    bool may_admit(std::int64_t from, std::int64_t to, std::int64_t all) const {
        return static_cast<double>(to) >= least_ && static_cast<double>(all - from) >= least_;
    }
    /// The rows of the bins that are marked, in order of rank.
    void collect(const RankedRows& rows, const BinWidth& width) {
        std::size_t count = 0;
        for (const std::uint32_t rank : rows.ranks) count += alive_[width.of(rank)];
        keys_.resize(count + 1);
        std::uint64_t* next = keys_.data();
        for (std::size_t i = 0; i < rows.size();
             ++i) {  // without a branch: which rows come cannot be predicted
            *next = rank_key(rows.ranks[i], i);
            next += alive_[width.of(rows.ranks[i])];
        }
        keys_.resize(count);
        sort_ranks(keys_, spare_keys_);
    }

    /// The number of rows below each is its place; equal ones come one after the other.
    void order_few(const RankedRows& rows) {
        const std::size_t n = (rows.size() + 7) / 8 * 8;
        for (std::size_t i = 0; i < n; ++i) {
            pair_keys_[i] = i < rows.size() ? static_cast<std::int32_t>(rows.ranks[i]) : 0;
            weights_[i] = i < rows.size();
        }
        kernels().weights_below(pair_keys_.data(), weights_.data(), n, below_.data());
        weights_.fill(0);
        keys_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            keys_[below_[i] + weights_[below_[i]]++] = rank_key(rows.ranks[i], i);
    }

    double least_;  // rows that each branch must have
    std::vector<std::uint8_t> alive_;
    std::vector<std::uint64_t> keys_, spare_keys_;
    std::array<std::int32_t, few_rows> pair_keys_;
    std::array<std::uint32_t, few_rows> weights_, below_;
};

/// The limit that a cut must stay below, in the units of a sweep.
template <class SweepT>
typename SweepT::Cost limit_of_search(const SweepT& sweep, double most) {
    using Cost = typename SweepT::Cost;
    if (most < std::numeric_limits<double>::infinity()) return sweep.limit(most);
    return std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                   : std::numeric_limits<Cost>::max();
}

/// Searches columns one after the other, each for cuts that may be better than those before.
template <class Best>
void search_one_by_one(RankedColumns& columns, double most, double slack, std::span<RankCut> found,
                       const Best& best_of) {
    for (std::size_t k = 0; k < columns.count(); ++k) {
        found[k] = best_of(columns.ranked(k), most);
        most = std::min(most, found[k].cost + 2 * slack);
    }
}

template <class Score, class Stats>
class RankScan;

}  // namespace branchwork
