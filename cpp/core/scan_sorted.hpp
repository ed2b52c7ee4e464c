// The search for the best cut of a numeric column over rows in sorted order: one pass, running statistics.
//
//     value    1    1    3    4    4    4    9
//     class    a    b    b    b    b    b    a
//              '----'    |    '---------'    |        groups of equal value
//                   gap 1   gap 2       gap 3
//
// Groups cross the cut one by one; at each gap the sweep tells the cost. A gap between two groups that hold
// one and the same class (gap 2) is skipped on request: for strictly concave scores the best cut never lies
// there (Fayyad and Irani 1992), and ID3 as taught looks only where the class changes.
//
// The same loop runs over the rows of a node (EntryGroups, used by growth) and over a tally of them
// (TallyGroups in tally.hpp, used by the stepwise driver).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "core/parallel.hpp"
#include "core/sorted_column.hpp"
#include "core/split.hpp"
#include "core/stats.hpp"

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

/// The known rows of a node in the order of one column.
template <class Target>
class EntryGroups {
  public:
    EntryGroups(std::span<const Entry> known, const Tags& tags, const Target& target, double centre)
        : known_(known), tags_(tags), target_(target), centre_(centre) {}

    bool done() const { return next_ == known_.size(); }
    std::size_t position() const { return next_; }

    /// Takes the next group of equal values across the cut; tells what its rows have in common.
    template <class SweepT>
    auto take(SweepT& sweep) {
        Sameness<decltype(target_.label(0))> sameness;
        const std::uint32_t rank = known_[next_].rank;
        do {
            sameness.see(move(sweep, known_[next_].tag));
            ++next_;
        } while (next_ < known_.size() && known_[next_].rank == rank);
        return sameness;
    }

  private:
    /// Takes one row across; tells its label.
    template <class SweepT>
    auto move(SweepT& sweep, std::uint32_t tag) {
        if constexpr (requires { target_.classes; }) {
            if (tags_.has_class() && !target_.has_weights) {
                const std::int32_t label = tags_.label(tag);
                sweep.move(label, 1);
                return label;
            }
        }
        // Rows in order of value lie anywhere in the target: without this, each one would be waited for.
        if (next_ + ahead < known_.size()) target_.prefetch_row(tags_.row(known_[next_ + ahead].tag));
        const Row row = tags_.row(tag);
        const auto label = target_.label(row);
        if constexpr (std::floating_point<decltype(label)>)
            sweep.move(label - centre_, target_.weight(row));
        else
            sweep.move(label, target_.weight(row));
        return label;
    }

    static constexpr std::size_t ahead = 24;

    std::span<const Entry> known_;
    const Tags& tags_;
    const Target& target_;
    double centre_;
    std::size_t next_ = 0;
};

/// Calls visit(position, cost, left weight) at each admissible gap, left to right; returns how many there
/// were.
template <class Groups, class SweepT, class Visit>
std::int64_t scan_cuts(Groups groups, SweepT& sweep, bool only_changes, const Pulse& pulse, Visit&& visit) {
    if (groups.done()) return 0;
    std::int64_t visited = 0;
    auto before = groups.take(sweep);
    for (std::size_t seen = 1; !groups.done(); ++seen) {
        if (seen % 65'536 == 0) pulse.check();
        const std::size_t position = groups.position();
        const double cost = sweep.cost();
        const double left = sweep.left_weight();
        const auto after = groups.take(sweep);
        if (!(only_changes && before.same_pure_label_as(after))) {
            visit(position, cost, left);
            ++visited;
        }
        before = after;
    }
    return visited;
}

}  // namespace branchwork
