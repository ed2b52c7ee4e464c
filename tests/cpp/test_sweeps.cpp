// Sweeps: the cost at every cut is that of counting from scratch, and no bound rules out a better cut.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "chance.hpp"
#include "core/search/sweep.hpp"
#include "slow_impurity.hpp"

namespace branchwork {
namespace {

/// A target of rows in the order of a column, of which the first `ahead` are on the left before the sweep starts.
struct Rows {
    std::vector<double> labels, weights;
    std::size_t classes, before;

    std::size_t size() const { return labels.size(); }
};

/// `kinds`: the number of classes, or of different numbers.
Rows random_rows(Chance& chance, std::size_t kinds, bool weighted) {
    Rows rows{{}, {}, kinds, 0};
    const std::size_t count = 2 + chance.below(60);
    const bool in_order = chance.once_in(3), lopsided = chance.once_in(3);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t label = in_order ? i * kinds / count : chance.below(kinds);
        rows.labels.push_back(static_cast<double>(lopsided && !chance.once_in(8) ? 0 : label));
        rows.weights.push_back(!weighted           ? 1
                               : chance.once_in(2) ? chance.share() + 1e-3
                                                   : std::ldexp(1.0, -static_cast<int>(chance.below(30))));
    }
    rows.before = chance.once_in(2) ? 0 : chance.below(count - 1);
    return rows;
}

template <class Stats>
Stats nothing(std::size_t classes) {
    if constexpr (Stats::of_classes)
        return Stats(classes);
    else
        return {};
}

/// One row as statistics; numbers are about a centre.
template <class Stats>
Stats stats_of_row(const Rows& rows, std::size_t i, double centre, Criterion criterion) {
    if constexpr (Stats::of_classes) {
        Stats one = nothing<Stats>(rows.classes);
        one.add(static_cast<std::int32_t>(rows.labels[i]),
                static_cast<typename Stats::Count>(rows.weights[i]));
        return one;
    } else {
        const double t = rows.labels[i] - centre, w = rows.weights[i];
        const double square = criterion == Criterion::poisson ? (t > 0 ? t * std::log(t) : 0) : t * t;
        return {w, w * t, w * square};
    }
}

/// A score, the statistics it works on, and its criterion.
template <class ScoreT, class StatsT, Criterion criterion_>
struct Case {
    using Score = ScoreT;
    using Stats = StatsT;
    static constexpr Criterion criterion = criterion_;
    static constexpr bool weighted = [] {
        if constexpr (StatsT::of_classes)
            return !std::integral<typename StatsT::Count>;
        else
            return true;
    }();

    static Score score() {
        if constexpr (StatsT::of_classes)
            return Score(200);
        else
            return Score{};
    }
    static std::size_t kinds(Chance& chance) {
        if constexpr (StatsT::of_classes)
            return std::same_as<StatsT, ClassCounts<typename StatsT::Count, 2>> ? 2 : 2 + chance.below(6);
        else
            return 7;
    }
};

/// A sweep over random rows; at(i) is called at the cut before row i.
template <class C>
class Walk {
    using Stats = typename C::Stats;
    using SweepT = Sweep<typename C::Score, Stats>;

  public:
    Walk(Chance& chance, bool weighted)
        : rows(random_rows(chance, C::kinds(chance), weighted)),
          score(C::score()),
          sweep(score, rows.classes) {
        if (C::criterion != Criterion::poisson && !Stats::of_classes) {
            double w = 0, s = 0;
            for (std::size_t i = 0; i < rows.size(); ++i)
                w += rows.weights[i], s += rows.weights[i] * rows.labels[i];
            centre = s / w +
                     (chance.once_in(2) ? 0 : chance.share() * 3);  // known rows are not about their own mean
        }
        Stats left = nothing<Stats>(rows.classes), right = left;
        for (std::size_t i = 0; i < rows.size(); ++i) (i < rows.before ? left : right) += row(i);
        sweep.start(left, right);
    }
    Stats row(std::size_t i) const { return stats_of_row<Stats>(rows, i, centre, C::criterion); }
    template <class Moving>
    void move(Moving& moving, std::size_t i) const {
        if constexpr (Stats::of_classes)
            moving.move(static_cast<std::int32_t>(rows.labels[i]),
                        static_cast<typename Stats::Count>(rows.weights[i]));
        else
            moving.move(row(i));
    }
    long double cost_before(std::size_t cut) const {
        SlowRows left, right;
        for (std::size_t i = 0; i < rows.size(); ++i)
            (i < cut ? left : right).add(rows.labels[i], rows.weights[i]);
        return slow_impurity(C::criterion, left) + slow_impurity(C::criterion, right);
    }

    const Rows rows;
    const typename C::Score score;
    SweepT sweep;
    double centre = 0;
};

using Whole = std::int64_t;
#define CLASS_CASES                                                     \
    Case<Entropy<Whole>, ClassCounts<Whole>, Criterion::entropy>,       \
        Case<Entropy<double>, ClassCounts<double>, Criterion::entropy>, \
        Case<Gini<Whole>, ClassCounts<Whole>, Criterion::gini>,         \
        Case<Gini<double>, ClassCounts<double>, Criterion::gini>,       \
        Case<Accuracy<Whole>, ClassCounts<Whole>, Criterion::accuracy>, \
        Case<Accuracy<double>, ClassCounts<double>, Criterion::accuracy>
#define PAIR_CASES                                                         \
    Case<Entropy<Whole>, ClassCounts<Whole, 2>, Criterion::entropy>,       \
        Case<Entropy<double>, ClassCounts<double, 2>, Criterion::entropy>, \
        Case<Gini<Whole>, ClassCounts<Whole, 2>, Criterion::gini>,         \
        Case<Gini<double>, ClassCounts<double, 2>, Criterion::gini>,       \
        Case<Accuracy<Whole>, ClassCounts<Whole, 2>, Criterion::accuracy>, \
        Case<Accuracy<double>, ClassCounts<double, 2>, Criterion::accuracy>
#define NUMBER_CASES                                        \
    Case<SquaredError, Moments, Criterion::squared_error>,  \
        Case<SampleVariance, Moments, Criterion::variance>, \
        Case<PoissonDeviance, Moments, Criterion::poisson>

TEST_CASE_TEMPLATE("the cost at every cut is that of counting from scratch", C, CLASS_CASES, PAIR_CASES,
                   NUMBER_CASES) {
    Chance chance(11);
    for (int table = 0; table < 300; ++table) {
        Walk<C> walk(chance, C::weighted && table % 2 == 0);
        const bool in_groups = table % 3 == 0;  // some arrangements move statistics, not rows
        for (std::size_t cut = walk.rows.before + 1; cut < walk.rows.size(); ++cut) {
            if (in_groups)
                walk.sweep.move(walk.row(cut - 1));
            else
                walk.move(walk.sweep, cut - 1);
            const auto expected = static_cast<double>(walk.cost_before(cut));
            const double found = walk.sweep.real(walk.sweep.raw());
            if (std::isinf(found)) {  // a branch without counts is refused
                REQUIRE(C::criterion == Criterion::poisson);
                continue;
            }
            // n / (n - 1) magnifies rounding where little more than one row is left.
            const double close = C::criterion == Criterion::variance ? 1e-6 : 1e-9;
            REQUIRE(found == doctest::Approx(expected).epsilon(close).scale(1));
            double left = 0;
            for (std::size_t i = 0; i < cut; ++i) left += walk.rows.weights[i];
            REQUIRE(walk.sweep.left().weight() == doctest::Approx(left));
        }
    }
}

/// Limits that are hard on a bound: the cost itself, its neighbours, and some that are far away.
template <class Cost>
std::vector<Cost> limits_about(Cost cost) {
    if constexpr (std::integral<Cost>)
        return {cost - 1, cost, cost + 1, cost + 2, cost / 2, cost * 2 + 1};
    else
        return {cost,
                std::nextafter(cost, -1e300),
                std::nextafter(cost, 1e300),
                cost - 1e-9 * std::abs(cost),
                cost + 1e-9 * std::abs(cost),
                cost / 2,
                cost * 2,
                cost - 1,
                cost + 1};
}

/// How far a cost may be below a limit that rules it out: only as far as the slack of ties covers. With weights, costs of
/// entropy and accuracy are differences of larger numbers and carry their rounding; the others are exact enough for none.
template <class C>
double rounding_of(const Rows& rows) {
    const bool differences = C::criterion == Criterion::entropy || C::criterion == Criterion::accuracy;
    if constexpr (C::Stats::of_classes && C::weighted)
        if (differences)
            return rounding_slack *
                   C::score().magnitude(std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0));
    return 0;
}

template <class Cost>
bool is_below(Cost cost, Cost limit, double rounding) {
    return static_cast<double>(limit) - static_cast<double>(cost) > rounding ||
           (rounding == 0 && cost < limit);
}

/// At one cut, without computing its cost.
TEST_CASE_TEMPLATE("a cut that is ruled out is not below the limit", C, PAIR_CASES, NUMBER_CASES) {
    Chance chance(12);
    std::size_t ruled_out = 0, could_be = 0;
    for (int table = 0; table < 2000; ++table) {
        Walk<C> walk(chance, C::weighted && table % 2 == 0);
        [[maybe_unused]] const double rounding = rounding_of<C>(walk.rows);
        for (std::size_t cut = walk.rows.before + 1; cut < walk.rows.size(); ++cut) {
            walk.move(walk.sweep, cut - 1);
            if constexpr (requires { walk.sweep.surely_at_least(walk.sweep.raw()); }) {
                const auto raw = walk.sweep.raw();
                for (const auto limit : limits_about(raw)) {
                    const bool out = walk.sweep.surely_at_least(limit);
                    ruled_out += out, could_be += raw >= limit;
                    if (out) REQUIRE_FALSE(is_below(raw, limit, rounding));
                }
            }
        }
    }
    if (could_be > 0) CHECK(ruled_out > could_be / 5);  // a bound that never rules out is of no use
}

/// Over a run of rows, whatever lies between its ends.
TEST_CASE_TEMPLATE("a run that is ruled out holds no cut below the limit", C, PAIR_CASES, NUMBER_CASES) {
    Chance chance(13);
    std::size_t ruled_out = 0, could_be = 0;
    for (int table = 0; table < 2000; ++table) {
        Walk<C> walk(chance, C::weighted && table % 2 == 0);
        if constexpr (requires { walk.sweep.ahead(); }) {
            const double rounding = rounding_of<C>(walk.rows);
            for (std::size_t begin = walk.rows.before; begin + 1 < walk.rows.size();) {
                const std::size_t end = std::min(walk.rows.size() - 1, begin + 1 + chance.below(9));
                auto ahead = walk.sweep.ahead();
                auto inside = walk.sweep;
                auto least = std::numeric_limits<decltype(walk.sweep.raw())>::max();
                for (std::size_t i = begin; i < end; ++i) {
                    walk.move(ahead, i);
                    walk.move(inside, i);
                    least = std::min(least, inside.raw());
                }
                for (const auto limit : limits_about(least)) {
                    const bool out = walk.sweep.surely_at_least(ahead, limit);
                    ruled_out += out, could_be += least >= limit;
                    if (out) REQUIRE_FALSE(is_below(least, limit, rounding));
                }
                walk.sweep.jump(ahead);
                begin = end;
            }
        }
    }
    if (could_be > 0) CHECK(ruled_out > could_be / 10);
}

/// The corners of a run are a bound for its rows in any order, not only in the one that they have.
TEST_CASE_TEMPLATE("a run of two classes is ruled out for every order of its rows", C, PAIR_CASES) {
    using Count = typename C::Score::Count;
    Chance chance(14);
    for (int table = 0; table < 3000; ++table) {
        const typename C::Score score = C::score();
        const auto some = [&](std::size_t most) {
            const auto count = static_cast<Count>(chance.below(most));
            return C::weighted ? static_cast<Count>(static_cast<double>(count) * (0.1 + chance.share()))
                               : count;
        };
        typename C::Stats left(2), right(2);
        left.add(0, some(20)), left.add(1, some(20));
        const Count zeros = some(9), ones = some(9);
        right.add(0, zeros + some(20)), right.add(1, ones + some(20));
        const Rows both{{}, {static_cast<double>(left.total + right.total)}, 2, 0};
        const double rounding = rounding_of<C>(both);
        PairSweep<typename C::Score> sweep(score);
        sweep.start(left, right);
        auto ahead = sweep.ahead();
        ahead.move(0, zeros), ahead.move(1, ones);
        auto least = std::numeric_limits<typename C::Score::Cost>::max();
        for (int a = 0; a <= 8; ++a)
            for (int b = 0; b <= 8; ++b) {
                auto inside = sweep;
                inside.move(0, static_cast<Count>(zeros * static_cast<Count>(a) / 8));
                inside.move(1, static_cast<Count>(ones * static_cast<Count>(b) / 8));
                least = std::min(least, inside.raw());
            }
        for (const auto limit : limits_about(least))
            if (sweep.surely_at_least(ahead, limit)) REQUIRE_FALSE(is_below(least, limit, rounding));
    }
}

TEST_CASE_TEMPLATE("the limit that a cost becomes lies above no cheaper cost", C, CLASS_CASES, PAIR_CASES) {
    const typename C::Score score = C::score();
    const Sweep<typename C::Score, typename C::Stats> sweep(score, 2);
    Chance chance(15);
    for (int k = 0; k < 10'000; ++k) {
        const double cost = chance.share() * 100;
        const auto limit = sweep.limit(cost);
        // Whatever costs less in real numbers is below the limit in units.
        const auto cheaper = sweep.units(cost * (1 - 1e-9 * chance.share()));
        if (sweep.real(cheaper) < cost) REQUIRE(cheaper < limit);
        REQUIRE(sweep.real(limit) <= cost + 1);
    }
}

TEST_CASE_TEMPLATE("the largest of shrinking counts", Count, std::int64_t, double) {
    Chance chance(16);
    ShrinkingMax<Count> largest;
    for (int table = 0; table < 500; ++table) {
        std::vector<Count> counts(1 + chance.below(12));
        for (Count& n : counts) n = static_cast<Count>(chance.below(30));
        largest.start(counts);
        for (;;) {
            REQUIRE(largest.value() == *std::ranges::max_element(counts));
            const std::size_t at = chance.below(counts.size());
            if (std::ranges::all_of(counts, [](Count n) { return n == 0; })) break;
            if (counts[at] == 0) continue;
            const Count before = counts[at];
            counts[at] -= static_cast<Count>(1 + chance.below(static_cast<std::size_t>(before)));
            largest.shrink(counts, before, counts[at]);
            if (chance.once_in(40)) break;  // abandoned: the next one must not see what was left
        }
        largest.finish(counts);
    }
}

}  // namespace
}  // namespace branchwork
