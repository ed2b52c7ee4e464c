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

/// Cuts that cost less than a limit which falls while they come by, in any order.
template <class Cost>
class BestRank {
  public:
    BestRank(Cost limit, Cost slack) : limit_(limit), slack_(slack) {}

    /// What costs this or more need not be shown.
    Cost limit() const { return limit_; }
    void see(Cost cost, std::uint32_t left_rank) {
        if (!(cost < limit_)) return;
        seen_.push_back({cost, left_rank});
        // Equal ones may still come, and the one of the smallest rank is to be found.
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

/// How ranks are put in bins: equally wide ones, a power of two of ranks each.
struct BinWidth {
    int shift = 0;
    std::uint32_t first = 0;  // the bin of the smallest rank would have this number if bins began at rank 0
    std::size_t count = 0;

    BinWidth(std::uint32_t low, std::uint32_t high, std::size_t most) {
        while ((high >> shift) - (low >> shift) >= most) ++shift;
        first = low >> shift;
        count = (high >> shift) - first + 1;
    }
    std::size_t of(std::uint32_t rank) const { return (rank >> shift) - first; }
    std::uint32_t last_rank(std::size_t bin) const {
        return ((first + static_cast<std::uint32_t>(bin) + 1) << shift) - 1;
    }
    /// Does a bin hold one rank only?
    bool is_exact() const { return shift == 0; }
};

inline constexpr std::size_t rows_per_bin = 4, fewest_bins = 64, most_bins = 2048;
/// Up to so many rows are compared pair by pair.
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
        keys_.resize(rows.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i < rows.size();
             ++i) {  // without a branch: which rows come cannot be predicted
            keys_[count] = rank_key(rows.ranks[i], i);
            count += alive_[width.of(rows.ranks[i])];
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

/// What a cut must cost less than, in the units of a sweep.
template <class SweepT>
typename SweepT::Cost limit_of_search(const SweepT& sweep, double most) {
    using Cost = typename SweepT::Cost;
    if (most < std::numeric_limits<double>::infinity()) return sweep.limit(most);
    return std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                   : std::numeric_limits<Cost>::max();
}

template <class Score, class Stats>
class RankScan;

/// Two classes: what a bin holds is a word, zeros in its low half and ones in its high half.
template <ClassScore Score>
class RankScan<Score, ClassCounts<std::int64_t, 2>> : RankScanBase<PairSweep<Score>> {
    using Base = RankScanBase<PairSweep<Score>>;
    using Counts = ClassCounts<std::int64_t, 2>;
    using Cost = typename Base::Cost;

  public:
    RankScan(const Score& score, const Options& options, std::size_t) : Base(options), sweep_(score) {}

    /// The best cut, if it costs less than `most`.
    RankCut best(const RankedRows& rows, const Counts& all, double, double most, double slack,
                 const Pulse& pulse, SearchCost& spent) {
        sweep_.start(Counts(), all);
        best_.start(limit_of_search(sweep_, most), sweep_.units(slack));
        RankCut found;
        if (rows.size() <= few_rows && all.total <= half_word)
            found.exists = by_pairs(rows, all);
        else
            found.exists = by_bins(rows, all, pulse, spent);
        if (const auto* best = best_.best()) {
            found.cost = sweep_.real(best->cost);
            found.left_rank = best->left_rank;
        }
        return found;
    }

  private:
    using Ahead = typename PairSweep<Score>::Ahead;

    struct Bin {
        std::size_t number;
        Ahead from, to;
    };

    static std::int64_t rows_in(const Ahead& left) { return left.zeros + left.ones; }
    /// Looks at the cut where the sweep stands.
    void see(const Ahead& left, std::uint32_t left_rank) {
        sweep_.jump(left);
        if (!sweep_.surely_at_least(left, best_.limit())) best_.see(sweep_.raw(), left_rank);
    }

    bool by_bins(const RankedRows& rows, const Counts& all, const Pulse& pulse, SearchCost& spent) {
        const BinWidth width(rows.low, rows.high,
                             std::clamp(rows.size() / rows_per_bin, fewest_bins, most_bins));
        cells_.assign(width.count, 0);
        std::uint64_t* const cells = cells_.data();
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const DrawnRow& row = rows.rows[i];
                cells[width.of(rows.ranks[i])] += std::uint64_t{row.copies} << (row.label * 32);
            }
        });
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        if constexpr (std::same_as<Score, Gini<std::int64_t>>)
            if (this->least_ <= 1) return by_leans(rows, all, width, spent);
        return by_corners(rows, all, width, spent);
    }

    Ahead after(const Ahead& left, std::size_t bin) const {
        return {left.zeros + static_cast<std::int64_t>(cells_[bin] & 0xffff'ffff),
                left.ones + static_cast<std::int64_t>(cells_[bin] >> 32)};
    }

    /// Any score: the cuts inside a bin lie in a rectangle of counts, and the least cost is at one of its corners.
    bool by_corners(const RankedRows& rows, const Counts& all, const BinWidth& width, SearchCost& spent) {
        bool exists = false;
        promising_.clear();
        Ahead left{0, 0};
        for (std::size_t b = 0; b < width.count; ++b) {
            if (cells_[b] == 0) continue;
            const Ahead to = after(left, b);
            sweep_.jump(left);
            if (!width.is_exact() && this->may_admit(rows_in(left), rows_in(to), all.total) &&
                !sweep_.surely_at_least(to, best_.limit()))
                promising_.push_back({b, left, to});
            left = to;
            if (!this->admits(rows_in(left), all.total)) continue;
            exists = true;
            see(left, width.last_rank(b));
        }
        if (!exists &&
            !width.is_exact()) {  // no border is admitted: look into every bin that a limit falls into
            promising_.clear();
            left = {0, 0};
            for (std::size_t b = 0; b < width.count; ++b) {
                const Ahead to = after(left, b);
                if (this->may_admit(rows_in(left), rows_in(to), all.total))
                    promising_.push_back({b, left, to});
                left = to;
            }
            return look_into_bins(rows, width, all, spent);
        }
        std::erase_if(promising_, [&](const Bin& bin) {
            sweep_.jump(bin.from);
            return sweep_.surely_at_least(bin.to, best_.limit());
        });
        look_into_bins(rows, width, all, spent);
        return exists;
    }

    // ---- Gini: a cut costs (2 zeros ones - 2 lean) / rows, see below.hpp, so leans are compared instead of costs

    /// Cuts that lean this far are to be looked at: those that cost less than the limit, or as much but for the slack.
    double least_lean(const Counts& all, double most) const {
        const auto zeros = static_cast<double>(all.of[0]), ones = static_cast<double>(all.of[1]);
        const double below_limit =
            best_.limit() < std::numeric_limits<double>::infinity()
                ? zeros * ones - static_cast<double>(best_.limit()) * static_cast<double>(all.total) / 2
                : 0;
        // Costs that the slack makes equal have leans that differ by next to nothing beside zeros * ones.
        return std::max(most, below_limit) * (1 - 1e-9) - 1e-10 * zeros * ones;
    }
    bool by_leans(const RankedRows& rows, const Counts& all, const BinWidth& width, SearchCost& spent) {
        const std::size_t n = width.count;
        for (std::vector<double>* of : {&left_zeros_, &left_ones_, &at_end_, &inside_}) of->resize(n + 1);
        kernels().lean_bins(cells_.data(), n, static_cast<double>(all.of[0]), static_cast<double>(all.of[1]),
                            left_zeros_.data(), left_ones_.data(), at_end_.data(), inside_.data());
        const double enough = least_lean(
            all, *std::max_element(at_end_.begin(), at_end_.begin() + static_cast<std::ptrdiff_t>(n) - 1));
        promising_.clear();
        const auto left_of = [&](std::size_t b) {
            return Ahead{static_cast<std::int64_t>(left_zeros_[b]), static_cast<std::int64_t>(left_ones_[b])};
        };
        for (std::size_t b = 0; b < n; ++b) {
            if (!(inside_[b] >= enough) || cells_[b] == 0) continue;
            if (!width.is_exact()) promising_.push_back({b, left_of(b), left_of(b + 1)});
            if (b + 1 < n && at_end_[b] >= enough) see(left_of(b + 1), width.last_rank(b));
        }
        look_into_bins(rows, width, all, spent);
        return true;
    }

    /// All cuts inside the promising bins; is one of them admitted?
    bool look_into_bins(const RankedRows& rows, const BinWidth& width, const Counts& all, SearchCost& spent) {
        if (promising_.empty()) return false;
        this->alive_.assign(width.count, 0);
        for (const Bin& bin : promising_) this->alive_[bin.number] = 1;
        this->collect(rows, width);
        spent.rows_visited += static_cast<std::int64_t>(this->keys_.size());
        bool exists = false;
        std::size_t i = 0;
        for (const Bin& bin : promising_) {
            Ahead left = bin.from;
            for (; i < this->keys_.size() && width.of(rank_of(this->keys_[i])) == bin.number; ++i) {
                const std::uint32_t rank = rank_of(this->keys_[i]);
                const DrawnRow& row = rows.rows[place_of(this->keys_[i])];
                left.move(row.label, row.copies);
                const bool ends = i + 1 == this->keys_.size() || rank_of(this->keys_[i + 1]) != rank;
                if (!ends || !this->admits(rows_in(left), all.total)) continue;
                exists = true;
                see(left, rank);
                ++spent.rules_scored;
            }
        }
        return exists;
    }

    // ---- few rows

    bool by_pairs(const RankedRows& rows, const Counts& all) {
        const std::size_t n = (rows.size() + 7) / 8 * 8;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            this->pair_keys_[i] = static_cast<std::int32_t>(rows.ranks[i]);
            this->weights_[i] = rows.rows[i].copies << (rows.rows[i].label * 16);
        }
        for (std::size_t i = rows.size(); i < n; ++i) this->pair_keys_[i] = 0, this->weights_[i] = 0;
        kernels().weights_below(this->pair_keys_.data(), this->weights_.data(), n, this->below_.data());
        if constexpr (std::same_as<Score, Gini<std::int64_t>>) return best_lean(rows, all);
        bool exists = false;
        for (std::size_t i = 0; i < rows.size(); ++i) exists |= see_below(rows, i, all);
        return exists;
    }
    /// Looks at the cut below a row; is it admitted?
    bool see_below(const RankedRows& rows, std::size_t i, const Counts& all) {
        const Ahead left{this->below_[i] & 0xffff, this->below_[i] >> 16};
        if (!this->admits(rows_in(left), all.total)) return false;
        see(left, rows.ranks[i] - 1);
        return true;
    }
    /// Gini's gain is the lean, but for a constant, so only the largest leans need a look.
    bool best_lean(const RankedRows& rows, const Counts& all) {
        const std::size_t n = (rows.size() + 7) / 8 * 8;
        kernels().leans_below(this->below_.data(), n, static_cast<double>(all.of[0]),
                              static_cast<double>(all.of[1]), leans_.data());
        bool exists = false;
        double most = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool admitted =
                this->admits((this->below_[i] & 0xffff) + (this->below_[i] >> 16), all.total);
            exists |= admitted;
            most = std::max(most, admitted ? leans_[i] : 0);
        }
        if (!exists) return false;
        const double enough = least_lean(all, most);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (leans_[i] >= enough) see_below(rows, i, all);
        return true;
    }

    PairSweep<Score> sweep_;
    BestRank<Cost> best_{0, 0};
    std::vector<std::uint64_t> cells_;
    std::vector<Bin> promising_;
    std::vector<double> left_zeros_, left_ones_, at_end_, inside_;
    std::array<double, few_rows> leans_;
};

/// Many classes: a bin has a counter for each.
template <ClassScore Score>
class RankScan<Score, ClassCounts<std::int64_t>> : RankScanBase<Sweep<Score, ClassCounts<std::int64_t>>> {
    using Counts = ClassCounts<std::int64_t>;
    using Base = RankScanBase<Sweep<Score, Counts>>;
    using Cost = typename Base::Cost;

  public:
    RankScan(const Score& score, const Options& options, std::size_t classes)
        : Base(options), sweep_(score, classes), nothing_(classes) {}

    /// The best cut, if it costs less than `most`.
    RankCut best(const RankedRows& rows, const Counts& all, double, double most, double slack,
                 const Pulse& pulse, SearchCost& spent) {
        best_.start(limit_of_search(sweep_, most), sweep_.units(slack));
        RankCut found;
        const std::size_t classes = all.of.size();
        const std::size_t bins =
            std::min(std::max(most_counters / classes, fewest_bins / 2), rows.size() / rows_per_bin + 1);
        const BinWidth width(rows.low, rows.high, bins);
        const bool few_values = width.is_exact() && width.count * classes <= rows.size() * 4;
        if (few_values || rows.size() > sorted_rows)
            found.exists = by_bins(rows, all, width, pulse, spent);
        else
            found.exists = in_order(rows, all, spent);
        if (const auto* best = best_.best()) {
            found.cost = sweep_.real(best->cost);
            found.left_rank = best->left_rank;
        }
        return found;
    }

  private:
    /// Counters that stay in the L1 cache.
    static constexpr std::size_t most_counters = 6144;
    /// Up to so many rows are sorted: the bound is too loose to rule out many of so few.
    static constexpr std::size_t sorted_rows = 512;

    bool see(const Counts& all, std::uint32_t left_rank) {
        if (!this->admits(sweep_.left().total, all.total)) return false;
        best_.see(sweep_.raw(), left_rank);
        return true;
    }

    /// All cuts of rows that are sorted here.
    bool in_order(const RankedRows& rows, const Counts& all, SearchCost& spent) {
        if (rows.size() <= few_rows)
            this->order_few(rows);
        else
            order_all(rows);
        sweep_.start(nothing_, all);
        return scan(rows, all, 0, this->keys_.size(), spent);
    }
    void order_all(const RankedRows& rows) {
        this->keys_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) this->keys_[i] = rank_key(rows.ranks[i], i);
        sort_ranks(this->keys_, this->spare_keys_);
    }
    /// Moves sorted rows across the cut; is one of the cuts between them, or after the last, admitted?
    bool scan(const RankedRows& rows, const Counts& all, std::size_t begin, std::size_t end,
              SearchCost& spent) {
        bool exists = false;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t rank = rank_of(this->keys_[i]);
            const DrawnRow& row = rows.rows[place_of(this->keys_[i])];
            sweep_.move(row.label, row.copies);
            if (i + 1 < end && rank_of(this->keys_[i + 1]) == rank) continue;
            exists |= see(all, rank);
            ++spent.rules_scored;
        }
        return exists;
    }

    bool by_bins(const RankedRows& rows, const Counts& all, const BinWidth& width, const Pulse& pulse,
                 SearchCost& spent) {
        const std::size_t classes = all.of.size();
        cells_.assign(width.count * classes, 0);
        std::uint32_t* const cells = cells_.data();
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const DrawnRow& row = rows.rows[i];
                cells[width.of(rows.ranks[i]) * classes + static_cast<std::size_t>(row.label)] += row.copies;
            }
        });
        sweep_.start(nothing_, all);
        bool exists = false;
        this->alive_.assign(width.count, 0);
        bounds_.resize(width.count);
        for (std::size_t b = 0; b < width.count; ++b) {
            const std::int64_t before = sweep_.left().total;
            const Cost on_left = sweep_.left_raw();
            move_bin(b, classes);
            // Every branch costs at least what a part of its rows does, because mixing never lowers the cost.
            bounds_[b] = on_left + sweep_.right_raw();
            this->alive_[b] = !width.is_exact() && sweep_.left().total > before + 1 &&
                              this->may_admit(before, sweep_.left().total, all.total);
            exists |= see(all, width.last_rank(b));
        }
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        bool any = false;
        for (std::size_t b = 0; b < width.count; ++b) {
            this->alive_[b] &= !exists || surely_below(bounds_[b]) < best_.limit();
            any |= this->alive_[b];
        }
        return (any && look_into_bins(rows, all, width, spent)) || exists;
    }
    void move_bin(std::size_t bin, std::size_t classes) {
        const std::uint32_t* const counts = cells_.data() + bin * classes;
        for (std::size_t c = 0; c < classes; ++c)
            if (counts[c] > 0) sweep_.move(static_cast<std::int32_t>(c), counts[c]);
    }
    /// A bound, less what rounding may have added to it.
    static Cost surely_below(Cost bound) {
        if constexpr (std::integral<Cost>)
            return bound - Score::rounding;
        else
            return bound * (1 - 1e-12);
    }
    bool look_into_bins(const RankedRows& rows, const Counts& all, const BinWidth& width, SearchCost& spent) {
        this->collect(rows, width);
        spent.rows_visited += static_cast<std::int64_t>(this->keys_.size());
        sweep_.start(nothing_, all);
        bool exists = false;
        std::size_t next = 0;
        for (std::size_t b = 0; b < width.count; ++b) {
            if (!this->alive_[b]) {
                move_bin(b, all.of.size());
                continue;
            }
            std::size_t end = next;
            while (end < this->keys_.size() && width.of(rank_of(this->keys_[end])) == b) ++end;
            exists |= scan(rows, all, next, end, spent);
            next = end;
        }
        return exists;
    }

    Sweep<Score, Counts> sweep_;
    Counts nothing_;
    BestRank<Cost> best_{0, 0};
    std::vector<std::uint32_t> cells_;
    std::vector<Cost> bounds_;
};

/// Numbers, by squared error: a bin keeps its weight, and the sums of its numbers above the mean and of those below it.
/// Inside the bin, the sum on the left of a cut lies between what all of the one and all of the other would make of it.
template <>
class RankScan<SquaredError, Moments> : RankScanBase<MomentSweep<SquaredError>> {
    using Base = RankScanBase<MomentSweep<SquaredError>>;

  public:
    RankScan(const SquaredError& score, const Options& options, std::size_t width)
        : Base(options), sweep_(score, width) {}

    /// The best cut, if it costs less than `most`. Numbers are about `centre`.
    RankCut best(const RankedRows& rows, const Moments& all, double centre, double most, double slack,
                 const Pulse& pulse, SearchCost& spent) {
        all_ = all;
        sweep_.start(Moments{}, all);
        best_.start(limit_of_search(sweep_, most), slack);
        RankCut found;
        if (rows.size() <= few_rows)
            found.exists = in_order(rows, centre, spent);
        else
            found.exists = by_bins(rows, centre, pulse, spent);
        if (const auto* best = best_.best()) {
            found.cost = sweep_.real(best->cost);
            found.left_rank = best->left_rank;
        }
        return found;
    }

  private:
    using Ahead = MomentSweep<SquaredError>::Ahead;

    struct Cell {
        double weight = 0, above = 0, below = 0;
    };
    struct Bin {
        std::size_t number;
        Ahead from, to;
    };

    bool admits_left(double weight) const { return weight >= least_ && all_.w - weight >= least_; }
    void see(const Ahead& left, std::uint32_t left_rank) {
        sweep_.jump(left);
        if (!sweep_.surely_at_least(best_.limit())) best_.see(sweep_.raw(), left_rank);
    }
    /// May no cut inside a bin be better? At least one row lies on each side of it.
    bool rules_out(const Ahead& from, const Ahead& to) const {
        const auto product = [this](double weight) {
            const double left = std::clamp(weight, 1.0, all_.w - 1);
            return left * (all_.w - left);
        };
        return SquaredError::pair_at_least(to.farthest, std::min(product(from.w), product(to.w)), all_,
                                           best_.limit());
    }

    bool by_bins(const RankedRows& rows, double centre, const Pulse& pulse, SearchCost& spent) {
        const BinWidth width(rows.low, rows.high,
                             std::clamp(rows.size() / rows_per_bin, fewest_bins, most_bins / 2));
        cells_.assign(width.count, Cell{});
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Cell& cell = cells_[width.of(rows.ranks[i])];
                const auto weight = static_cast<double>(rows.rows[i].copies);
                const double t = weight * (rows.targets[i] - centre);
                cell.weight += weight;
                cell.above += t > 0 ? t : 0;
                cell.below += t > 0 ? 0 : t;
            }
        });
        double absolute = 0;
        for (const Cell& cell : cells_) absolute += cell.above - cell.below;
        const double rounding = 1e-12 * absolute;  // of sums
        bool exists = false;
        promising_.clear();
        Ahead left{0, 0};
        for (std::size_t b = 0; b < width.count; ++b) {
            const Cell& cell = cells_[b];
            if (cell.weight == 0) continue;
            Ahead to{left.w + cell.weight, left.s + (cell.above + cell.below)};
            to.farthest = std::max(std::abs(left.s + cell.above), std::abs(left.s + cell.below)) + rounding;
            if (!width.is_exact() && to.w >= least_ && all_.w - left.w >= least_ && !rules_out(left, to))
                promising_.push_back({b, left, to});
            left = to;
            if (!admits_left(left.w)) continue;
            exists = true;
            see(left, width.last_rank(b));
        }
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        if (!exists &&
            !width.is_exact()) {  // no border is admitted: look into every bin that a limit falls into
            promising_.clear();
            left = {0, 0};
            for (std::size_t b = 0; b < width.count; ++b) {
                const Cell& cell = cells_[b];
                const Ahead to{left.w + cell.weight, left.s + (cell.above + cell.below)};
                if (to.w >= least_ && all_.w - left.w >= least_) promising_.push_back({b, left, to});
                left = to;
            }
            return look_into_bins(rows, centre, width, spent);
        }
        std::erase_if(promising_, [&](const Bin& bin) { return rules_out(bin.from, bin.to); });
        look_into_bins(rows, centre, width, spent);
        return exists;
    }

    /// All cuts inside the promising bins; is one of them admitted?
    bool look_into_bins(const RankedRows& rows, double centre, const BinWidth& width, SearchCost& spent) {
        if (promising_.empty()) return false;
        alive_.assign(width.count, 0);
        for (const Bin& bin : promising_) alive_[bin.number] = 1;
        collect(rows, width);
        spent.rows_visited += static_cast<std::int64_t>(keys_.size());
        bool exists = false;
        std::size_t next = 0;
        for (const Bin& bin : promising_) {
            std::size_t end = next;
            while (end < keys_.size() && width.of(rank_of(keys_[end])) == bin.number) ++end;
            exists |= scan(rows, centre, bin.from, next, end, spent);
        }
        return exists;
    }

    /// Few rows are sorted.
    bool in_order(const RankedRows& rows, double centre, SearchCost& spent) {
        order_few(rows);
        std::size_t next = 0;
        return scan(rows, centre, {0, 0}, next, rows.size(), spent);
    }
    /// All cuts between sorted rows, and after the last; is one of them admitted?
    bool scan(const RankedRows& rows, double centre, Ahead left, std::size_t& next, std::size_t end,
              SearchCost& spent) {
        bool exists = false;
        for (; next < end; ++next) {
            const std::uint32_t rank = rank_of(keys_[next]);
            const std::size_t place = place_of(keys_[next]);
            const auto weight = static_cast<double>(rows.rows[place].copies);
            left.w += weight;
            left.s += weight * (rows.targets[place] - centre);
            const bool ends = next + 1 == end || rank_of(keys_[next + 1]) != rank;
            if (!ends || !admits_left(left.w)) continue;
            exists = true;
            see(left, rank);
            ++spent.rules_scored;
        }
        return exists;
    }

    MomentSweep<SquaredError> sweep_;
    Moments all_;
    BestRank<double> best_{0, 0};
    std::vector<Cell> cells_;
    std::vector<Bin> promising_;
};

}  // namespace branchwork
