// Rows of two classes in bins of ranks; see rank_bins.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels/kernels.hpp"
#include "core/search/rank_bins.hpp"

namespace branchwork {

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

}  // namespace branchwork
