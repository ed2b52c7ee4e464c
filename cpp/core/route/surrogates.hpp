// Surrogate splits. For rows whose value is missing in the primary split of a node, splits by other features that send
// the known rows nearly the same way.
//
//     side of the primary split    0  0  0  1  1  ?        '?' = missing
//     another feature              3  4  7  8  9  5        a cut at 7.5 agrees on all five; row '?' goes to 0
//
// A surrogate is rated by its agreement beyond that of sending all rows with the majority:
//     adjusted = (agreeing - majority) / (known - majority), of samples that are known in the primary split.
// A sample whose value is missing in the surrogate counts as not agreeing. Surrogates with adjusted > 0 are kept, the
// best first (ties: the earlier feature).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/route/partition.hpp"
#include "core/search/sorted_rows.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// The side of a row whose value is missing in the primary split, until a surrogate sends it to one.
inline constexpr std::uint8_t no_side = 2;

/// Agreements that differ by less than this share of all samples are a tie.
inline constexpr double agreement_slack = 1e-12;

/// A surrogate must send at least this many samples to each side. rpart requires this of thresholds only; of categories
/// it requires that the surrogate disagree with the primary split on this many samples.
inline constexpr double fewest_samples = 2;

/// Searches the surrogates of one node. `side` has the side of each row at the primary split.
class SurrogateSearch {
    using Pair = std::array<double, 2>;  // samples by side of the primary split

  public:
    SurrogateSearch(const Target& target, const Options& options, std::span<const Row> rows,
                    std::span<const std::uint8_t> side)
        : target_(target), options_(options), rows_(rows), side_(side) {
        for (const Row row : rows)
            if (side[row] != no_side) known_[side[row]] += target.samples(row);
        total_ = known_[0] + known_[1];
        most_ = std::max(known_[0], known_[1]);
    }

    /// The child that most known samples go to (ties: the first).
    std::int32_t majority() const { return known_[1] > known_[0] && !is_tie(known_) ? 1 : 0; }

    /// Finds the best threshold of a numeric feature; low values may go to either child. Thresholds are between
    /// neighbouring values of all rows, whether known in the primary split or not. Of ties, the smallest threshold
    /// wins, then the one that sends low values to the first child.
    template <class Entry>
    Surrogate best_cut(const SortedRows<Entry>& sorted) const {
        const std::size_t known = sorted.known();
        Surrogate best = none();
        Pair right{};
        for (const Entry& e : sorted.entries.first(known)) add(right, sorted.tags.row(e.tag));
        Pair left{};
        double least = most_;
        for (std::size_t i = 0; i + 1 < known; ++i) {
            const Row row = sorted.tags.row(sorted.entries[i].tag);
            add(left, row), add(right, row, -1);
            if (sorted.entries[i].rank == sorted.entries[i + 1].rank) continue;
            if (left[0] + left[1] < fewest_samples - agreement_slack * total_) continue;
            if (right[0] + right[1] < fewest_samples - agreement_slack * total_) break;
            for (const std::size_t low : {std::size_t{0}, std::size_t{1}}) {
                const double agreeing = left[low] + right[1 - low];
                if (!(agreeing > least + agreement_slack * total_)) continue;
                least = agreeing;
                best = rated(agreeing);
                best.low_child = static_cast<std::int32_t>(low);
                best.cut =
                    cut_after(i + 1, known, options_, [&](std::size_t at) { return sorted.value(at); });
            }
        }
        return best;
    }

    /// Sends every category where most of its samples go. Ties go with the majority of the samples that are known in
    /// both features. If that is a tie, too, they go to the first child or, with rpart's rules, to the child with the
    /// larger mean of the target.
    Surrogate best_groups(const Column& column, std::span<const Row> cell_rows) const {
        std::vector<Pair> of(static_cast<std::size_t>(column.levels));
        Pair both{};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const std::int32_t code = code_at(column, cell_rows[i]);
            if (code < 0) continue;
            add(of[static_cast<std::size_t>(code)], rows_[i]);
            add(both, rows_[i]);
        }
        std::size_t of_ties = 2;
        Pair sent{};
        double agreeing = 0;
        std::vector<std::int32_t> sides(of.size(), -1);
        for (std::size_t c = 0; c < of.size(); ++c) {
            const double samples = of[c][0] + of[c][1];
            if (!(samples > 0)) continue;
            const bool tie = is_tie(of[c]);
            if (tie && of_ties == 2) of_ties = side_of_ties(both);
            const std::size_t side = tie ? of_ties : of[c][1] > of[c][0] ? 1 : 0;
            sides[c] = static_cast<std::int32_t>(side);
            sent[side] += samples;
            agreeing += of[c][side];
        }
        const double weighed =
            options_.rules == Rules::rpart ? sent[0] + sent[1] - agreeing : std::min(sent[0], sent[1]);
        if (weighed < fewest_samples - agreement_slack * total_) return none();
        if (!(agreeing > most_ + agreement_slack * total_)) return none();
        Surrogate best = rated(agreeing);
        best.sides = std::move(sides);
        return best;
    }

  private:
    static Surrogate none() { return {}; }
    /// Samples are weights divided by class weights, so sums of them have rounding errors.
    bool is_tie(const Pair& sides) const { return std::abs(sides[0] - sides[1]) <= agreement_slack * total_; }
    Surrogate rated(double agreeing) const {
        Surrogate found;
        found.agreement = agreeing / total_;
        found.adjusted = (agreeing - most_) / (total_ - most_);
        return found;
    }
    void add(Pair& to, Row row, double sign = 1) const {
        if (side_[row] != no_side) to[side_[row]] += sign * target_.samples(row);
    }
    std::size_t side_of_ties(const Pair& both) const {
        if (!is_tie(both)) return both[1] > both[0] ? 1 : 0;
        if (options_.rules != Rules::rpart) return 0;
        Pair sum{}, weight{};
        for (const Row row : rows_) {
            if (side_[row] == no_side) continue;
            weight[side_[row]] += target_.weight(row);
            sum[side_[row]] += target_.weight(row) * target_.label(row);
        }
        return sum[1] / weight[1] >= sum[0] / weight[0] ? 1 : 0;
    }

    const Target& target_;
    const Options& options_;
    std::span<const Row> rows_;
    std::span<const std::uint8_t> side_;
    Pair known_{};
    double total_ = 0, most_ = 0;
};

/// Returns up to `most` surrogates that are better than the majority, the best first.
inline std::vector<Surrogate> best_surrogates(std::vector<Surrogate> found, std::int64_t most) {
    std::erase_if(found, [](const Surrogate& s) { return !(s.adjusted > 0); });
    std::ranges::stable_sort(found, std::greater{},
                             [](const Surrogate& s) { return std::round(s.agreement / agreement_slack); });
    if (found.size() > static_cast<std::size_t>(most)) found.resize(static_cast<std::size_t>(most));
    return found;
}

/// Sends each row without a side by the first surrogate that has its value, or with the majority if none has.
inline void send_by_surrogates(std::span<const Surrogate> surrogates, std::int32_t majority,
                               std::span<const Column> columns, std::span<const Row> rows,
                               std::span<const Row> cell_rows, std::span<std::uint8_t> side) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (side[rows[i]] != no_side) continue;
        std::int32_t child = -1;
        for (std::size_t k = 0; k < surrogates.size() && child < 0; ++k)
            child = surrogates[k].child_of(columns[static_cast<std::size_t>(surrogates[k].feature)],
                                           cell_rows[i]);
        side[rows[i]] = static_cast<std::uint8_t>(child < 0 ? majority : child);
    }
}

}  // namespace branchwork
