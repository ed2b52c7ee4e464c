// A column in buckets: those that are not sorted hold no better cut.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "chance.hpp"
#include "core/search/scan_bucketed.hpp"
#include "slow_impurity.hpp"

namespace branchwork {
namespace {

using Whole = std::int64_t;

struct Table {
    std::vector<double> cells;
    std::vector<std::int32_t> codes;
    std::size_t classes;
};

/// Cells crowd in few buckets, so that most cuts lie inside one.
Table random_table(Chance& chance, std::size_t classes) {
    Table table{{}, {}, classes};
    const std::size_t rows = 3 + chance.below(150);
    const std::size_t crowds = 1 + chance.below(4), shape = chance.below(4);
    for (std::size_t i = 0; i < rows; ++i) {
        const double crowd = static_cast<double>(chance.below(crowds)) / 4;
        const double inside = static_cast<double>(chance.below(40)) * 1e-7;
        table.cells.push_back(i == 0 ? 1 : crowd + inside);
        const double signal = shape == 0 ? inside * 2.5e5 : shape == 1 ? crowd : inside * 1e5 + crowd / 2;
        const bool noise =
            chance.once_in(shape == 3 ? 12 : 4);  // shape 3: one class leads on both sides of all cuts
        table.codes.push_back(static_cast<std::int32_t>(
            noise ? chance.below(classes)
            : shape == 3
                ? 0
                : std::min(classes - 1, static_cast<std::size_t>(signal * static_cast<double>(classes)))));
        if (chance.once_in(20) && i > 2) table.cells.back() = std::numeric_limits<double>::quiet_NaN();
    }
    return table;
}

/// The first of the best cuts by trying all of them: missing cells are a branch of their own.
std::pair<double, double> slow_best(const Table& table, Criterion criterion) {
    std::vector<double> values;
    for (const double x : table.cells)
        if (!std::isnan(x)) values.push_back(x);
    std::ranges::sort(values);
    std::vector<std::pair<double, double>> cuts;  // cut and cost
    const auto cost = [&](double cut) {
        SlowRows left, right, missing;
        for (std::size_t i = 0; i < table.cells.size(); ++i)
            (std::isnan(table.cells[i]) ? missing
             : table.cells[i] <= cut    ? left
                                        : right)
                .add(table.codes[i], 1);
        return static_cast<double>(slow_impurity(criterion, left) + slow_impurity(criterion, right) +
                                   slow_impurity(criterion, missing));
    };
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i - 1] < values[i]) {
            const double cut = cut_between(values[i - 1], values[i]);
            cuts.emplace_back(cut, cost(cut));
        }
    if (values.size() < table.cells.size()) cuts.emplace_back(values.back(), cost(values.back()));
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [cut, of_cut] : cuts) least = std::min(least, of_cut);
    return *std::ranges::find_if(cuts, [&](const auto& cut) { return cut.second <= least + 1e-9; });
}

template <class Counts, class Score, class MakeSide>
void check_random_tables(std::uint64_t seed, Criterion criterion, const MakeSide& make_side) {
    constexpr std::size_t fixed = std::is_same_v<Counts, ClassCounts<Whole, 2>> ? 2 : 0;
    Chance chance(seed);
    BucketScan scan;  // reused, as in growth
    for (int k = 0; k < 250; ++k) {
        const Table table = random_table(chance, fixed == 2 ? 2 : 3 + chance.below(4));
        const ClassRows<Whole, fixed> target{table.codes, {}, table.classes, {}, {}};
        const Score score(1000);
        Counts all(table.classes);
        for (Row row = 0; row < table.codes.size(); ++row) target.add(row, 0, all);
        Column column{reinterpret_cast<const std::byte*>(table.cells.data()), sizeof(double)};
        SearchCost spent;
        Candidate split;
        const bool done = scan.scan(target, score, make_side(score, table.classes), all, column,
                                    slack(score, all), Pulse(), spent, split);
        if (!done) continue;  // one value
        const auto [cut, cost] = slow_best(table, criterion);
        REQUIRE(split.cost == doctest::Approx(cost).epsilon(1e-9).scale(1));
        REQUIRE(split.cut == cut);
    }
}

TEST_CASE("two classes in buckets: entropy") {
    check_random_tables<ClassCounts<Whole, 2>, Entropy<Whole>>(
        41, Criterion::entropy,
        [](const auto& score, std::size_t) { return PairBuckets<Entropy<Whole>>(score); });
}
TEST_CASE("two classes in buckets: gini") {
    check_random_tables<ClassCounts<Whole, 2>, Gini<Whole>>(
        42, Criterion::gini, [](const auto& score, std::size_t) { return PairBuckets<Gini<Whole>>(score); });
}
TEST_CASE("two classes in buckets: accuracy") {
    check_random_tables<ClassCounts<Whole, 2>, Accuracy<Whole>>(
        43, Criterion::accuracy,
        [](const auto& score, std::size_t) { return PairBuckets<Accuracy<Whole>>(score); });
}
TEST_CASE("many classes in buckets: accuracy") {
    check_random_tables<ClassCounts<Whole>, Accuracy<Whole>>(
        44, Criterion::accuracy,
        [](const auto& score, std::size_t classes) { return MajorityBuckets(score, classes); });
}

}  // namespace
}  // namespace branchwork
