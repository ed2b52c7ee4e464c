#include "core/optimal/problem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/random.hpp"

namespace branchwork::optimal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void sort_rows(Test& test) {
    std::vector<Row> begin(test.ranks + 1, 0);
    for (const std::uint32_t rank : test.rank) ++begin[rank + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    test.order.resize(test.rank.size());
    for (Row row = 0; row < test.rank.size(); ++row) test.order[begin[test.rank[row]]++] = row;
}

void add_cuts(const Prepared& prepared, std::size_t j, std::vector<Test>& tests) {
    const PreparedColumn& column = prepared.numeric(j);
    const auto distinct = static_cast<std::uint32_t>(column.distinct());
    const bool missing = column.known < prepared.rows();
    for (const bool left : {false, true}) {
        if (left && (!missing || distinct < 2)) continue;
        Test test{static_cast<std::int32_t>(j), false, left, {}, distinct + (missing && !left ? 1U : 0U), {}};
        if (test.ranks < 2) continue;
        test.rank.assign(prepared.rows(), left ? 0 : distinct);
        std::visit(
            [&](const auto& rank) {
                for (std::size_t i = 0; i < column.known; ++i)
                    test.rank[column.order[i]] = rank[column.order[i]];
            },
            column.rank);
        if (!test.is_binary()) sort_rows(test);
        tests.push_back(std::move(test));
    }
}

/// A test of a nominal column in two branches: `left[code + 1]` says who goes left; slot 0 is for missing cells.
void add_sides(const Column& column, std::size_t j, std::size_t rows, const std::vector<bool>& left,
               std::vector<Test>& tests) {
    Test test{static_cast<std::int32_t>(j), false, left[0], {}, 2, {}};
    test.rank.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
        test.rank[row] = left[static_cast<std::size_t>(code_at(column, row) + 1)] ? 0 : 1;
    tests.push_back(std::move(test));
}

void add_categories(const Prepared& prepared, std::size_t j, bool groups, std::vector<Test>& tests) {
    const Column& column = prepared.columns()[j];
    const std::size_t rows = prepared.rows(), slots = static_cast<std::size_t>(column.levels) + 1;
    std::vector<bool> occurs(slots, false);
    for (std::size_t row = 0; row < rows; ++row)
        occurs[static_cast<std::size_t>(code_at(column, row) + 1)] = true;
    std::vector<std::size_t> values;
    for (std::size_t slot = 1; slot < slots; ++slot)
        if (occurs[slot]) values.push_back(slot);
    const bool missing = occurs[0];
    const auto in_both_forms = [&](std::vector<bool> left) {
        add_sides(column, j, rows, left, tests);
        left[0] = true;
        if (missing) add_sides(column, j, rows, left, tests);
    };
    if (values.size() > 1) {
        if (groups && values.size() > 3) {
            // Every division in two has the first value on one side, so it is enough to let that be the left one.
            for (std::size_t mask = 0; mask + 1 < std::size_t{1} << (values.size() - 1); ++mask) {
                std::vector<bool> left(slots, false);
                left[values[0]] = true;
                for (std::size_t k = 1; k < values.size(); ++k) left[values[k]] = mask >> (k - 1) & 1;
                in_both_forms(std::move(left));
            }
        } else {
            const std::size_t different = values.size() == 2 ? 1 : values.size();
            for (std::size_t k = 0; k < different; ++k) {
                std::vector<bool> left(slots, false);
                left[values[k]] = true;
                in_both_forms(std::move(left));
            }
        }
    }
    if (missing && !values.empty()) {
        std::vector<bool> known(slots, true);
        known[0] = false;
        add_sides(column, j, rows, known, tests);
    }
    if (values.size() + (missing ? 1 : 0) < 3) return;
    Test test{static_cast<std::int32_t>(j), true, false, {}, static_cast<std::uint32_t>(slots), {}};
    test.rank.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int32_t code = code_at(column, row);
        test.rank[row] = static_cast<std::uint32_t>(code < 0 ? column.levels : code);  // missing cells come last
    }
    tests.push_back(std::move(test));
}

/// A numeric cut between the values on its sides.
void tell_cut(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Column& column,
              FoundNode& node) {
    double below = -std::numeric_limits<double>::infinity(), above = std::numeric_limits<double>::infinity();
    bool any_above = false, any_missing = false;
    for (const Row row : rows) {
        const double x = number_at(column, row);
        if (x != x) {
            any_missing = true;
        } else if (test.rank[row] <= cut_rank) {
            below = std::max(below, x);
        } else {
            above = std::min(above, x);
            any_above = true;
        }
    }
    // Known cells on the left, missing ones on the right: no known cell is above the cut.
    node.cut = any_above ? cut_between(below, above) : std::numeric_limits<double>::infinity();
    node.missing = any_missing ? (test.missing_left ? 0 : 1) : -1;
    node.branches = 2;
}

void tell_categories(const Test& test, std::span<const Row> rows, const Column& column, FoundNode& node) {
    node.branch.assign(static_cast<std::size_t>(column.levels), -1);
    node.missing = -1;
    for (const Row row : rows) {
        const std::int32_t code = code_at(column, row);
        const auto branch = static_cast<std::int32_t>(test.rank[row]);
        (code < 0 ? node.missing : node.branch[static_cast<std::size_t>(code)]) = branch;
    }
    node.branches = 2;
    if (!test.multiway) return;
    node.branches = 0;
    for (std::int32_t& branch : node.branch)
        if (branch >= 0) branch = node.branches++;
    if (node.missing >= 0) node.missing = node.branches++;
}

}  // namespace

std::vector<Test> tests_of(const Prepared& prepared, bool groups) {
    std::vector<Test> tests;
    for (std::size_t j = 0; j < prepared.columns().size(); ++j) {
        if (prepared.columns()[j].nominal)
            add_categories(prepared, j, groups, tests);
        else
            add_cuts(prepared, j, tests);
    }
    return tests;
}

std::vector<std::uint32_t> equivalent_rows(std::span<const Test> tests, std::size_t rows,
                                           std::size_t& groups) {
    std::vector<std::uint64_t> key(rows, 0);
    for (const Test& test : tests)
        for (std::size_t row = 0; row < rows; ++row) key[row] = key_of(key[row], test.rank[row]);
    std::vector<Row> order(rows);
    std::iota(order.begin(), order.end(), Row{0});
    std::ranges::stable_sort(order, {}, [&](Row row) { return key[row]; });
    const auto same = [&](Row a, Row b) {
        return key[a] == key[b] &&
               std::ranges::all_of(tests, [&](const Test& test) { return test.rank[a] == test.rank[b]; });
    };
    std::vector<std::uint32_t> group(rows, 0);
    groups = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (i > 0 && !same(order[i - 1], order[i])) ++groups;
        group[order[i]] = static_cast<std::uint32_t>(groups);
    }
    groups += rows > 0;
    return group;
}

FoundNode told(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Prepared& prepared) {
    const Column& column = prepared.columns()[static_cast<std::size_t>(test.column)];
    FoundNode node;
    node.column = test.column;
    node.cut = nan;
    if (column.nominal)
        tell_categories(test, rows, column, node);
    else
        tell_cut(test, cut_rank, rows, column, node);
    return node;
}

}  // namespace branchwork::optimal
