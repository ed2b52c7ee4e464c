#include "core/optimal/two_levels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace branchwork::optimal {

Counters TwoLevels::counters() const {
    Counters sum = counters_;
    sum += stumps_.counters;
    if (branch_) sum += branch_->counters;
    return sum;
}

std::size_t TwoLevels::add_point(std::uint32_t position, std::int32_t rows, Cost left, Cost right) {
    points_.push_back({position, rows, left, right});
    if (left_of_.size() < points_.size() * tests()) {
        left_of_.resize(points_.size() * tests() * 2);
        right_of_.resize(left_of_.size());
    }
    return points_.size() - 1;
}

/// Chooses an allowed cut near the wanted number of rows on the left. It prefers one at the end of a bucket, where the
/// faster kernel for ranks of 8 bits can be used.
bool TwoLevels::choose(std::size_t g, std::int32_t low, std::int32_t high, std::int32_t wanted,
                       std::int32_t spread, Chosen& at) const {
    const std::uint16_t* const rank = view().in_order(g, g);
    const auto all = static_cast<std::uint32_t>(view().rows());
    const std::uint32_t place = order_.select(wanted);
    const std::uint8_t bucket = view().bucket(g, rank[place]);
    std::uint32_t position = view().bucket_end(g, bucket);
    std::int32_t rows = order_.count(position);
    if (rows >= low && rows <= high && (rows - wanted) * 4 <= spread) {
        at = {position, rows};
        return true;
    }
    if (bucket > 0) {
        position = view().bucket_end(g, static_cast<std::uint8_t>(bucket - 1));
        rows = order_.count(position);
        if (rows >= low && rows <= high && (wanted - rows) * 4 <= spread) {
            at = {position, rows};
            return true;
        }
    }
    position = place + 1;
    while (position < all && rank[position] == rank[position - 1]) ++position;
    rows = order_.count(position);
    if (rows > high) {
        position = place;
        while (position > 0 && rank[position] == rank[position - 1]) --position;
        rows = order_.count(position);
        if (rows < low) return false;
    }
    at = {position, rows};
    return true;
}

/// Takes the cut that was best in a neighbouring subproblem, if it is still open here.
bool TwoLevels::take_hint(std::size_t g, std::int32_t rank, std::int32_t low, std::int32_t high,
                          Chosen& at) const {
    const std::uint16_t* const ranks = view().in_order(g, g);
    const auto position = static_cast<std::uint32_t>(
        std::upper_bound(ranks, ranks + view().rows(), static_cast<std::uint16_t>(rank)) - ranks);
    at = {position, order_.count(position)};
    return at.rows >= low && at.rows <= high;
}

/// Evaluates both sides of a root cut. A cost that is large enough to close a half of the interval need not be exact.
std::size_t TwoLevels::evaluate(std::size_t g, const Interval& open, const Chosen& at, Cost limit) {
    ++counters_.cuts;
    const CountedTable& table = view().table();
    order_.answers(at.position, at.rows, sides_.left, sides_.right);
    const std::size_t found = add_point(at.position, at.rows, 0, 0), count = tests();
    const Point a = points_[open.from], b = points_[open.to];
    Cost best_left = std::min(limit - b.right, *std::ranges::min_element(sides_.left));
    Cost best_right = std::min(limit - a.left, *std::ranges::min_element(sides_.right));
    Cost* const left = &left_of_[found * count];
    Cost* const right = &right_of_[found * count];
    const Cost *a_left = &left_of_[open.from * count], *a_right = &right_of_[open.from * count];
    const Cost *b_left = &left_of_[open.to * count], *b_right = &right_of_[open.to * count];
    const Cost up_to_b = order_.most(b.rows) - order_.most(at.rows);
    const Cost from_a = order_.most(at.rows) - order_.most(a.rows);
    stump_order_.clear();
    for (std::size_t h = 0; h < count; ++h) {
        left[h] = std::max(a_left[h], b_left[h] - up_to_b);
        right[h] = std::max(b_right[h], a_right[h] - from_a);
        if (left[h] < best_left || right[h] < best_right) stump_order_.push_back(h);
    }
    std::ranges::sort(stump_order_, {}, [&](std::size_t h) { return std::pair(left[h] + right[h], h); });
    sides_.test = g;
    sides_.rank = view().in_order(g, g)[at.position - 1];
    sides_.coarse = at.position == view().bucket_end(g, view().bucket(g, sides_.rank));
    stumps_.cut_at(sides_, best_left, best_right);
    for (const std::size_t h : stump_order_) {
        const bool want_left = left[h] < best_left, want_right = right[h] < best_right;
        if (!want_left && !want_right) continue;
        Cost on_left = left[h], on_right = right[h];
        if (table.is_multiway(h)) {
            order_.slots(h, at.position, on_left, on_right);
            best_left = std::min(best_left, on_left);
            best_right = std::min(best_right, on_right);
        } else {
            stumps_.on_sides(h, want_left, want_right, on_left, on_right, best_left, best_right);
        }
        left[h] = std::max(left[h], on_left);
        right[h] = std::max(right[h], on_right);
    }
    points_[found].left = std::max(best_left, a.left);
    points_[found].right = std::max(best_right, b.right);
    return found;
}

/// Finds the best cut of root test g that costs less than the limit, and returns its cost, or the limit if there is
/// none. With `first`, of equally good cuts it takes the one with the fewest rows on its left.
Cost TwoLevels::run(std::size_t g, Cost limit, std::int32_t hint, bool first, RootCut& best) {
    const Cost penalty = view().table().penalty;
    limit -= penalty;  // from here on, the limit of the cost of both sides
    order_.set(stumps_, g);
    points_.clear();
    queue_.clear();
    add_point(0, 0, 0, stumps_.best());
    add_point(static_cast<std::uint32_t>(view().rows()), stumps_.rows(), stumps_.best(), 0);
    for (std::size_t h = 0; h < tests(); ++h) {
        left_of_[h] = right_of_[tests() + h] = 0;
        right_of_[h] = left_of_[tests() + h] = stumps_.of(h);
    }
    queue_.push_back({0, 1});
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    std::int32_t found_at = none;  // rows on the left of the best cut
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        view().table().watch->check();
        const Interval open = queue_[i];
        const Point a = points_[open.from], b = points_[open.to];
        const Cost wanted_below = limit + (first && found_at != none && a.rows + 1 < found_at ? 1 : 0);
        const Cost needed = wanted_below - a.left - b.right;
        if (needed <= 0) {
            ++counters_.closed_interval;
            continue;
        }
        // A cut is cheaper than a known one by at most what the rows between them can cost.
        const Cost near_a = a.left + a.right - wanted_below, near_b = b.left + b.right - wanted_below;
        const std::int32_t low = near_a < 0 ? a.rows + 1 : order_.beyond(a.rows, near_a);
        const std::int32_t high = near_b < 0 ? b.rows - 1 : order_.before(b.rows, near_b);
        if (low > high) {
            ++counters_.closed_moved;
            continue;
        }
        Chosen at{};
        const bool hinted = hint >= 0 && take_hint(g, hint, low, high, at);
        hint = -1;
        if (!hinted) {
            const auto rise = static_cast<double>(b.left - a.left),
                       fall = static_cast<double>(a.right - b.right);
            const auto missing = static_cast<double>(needed);
            double share = 0.5;
            if (missing * (rise + fall) <= rise * fall) share = (missing / rise + 1 - missing / fall) / 2;
            const auto middle = a.rows + static_cast<std::int32_t>((b.rows - a.rows) * share);
            if (!choose(g, low, high, std::clamp(middle, low, high), b.rows - a.rows, at)) continue;
        }
        const std::size_t found = evaluate(g, open, at, wanted_below);
        const Cost cost = points_[found].left + points_[found].right;
        if (cost < wanted_below && (cost < limit || at.rows < found_at)) {
            limit = cost;
            found_at = at.rows;
            best = {static_cast<std::int32_t>(g), view().in_order(g, g)[at.position - 1]};
        }
        queue_.push_back({open.from, found});
        queue_.push_back({found, open.to});
    }
    return limit + penalty;
}

/// The least cost of a multiway root: exact if it is below the limit, otherwise a lower bound of at least the limit.
Cost TwoLevels::multiway(std::size_t g, Cost limit) {
    const CountedTable& table = view().table();
    ++counters_.cuts;
    if (!branch_) branch_ = std::make_unique<Stumps>();
    Cost sum = 0;
    std::int32_t branches = 0, rows = 0;
    for (std::size_t slot = 0; slot < table.slots[g] && rows < stumps_.rows() && sum < limit; ++slot) {
        view().table().watch->check();
        branch_->take_slot(stumps_, g, static_cast<std::uint16_t>(slot));
        if (branch_->rows() == 0) continue;
        if (branches++ > 0) sum += table.penalty;
        rows += branch_->rows();
        branch_->find();
        sum += branch_->best();
    }
    return branches < 2 && sum < limit ? unbounded : sum;
}

Cost TwoLevels::solve(Cost limit, Cost* bounds, RootCut& best) {
    ++counters_.subproblems;
    const Cost least = stumps_.least(4);
    if (least >= limit) {
        ++counters_.closed_rows;
        for (std::size_t g = 0; g < tests(); ++g) bounds[g] = std::max(bounds[g], least);
        return least;
    }
    stumps_.find();
    const RootCut hint = best;
    best = {};
    Cost cost = std::min(limit, stumps_.best());
    std::vector<std::size_t> order(tests());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t g) {
        return std::tuple(static_cast<std::int32_t>(g) != hint.test, bounds[g], g);
    });
    for (const std::size_t g : order) {
        if (bounds[g] >= cost || cost <= least) continue;
        RootCut found{static_cast<std::int32_t>(g), 0};
        const std::int32_t start = static_cast<std::int32_t>(g) == hint.test ? hint.rank : -1;
        const Cost of_test =
            view().table().is_multiway(g) ? multiway(g, cost) : run(g, cost, start, false, found);
        bounds[g] = std::max(bounds[g], std::min(of_test, cost));
        if (of_test < cost) {
            cost = of_test;
            best = found;
        }
    }
    if (best.test < 0) best = hint;
    return cost;
}

Cost TwoLevels::first_best(Cost limit, std::int32_t only_column, const std::vector<Test>& tests_of,
                           RootCut& best) {
    ++counters_.subproblems;
    stumps_.find();
    best = {};
    std::vector<std::size_t> order(tests());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [this](std::size_t g) { return stumps_.of(g); });
    for (const std::size_t g : order) {
        if (only_column >= 0 && tests_of[g].column != only_column) continue;
        const bool earlier = best.test >= 0 && static_cast<std::int32_t>(g) < best.test;
        const Cost wanted_below = limit + (earlier ? 1 : 0);
        RootCut found;
        Cost cost = 0;
        if (view().table().is_multiway(g)) {
            cost = multiway(g, wanted_below);
            if (cost < wanted_below) found = {static_cast<std::int32_t>(g), 0};
        } else {
            cost = run(g, wanted_below, -1, true, found);
        }
        if (found.test < 0 || cost >= wanted_below) continue;
        limit = cost;
        best = found;
    }
    return limit;
}

}  // namespace branchwork::optimal
