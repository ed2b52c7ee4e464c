// A user's own score from tables: what it costs, and what the tables prove.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "core/own_score.hpp"
#include "core/score.hpp"
#include "core/search/sweep.hpp"

using namespace branchwork;

namespace {

struct Functions {
    std::vector<double> offset, scale, terms;
};

Functions entropy_to(std::size_t n) {
    Functions f;
    for (std::size_t k = 0; k <= n; ++k) {
        f.offset.push_back(x_log2_x(static_cast<double>(k)));
        f.scale.push_back(1);
        f.terms.push_back(-f.offset.back());
    }
    return f;
}

OwnScore<std::int64_t> score_of(const Functions& f, std::size_t classes, bool by_maximum = false) {
    return OwnScore<std::int64_t>(
        std::make_shared<const OwnTables>(f.offset, f.scale, f.terms, classes, by_maximum));
}

}  // namespace

TEST_CASE("entropy from tables costs what entropy costs") {
    const std::vector<std::int64_t> counts{5, 0, 9, 400};
    const OwnScore<std::int64_t> own = score_of(entropy_to(414), 4);
    CHECK(own.has_running_terms());
    const std::span<const std::int64_t> all = counts;
    CHECK(node(own, all, 414) == doctest::Approx(node(Entropy<std::int64_t>(414), all, 414)).epsilon(1e-12));
}

TEST_CASE("a sweep of own terms costs what its two sides cost, to the bit") {
    std::mt19937 chance(7);
    const OwnScore<std::int64_t> own = score_of(entropy_to(300), 3);
    ClassCounts<std::int64_t> left(3), right(3);
    for (int row = 0; row < 300; ++row) right.add(static_cast<std::int32_t>(chance() % 3), 1);
    OwnSweep sweep(own, 3);
    sweep.start(left, right);
    for (int row = 0; row < 200; ++row) {
        const auto cls = static_cast<std::int32_t>(chance() % 3);
        if (right.of[static_cast<std::size_t>(cls)] == 0) continue;
        left.add(cls, 1);
        right.add(cls, -1);
        sweep.move(cls, 1);
        CHECK(sweep.raw() == node(own, left) + node(own, right));
    }
}

TEST_CASE("within a box of counts no cut costs less than the corners, as the bound says") {
    const OwnScore<std::int64_t> own = score_of(entropy_to(60), 2);
    REQUIRE(own.is_concave());
    constexpr std::int64_t zeros = 31, ones = 29;
    const auto cost = [&](std::int64_t a, std::int64_t b) {
        return own.of_two(a, b) + own.of_two(zeros - a, ones - b);
    };
    for (std::int64_t a = 0; a + 6 <= zeros; a += 3)
        for (std::int64_t b = 0; b + 6 <= ones; b += 2) {
            const double corners = std::min({cost(a, b), cost(a + 6, b), cost(a, b + 6), cost(a + 6, b + 6)});
            const double least = corners - own.below_corners(6, 6, zeros + ones);
            for (std::int64_t i = a; i <= a + 6; ++i)
                for (std::int64_t j = b; j <= b + 6; ++j) CHECK(cost(i, j) >= least);
        }
}

TEST_CASE("rows of two classes are ruled out only if no cut among them costs less than the limit") {
    const OwnScore<std::int64_t> own = score_of(entropy_to(60), 2);
    ClassCounts<std::int64_t, 2> none, all;
    all.add(0, 31);
    all.add(1, 29);
    PairSweep<OwnScore<std::int64_t>> sweep(own);
    sweep.start(none, all);
    int ruled_out = 0;
    for (std::int64_t a = 0; a + 5 <= 31; ++a)
        for (std::int64_t b = 0; b + 3 <= 29; ++b) {
            const PairSweep<OwnScore<std::int64_t>>::Ahead from{a, b}, to{a + 5, b + 3};
            double least = 1e9;
            for (std::int64_t i = a; i <= a + 5; ++i)
                for (std::int64_t j = b; j <= b + 3; ++j) {
                    sweep.jump({i, j});
                    least = std::min(least, sweep.raw());
                }
            sweep.jump(from);
            CHECK_FALSE(sweep.surely_at_least(to, std::nextafter(least, 1e9)));
            ruled_out += sweep.surely_at_least(to, least - 1e-6);
        }
    CHECK(ruled_out == 27 * 27);
}

TEST_CASE("terms that no integer holds have no running sums, and two classes need none") {
    Functions steep;
    for (int k = 0; k <= 2000; ++k) {
        steep.offset.push_back(k);
        steep.scale.push_back(k > 0 ? -std::pow(k, -11.0) : 0);
        steep.terms.push_back(std::pow(k, 12.0));
    }
    CHECK_FALSE(score_of(steep, 3).has_running_terms());
    CHECK_FALSE(score_of(entropy_to(50), 2).has_running_terms());
}

TEST_CASE("the maximum of terms counts classes without rows as 0") {
    Functions costs;
    for (int k = 0; k <= 10; ++k) {
        costs.offset.push_back(0);
        costs.scale.push_back(-1);
        costs.terms.push_back(-k);
    }
    const OwnScore<std::int64_t> own = score_of(costs, 2, true);
    CHECK(own.of_two(3, 0) == 0);
    CHECK(own.of_two(3, 2) == 2);
    const std::vector<std::int64_t> counts{3, 2};
    CHECK(own.of_counts(std::span<const std::int64_t>(counts), 5) == 2);
}
