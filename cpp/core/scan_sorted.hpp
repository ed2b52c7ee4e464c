// Groups of equal values that cross a cut one by one, in order of value: an arrangement for PairSearch.
//
//     value    1    1    3    4    4    4    9
//     class    a    b    b    b    b    b    a
//              '----'    |    '---------'    |        groups of equal value
//                   gap 1   gap 2       gap 3
//
// A gap between two groups that hold one and the same class (gap 2) is skipped on request: for strictly
// concave scores the best cut never lies there (Fayyad and Irani 1992), and ID3 as taught looks only where
// the class changes.
//
// The same loop runs over the rows of a node (EntryGroups, used by growth) and over a tally of them
// (TallyGroups in choose.cpp, used by the stepwise driver).
#pragma once

#include <cstddef>
#include <span>

#include "core/parallel.hpp"
#include "core/sorted_column.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// The known rows of a node in the order of one column.
template <class Target>
class EntryGroups {
  public:
    EntryGroups(std::span<const Entry> known, const Tags& tags, const Target& target, double centre)
        : known_(known), tags_(tags), target_(target), centre_(centre) {}

    bool done() const { return next_ == known_.size(); }
    std::size_t position() const { return next_; }

    /// Takes the next group of equal values across the cut.
    template <class SweepT>
    void take(SweepT& sweep) {
        const std::uint32_t rank = known_[next_].rank;
        do move(sweep, known_[next_++].tag);
        while (next_ < known_.size() && known_[next_].rank == rank);
    }
    /// What the rows of the next group have in common.
    auto next_sameness() const {
        Sameness<decltype(target_.label(0))> sameness;
        const std::uint32_t rank = known_[next_].rank;
        for (std::size_t i = next_; i < known_.size() && known_[i].rank == rank; ++i)
            sameness.see(label(known_[i].tag));
        return sameness;
    }

  private:
    auto label(std::uint32_t tag) const {
        if constexpr (requires { target_.classes; })
            if (tags_.has_class()) return tags_.label(tag);
        return target_.label(tags_.row(tag));
    }
    template <class SweepT>
    void move(SweepT& sweep, std::uint32_t tag) {
        if constexpr (requires { target_.classes; }) {
            if (tags_.has_class() && !target_.has_weights) {
                sweep.move(tags_.label(tag), 1);
                return;
            }
        }
        // Rows in order of value lie anywhere in the target: without this, each one would be waited for.
        if (next_ + ahead < known_.size()) target_.prefetch_row(tags_.row(known_[next_ + ahead].tag));
        const Row row = tags_.row(tag);
        if constexpr (requires { target_.classes; })
            sweep.move(label(tag), target_.weight(row));
        else
            sweep.move(target_.moments(row, centre_));
    }

    static constexpr std::size_t ahead = 24;

    std::span<const Entry> known_;
    const Tags& tags_;
    const Target& target_;
    double centre_;
    std::size_t next_ = 0;
};

/// Moves the sweep from gap to gap, left to right, and calls see(position) at each; returns how many there
/// were.
template <class Groups, class SweepT, class See>
std::int64_t each_gap(Groups groups, SweepT& sweep, bool only_changes, const Pulse& pulse, See&& see) {
    if (groups.done()) return 0;
    std::int64_t gaps = 0;
    if (only_changes) {
        auto before = groups.next_sameness();
        for (groups.take(sweep); !groups.done(); groups.take(sweep)) {
            if (groups.position() % 65'536 == 0) pulse.check();
            const auto after = groups.next_sameness();
            if (!before.same_pure_label_as(after)) see(groups.position()), ++gaps;
            before = after;
        }
    } else {
        for (groups.take(sweep); !groups.done(); groups.take(sweep)) {
            if (groups.position() % 65'536 == 0) pulse.check();
            see(groups.position());
            ++gaps;
        }
    }
    return gaps;
}

}  // namespace branchwork
