// Rows of two classes in bins of ranks; see rank_bins.hpp.
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
#include "core/search/rank_bins.hpp"

namespace branchwork {

/// Two classes: what a bin holds is a word, zeros in its low half and ones in its high half.
template <ClassScore Score>
class RankScan<Score, ClassCounts<std::int64_t, 2>> : RankScanBase<PairSweep<Score>> {
    using Base = RankScanBase<PairSweep<Score>>;
    using Counts = ClassCounts<std::int64_t, 2>;
    using Cost = typename Base::Cost;
    static constexpr bool is_gini = std::same_as<Score, Gini<std::int64_t>>;

  public:
    RankScan(const Score& score, const Options& options, std::size_t) : Base(options), sweep_(score) {}

    /// Finds the best cut of each column, if it costs less than `most` and less than the cuts of other columns.
    void best(RankedColumns& columns, const Counts& all, double, double most, double slack,
              const Pulse& pulse, SearchCost& spent, std::span<RankCut> found) {
        most_ = most;
        slack_ = slack;
        sweep_.start(Counts(), all);
        if constexpr (is_gini) {
            if (all.total <= half_word && columns.rows() <= few_rows) return lean_few(columns, all, found);
            if (this->least_ <= 1 && all.total <= most_leaned)
                return lean_bins(columns, all, pulse, spent, found);
        }
        for (std::size_t k = 0; k < columns.count(); ++k) {
            const RankedRows rows = columns.ranked(k);
            found[k] = {};
            begin_column();
            if (all.total <= half_word && rows.size() <= few_rows)
                found[k].exists = by_pairs(rows, all);
            else
                found[k].exists = by_corners(rows, all, pulse, spent);
            end_column(found[k]);
        }
    }

  private:
    using Ahead = typename PairSweep<Score>::Ahead;
    /// The kernels count rows in 31 bits.
    static constexpr std::int64_t most_leaned = std::numeric_limits<std::int32_t>::max();

    struct Bin {
        std::size_t number;
        Ahead from, to;
    };

    static std::int64_t rows_in(const Ahead& left) { return left.zeros + left.ones; }
    void begin_column() { best_.start(limit_of_search(sweep_, most_), sweep_.units(slack_)); }
    void end_column(RankCut& found) {
        const auto* best = best_.best();
        if (!best) return;
        found.cost = sweep_.real(best->cost);
        found.left_rank = best->left_rank;
        most_ = std::min(most_, found.cost + 2 * slack_);
    }
    /// Looks at a cut.
    void see(const Ahead& left, std::uint32_t left_rank) {
        sweep_.jump(left);
        if (!sweep_.surely_at_least(left, best_.limit())) best_.see(sweep_.raw(), left_rank);
    }

    static void tally(const RankedRows& rows, const BinWidth& width, std::vector<std::uint64_t>& into,
                      const Pulse& pulse) {
        into.assign(width.count, 0);
        std::uint64_t* const cells = into.data();
        in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const DrawnRow row = rows.rows[i];
                cells[width.of(rows.ranks[i])] += std::uint64_t{row.copies} << (row.label * 32);
            }
        });
    }
    static std::size_t bins_for(std::size_t rows) {
        return std::clamp(rows / rows_per_bin, fewest_bins, most_bins);
    }

    // ---- any score, column by column

    /// The cuts inside a bin lie in a rectangle of counts, and the least cost is at one of its corners.
    bool by_corners(const RankedRows& rows, const Counts& all, const Pulse& pulse, SearchCost& spent) {
        const auto ends = RankEnds::of(rows);
        if (ends.is_one()) return false;
        const BinWidth width(ends, bins_for(rows.size()));
        tally(rows, width, cells_, pulse);
        spent.rules_scored += static_cast<std::int64_t>(width.count) - 1;
        const auto after = [this](const Ahead& left, std::size_t bin) -> Ahead {
            return {left.zeros + static_cast<std::int64_t>(cells_[bin] & 0xffff'ffff),
                    left.ones + static_cast<std::int64_t>(cells_[bin] >> 32)};
        };
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

    /// Few rows: every cut is below one of them.
    bool by_pairs(const RankedRows& rows, const Counts& all) {
        const std::size_t n = weigh_few(rows.rows);
        this->pair_keys_.fill(0);
        std::ranges::copy(rows.ranks, this->pair_keys_.begin());
        kernels().weights_below(this->pair_keys_.data(), this->weights_.data(), n, this->below_.data());
        bool exists = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Ahead left = below(this->below_[i]);
            if (!this->admits(rows_in(left), all.total)) continue;
            exists = true;
            see(left, rows.ranks[i] - 1);
        }
        return exists;
    }
    static Ahead below(std::uint32_t sum) { return {sum & 0xffff, sum >> 16}; }
    /// Writes the weights of few rows, and returns their number, padded to a multiple of eight.
    std::size_t weigh_few(std::span<const DrawnRow> rows) {
        this->weights_.fill(0);
        for (std::size_t i = 0; i < rows.size(); ++i)
            this->weights_[i] = std::uint32_t{rows[i].copies} << (rows[i].label * 16);
        return (rows.size() + 7) / 8 * 8;
    }

    // ---- Gini, columns together: a cut costs (2 zeros ones - 2 lean) / rows, see below.hpp, so leans are compared
    //      instead of costs. They are found as floats, of all columns, and what comes near the best is computed exactly.

    /// Cuts that lean at least this far must be looked at: they cost less than the limit, or as much within the slack.
    double enough(const Counts& all, double most_lean) const {
        const auto zeros = static_cast<double>(all.of[0]), ones = static_cast<double>(all.of[1]);
        const double below_limit = most_ < std::numeric_limits<double>::infinity()
                                       ? zeros * ones - most_ * static_cast<double>(all.total) / 2
                                       : 0;
        // A lean has five roundings to 24 bits. Costs that the slack makes equal have leans that differ by next to
        // nothing beside zeros * ones.
        return std::max(most_lean, below_limit) * (1 - 2e-6) - 1e-10 * zeros * ones;
    }

    /// Few rows: each column's best lean first, then the cuts that come near the best of all.
    void lean_few(RankedColumns& columns, const Counts& all, std::span<RankCut> found) {
        const auto zeros = static_cast<std::int32_t>(all.of[0]), ones = static_cast<std::int32_t>(all.of[1]);
        const auto least = static_cast<std::int32_t>(std::min(std::ceil(this->least_), 65536.0));
        float most_lean = -1;
        std::size_t n = 0;
        for (std::size_t k = 0; k < columns.count(); ++k) {
            Few& few = few_[k];
            const RankedRows rows = columns.ranked(k);
            if (k == 0) n = weigh_few(rows.rows);
            for (std::size_t i = 0; i < rows.size(); ++i)
                few.keys[i] = static_cast<std::int32_t>(rows.ranks[i]);
            for (std::size_t i = rows.size(); i < n; ++i) few.keys[i] = 0;
            kernels().weights_below(few.keys.data(), this->weights_.data(), n, few.below.data());
            few.most = kernels().leans_below(few.below.data(), n, zeros, ones, least, few.leans.data());
            most_lean = std::max(most_lean, few.most);
        }
        for (std::size_t k = 0; k < columns.count(); ++k) {
            const Few& few = few_[k];
            found[k] = {};
            found[k].exists = few.most >= 0;
            const double look_at = enough(all, most_lean);
            if (few.most < 0 || few.most < look_at) continue;
            begin_column();
            for (std::size_t i = 0; i < n; ++i)
                if (few.leans[i] >= look_at && few.leans[i] >= 0)
                    see(below(few.below[i]), static_cast<std::uint32_t>(few.keys[i]) - 1);
            end_column(found[k]);
        }
    }

    void lean_bins(RankedColumns& columns, const Counts& all, const Pulse& pulse, SearchCost& spent,
                   std::span<RankCut> found) {
        const auto zeros = static_cast<std::int32_t>(all.of[0]), ones = static_cast<std::int32_t>(all.of[1]);
        float most_lean = 0;
        for (std::size_t k = 0; k < columns.count(); ++k) {
            found[k] = {};
            Binned& of = binned_[k];
            of.most_inside = -1;
            const RankedRows rows = columns.ranked(k);
            const auto ends = RankEnds::of(rows);
            if (ends.is_one()) continue;
            found[k].exists = true;
            of.width = BinWidth(ends, bins_for(rows.size()));
            tally(rows, of.width, cells_, pulse);
            spent.rules_scored += static_cast<std::int64_t>(of.width.count) - 1;
            of.make_room();
            const float most =
                kernels().lean_bins(cells_.data(), of.width.count, zeros, ones, of.zeros.data(),
                                    of.ones.data(), of.at_end.data(), of.inside.data(), &of.most_inside);
            most_lean = std::max(most_lean, most);
        }
        for (std::size_t k = 0; k < columns.count(); ++k) {
            const double look_at = enough(all, most_lean);
            if (!found[k].exists || binned_[k].most_inside < look_at) continue;
            begin_column();
            see_bins(columns, k, all, look_at, spent);
            end_column(found[k]);
        }
    }
    void see_bins(RankedColumns& columns, std::size_t k, const Counts& all, double look_at,
                  SearchCost& spent) {
        const Binned& of = binned_[k];
        const BinWidth& width = of.width;
        promising_.clear();
        for (std::size_t b = 0; b < width.count; ++b) {
            if (!(of.inside[b] >= look_at) || of.is_empty(b)) continue;
            if (!width.is_exact()) promising_.push_back({b, of.before(b), of.before(b + 1)});
            if (b + 1 < width.count && of.at_end[b] >= look_at) see(of.before(b + 1), width.last_rank(b));
        }
        if (!promising_.empty()) look_into_bins(columns.ranked(k), width, all, spent);
    }

    /// The bins of a column, and what lies before each.
    struct Binned {
        BinWidth width;
        std::vector<std::int32_t> zeros, ones;  // before each bin, and all
        std::vector<float> at_end, inside;      // leans; see below.hpp
        float most_inside = 0;

        void make_room() {
            if (zeros.size() > width.count) return;
            zeros.resize(width.count + 1);
            ones.resize(width.count + 1);
            at_end.resize(width.count + 1);
            inside.resize(width.count + 1);
        }
        Ahead before(std::size_t bin) const { return {zeros[bin], ones[bin]}; }
        bool is_empty(std::size_t bin) const {
            return zeros[bin] == zeros[bin + 1] && ones[bin] == ones[bin + 1];
        }
    };
    struct Few {
        std::array<std::int32_t, few_rows> keys;
        std::array<std::uint32_t, few_rows> below;
        std::array<float, few_rows> leans;
        float most = 0;
    };

    PairSweep<Score> sweep_;
    double most_ = 0, slack_ = 0;
    BestRank<Cost> best_{0, 0};
    std::vector<std::uint64_t> cells_;
    std::vector<Bin> promising_;
    std::array<Binned, is_gini ? most_together : 0> binned_;
    std::array<Few, is_gini ? most_together : 0> few_;
};

}  // namespace branchwork
