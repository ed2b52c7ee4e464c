// Tables and bounds that scores are made of.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "chance.hpp"
#include "core/score.hpp"
#include "core/search/least_cost.hpp"
#include "slow_impurity.hpp"

namespace branchwork {
namespace {

TEST_CASE("a table of terms holds x log2 x in fixed point, and two of its largest terms can be added") {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 1000U, 131'071U, 131'072U, 1'000'000U}) {
        CAPTURE(n);
        const auto table = TermTable::up_to(n);
        REQUIRE(table->terms.size() > n);
        CHECK(table->terms[n] < std::numeric_limits<std::int64_t>::max() / 2);
        std::size_t wrong = 0;
        for (std::size_t x = 0; x <= n; x += 1 + x / 50) {
            const auto count = static_cast<long double>(x);
            const long double exact = x == 0 ? 0 : count * std::log2(count);
            const long double found = static_cast<long double>(table->terms[x]) * table->unit;
            wrong += std::abs(found - exact) > table->unit + 4e-16L * exact;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("the terms do not depend on which table was made first, or by how many threads at once") {
    const std::vector<std::int64_t> first = TermTable::up_to(1000)->terms;
    TermTable::up_to(100'000);
    CHECK(TermTable::up_to(1023)->terms == first);
    for (const std::size_t n : {std::size_t{200'000}, std::size_t{5000}}) {
        const auto alone = TermTable::up_to(n);
        std::vector<std::shared_ptr<const TermTable>> tables(8);
        std::vector<std::thread> threads;
        for (auto& table : tables)
            threads.emplace_back([&table, n] {
                for (int k = 0; k < 5; ++k) table = TermTable::up_to(n + static_cast<std::size_t>(k % 2));
                table = TermTable::up_to(n);
            });
        for (std::thread& thread : threads) thread.join();
        for (const auto& table : tables) {
            CHECK(table->unit == alone->unit);
            CHECK(table->terms == alone->terms);
        }
    }
}

TEST_CASE("chords lie below the entropy, and close to it") {
    const Entropy<double> score(0);
    Chance chance(21);
    long double widest = 0;
    for (int k = 0; k < 300'000; ++k) {
        // Shares in the middle, at the ends, and on the points of the table, where both are equal.
        double zeros = chance.share() * 100, ones = chance.share() * 100;
        if (k % 3 == 1)
            zeros = 1 + chance.share(),
            ones = std::ldexp(chance.share(), -static_cast<int>(chance.below(60)));
        if (k % 3 == 2) {
            ones = static_cast<double>(chance.below(EntropyChords::steps + 1));
            zeros = EntropyChords::steps - ones;
        }
        const long double a = zeros, b = ones, n = a + b;
        const long double nats = (a > 0 ? a * std::log1p(b / a) : 0) + (b > 0 ? b * std::log1p(a / b) : 0);
        const long double exact = nats / std::log(2.0L);
        const double bound = score.of_two_at_least(zeros, ones);
        REQUIRE(bound <= exact);
        REQUIRE(score.of_two_at_least(ones, zeros) <= exact);
        widest = std::max(widest, (exact - bound) / n);
    }
    CHECK(widest < 1e-3L);
    CHECK(score.of_two_at_least(0, 0) == 0);
}

TEST_CASE("the least cost is that of the best of all partitions in two") {
    Chance chance(22);
    const SquaredError score;
    for (int table = 0; table < 3000; ++table) {
        const std::size_t count = 2 + chance.below(most_rows_for_least_cost - 1);
        std::vector<double> values(count), weights(count);
        std::vector<Row> rows(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = chance.once_in(2) ? static_cast<double>(chance.below(5)) : 1e3 + chance.share();
            weights[i] = chance.share() + 0.01;
            rows[i] = static_cast<Row>(i);
        }
        const bool weighted = table % 2 == 0;
        const ValueRows target{values,
                               weighted ? std::span<const double>(weights) : std::span<const double>()};
        double centre = 0;
        for (const double v : values) centre += v / static_cast<double>(count);
        Moments all;
        for (const Row row : rows) target.add(row, centre, all);
        long double least = std::numeric_limits<long double>::infinity();
        for (std::size_t mask = 1; mask + 1 < std::size_t{1} << count; ++mask) {
            SlowRows left, right;
            for (std::size_t i = 0; i < count; ++i)
                (mask >> i & 1 ? left : right).add(values[i], weighted ? weights[i] : 1);
            least = std::min(least, slow_impurity(Criterion::squared_error, left) +
                                        slow_impurity(Criterion::squared_error, right));
        }
        const double found = least_cost(target, rows, all, centre, score);
        REQUIRE(found == doctest::Approx(static_cast<double>(least)).epsilon(1e-9).scale(1));
    }
}

TEST_CASE("a branch of two classes costs what its counts cost") {
    Chance chance(23);
    for (int k = 0; k < 10'000; ++k) {
        const auto a = static_cast<std::int64_t>(chance.below(1000)),
                   b = static_cast<std::int64_t>(chance.below(1000));
        ClassCounts<std::int64_t, 2> counts;
        counts.add(0, a), counts.add(1, b);
        CHECK(Gini<std::int64_t>::of_two(a, b) == doctest::Approx(node(Gini<std::int64_t>(0), counts)));
    }
}

}  // namespace
}  // namespace branchwork
