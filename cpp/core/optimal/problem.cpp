#include "core/optimal/problem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/random.hpp"

namespace branchwork::optimal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<Row> sorted_rows(const std::vector<std::uint32_t>& rank, std::uint32_t ranks) {
    std::vector<Row> begin(ranks + 1, 0), order(rank.size());
    for (const std::uint32_t one : rank) ++begin[one + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (Row row = 0; row < rank.size(); ++row) order[begin[rank[row]]++] = row;
    return order;
}

void add_cuts(const Prepared& prepared, std::size_t j, std::uint32_t most_ranks, std::vector<Test>& tests) {
    const PreparedColumn& column = prepared.numeric(j);
    const auto distinct = static_cast<std::uint32_t>(column.distinct());
    const bool missing = column.known < prepared.rows();
    for (const bool left : {false, true}) {
        if (left && (!missing || distinct < 2)) continue;
        Test test;
        test.column = static_cast<std::int32_t>(j);
        test.missing_left = left;
        test.ranks = distinct + (missing && !left ? 1U : 0U);
        if (test.ranks < 2) continue;
        std::vector<std::uint32_t> rank(prepared.rows(), left ? 0 : distinct);
        std::visit(
            [&](const auto& known) {
                for (std::size_t i = 0; i < column.known; ++i) rank[column.order[i]] = known[column.order[i]];
            },
            column.rank);
        if (most_ranks > 0 && test.ranks > most_ranks) {
            for (std::uint32_t& one : rank)
                one = static_cast<std::uint32_t>(std::uint64_t{one} * most_ranks / test.ranks);
            test.ranks = most_ranks;
        }
        if (!test.is_binary()) test.order = sorted_rows(rank, test.ranks);
        test.of = std::make_shared<const std::vector<std::uint32_t>>(std::move(rank));
        tests.push_back(std::move(test));
    }
}

/// Returns all divisions of some values into two groups. The first value is always on the left.
std::vector<std::vector<std::uint32_t>> divisions(const std::vector<std::uint32_t>& values) {
    std::vector<std::vector<std::uint32_t>> found;
    for (std::size_t mask = 0; mask + 1 < std::size_t{1} << (values.size() - 1); ++mask) {
        found.push_back({values[0]});
        for (std::size_t k = 1; k < values.size(); ++k)
            if (mask >> (k - 1) & 1) found.back().push_back(values[k]);
    }
    return found;
}

void add_categories(const Prepared& prepared, std::size_t j, bool groups, std::vector<Test>& tests) {
    const Column& column = prepared.columns()[j];
    std::vector<std::uint32_t> slot(prepared.rows());
    std::vector<bool> occurs(static_cast<std::size_t>(column.levels) + 1, false);
    for (Row row = 0; row < slot.size(); ++row) {
        slot[row] = static_cast<std::uint32_t>(code_at(column, row) + 1);
        occurs[slot[row]] = true;
    }
    std::vector<std::uint32_t> values;
    for (std::uint32_t one = 1; one < occurs.size(); ++one)
        if (occurs[one]) values.push_back(one);
    const bool missing = occurs[missing_slot];
    Test test;
    test.column = static_cast<std::int32_t>(j);
    test.of = std::make_shared<const std::vector<std::uint32_t>>(std::move(slot));
    std::vector<std::vector<std::uint32_t>> sides;
    if (groups && values.size() > 3) {
        sides = divisions(values);
    } else if (values.size() > 1) {  // with two values, both tests would be the same
        for (const std::uint32_t one : values) sides.push_back({one});
        if (values.size() == 2) sides.pop_back();
    }
    for (std::vector<std::uint32_t>& side : sides) {
        for (const bool left : {false, true}) {
            if (left && !missing) continue;
            test.missing_left = left;
            test.left = side;
            if (left) test.left.push_back(missing_slot);
            tests.push_back(test);
        }
    }
    test.missing_left = false;
    if (missing && !values.empty()) {
        test.left = {missing_slot};
        tests.push_back(test);
    }
    if (values.size() + (missing ? 1 : 0) < 3) return;
    test.left.clear();
    test.multiway = true;
    test.ranks = static_cast<std::uint32_t>(occurs.size());
    tests.push_back(std::move(test));
}

/// Places the threshold between the values on both sides.
void tell_cut(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows, const Column& column,
              FoundNode& node) {
    double below = -std::numeric_limits<double>::infinity(), above = std::numeric_limits<double>::infinity();
    bool any_above = false, any_missing = false;
    for (const Row row : rows) {
        const double x = number_at(column, row);
        if (x != x) {
            any_missing = true;
        } else if (test.rank(row) <= cut_rank) {
            below = std::max(below, x);
        } else {
            above = std::min(above, x);
            any_above = true;
        }
    }
    // Without a known value above the cut, this split separates known from missing values.
    node.cut = any_above ? cut_between(below, above) : std::numeric_limits<double>::infinity();
    node.missing = any_missing ? (test.missing_left ? 0 : 1) : -1;
    node.branches = 2;
}

/// With two branches, categories that no row has here still get the branch that the test sends them to. In a multiway
/// test they get none.
void tell_categories(const Test& test, std::span<const Row> rows, const Column& column, FoundNode& node) {
    const auto slots = static_cast<std::uint32_t>(column.levels) + 1;
    std::vector<std::int32_t> branch(slots, -1);
    bool any_missing = false;
    for (const Row row : rows) {
        branch[(*test.of)[row]] = 0;
        any_missing |= (*test.of)[row] == missing_slot;
    }
    node.branches = 2;
    if (test.multiway) {
        node.branches = 0;
        for (std::uint32_t slot = 1; slot < slots; ++slot)
            if (branch[slot] == 0) branch[slot] = node.branches++;
        if (any_missing) branch[missing_slot] = node.branches++;
    } else {
        for (std::uint32_t slot = 0; slot < slots; ++slot)
            branch[slot] = static_cast<std::int32_t>(test.side_of(slot));
    }
    node.missing = any_missing ? branch[missing_slot] : -1;
    node.branch.assign(branch.begin() + 1, branch.end());
}

}  // namespace

std::vector<Test> tests_of(const Prepared& prepared, bool groups, std::uint32_t most_ranks,
                           const Watch& watch) {
    std::vector<Test> tests;
    for (std::size_t j = 0; j < prepared.columns().size(); ++j) {
        watch.check();
        if (prepared.columns()[j].nominal)
            add_categories(prepared, j, groups, tests);
        else
            add_cuts(prepared, j, most_ranks, tests);
    }
    return tests;
}

std::vector<std::uint32_t> equivalent_rows(std::span<const Test> tests, std::size_t rows, std::size_t& groups,
                                           const Watch& watch) {
    // The first test of a feature has a different rank or slot for each of its values, so it stands for all tests of the
    // feature. With merged ranks (most_ranks) this is only an approximation.
    std::vector<const std::vector<std::uint32_t>*> columns;
    for (std::size_t t = 0; t < tests.size(); ++t)
        if (t == 0 || tests[t].column != tests[t - 1].column) columns.push_back(tests[t].of.get());
    std::vector<std::uint64_t> key(rows, 0);
    for (const auto* of : columns) {
        watch.check();
        for (std::size_t row = 0; row < rows; ++row) key[row] = key_of(key[row], (*of)[row]);
    }
    std::vector<Row> order(rows);
    std::iota(order.begin(), order.end(), Row{0});
    std::ranges::stable_sort(order, {}, [&](Row row) { return key[row]; });
    const auto same = [&](Row a, Row b) {
        return key[a] == key[b] &&
               std::ranges::all_of(columns, [&](const auto* of) { return (*of)[a] == (*of)[b]; });
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

FoundNode told(const Test& test, std::uint32_t cut_rank, std::span<const Row> rows,
               const Prepared& prepared) {
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
