// A table as the search for an optimal tree sees it: a list of tests, and what every row costs.
//
// Every test in two branches is a cut of an ordering of the rows. Missing cells and categories need no code of their own:
//
//     numeric, missing right     5.5  2.0   –   9.1     rank  1 0 2 3    cuts after rank 0, 1, 2 (the last: known | missing)
//     numeric, missing left                             rank  1 0 0 2    missing cells share the rank of the smallest value
//     one value against others   red  blue  –   red     rank  0 1 1 0    one cut; with missing cells on either side
//     two groups of values                              rank  0 or 1
//
// A nominal column with three or more values also has the test with one branch for each value ("multiway").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/optimal/settings.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"

namespace branchwork::optimal {

struct Test {
    std::int32_t column = 0;
    bool multiway = false;
    bool missing_left = false;
    std::vector<std::uint32_t> rank;  // of each row; multiway: its branch
    std::uint32_t ranks = 0;
    std::vector<Row> order;           // rows by rank; empty where there are two ranks, or branches

    bool is_binary() const { return ranks == 2 && !multiway; }
};

/// The tests of a table, in the order in which ties are decided: by column, then by kind, then by value.
std::vector<Test> tests_of(const Prepared& prepared, bool groups);

/// The table's rows in groups that no test tells apart: the group of each row, counted from 0.
std::vector<std::uint32_t> equivalent_rows(std::span<const Test> tests, std::size_t rows, std::size_t& groups);

/// A split of some rows, told in terms of the table's cells.
FoundNode told(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Prepared& prepared);

}  // namespace branchwork::optimal
