// Rows in no order: bins that are not looked into hold no better cut, and of equal cuts the smallest one is found.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "chance.hpp"
#include "core/search/scan_ranks_of_classes.hpp"
#include "core/search/scan_ranks_of_numbers.hpp"
#include "core/search/scan_ranks_of_two.hpp"

namespace branchwork {
namespace {

struct DrawnTable {
    std::vector<std::uint32_t> ranks;
    std::vector<DrawnRow> rows;
    std::vector<double> targets;

    DrawnTable(Chance& chance, std::size_t classes) {
        const std::size_t count = 2 + chance.below(chance.once_in(3) ? 1500 : chance.once_in(2) ? 300 : 70);
        const std::size_t distinct = 1 + chance.below(chance.once_in(2) ? 2 * count : 12);
        const std::size_t spread =
            chance.once_in(2) ? 1 : 37;  // ranks of the table that the node does not have
        const bool is_clean = chance.once_in(2);
        const std::size_t most_copies = 1 + chance.below(4);
        const std::size_t turn = 1 + chance.below(distinct);
        const bool falls = chance.once_in(2);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t value = chance.below(distinct);
            ranks.push_back(static_cast<std::uint32_t>(5 + value * spread));
            const std::size_t signal = (value < turn) != falls ? 0 : classes - 1;
            const bool noise = !is_clean && chance.once_in(4);
            const std::size_t label = noise ? chance.below(classes) : signal;
            rows.push_back({static_cast<Row>(i), static_cast<std::uint16_t>(1 + chance.below(most_copies)),
                            static_cast<std::uint16_t>(label)});
            targets.push_back(3.5 * static_cast<double>(label) + (is_clean ? 0 : chance.share()));
        }
    }
    /// One row at an end of the column is far from all others, so that the best cut parts it from them.
    void set_apart(Chance& chance) {
        const auto end =
            chance.once_in(2) ? std::ranges::min_element(ranks) : std::ranges::max_element(ranks);
        const auto i = static_cast<std::size_t>(end - ranks.begin());
        rows[i].copies = 1;
        targets[i] = chance.once_in(2) ? 100 : -100;
    }
};

/// One column of a node.
class OneColumn final : public RankedColumns {
  public:
    explicit OneColumn(const DrawnTable& table) : table_(table) {}
    std::size_t count() const override { return 1; }
    std::size_t rows() const override { return table_.rows.size(); }
    RankedRows ranked(std::size_t) override { return {table_.ranks, table_.rows, table_.targets}; }

  private:
    const DrawnTable& table_;
};

template <class Scan, class Stats>
RankCut best_of(Scan& scan, const DrawnTable& table, const Stats& all, double centre, double most,
                double slack) {
    const Pulse pulse;
    SearchCost spent;
    OneColumn column(table);
    RankCut found;
    scan.best(column, all, centre, most, slack, pulse, spent, std::span(&found, 1));
    return found;
}

/// What the scan should find, by counting both sides of every gap anew.
template <class Stats, class Score, class Add>
RankCut slow_best(const DrawnTable& table, const Score& score, const Stats& nothing, double least,
                  double slack, const Add& add) {
    std::map<std::uint32_t, Stats> of_rank;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        add(i, of_rank.try_emplace(table.ranks[i], nothing).first->second);
    RankCut found;
    std::vector<std::pair<double, std::uint32_t>> cuts;
    for (auto cut = of_rank.begin(); std::next(cut) != of_rank.end(); ++cut) {
        Stats left = nothing, right = nothing;
        for (auto at = of_rank.begin(); at != of_rank.end(); ++at)
            (at->first <= cut->first ? left : right) += at->second;
        if (left.weight() < least || right.weight() < least) continue;
        found.exists = true;
        cuts.emplace_back(node(score, left) + node(score, right), cut->first);
    }
    for (const auto& [cost, rank] : cuts) found.cost = std::min(found.cost, cost);
    for (const auto& [cost, rank] : cuts)
        if (cost <= found.cost + slack) {
            found.left_rank = rank;
            break;
        }
    return found;
}

/// Do two cuts part the node alike?
bool part_alike(const DrawnTable& table, std::uint32_t a, std::uint32_t b) {
    return std::ranges::none_of(table.ranks, [&](std::uint32_t rank) { return (rank <= a) != (rank <= b); });
}

void check(const DrawnTable& table, const RankCut& found, const RankCut& wanted, double most, double close) {
    REQUIRE(found.exists == wanted.exists);
    if (!wanted.exists) return;
    if (wanted.cost >= most) {
        REQUIRE((!found.found() || found.cost >= wanted.cost - close));
        return;
    }
    REQUIRE(found.cost == doctest::Approx(wanted.cost).epsilon(1e-12));
    REQUIRE(part_alike(table, found.left_rank, wanted.left_rank));
}

template <class Score, std::size_t Classes>
void compare_classes(std::uint64_t seed) {
    using Stats = ClassCounts<std::int64_t, Classes>;
    Chance chance(seed);
    for (int turn = 0; turn < 300; ++turn) {
        const std::size_t classes = Classes == 0 ? 3 + chance.below(5) : Classes;
        const DrawnTable table(chance, classes);
        if (std::ranges::min(table.ranks) == std::ranges::max(table.ranks)) continue;
        Stats all(classes);
        for (const DrawnRow& row : table.rows) all.add(row.label, row.copies);
        const Score score(static_cast<std::size_t>(all.total));
        Options options;
        options.min_leaf_samples = chance.once_in(3) ? static_cast<double>(chance.below(40)) : 0;
        const double slack = branchwork::slack(score, all);
        RankScan<Score, Stats> scan(score, options, classes);
        const auto add = [&](std::size_t i, Stats& to) { to.add(table.rows[i].label, table.rows[i].copies); };
        const RankCut wanted =
            slow_best(table, score, Stats(classes), std::max(1.0, options.min_leaf_samples), slack, add);
        for (const double share : {std::numeric_limits<double>::infinity(), 1.0, 0.6, 0.2}) {
            const double most = share * node(score, all);
            check(table, best_of(scan, table, all, 0, most, slack), wanted, most, 2 * slack);
        }
    }
}

TEST_CASE("two classes") {
    compare_classes<Gini<std::int64_t>, 2>(1);
    compare_classes<Entropy<std::int64_t>, 2>(2);
    compare_classes<Accuracy<std::int64_t>, 2>(3);
}

TEST_CASE("many classes") {
    compare_classes<Gini<std::int64_t>, 0>(4);
    compare_classes<Entropy<std::int64_t>, 0>(5);
    compare_classes<Accuracy<std::int64_t>, 0>(6);
}

TEST_CASE("numbers") {
    Chance chance(7);
    const SquaredError score;
    for (int turn = 0; turn < 500; ++turn) {
        DrawnTable table(chance, 2 + chance.below(3));
        if (chance.once_in(3)) table.set_apart(chance);
        if (std::ranges::min(table.ranks) == std::ranges::max(table.ranks)) continue;
        double rows = 0, sum = 0;
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            rows += table.rows[i].copies, sum += table.rows[i].copies * table.targets[i];
        const double centre = sum / rows;
        const auto add = [&](std::size_t i, Moments& to) {
            const double w = table.rows[i].copies, t = table.targets[i] - centre;
            to += Moments{w, w * t, w * t * t};
        };
        Moments all;
        for (std::size_t i = 0; i < table.rows.size(); ++i) add(i, all);
        if (!(score.node(all) > 1e-9)) continue;  // nothing to part
        Options options;
        options.min_leaf_samples = chance.once_in(3) ? static_cast<double>(chance.below(40)) : 0;
        const double slack = branchwork::slack(score, all);
        RankScan<SquaredError, Moments> scan(score, options, 3);
        RankCut wanted =
            slow_best(table, score, Moments{}, std::max(1.0, options.min_leaf_samples), slack, add);
        for (const double share : {std::numeric_limits<double>::infinity(), 1.0, 0.6, 0.2}) {
            const double most = share * score.node(all);
            const RankCut found = best_of(scan, table, all, centre, most, slack);
            REQUIRE(found.exists == wanted.exists);
            if (!wanted.exists || wanted.cost > most * (1 - 1e-9)) continue;
            REQUIRE(std::abs(found.cost - wanted.cost) <= 1e-9 * score.node(all));
            REQUIRE(part_alike(table, found.left_rank, wanted.left_rank));
        }
    }
}

}  // namespace
}  // namespace branchwork
