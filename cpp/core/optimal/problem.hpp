// The table as a list of tests, which is all that the search for an optimal tree knows about features.
//
// Every test with two branches orders the rows by a rank and cuts this order. So missing values and categories need no
// code of their own:
//
//     numeric, missing right     5.5  2.0   –   9.1     rank  1 0 3 2    missing values have the largest rank; the last
//                                                                        cut separates known from missing values
//     numeric, missing left      5.5  2.0   –   9.1     rank  1 0 0 2    missing values share the rank of the smallest
//     one value against others   red  blue  –   red     rank  0 1 1 0    one cut; missing values on either side
//     two groups of values                              rank  0 or 1
//     missing against known      red  blue  –   red     rank  1 1 0 1
//
// A categorical feature with three or more values, counting missing as one, also has a "multiway" test with one branch
// per value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/optimal/settings.hpp"
#include "core/optimal/watch.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"

namespace branchwork::optimal {

struct Test {
    std::int32_t column = 0;
    bool multiway = false;
    bool missing_left = false;
    std::uint32_t ranks = 2;  // number of ranks; multiway: number of slots
    // The rank of each row; for a categorical feature, its slot.
    std::shared_ptr<const std::vector<std::uint32_t>> of;
    std::vector<std::uint32_t> left;  // categorical with two branches: the slots that go left
    std::vector<Row> order;           // rows by rank; empty for tests with only two ranks

    bool is_binary() const { return ranks == 2 && !multiway; }
    /// The rank of a row; 0 or 1 for a categorical test with two branches.
    std::uint32_t rank(Row row) const {
        const std::uint32_t own = (*of)[row];
        return left.empty() ? own : side_of(own);
    }
    std::uint32_t side_of(std::uint32_t slot) const {
        for (const std::uint32_t one : left)
            if (one == slot) return 0;
        return 1;
    }
};

/// The slot of missing values of a categorical feature. The slot of a category is its code + 1.
inline constexpr std::uint32_t missing_slot = 0;

/// Returns the tests of a table in the order that decides ties: by feature, then by kind, then by value. If
/// `most_ranks` is not 0, the values of a numeric feature are merged into at most this many ranks.
std::vector<Test> tests_of(const Prepared& prepared, bool groups, std::uint32_t most_ranks,
                           const Watch& watch);

/// Groups rows that no test can tell apart. Returns the group of each row, counted from 0.
std::vector<std::uint32_t> equivalent_rows(std::span<const Test> tests, std::size_t rows, std::size_t& groups,
                                           const Watch& watch);

/// Expresses a split of some rows by a threshold or by categories of the table.
FoundNode told(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Prepared& prepared);

}  // namespace branchwork::optimal
