// A table as the search for an optimal tree sees it: a list of tests, and what every row costs.
//
// Every test in two branches is a cut of an ordering of the rows. Missing cells and categories need no code of their own:
//
//     numeric, missing right     5.5  2.0   –   9.1     rank  1 0 2 3    cuts after rank 0, 1, 2 (the last: known | missing)
//     numeric, missing left                             rank  1 0 0 2    missing cells share the rank of the smallest value
//     one value against others   red  blue  –   red     rank  0 1 1 0    one cut; with missing cells on either side
//     two groups of values                              rank  0 or 1
//     missing against known      red  blue  –   red     rank  1 1 0 1
//
// A nominal column with three or more values also has the test with one branch for each value ("multiway").
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
    std::uint32_t ranks = 2;  // multiway: slots
    std::shared_ptr<const std::vector<std::uint32_t>>
        of;                           // of each row: its rank, or its slot in a nominal column
    std::vector<std::uint32_t> left;  // nominal, in two branches: the slots that go left
    std::vector<Row> order;           // rows by rank; empty where a test has two branches only

    bool is_binary() const { return ranks == 2 && !multiway; }
    /// The rank of a row: 0 and 1 in a test of two branches.
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

/// The slot of missing cells in a nominal column; a category has its code plus 1.
inline constexpr std::uint32_t missing_slot = 0;

/// The tests of a table, in the order in which ties are decided: by column, then by kind, then by value.
/// `most_ranks`: numeric columns with more values are cut at this many places only; 0: at all.
std::vector<Test> tests_of(const Prepared& prepared, bool groups, std::uint32_t most_ranks,
                           const Watch& watch);

/// The table's rows in groups that no test tells apart: the group of each row, counted from 0.
std::vector<std::uint32_t> equivalent_rows(std::span<const Test> tests, std::size_t rows, std::size_t& groups,
                                           const Watch& watch);

/// A split of some rows, told in terms of the table's cells.
FoundNode told(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Prepared& prepared);

}  // namespace branchwork::optimal
