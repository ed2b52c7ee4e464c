// The cuts of one test and what is known about them: the interval search of Brița et al. (2025).
//
// L(cut) is the least cost of the rows left of a cut, R(cut) that of the rows right of it. Moving the cut to the right
// moves rows from the right side to the left, so L never falls and R never rises:
//
//     cut     -1  . . .  a  - - - - -  b  . . .  size()      a, b: cuts where L and R are known, or bounds of them
//     L        0        L(a)          L(b)       base
//     R       base      R(a)          R(b)       0
//
// Every cut between a and b costs at least L(a) + R(b). It also costs at least L(a) + R(a) minus what the rows between
// a and the cut can cost, and the same holds for b.
//
// When a cut between a and b is evaluated, its L is needed only up to limit − R(b), because a larger L closes the half
// towards b; its R is needed only up to limit − L(a). So an evaluation closes a half or finds the exact cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/columns.hpp"
#include "core/optimal/settings.hpp"

namespace branchwork::optimal {

/// The possible cuts of some rows by one test; entry k is the k-th cut.
struct CutList {
    std::vector<std::uint32_t> rank;      // the largest rank on the left
    std::vector<std::uint32_t> position;  // number of rows on the left
    std::vector<Cost> most;  // the most that the rows on the left can cost; empty: `each` per row
    Cost each = 1;
    std::vector<Cost> equivalent;  // the least cost of the rows on the left by equivalent rows; empty: 0
    std::uint32_t rows = 0;
    Cost all_most = 0, all_equivalent = 0;

    std::size_t bytes() const {
        return 4 * (rank.capacity() + position.capacity()) + 8 * (most.capacity() + equivalent.capacity());
    }
    std::int32_t size() const { return static_cast<std::int32_t>(rank.size()); }
    /// The most that the rows left of a cut can cost. Cut -1 has no rows on the left, cut size() has all.
    Cost most_left(std::int32_t cut) const {
        if (cut < 0) return 0;
        if (cut >= size()) return all_most;
        const auto k = static_cast<std::size_t>(cut);
        return most.empty() ? static_cast<Cost>(position[k]) * each : most[k];
    }
    Cost equivalent_left(std::int32_t cut) const {
        return equivalent.empty() ? 0 : equivalent[static_cast<std::size_t>(cut)];
    }
    std::uint32_t rows_left(std::int32_t cut) const {
        if (cut < 0) return 0;
        return cut >= size() ? rows : position[static_cast<std::size_t>(cut)];
    }
};

template <class Note>
struct Point {
    std::int32_t cut = 0;
    Cost left = 0, right = 0;  // L and R, or lower bounds
    Note left_note{}, right_note{};
};

/// Rules of the interval search that depend on the whole problem.
struct LineRules {
    Cost penalty = 0;  // of a split
    Cost slack = 0;    // with a minimum leaf size, L may fall and R may rise by this much
    Bounds bounds;

    bool monotone() const { return bounds.interval && slack < unbounded; }
};

template <class Note>
struct Line {
    std::int32_t test = 0;
    std::int64_t left_leaves = 0, right_leaves = 0;
    CutList cuts;
    std::vector<Point<Note>> points;

    /// A lower bound of all cuts between two points.
    Cost bound(const Point<Note>& a, const Point<Note>& b, const LineRules& rules) const {
        if (!rules.monotone()) return rules.penalty + cuts.all_equivalent;
        return std::max(a.left + b.right - 2 * rules.slack, cuts.all_equivalent) + rules.penalty;
    }

    /// Finds the range of cuts from `low` to `high` between two points that may cost less than the limit; it is empty
    /// if low > high. A cut is cheaper than a known one by at most what the rows between them can cost, so cuts close
    /// to an expensive point are ruled out.
    void open_cuts(const Point<Note>& a, const Point<Note>& b, Cost limit, const LineRules& rules,
                   std::int32_t& low, std::int32_t& high) const {
        low = a.cut + 1;
        high = b.cut - 1;
        if (!rules.bounds.moved || rules.slack >= unbounded) return;
        const Cost near_a = a.left + a.right + rules.penalty - rules.slack - limit;
        const Cost near_b = b.left + b.right + rules.penalty - rules.slack - limit;
        if (near_a >= 0) low = first_with(cuts.most_left(a.cut) + near_a + 1, low, high);
        if (near_b >= 0) high = first_with(cuts.most_left(b.cut) - near_b, low, high) - 1;
    }

    /// Chooses the cut to evaluate next: usually the middle of the rows. If L and R rose and fell linearly, a cut could
    /// close both halves at once for some range of shares; if that range is not empty, its middle is taken.
    std::int32_t middle(const Point<Note>& a, const Point<Note>& b, Cost limit, const LineRules& rules,
                        std::int32_t low, std::int32_t high) const {
        const auto from = static_cast<double>(cuts.rows_left(a.cut)),
                   to = static_cast<double>(cuts.rows_left(b.cut));
        const auto rise = static_cast<double>(b.left - a.left), fall = static_cast<double>(a.right - b.right);
        const auto needed = static_cast<double>(limit - a.left - b.right - rules.penalty);
        double share = 0.5;
        if (rules.monotone() && needed > 0 && needed * (rise + fall) <= rise * fall)
            share = (needed / rise + 1 - needed / fall) / 2;
        const double place = std::max(0.0, from + (to - from) * share);
        const auto begin = cuts.position.begin();
        const auto at =
            std::lower_bound(begin + low, begin + high + 1, static_cast<std::uint32_t>(place)) - begin;
        return std::min(static_cast<std::int32_t>(at), high);
    }

  private:
    /// The first cut from `low` on where the rows on the left can cost at least `most`.
    std::int32_t first_with(Cost most, std::int32_t low, std::int32_t high) const {
        while (low <= high) {
            const std::int32_t half = low + (high - low) / 2;
            if (cuts.most_left(half) < most)
                low = half + 1;
            else
                high = half - 1;
        }
        return low;
    }
};

}  // namespace branchwork::optimal
