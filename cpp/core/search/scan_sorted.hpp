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

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include "core/parallel.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// The known rows of a node in the order of one column.
template <TargetRows Labels, class Entry>
class EntryGroups {
    using Word = typename Entry::Word;

  public:
    static constexpr std::size_t run = 8;

    EntryGroups(std::span<const Entry> known, const TagsOf<Word>& tags, const Labels& target, double centre)
        : known_(known), tags_(tags), target_(target), centre_(centre) {}

    bool done() const { return next_ == known_.size(); }
    std::size_t position() const { return next_; }

    /// Takes one row across the cut.
    template <class SweepT>
    [[gnu::always_inline]] void move(SweepT& sweep, std::size_t i) const {
        const Word tag = known_[i].tag;
        if constexpr (is_classes<Labels>) {
            if (tags_.has_class() && !target_.has_weights) {
                sweep.move(tags_.label(tag), 1);
                return;
            }
        }
        // Rows in order of value are scattered over the target; without prefetching, the loop would wait for each of
        // them.
        if constexpr (std::same_as<Entry, branchwork::Entry>)
            if (i + prefetched < known_.size()) target_.prefetch_row(tags_.row(known_[i + prefetched].tag));
        const Row row = tags_.row(tag);
        if constexpr (is_classes<Labels>)
            sweep.move(label(tag), target_.weight(row));
        else
            sweep.move(target_.moments(row, centre_));
    }
    /// Is there a gap before a row (not the first)?
    bool is_gap(std::size_t i) const { return known_[i - 1].rank != known_[i].rank; }
    /// Takes the next group of equal values across the cut.
    template <class SweepT>
    [[gnu::always_inline]] void take(SweepT& sweep) {
        const Word rank = known_[next_].rank;
        do move(sweep, next_++);
        while (next_ < known_.size() && known_[next_].rank == rank);
    }
    /// Where a sweep would stand after the next run of rows, whatever their values.
    template <class SweepT>
    [[gnu::always_inline]] auto look_ahead(const SweepT& sweep) const
        requires requires { sweep.ahead(); }
    {
        auto ahead = sweep.ahead();
        for (std::size_t i = next_; i < next_ + run; ++i) move(ahead, i);
        return ahead;
    }
    /// A run, and something behind it: the last row is never skipped.
    bool has_long_run() const { return next_ + 2 * run < known_.size(); }
    void skip_run() { next_ += run; }
    /// What the rows of the next group have in common.
    auto next_sameness() const {
        Sameness<decltype(target_.label(0))> sameness;
        const Word rank = known_[next_].rank;
        for (std::size_t i = next_; i < known_.size() && known_[i].rank == rank; ++i)
            sameness.see(label(known_[i].tag));
        return sameness;
    }

  private:
    auto label(Word tag) const {
        if constexpr (is_classes<Labels>)
            if (tags_.has_class()) return tags_.label(tag);
        return target_.label(tags_.row(tag));
    }
    static constexpr std::size_t prefetched = 24;

    std::span<const Entry> known_;
    const TagsOf<Word>& tags_;
    const Labels& target_;
    double centre_;
    std::size_t next_ = 0;
};

/// Rows between two looks at the clock.
inline constexpr std::size_t rows_a_check = 65'536;

/// Skips runs of rows that the judge rules out as a whole. Scoring the ends of all runs first tightens the limit, so
/// few runs survive to the second pass.
///
///     . . . . . . . .|. . . . . . . .|. . . . . . . .|. . . . .
///                  sweep           ahead                 tail      no gap between the two can be better,
///                                                                  whatever the rows between them are
///
/// Sweep and groups stand at the tail in the end. Returns how many gaps were seen.
template <class Groups, class SweepT, class Judge>
[[gnu::always_inline]] inline std::int64_t each_promising_gap(Groups& groups, SweepT& sweep,
                                                              const Pulse& pulse, Judge& judge) {
    judge.runs.clear();
    std::size_t next_check = rows_a_check;
    for (; groups.has_long_run(); groups.skip_run()) {
        if (groups.position() >= next_check) {
            pulse.check();
            next_check += rows_a_check;
        }
        const auto ahead = groups.look_ahead(sweep);
        const bool promising = !judge.rules_out(ahead);
        if (promising) judge.runs.push_back({groups.position(), sweep.ahead(), ahead});
        sweep.jump(ahead);
        if (promising && groups.is_gap(groups.position() + groups.run)) judge.glance();
    }
    const auto tail = sweep.ahead();
    std::int64_t gaps = 0;
    constexpr std::size_t runs_a_check = rows_a_check / Groups::run;
    for (std::size_t k = 0; k < judge.runs.size(); ++k) {
        if ((k + 1) % runs_a_check == 0) pulse.check();
        const auto& run = judge.runs[k];
        sweep.jump(run.from);
        if (judge.rules_out(run.to)) continue;
        for (std::size_t i = run.begin; i < run.begin + groups.run; ++i) {
            groups.move(sweep, i);
            if (!groups.is_gap(i + 1)) continue;
            judge(i + 1);
            ++gaps;
        }
    }
    sweep.jump(tail);
    return gaps;
}

/// Moves the sweep from gap to gap, left to right, and calls see(position) at each; returns how many there
/// were. A judge who can rule out whole runs of rows does not see them.
template <class Groups, class SweepT, class See>
[[gnu::always_inline]] inline std::int64_t each_gap(Groups&& groups, SweepT& sweep, bool only_changes,
                                                    const Pulse& pulse, See&& see) {
    if (groups.done()) return 0;
    std::int64_t gaps = 0;
    if constexpr (requires { see.rules_out(groups.look_ahead(sweep)); })
        if (!only_changes) gaps = each_promising_gap(groups, sweep, pulse, see);
    std::size_t next_check = groups.position() + rows_a_check;
    auto before = only_changes ? groups.next_sameness() : decltype(groups.next_sameness()){};
    for (;;) {
        if (groups.position() >= next_check) {
            pulse.check();
            next_check += rows_a_check;
        }
        groups.take(sweep);
        if (groups.done()) return gaps;
        if (only_changes) {
            const auto after = groups.next_sameness();
            if (std::exchange(before, after).same_pure_label_as(after)) continue;
        }
        see(groups.position());
        ++gaps;
    }
}

}  // namespace branchwork
