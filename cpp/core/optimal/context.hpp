// Data that all parts of a search share: the tests, the limits, and the costs of rows that the bounds need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/optimal/cache.hpp"
#include "core/optimal/line.hpp"
#include "core/optimal/loss.hpp"
#include "core/optimal/memory.hpp"
#include "core/optimal/problem.hpp"
#include "core/optimal/watch.hpp"

namespace branchwork::optimal {

template <class Loss>
struct Context {
    const Prepared& prepared;
    const Settings& settings;
    const Loss& loss;
    Watch watch;
    mutable Meter meter;
    Cache cache;
    std::vector<Test> tests;
    bool has_multiway = false;
    Cost penalty = 0, gap = 0;
    std::vector<Cost> samples;  // per row; empty: there is no minimum size of leaves
    Cost min_samples = 0;
    std::vector<Cost> most;  // the most that each row can cost; empty: 1 for all rows
    // The least cost of each group of equivalent rows, stored at the first row of the group; empty: 0 for all groups.
    std::vector<Cost> equivalent;
    LineRules rules;
    Cost slack_per_leaf = 0;

    Context(const Prepared& of, const Target& target, const Settings& asked, const Loss& cost,
            const Pulse& pulse)
        : prepared(of),
          settings(asked),
          loss(cost),
          watch(asked, pulse),
          meter(asked.memory_limit),
          cache(default_cache_bytes, meter),
          tests(tests_of(of, asked.groups, asked.lookahead > 0 ? most_ranks_ahead : 0, watch)) {
        // Charge the prepared columns, the ranks and orders of the tests, the costs of rows, and the copy of the orders
        // that the search starts from.
        for (const Test& test : tests) charge_.add(meter, 4 * test.order.size() * 2);
        charge_.add(meter, (4 * prepared.columns().size() + 24) * prepared.rows() + prepared.bytes());
        has_multiway = std::ranges::any_of(tests, &Test::multiway);
        // A penalty above the cost of the root as a leaf rules out every split. Clamping it there avoids overflow.
        std::vector<Cost> all(loss.width(), 0);
        for (Row row = 0; row < prepared.rows(); ++row) loss.add(all.data(), row);
        penalty = static_cast<Cost>(std::llround(
            std::min(settings.leaf_penalty * loss.unit(), static_cast<double>(loss.leaf(all.data()) + 1))));
        gap = static_cast<Cost>(
            std::floor(std::min(settings.max_gap * loss.unit(), static_cast<double>(unbounded))));
        find_samples(target);
        watch.check();
        find_most();
        if (settings.bounds.equivalent) find_equivalent();
        find_rules();
    }

    std::int64_t most_leaves(std::int32_t depth) const {
        constexpr std::int64_t any = std::int64_t{1} << 31;
        return has_multiway || depth > 30 ? any : std::int64_t{1} << depth;
    }

    /// Whether a number of leaves is less than what trees of this depth can have.
    bool limited(std::int64_t leaves, std::int32_t depth) const {
        return leaves < std::min(most_leaves(depth), static_cast<std::int64_t>(prepared.rows()));
    }

  private:
    Charge charge_;

    static constexpr double default_cache_bytes = 256e6;
    static constexpr std::uint32_t most_ranks_ahead = 4096;  // lookahead proves nothing, so it may skip cuts

    void find_samples(const Target& target) {
        if (settings.min_leaf_samples <= 0) return;
        std::vector<double> own(prepared.rows());
        double total = 0;
        for (Row row = 0; row < own.size(); ++row) total += own[row] = target.samples(row);
        const double scale = scale_for(own, total, 60);
        samples.resize(own.size());
        for (std::size_t row = 0; row < own.size(); ++row)
            samples[row] = static_cast<Cost>(std::llround(own[row] * scale));
        min_samples = static_cast<Cost>(std::ceil(settings.min_leaf_samples * scale));
    }

    void find_most() {
        // A row whose category is new to a multiway test adds a branch, and so a leaf, to it.
        const Cost own_leaf = has_multiway ? penalty : 0;
        bool uniform = true;
        most.resize(prepared.rows());
        for (Row row = 0; row < most.size(); ++row) {
            most[row] = std::max(loss.most(row), own_leaf);
            uniform &= most[row] == 1;
        }
        if (uniform) most.clear();
    }

    void find_equivalent() {
        std::size_t groups = 0;
        const std::vector<std::uint32_t> group = equivalent_rows(tests, prepared.rows(), groups, watch);
        if (groups == prepared.rows()) return;
        std::vector<Cost> stats(groups * loss.width(), 0);
        for (Row row = 0; row < group.size(); ++row) loss.add(&stats[group[row] * loss.width()], row);
        std::vector<bool> told(groups, false);
        equivalent.assign(prepared.rows(), 0);
        bool any = false;
        for (Row row = 0; row < group.size(); ++row) {
            if (told[group[row]]) continue;
            told[group[row]] = true;
            equivalent[row] = loss.leaf(&stats[group[row] * loss.width()]);
            any |= equivalent[row] > 0;
        }
        if (!any) equivalent.clear();
    }

    /// With a minimum leaf size, fewer rows may cost more: a tree that is allowed for a set of rows may have leaves
    /// that are too small for a subset. But such a leaf can be merged with its neighbour, which costs at most what its
    /// rows, fewer than the minimum, can cost. This is the slack per leaf. A leaf below a multiway test cannot be
    /// merged, so there the slack is unbounded.
    void find_rules() {
        rules.penalty = penalty;
        rules.bounds = settings.bounds;
        const bool limits_leaves = limited(settings.max_leaves, settings.max_depth);
        if (has_multiway && (limits_leaves || !samples.empty())) rules.bounds.moved = false;
        if (samples.empty()) return;
        double dearest = 0;
        for (std::size_t row = 0; row < samples.size(); ++row)
            dearest = std::max(dearest, static_cast<double>(most.empty() ? 1 : most[row]) /
                                            static_cast<double>(std::max<Cost>(samples[row], 1)));
        const double slack = std::ceil(dearest * static_cast<double>(min_samples));
        const bool known = !has_multiway && slack < static_cast<double>(unbounded) / 4096;
        slack_per_leaf = known ? static_cast<Cost>(slack) : unbounded;
    }
};

}  // namespace branchwork::optimal
