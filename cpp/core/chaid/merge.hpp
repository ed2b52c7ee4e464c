// The merging step of CHAID: categories of one feature that do not differ in the target become one group.
//
//     chaid        Merge the two groups that differ least, until all groups differ significantly or only two are left. A
//                  merged group of three or more categories may be split again.
//     exhaustive   Merge down to two groups, and keep the stage with the smallest p-value.
//
// Missing values of an ordered feature have no place in the order ("floating"). The other categories are merged first.
// Then missing values join the group that they differ least from, or stay a group of their own, whichever gives the
// smaller p-value.
//
// Of equally similar pairs, the first is merged. Only groups that are too light are ever merged into a single one,
// which cannot be tested. The time depends on the size of the table, not on the number of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/chaid/merging.hpp"

namespace branchwork::chaid {

struct Settings {
    bool exhaustive = false;
    Statistic statistic = Statistic::pearson;
    double alpha_merge = 0.05;
    double alpha_resplit = 0;  // 0: merged groups are not split again
    double least_weight = 0;   // groups with fewer samples are merged
};

/// The group of each category, and the test of these groups. Groups are numbered by their first categories.
struct Merged {
    std::vector<std::uint16_t> group_of;
    std::uint16_t groups = 0;
    Evidence evidence{};
    double remainder = 0;  // impurity of the groups
};

namespace detail {

/// For groups of up to this many unordered categories, all splits into two parts are tried. Larger groups are sorted by
/// the target, and only splits of these orders are tried.
inline constexpr std::size_t most_tried = 12;

/// Calls f(stay, leave) for every split of a group into two parts. The first category always stays.
template <class Table, class F>
void for_ways_to_part(const Merging<Table>& work, const std::vector<Slot>& group, const F& f) {
    std::vector<Slot> stay, leave;
    if (work.is_ordered()) {
        for (std::size_t cut = 1; cut < group.size(); ++cut) {
            const auto at = group.begin() + static_cast<std::ptrdiff_t>(cut);
            stay.assign(group.begin(), at);
            leave.assign(at, group.end());
            f(stay, leave);
        }
    } else if (group.size() <= most_tried) {
        for (unsigned way = 1; way < 1u << (group.size() - 1); ++way) {
            stay.assign(1, group[0]);
            leave.clear();
            for (std::size_t k = 1; k < group.size(); ++k)
                (way >> (k - 1) & 1 ? leave : stay).push_back(group[k]);
            f(stay, leave);
        }
    } else {
        for (const std::vector<Slot>& line : work.table().orders(group))
            for (std::size_t cut = 1; cut < line.size(); ++cut) {
                const auto at = line.begin() + static_cast<std::ptrdiff_t>(cut);
                stay.assign(line.begin(), at);
                leave.assign(at, line.end());
                std::ranges::sort(stay);
                std::ranges::sort(leave);
                if (leave[0] == group[0]) std::swap(stay, leave);
                f(stay, leave);
            }
    }
}

/// Splits a merged group at its most significant split, unless the resulting groups have been seen before: then merging
/// and splitting would never end.
template <class Table>
void part_again(Merging<Table>& work, Slot slot, double enough, std::set<std::vector<Slot>>& seen) {
    seen.emplace(work.slots().begin(), work.slots().end());
    const std::vector<Slot> group = work.members(slot);
    if (group.size() < 3) return;
    std::vector<double> log_p;
    for_ways_to_part(work, group, [&](const std::vector<Slot>& stay, const std::vector<Slot>& leave) {
        if (log_p.size() % 256 == 0) work.check();
        log_p.push_back(work.log_p_of_parts(stay, leave));
    });
    const double least = *std::ranges::min_element(log_p);
    const auto first = std::ranges::find_if(log_p, [&](double one) { return one <= least + tie_of(least); });
    if (*first > enough) return;
    std::ptrdiff_t way = first - log_p.begin();
    std::vector<Slot> apart;
    for_ways_to_part(work, group, [&](const std::vector<Slot>&, const std::vector<Slot>& leave) {
        if (way-- == 0) apart = leave;
    });
    std::vector<Slot> after(work.slots().begin(), work.slots().end());
    for (const Slot category : apart) after[category] = apart[0];
    if (seen.insert(after).second) work.part(slot, apart);
}

/// Merges groups that do not differ significantly, as long as there are more than two.
template <class Table>
void merge_alike(Merging<Table>& work, const Settings& settings) {
    const double enough = std::log(settings.alpha_merge);
    std::set<std::vector<Slot>> seen;
    if (settings.alpha_resplit > 0) seen.emplace(work.slots().begin(), work.slots().end());
    while (work.count() > 2) {
        const auto pair = work.most_similar();
        if (pair.log_p <= enough) return;
        const Slot slot = work.merge(pair.a, pair.b);
        if (settings.alpha_resplit > 0) part_again(work, slot, std::log(settings.alpha_resplit), seen);
    }
}

/// Merges down to two groups, then returns to the stage with the smallest p-value. Of equal ones, it takes the last.
template <class Table>
void keep_the_best_stage(Merging<Table>& work) {
    std::vector<double> stages{work.test().log_p};
    std::vector<typename Merging<Table>::Pair> merges;
    while (work.count() > 2) {
        merges.push_back(work.most_similar());
        work.merge(merges.back().a, merges.back().b);
        stages.push_back(work.test().log_p);
    }
    const double least = *std::ranges::min_element(stages);
    std::size_t best = stages.size() - 1;
    while (stages[best] > least + tie_of(least)) --best;
    work.separate();
    for (std::size_t k = 0; k < best; ++k) work.join(merges[k].a, merges[k].b);
}

/// Lets missing values join the group that they differ least from, unless the p-value is smaller if they stay apart.
template <class Table>
void settle_missing(Merging<Table>& work) {
    work.add_missing();
    if (work.count() == 2) return;
    const Slot nearest = work.most_similar_to(work.floating());
    const double apart = work.test().log_p, joined = work.test_joined(nearest).log_p;
    if (joined <= apart + tie_of(apart)) work.join(nearest, work.floating());
}

/// Merges groups that are too light, as long as there is more than one group.
template <class Table>
void merge_light(Merging<Table>& work, double least_weight) {
    while (work.count() > 1) {
        const auto light =
            std::ranges::find_if(work.living(), [&](Slot slot) { return work.size(slot) < least_weight; });
        if (light == work.living().end()) return;
        work.check();
        work.join(*light, work.most_similar_to(*light));
    }
}

}  // namespace detail

/// Merges the categories of a feature. Returns nothing if fewer than two groups are left. For Scale::floating, the last
/// category must be that of missing values. `tests` is raised by the number of tests made.
template <class Table>
std::optional<Merged> merge(const Table& table, Scale scale, const Settings& settings,
                            MergingSpace<Table>& space, const Pulse& pulse, std::int64_t& tests) {
    Merging<Table> work(table, scale, space, pulse);
    if (settings.exhaustive)
        detail::keep_the_best_stage(work);
    else
        detail::merge_alike(work, settings);
    if (scale == Scale::floating) detail::settle_missing(work);
    if (settings.least_weight > 0) detail::merge_light(work, settings.least_weight);
    std::optional<Merged> found;
    if (work.count() >= 2) {
        found.emplace();
        found->evidence = work.test();
        found->remainder = table.remainder(work.groups());
        std::vector<std::uint16_t> number(table.categories());
        for (const Slot slot : work.living()) number[slot] = found->groups++;
        for (const Slot slot : work.slots()) found->group_of.push_back(number[slot]);
    }
    tests += work.tests();
    return found;
}

}  // namespace branchwork::chaid
