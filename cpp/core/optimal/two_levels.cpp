#include "core/optimal/two_levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/kernels/kernels.hpp"

namespace branchwork::optimal {
namespace {

constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max() / 4;

}  // namespace

void TwoLevels::take(const CountedView& view) {
    view_ = &view;
    side_test_ = -1;
    tests_ = view.table().tests;
    labels_.resize(tests_ * view.slots());
    for (std::size_t h = 0; h < tests_; ++h)
        std::copy_n(view.labels(h), view.slots(), &labels_[h * view.slots()]);
    total_.assign(view.table().classes, 0);
    for (std::size_t c = 0; c < total_.size(); ++c)
        for (std::size_t w = 0; w < view.words(); ++w) total_[c] += std::popcount(view.class_bits(0, c)[w]);
    start();
}

void TwoLevels::take_side(const CountedView& view, std::size_t test, std::uint16_t rank,
                          std::uint32_t position, bool left) {
    view_ = &view;
    side_test_ = static_cast<std::int32_t>(test);
    side_rank_ = rank;
    side_left_ = left;
    tests_ = view.table().tests;
    labels_.resize(tests_ * view.slots());
    const auto cut = static_cast<std::int16_t>(rank ^ 0x8000);
    for (std::size_t h = 0; h < tests_; ++h)
        kernels().mark_outside(view.fine(test, h), view.labels(h), view.blocks(), cut, left,
                               &labels_[h * view.slots()]);
    total_.assign(view.table().classes, 0);
    const std::size_t word = position / 64;
    const std::uint64_t mask = (std::uint64_t{1} << (position % 64)) - 1;
    for (std::size_t c = 0; c < total_.size(); ++c) {
        const std::uint64_t* const bits = view.class_bits(test, c);
        std::int32_t below = 0, all = 0;
        for (std::size_t w = 0; w < view.words(); ++w) {
            if (w == word) below = all + std::popcount(bits[w] & mask);
            all += std::popcount(bits[w]);
        }
        if (word >= view.words()) below = all;
        total_[c] = left ? below : all - below;
    }
    start();
}

void TwoLevels::start() {
    rows_ = std::reduce(total_.begin(), total_.end());
    present_.clear();
    for (std::size_t c = 0; c < total_.size(); ++c)
        if (total_[c] > 0) present_.push_back(static_cast<std::uint8_t>(c));
    if (present_.size() == 1)
        present_.push_back(present_[0] == 0 ? 1 : 0);  // a pair with a class that has no rows
    const std::size_t pairs = present_.size() * (present_.size() - 1) / 2;
    const std::size_t needed = pairs * tests_ * view_->slots();
    if (signs_.size() < needed) signs_.resize(needed);
    signs_known_.assign(pairs * tests_, 0);
    on_left_.assign(total_.size(), 0);
    on_right_.assign(total_.size(), 0);
}

std::int32_t TwoLevels::top(const std::vector<std::int32_t>& counts, std::size_t most) const {
    std::array<std::int32_t, 4> best{};
    for (const std::uint8_t c : present_) {
        std::int32_t x = counts[c];
        for (std::size_t i = 0; i < most; ++i)
            if (x > best[i]) std::swap(x, best[i]);
    }
    return std::reduce(best.begin(), best.end());
}

std::int32_t TwoLevels::leaf() const { return rows_ - top(total_, 1); }

const std::int8_t* TwoLevels::signs(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b) {
    const std::size_t slots = view_->slots(), at = pair * tests_ + h;
    std::int8_t* const out = &signs_[at * slots];
    if (!signs_known_[at]) {
        kernels().class_signs(&labels_[h * slots], slots, a, b, out);
        signs_known_[at] = 1;
    }
    return out;
}

void TwoLevels::find_stumps() {
    stump_of_.assign(tests_, 0);
    stump_ = leaf();
    for (std::size_t h = 0; h < tests_; ++h) {
        std::int32_t errors = none;
        std::size_t pair = 0;
        for (std::size_t i = 0; i < present_.size(); ++i)
            for (std::size_t k = i + 1; k < present_.size(); ++k, ++pair) {
                const std::uint8_t a = present_[i], b = present_[k];
                const std::int32_t others = rows_ - total_[a] - total_[b];
                if (others >= stump_) {
                    errors = std::min(errors, others);
                    continue;
                }
                // All rows lie left of the largest rank.
                ExtremesTask task{view_->fine(h, h),
                                  true,
                                  signs(pair, h, a, b),
                                  view_->tied(h),
                                  view_->blocks(),
                                  std::numeric_limits<std::int16_t>::max(),
                                  true,
                                  false};
                Extremes found;
                kernels().side_extremes(task, &found, nullptr);
                ++counters.kernels;
                const std::int32_t here = others + std::min(total_[b] + found.least, total_[a] - found.most);
                errors = std::min(errors, here);
                stump_ = std::min(stump_, here);
            }
        stump_of_[h] = errors;
    }
}

void TwoLevels::set_bits(std::size_t g) {
    const std::size_t words = view_->words(), classes = present_.size();
    bits_.resize(words + 1);
    before_.resize(words + 2);
    class_before_.resize((words + 2) * classes);
    if (side_test_ < 0) {
        std::fill_n(bits_.begin(), words, ~std::uint64_t{0});
    } else {
        kernels().bits_above(view_->in_order(static_cast<std::size_t>(side_test_), g), words, side_rank_,
                             bits_.data());
        if (side_left_)
            for (std::size_t w = 0; w < words; ++w) bits_[w] = ~bits_[w];
    }
    if (view_->rows() % 64) bits_[words - 1] &= (std::uint64_t{1} << (view_->rows() % 64)) - 1;
    bits_[words] = 0;
    std::int32_t sum = 0;
    for (std::size_t w = 0; w <= words; ++w) {
        before_[w] = sum;
        sum += std::popcount(bits_[w]);
    }
    for (std::size_t i = 0; i < classes; ++i) {
        const std::uint64_t* const own = view_->class_bits(g, present_[i]);
        std::int32_t of_class = 0;
        for (std::size_t w = 0; w < words; ++w) {
            class_before_[w * classes + i] = of_class;
            of_class += std::popcount(own[w] & bits_[w]);
        }
        class_before_[words * classes + i] = of_class;
    }
}

/// Rows of this subproblem among the first `position` of the order.
std::int32_t TwoLevels::count(std::uint32_t position) const {
    const std::uint64_t mask = (std::uint64_t{1} << (position % 64)) - 1;
    return before_[position / 64] + std::popcount(bits_[position / 64] & mask);
}

/// The place in the order of the n-th row of this subproblem, counted from 1.
std::uint32_t TwoLevels::select(std::int32_t nth) const {
    const auto end = before_.begin() + static_cast<std::ptrdiff_t>(view_->words());
    const auto word =
        static_cast<std::size_t>(std::lower_bound(before_.begin(), end, nth) - before_.begin()) - 1;
    std::uint64_t bits = bits_[word];
    for (std::int32_t skip = nth - before_[word] - 1; skip > 0; --skip) bits &= bits - 1;
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

void TwoLevels::count_classes(std::size_t g, std::uint32_t position) {
    const std::size_t word = position / 64;
    const std::uint64_t mask = bits_[word] & ((std::uint64_t{1} << (position % 64)) - 1);
    for (std::size_t i = 0; i < present_.size(); ++i) {
        const std::uint8_t c = present_[i];
        std::int32_t left = class_before_[word * present_.size() + i];
        if (mask) left += std::popcount(mask & view_->class_bits(g, c)[word]);
        on_left_[c] = left;
        on_right_[c] = total_[c] - left;
    }
}

std::size_t TwoLevels::add_point(std::uint32_t position, std::int32_t rows, std::int32_t left,
                                 std::int32_t right) {
    points_.push_back({position, rows, left, right});
    if (left_of_.size() < points_.size() * tests_) {
        left_of_.resize(points_.size() * tests_ * 2);
        right_of_.resize(left_of_.size());
    }
    return points_.size() - 1;
}

/// The cut nearest to the wanted number of rows that is allowed: best of all one at the end of a bucket.
bool TwoLevels::choose(std::size_t g, std::int32_t low, std::int32_t high, std::int32_t wanted,
                       std::int32_t spread, Chosen& at) const {
    const std::uint16_t* const rank = view_->in_order(g, g);
    const auto all = static_cast<std::uint32_t>(view_->rows());
    const std::uint32_t place = select(wanted);
    const std::uint8_t bucket = view_->bucket(g, rank[place]);
    std::uint32_t position = view_->bucket_end(g, bucket);
    std::int32_t rows = count(position);
    if (rows >= low && rows <= high && (rows - wanted) * 4 <= spread) {
        at = {position, rows};
        return true;
    }
    if (bucket > 0) {
        position = view_->bucket_end(g, static_cast<std::uint8_t>(bucket - 1));
        rows = count(position);
        if (rows >= low && rows <= high && (wanted - rows) * 4 <= spread) {
            at = {position, rows};
            return true;
        }
    }
    position = place + 1;
    while (position < all && rank[position] == rank[position - 1]) ++position;
    rows = count(position);
    if (rows > high) {
        position = place;
        while (position > 0 && rank[position] == rank[position - 1]) --position;
        rows = count(position);
        if (rows < low) return false;
    }
    at = {position, rows};
    return true;
}

void TwoLevels::list_pairs(std::int32_t rows_left, std::int32_t left, std::int32_t right) {
    pairs_.clear();
    ruled_left_ = ruled_right_ = none;
    std::size_t number = 0;
    for (std::size_t i = 0; i < present_.size(); ++i)
        for (std::size_t k = i + 1; k < present_.size(); ++k, ++number) {
            const std::uint8_t a = present_[i], b = present_[k];
            const std::int32_t others_left = rows_left - on_left_[a] - on_left_[b];
            const std::int32_t others_right = rows_ - rows_left - on_right_[a] - on_right_[b];
            if (others_left >= left) ruled_left_ = std::min(ruled_left_, others_left);
            if (others_right >= right) ruled_right_ = std::min(ruled_right_, others_right);
            if (others_left < left || others_right < right)
                pairs_.push_back({number, a, b, others_left, others_right});
        }
}

/// The stumps by test h on the sides of a root cut, and the best ones so far.
void TwoLevels::run_stump(std::size_t g, std::size_t h, std::uint16_t rank, bool coarse, bool want_left,
                          bool want_right, std::int32_t& left, std::int32_t& right, std::int32_t& best_left,
                          std::int32_t& best_right) {
    const void* const ranks = coarse ? static_cast<const void*>(view_->coarse(g, h)) : view_->fine(g, h);
    const std::int32_t cut = coarse ? static_cast<std::int8_t>(view_->bucket(g, rank) ^ 0x80)
                                    : static_cast<std::int16_t>(rank ^ 0x8000);
    ExtremesTask task{ranks, !coarse, nullptr, view_->tied(h), view_->blocks(), cut, false, false};
    for (const Pair& pair : pairs_) {
        task.left = want_left && pair.others_left < best_left;
        task.right = want_right && pair.others_right < best_right;
        if (want_left && !task.left) left = std::min(left, pair.others_left);
        if (want_right && !task.right) right = std::min(right, pair.others_right);
        if (!task.left && !task.right) continue;
        task.sign = signs(pair.number, h, pair.a, pair.b);
        Extremes of_left, of_right;
        kernels().side_extremes(task, &of_left, &of_right);
        ++counters.kernels;
        if (task.left) {
            const std::int32_t errors = pair.others_left + std::min(on_left_[pair.b] + of_left.least,
                                                                    on_left_[pair.a] - of_left.most);
            left = std::min(left, errors);
            best_left = std::min(best_left, errors);
        }
        if (task.right) {
            const std::int32_t errors = pair.others_right + std::min(on_right_[pair.b] + of_right.least,
                                                                     on_right_[pair.a] - of_right.most);
            right = std::min(right, errors);
            best_right = std::min(best_right, errors);
        }
    }
}

/// Both sides of a root cut; values beyond what closes a half of the interval are not needed exactly.
std::size_t TwoLevels::evaluate(std::size_t g, const Interval& open, const Chosen& at, std::int32_t limit) {
    ++counters.cuts;
    count_classes(g, at.position);
    const std::size_t found = add_point(at.position, at.rows, 0, 0);
    const Point a = points_[open.from], b = points_[open.to];
    std::int32_t best_left = std::min(limit - b.right, at.rows - top(on_left_, 1));
    std::int32_t best_right = std::min(limit - a.left, rows_ - at.rows - top(on_right_, 1));
    std::int32_t* const left = &left_of_[found * tests_];
    std::int32_t* const right = &right_of_[found * tests_];
    const std::int32_t *a_left = &left_of_[open.from * tests_], *a_right = &right_of_[open.from * tests_];
    const std::int32_t *b_left = &left_of_[open.to * tests_], *b_right = &right_of_[open.to * tests_];
    stump_order_.clear();
    for (std::size_t h = 0; h < tests_; ++h) {
        left[h] = std::max(a_left[h], b_left[h] - (b.rows - at.rows));
        right[h] = std::max(b_right[h], a_right[h] - (at.rows - a.rows));
        if (left[h] < best_left || right[h] < best_right) stump_order_.push_back(h);
    }
    std::ranges::sort(stump_order_, {}, [&](std::size_t h) { return std::pair(left[h] + right[h], h); });
    list_pairs(at.rows, best_left, best_right);
    const std::uint16_t rank = view_->in_order(g, g)[at.position - 1];
    const bool coarse = at.position == view_->bucket_end(g, view_->bucket(g, rank));
    for (const std::size_t h : stump_order_) {
        const bool want_left = left[h] < best_left, want_right = right[h] < best_right;
        if (!want_left && !want_right) continue;
        std::int32_t on_left = want_left ? ruled_left_ : left[h],
                     on_right = want_right ? ruled_right_ : right[h];
        run_stump(g, h, rank, coarse, want_left, want_right, on_left, on_right, best_left, best_right);
        left[h] = std::max(left[h], on_left);
        right[h] = std::max(right[h], on_right);
    }
    points_[found].left = std::max(best_left, a.left);
    points_[found].right = std::max(best_right, b.right);
    return found;
}

/// The best cut of root test g with fewer errors than the limit; the limit if there is none. With `first`, of equal cuts
/// the one with the fewest rows on its left.
std::int32_t TwoLevels::run(std::size_t g, std::int32_t limit, std::int32_t hint, bool first, RootCut& best) {
    set_bits(g);
    points_.clear();
    queue_.clear();
    add_point(0, 0, 0, stump_);
    add_point(static_cast<std::uint32_t>(view_->rows()), rows_, stump_, 0);
    for (std::size_t h = 0; h < tests_; ++h) {
        left_of_[h] = right_of_[tests_ + h] = 0;
        right_of_[h] = left_of_[tests_ + h] = stump_of_[h];
    }
    queue_.push_back({0, 1});
    std::int32_t found_at = none;  // rows on the left of the best cut
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        watch->check();
        const Interval open = queue_[i];
        const Point a = points_[open.from], b = points_[open.to];
        const std::int32_t wanted_below =
            limit + (first && found_at != none && a.rows + 1 < found_at ? 1 : 0);
        const std::int32_t needed = wanted_below - a.left - b.right;
        if (needed <= 0) {
            ++counters.closed_interval;
            continue;
        }
        // Every row between a cut and a known point changes the errors by at most one.
        const std::int32_t low = a.rows + std::max(0, a.left + a.right - wanted_below) + 1;
        const std::int32_t high = b.rows - std::max(0, b.left + b.right - wanted_below) - 1;
        if (low > high) {
            ++counters.closed_moved;
            continue;
        }
        Chosen at{};
        bool chosen = false;
        if (hint >= 0) {
            const std::uint16_t* const rank = view_->in_order(g, g);
            const auto position = static_cast<std::uint32_t>(
                std::upper_bound(rank, rank + view_->rows(), static_cast<std::uint16_t>(hint)) - rank);
            hint = -1;
            at = {position, count(position)};
            chosen = at.rows >= low && at.rows <= high;
        }
        if (!chosen) {
            const double rise = b.left - a.left, fall = a.right - b.right;
            double share = 0.5;
            if (needed * (rise + fall) <= rise * fall) share = (needed / rise + 1 - needed / fall) / 2;
            const auto middle = a.rows + static_cast<std::int32_t>((b.rows - a.rows) * share);
            if (!choose(g, low, high, std::clamp(middle, low, high), b.rows - a.rows, at)) continue;
        }
        const std::size_t found = evaluate(g, open, at, wanted_below);
        const std::int32_t errors = points_[found].left + points_[found].right;
        if (errors < wanted_below && (errors < limit || at.rows < found_at)) {
            limit = errors;
            found_at = at.rows;
            best = {static_cast<std::int32_t>(g), view_->in_order(g, g)[at.position - 1]};
        }
        queue_.push_back({open.from, found});
        queue_.push_back({found, open.to});
    }
    return limit;
}

std::int32_t TwoLevels::solve(std::int32_t limit, std::int32_t* bounds, RootCut& best) {
    ++counters.subproblems;
    const std::int32_t least = rows_ - top(total_, 4);
    if (least >= limit) {
        ++counters.closed_rows;
        for (std::size_t g = 0; g < tests_; ++g) bounds[g] = std::max(bounds[g], least);
        return least;
    }
    find_stumps();
    const RootCut hint = best;
    best = {};
    std::int32_t errors = std::min(limit, stump_);
    std::vector<std::size_t> order(tests_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t g) {
        return std::tuple(static_cast<std::int32_t>(g) != hint.test, bounds[g], g);
    });
    for (const std::size_t g : order) {
        if (bounds[g] >= errors || errors <= least) continue;
        RootCut found;
        const std::int32_t of_test =
            run(g, errors, static_cast<std::int32_t>(g) == hint.test ? hint.rank : -1, false, found);
        bounds[g] = std::max(bounds[g], of_test);
        if (of_test < errors) {
            errors = of_test;
            best = found;
        }
    }
    if (best.test < 0) best = hint;
    return errors;
}

std::int32_t TwoLevels::first_best(std::int32_t limit, std::int32_t only_column,
                                   const std::vector<Test>& tests, RootCut& best) {
    find_stumps();
    best = {};
    std::vector<std::size_t> order(tests_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [this](std::size_t g) { return stump_of_[g]; });
    for (const std::size_t g : order) {
        if (only_column >= 0 && tests[g].column != only_column) continue;
        const bool earlier = best.test >= 0 && static_cast<std::int32_t>(g) < best.test;
        const std::int32_t wanted_below = limit + (earlier ? 1 : 0);
        RootCut found;
        const std::int32_t errors = run(g, wanted_below, -1, true, found);
        if (found.test < 0 || errors >= wanted_below) continue;
        limit = errors;
        best = found;
    }
    return limit;
}

}  // namespace branchwork::optimal
