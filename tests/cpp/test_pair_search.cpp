// The best cut of sorted rows: what is ruled out on the way, in runs, by a limit or at a glance, is never the best.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "chance.hpp"
#include "core/search/pair_search.hpp"
#include "core/search/scan_sorted.hpp"
#include "slow_impurity.hpp"

namespace branchwork {
namespace {

/// A node of one column: rows in order of value. Targets and weights are small whole numbers, so that costs are either
/// equal or far apart.
struct Node {
    std::vector<std::int32_t> codes;
    std::vector<double> values, weights;
    std::vector<Entry> entries;  // of the rows whose cell is known
    std::vector<Row> missing;    // the others
    Missing policy = Missing::branch;
    std::size_t classes = 2;
    double least_rows = 0;

    double weight(Row row) const { return weights.empty() ? 1 : weights[row]; }
};

Node random_node(Chance& chance, std::size_t classes, bool weighted) {
    Node node;
    node.classes = classes;
    const std::vector<std::size_t> sizes{2, 3, 17, 18, 24, 33, 60, 200};
    const std::size_t count = chance.one_of(sizes), values = 1 + chance.below(2 * count);
    const std::size_t shape = chance.below(5);
    std::vector<Row> order(count);
    std::iota(order.begin(), order.end(), Row{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[chance.below(i)]);
    std::vector<std::size_t> level(count);
    for (std::size_t& v : level) v = chance.below(values);
    std::ranges::sort(level);
    node.codes.resize(count), node.values.resize(count);
    const bool some_missing = chance.once_in(2);
    if (chance.once_in(2)) node.policy = Missing::larger;
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && level[i] != level[i - 1]) ++rank;
        const std::size_t mirrored = std::min(i, count - 1 - i);
        const bool noise = chance.once_in(shape == 4 ? 2 : 6);
        const std::size_t label = noise || shape == 0 ? chance.below(classes)
                                  : shape == 1        ? i * classes / count
                                  : shape == 2 ? mirrored % classes  // the same from both ends: equal cuts
                                               : (mirrored * 7 / 3) % classes;
        const Row row = order[i];
        node.codes[row] = static_cast<std::int32_t>(label);
        node.values[row] = static_cast<double>(label * label);
        if (some_missing && chance.once_in(4))
            node.missing.push_back(row);
        else
            node.entries.push_back({row, rank});
    }
    if (weighted)
        for (std::size_t i = 0; i < count; ++i)
            node.weights.push_back(static_cast<double>(1 + chance.below(3)));
    if (chance.once_in(3) && node.missing.empty())
        node.least_rows = static_cast<double>(1 + chance.below(30));
    return node;
}

template <class Target>
Target target_of(const Node& node) {
    if constexpr (is_classes<Target>)
        return {node.codes, node.weights, node.classes, {}, {}};
    else
        return Target{node.values, node.weights, {}};
}

struct Found {
    std::size_t position;  // rows on the left
    double cost;
};

/// The first of the best cuts, by trying all of them. Missing cells are a branch of their own, or are left out of the
/// gain; the partition of known and missing cells comes last.
std::optional<Found> slow_best(const Node& node, Criterion criterion, bool of_classes) {
    const auto label = [&](Row row) { return of_classes ? node.codes[row] : node.values[row]; };
    SlowRows known, missing, all;
    const auto add = [&](SlowRows& to, Row row) { to.add(label(row), node.weight(row)); };
    for (const Entry& e : node.entries) add(known, e.tag), add(all, e.tag);
    for (const Row row : node.missing) add(missing, row), add(all, row);
    const bool own_branch = node.policy == Missing::branch;
    const auto extra = own_branch ? slow_impurity(criterion, missing)
                                  : slow_impurity(criterion, all) - slow_impurity(criterion, known);
    std::vector<Found> cuts;
    for (std::size_t cut = 1; cut < node.entries.size(); ++cut) {
        if (node.entries[cut - 1].rank == node.entries[cut].rank) continue;
        SlowRows left, right;
        double left_rows = 0, right_rows = 0;
        for (std::size_t i = 0; i < node.entries.size(); ++i) {
            const Row row = node.entries[i].tag;
            add(i < cut ? left : right, row);
            (i < cut ? left_rows : right_rows) += node.weight(row);
        }
        if (std::min(left_rows, right_rows) < node.least_rows) continue;
        const auto cost = slow_impurity(criterion, left) + slow_impurity(criterion, right) + extra;
        cuts.push_back({cut, static_cast<double>(cost)});
    }
    if (own_branch && known.size() > 0 && missing.size() > 0)
        cuts.push_back({known_or_missing, static_cast<double>(slow_impurity(criterion, known) + extra)});
    if (cuts.empty()) return std::nullopt;
    const double least = std::ranges::min(cuts, {}, &Found::cost).cost;
    return *std::ranges::find_if(cuts, [&](const Found& cut) { return cut.cost <= least + 1e-9; });
}

template <class TargetT, class ScoreT, Criterion criterion_>
struct Case {
    using Target = TargetT;
    using Score = ScoreT;
    static constexpr Criterion criterion = criterion_;
};
template <class Count, class Score, Criterion criterion>
using Pairs = Case<ClassRows<Count, 2>, Score, criterion>;
using Whole = std::int64_t;

#define CASES                                                                                             \
    Pairs<Whole, Entropy<Whole>, Criterion::entropy>, Pairs<double, Entropy<double>, Criterion::entropy>, \
        Pairs<Whole, Gini<Whole>, Criterion::gini>, Pairs<double, Gini<double>, Criterion::gini>,         \
        Pairs<Whole, Accuracy<Whole>, Criterion::accuracy>,                                               \
        Pairs<double, Accuracy<double>, Criterion::accuracy>,                                             \
        Case<ClassRows<Whole>, Gini<Whole>, Criterion::gini>,                                             \
        Case<ValueRows, SquaredError, Criterion::squared_error>

/// The search for the best cut of random nodes; `see` judges what was found.
template <class C, class See>
void search_random_nodes(std::uint64_t seed, int nodes, const See& see) {
    using Target = typename C::Target;
    Chance chance(seed);
    for (int k = 0; k < nodes; ++k) {
        constexpr bool pairs = is_classes<Target> && sizeof(typename Target::Stats) <= 24;
        Node node = random_node(chance, pairs ? 2 : 4, !Target::counts_rows && k % 2 == 0);
        if (!Target::counts_rows && is_classes<Target> && node.weights.empty())
            node.weights.assign(node.codes.size(), 1.0);
        const Target target = target_of<Target>(node);
        const typename C::Score score = [] {
            if constexpr (is_classes<Target>)
                return typename C::Score(1000);
            else
                return typename C::Score{};
        }();
        Options options;
        options.criterion = C::criterion;
        options.min_leaf_samples = node.least_rows;
        options.missing = node.policy;
        typename Target::Stats all = [&] {
            if constexpr (is_classes<Target>)
                return typename Target::Stats(node.classes);
            else
                return Moments{};
        }();
        double centre = 0;
        if constexpr (!is_classes<Target>) {
            double weight = 0;
            for (Row row = 0; row < node.values.size(); ++row)
                centre += target.weight(row) * node.values[row], weight += target.weight(row);
            centre /= weight;
        }
        for (Row row = 0; row < node.codes.size(); ++row) target.add(row, centre, all);
        typename Target::Stats missing = all;
        missing.clear();
        for (const Row row : node.missing) target.add(row, centre, missing);
        PairSearch<Target, typename C::Score> search(target, score, options, node.classes);
        const auto find = [&](double must_beat) {
            search.start(all, slack(score, all), false);
            search.set_missing(missing);
            search.must_beat(must_beat);
            const Tags tags;
            return search.best([&](auto& sweep, auto&& judge) {
                EntryGroups<Target, Entry> groups(node.entries, tags, target, centre);
                each_gap(groups, sweep, false, Pulse(), judge);
            });
        };
        see(slow_best(node, C::criterion, is_classes<Target>), find);
    }
}

TEST_CASE_TEMPLATE("the best cut is the first of the best", C, CASES) {
    constexpr double nothing = std::numeric_limits<double>::infinity();
    search_random_nodes<C>(31, 1500, [&](const std::optional<Found>& expected, const auto& find) {
        const BestPair found = find(nothing);
        REQUIRE(found.found() == expected.has_value());
        if (!expected) return;
        REQUIRE(found.cost == doctest::Approx(expected->cost).epsilon(1e-9).scale(1));
        REQUIRE(found.id == expected->position);
    });
}

TEST_CASE_TEMPLATE("a cost to beat hides nothing that is better", C, CASES) {
    search_random_nodes<C>(32, 1500, [&](const std::optional<Found>& expected, const auto& find) {
        if (!expected) return;
        for (const double above : {1e-6, 1e-3, 0.1, 3.0}) {
            const BestPair found = find(expected->cost + above);
            REQUIRE(found.found());
            REQUIRE(found.id == expected->position);
            REQUIRE(found.cost == doctest::Approx(expected->cost).epsilon(1e-9).scale(1));
        }
        const BestPair hopeless = find(expected->cost / 2 - 2);  // known or missing needs no search
        REQUIRE((!hopeless.found() || hopeless.id == known_or_missing));
    });
}

TEST_CASE("a stop is heard in both passes over a long column") {
    // Rows of the first pass are looked at in runs; those that may hold the best cut are looked at again.
    constexpr std::size_t count = 1 << 19;
    std::vector<std::int32_t> codes(count);
    std::vector<Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i)
        codes[i] = static_cast<std::int32_t>(i % 2),
        entries[i] = {static_cast<Row>(i), static_cast<std::uint32_t>(i)};
    const ClassRows<Whole, 2> target{codes, {}, 2, {}, {}};
    const Gini<Whole> score(count);
    const Options options;
    ClassCounts<Whole, 2> all;
    for (Row row = 0; row < count; ++row) target.add(row, 0, all);
    PairSearch<ClassRows<Whole, 2>, Gini<Whole>> search(target, score, options, 2);
    search.start(all, slack(score, all), false);
    Pulse pulse;
    pulse.stop();
    const Tags tags;
    CHECK_THROWS_AS(search.best([&](auto& sweep, auto&& judge) {
        EntryGroups<ClassRows<Whole, 2>, Entry> groups(entries, tags, target, 0);
        each_gap(groups, sweep, false, pulse, judge);
    }),
                    Stopped);
}

}  // namespace
}  // namespace branchwork
