// One branch per category straight from its counters: most nodes of a nominal table come this way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/search/branch_test.hpp"
#include "core/search/candidate.hpp"
#include "core/stats.hpp"
#include "core/tally/coded_rows.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// `in_full`: also compute the test, which only the ledger keeps. `branch` is memory that is reused.
template <ClassScore Score, class Stats>
Candidate multiway_of_counters(const Score& score, const Counters& counters, const Stats& all,
                               std::size_t classes, bool in_full, std::vector<std::uint32_t>& branch,
                               SearchCost& spent) {
    Candidate split;
    ++spent.rules_scored;
    double cost = 0;
    BranchShares shares(all.weight());
    BranchTester<Score, Stats> tester(all);
    branch.resize(classes);
    for (std::size_t slot = 0; slot < counters.slots; ++slot) {
        for (std::size_t c = 0; c < classes; ++c) branch[c] = counters.at(slot, c);
        const std::span<const std::uint32_t> counts = branch;
        const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        if (total == 0) continue;
        cost += node(score, counts, total);
        shares.add(static_cast<double>(total));
        if (in_full) tester.add_counts(counts, static_cast<double>(total));
    }
    if (shares.branches() < 2) return split;
    split.cost = cost;
    split.split_info = shares.information();
    if (in_full) split.test = tester.result();
    return split;
}

}  // namespace branchwork
