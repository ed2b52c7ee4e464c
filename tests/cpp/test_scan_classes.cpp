// The scan of sorted rows of many classes finds the cut that counting every side from scratch finds.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "chance.hpp"
#include "core/parallel.hpp"
#include "core/search/scan_classes.hpp"

namespace branchwork {
namespace {

struct Rows {
    std::vector<std::int32_t> labels;  // in order of value
    std::vector<Entry> entries;
    ClassCounts<std::int64_t> all;

    Rows(Chance& chance, std::size_t classes, std::size_t count, std::size_t run) : all(classes) {
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) rank += chance.once_in(run);
            // Classes that change along the column, so that some cuts are good.
            const std::size_t label =
                (i * classes / count + chance.below(3) / 2 * chance.below(classes)) % classes;
            labels.push_back(static_cast<std::int32_t>(label));
            entries.push_back({static_cast<std::uint32_t>(i), rank});
            all.add(labels.back(), 1);
        }
    }
};

template <class Score>
std::size_t slow_position(const Score& score, const Rows& rows, typename Score::Cost limit,
                          typename Score::Cost slack) {
    std::size_t best = 0;
    for (std::size_t at = 1; at < rows.labels.size(); ++at) {
        if (rows.entries[at - 1].rank == rows.entries[at].rank) continue;
        ClassCounts<std::int64_t> left(rows.all.of.size()), right(rows.all.of.size());
        for (std::size_t i = 0; i < rows.labels.size(); ++i) (i < at ? left : right).add(rows.labels[i], 1);
        typename Score::Term inside = 0, outside = 0;
        for (const std::int64_t n : left.of) inside += score.term(n);
        for (const std::int64_t n : right.of) outside += score.term(n);
        const auto cost = score.combine(left.total, inside) + score.combine(right.total, outside);
        if (cost < limit) limit = cost - slack, best = at;
    }
    return best;
}

template <class Score>
void compare(std::uint64_t seed) {
    Chance chance(seed);
    const Pulse pulse;
    std::vector<std::int64_t> counts;
    for (int turn = 0; turn < 400; ++turn) {
        const Rows rows(chance, 3 + chance.below(6), 1 + chance.below(120), 1 + chance.below(5));
        const Score score(rows.labels.size());
        using Cost = typename Score::Cost;
        const Cost none = std::numeric_limits<Cost>::max();
        const Cost whole = score.units(node(score, rows.all));
        // No limit; one that few cuts are below; and one that none may be below.
        for (const Cost limit : {none, static_cast<Cost>(whole - whole / 8), static_cast<Cost>(whole / 4)}) {
            ClassCounts<std::int64_t> left(rows.all.of.size());
            const auto label = [&](std::uint32_t tag) { return rows.labels[tag]; };
            const std::size_t found = best_position(score, std::span<const Entry>(rows.entries), label,
                                                    rows.all, limit, Cost{0}, pulse, counts, left);
            REQUIRE(found == slow_position(score, rows, limit, Cost{0}));
            if (found > 0) CHECK(left.total == static_cast<std::int64_t>(found));
        }
    }
}

TEST_CASE("the best cut of many classes: Gini") { compare<Gini<std::int64_t>>(1); }
TEST_CASE("the best cut of many classes: entropy") { compare<Entropy<std::int64_t>>(2); }

}  // namespace
}  // namespace branchwork
