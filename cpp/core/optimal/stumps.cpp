#include "core/optimal/stumps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "core/kernels/kernels.hpp"

namespace branchwork::optimal {
namespace {

/// A cut that has all rows on its left.
constexpr std::int32_t all_left = std::numeric_limits<std::int16_t>::max();

/// A rank with its sign bit flipped, so that signed comparisons order it.
std::int16_t flipped(std::uint16_t rank) { return static_cast<std::int16_t>(rank ^ 0x8000); }

}  // namespace

void Stumps::mark(const std::uint8_t* from, std::size_t h, std::size_t test, std::uint16_t low,
                  std::uint16_t high, std::uint8_t* to) const {
    const std::int16_t* const ranks = view_->fine(test, h);
    kernels().mark_outside(ranks, from, view_->blocks(), flipped(high), true, to);
    if (low > 0)
        kernels().mark_outside(ranks, to, view_->blocks(), flipped(static_cast<std::uint16_t>(low - 1)),
                               false, to);
}

void Stumps::take(const CountedView& view, const RankRange& range) {
    view_ = &view;
    range_ = range;
    tests_ = view.table().tests();
    labels_.resize(tests_ * view.slots());
    for (std::size_t h = 0; h < tests_; ++h) {
        std::uint8_t* const to = &labels_[h * view.slots()];
        if (range.test < 0)
            std::copy_n(view.labels(h), view.slots(), to);
        else
            mark(view.labels(h), h, static_cast<std::size_t>(range.test), range.low, range.high, to);
    }
    const std::size_t test = range.test < 0 ? 0 : static_cast<std::size_t>(range.test);
    const auto [begin, end] = range.test < 0
                                  ? std::pair(std::uint32_t{0}, static_cast<std::uint32_t>(view.rows()))
                                  : view.places(test, range.low, range.high);
    rows_ = static_cast<std::int32_t>(end - begin);
    stats_.assign(view.table().classes(), 0);
    view.add_between(test, begin, end, stats_.data());
    start();
}

void Stumps::take_slot(const Stumps& whole, std::size_t test, std::uint16_t slot) {
    view_ = whole.view_;
    tests_ = whole.tests_;
    labels_.resize(whole.labels_.size());
    for (std::size_t h = 0; h < tests_; ++h)
        mark(&whole.labels_[h * view_->slots()], h, test, slot, slot, &labels_[h * view_->slots()]);
    rows_ = 0;
    stats_.assign(view_->table().classes(), 0);
    const std::uint8_t* const labels = labels_.data();
    for (std::size_t s = 0; s < view_->slots(); ++s) {
        if (labels[s] == outside) continue;
        ++rows_;
        view_->table().loss->add(stats_.data(), view_->slot_row(0)[s]);
    }
    start();
}

void Stumps::start() {
    const ClassLoss& loss = *view_->table().loss;
    answer_.resize(stats_.size());
    loss.answers(stats_.data(), answer_.data());
    leaf_ = rows_ > 0 ? *std::ranges::min_element(answer_) : 0;
    answers_.clear();
    for (std::size_t c = 0; c < stats_.size(); ++c)
        if (loss.has_costs() || stats_[c] > 0) answers_.push_back(static_cast<std::uint8_t>(c));
    const std::size_t pairs = answers_.size() * (answers_.size() - (answers_.empty() ? 0 : 1)) / 2;
    const std::size_t needed = pairs * tests_ * view_->slots();
    charge_.grow_to(*view_->table().meter, labels_.size() + needed * (loss.counts_rows() ? 1 : 8));
    if (loss.counts_rows()) {
        if (signs_.size() < needed) signs_.resize(needed);
    } else if (steps_.size() < needed) {
        steps_.resize(needed);
    }
    known_.assign(pairs * tests_, 0);
}

Cost Stumps::least(std::int64_t leaves) const {
    const CountedTable& table = view_->table();
    if (table.loss->has_costs() || !table.bound_by_classes) return 0;
    std::array<Cost, 4> most{};
    leaves = std::min<std::int64_t>(leaves, 4);
    for (const std::uint8_t c : answers_) {
        Cost x = stats_[c];
        for (std::size_t i = 0; i < static_cast<std::size_t>(leaves); ++i)
            if (x > most[i]) std::swap(x, most[i]);
    }
    Cost wrong = std::reduce(stats_.begin(), stats_.end(), Cost{0}), best = unbounded;
    for (std::size_t i = 0; i < static_cast<std::size_t>(leaves); ++i) {
        wrong -= most[i];
        best = std::min(best, wrong + static_cast<Cost>(i) * table.penalty);
    }
    return best;
}

const std::int8_t* Stumps::signs(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b) {
    const std::size_t slots = view_->slots(), at = pair * tests_ + h;
    std::int8_t* const out = &signs_[at * slots];
    if (!known_[at]) {
        kernels().class_signs(&labels_[h * slots], slots, a, b, out);
        known_[at] = 1;
    }
    return out;
}

const std::int64_t* Stumps::steps(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b) {
    const std::size_t slots = view_->slots(), at = pair * tests_ + h;
    std::int64_t* const out = &steps_[at * slots];
    if (!known_[at]) {
        const ClassLoss& loss = *view_->table().loss;
        const std::uint8_t* const label = &labels_[h * slots];
        const Row* const row = view_->slot_row(h);
        for (std::size_t s = 0; s < slots; ++s) out[s] = label[s] == outside ? 0 : loss.step(row[s], a, b);
        known_[at] = 1;
    }
    return out;
}

void Stumps::extremes(std::size_t pair, std::size_t h, std::uint8_t a, std::uint8_t b, ExtremesTask task,
                      CostExtremes& left, CostExtremes& right) {
    task.tied = view_->tied(h);
    task.blocks = view_->blocks();
    ++counters.kernels;
    if (!view_->table().loss->counts_rows()) {
        task.step = steps(pair, h, a, b);
        kernels().cost_extremes(task, &left, &right);
        return;
    }
    task.sign = signs(pair, h, a, b);
    Extremes of_left, of_right;
    kernels().side_extremes(task, &of_left, &of_right);
    const Cost error = view_->table().loss->error_cost();
    left = {of_left.least * error, of_left.most * error};
    right = {of_right.least * error, of_right.most * error};
}

Cost Stumps::all_of(const std::vector<Cost>& answers) const {
    if (view_->table().loss->has_costs()) return 0;
    return std::reduce(answers.begin(), answers.end(), Cost{0}) / static_cast<Cost>(answers.size() - 1);
}

/// The cost of the rows of other classes than a and b, which a stump with these two always predicts wrongly. With
/// misclassification costs, they may cost nothing.
Cost Stumps::others(const std::vector<Cost>& answers, std::uint8_t a, std::uint8_t b, Cost all) const {
    return view_->table().loss->has_costs() ? 0 : answers[a] + answers[b] - all;
}

Cost Stumps::of_slots(const std::vector<Cost>& stats, const std::vector<std::int32_t>& rows) const {
    const ClassLoss& loss = *view_->table().loss;
    Cost sum = 0;
    std::int32_t branches = 0;
    for (std::size_t slot = 0; slot < rows.size(); ++slot) {
        if (rows[slot] == 0) continue;
        ++branches;
        sum += loss.leaf(&stats[slot * loss.width()]);
    }
    return sum + view_->table().penalty * std::max(0, branches - 1);
}

/// The cost of a multiway split into leaves.
Cost Stumps::slots_stump(std::size_t test) {
    const CountedTable& table = view_->table();
    const std::size_t width = table.loss->width();
    slot_stats_.assign(table.slots[test] * width, 0);
    slot_rows_.assign(table.slots[test], 0);
    const std::uint8_t* const label = &labels_[test * view_->slots()];
    const Row* const row = view_->slot_row(test);
    for (std::size_t s = 0; s < view_->slots(); ++s) {
        if (label[s] == outside) continue;
        const std::size_t slot = table.ranks(test)[row[s]];
        ++slot_rows_[slot];
        table.loss->add(&slot_stats_[slot * width], row[s]);
    }
    return of_slots(slot_stats_, slot_rows_);
}

void Stumps::find() {
    const CountedTable& table = view_->table();
    of_.assign(tests_, 0);
    best_ = leaf_;
    const Cost all = all_of(answer_);
    for (std::size_t h = 0; h < tests_; ++h) {
        table.watch->check();
        if (table.is_multiway(h)) {
            of_[h] = slots_stump(h);
            best_ = std::min(best_, of_[h]);
            continue;
        }
        Cost found = leaf_ + table.penalty;
        std::size_t pair = 0;
        for (std::size_t i = 0; i < answers_.size(); ++i)
            for (std::size_t k = i + 1; k < answers_.size(); ++k, ++pair) {
                const std::uint8_t a = answers_[i], b = answers_[k];
                const Cost wrong = others(answer_, a, b, all) + table.penalty;
                if (wrong >= best_) {
                    found = std::min(found, wrong);
                    continue;
                }
                ExtremesTask task;  // one side only, with all rows
                task.rank = view_->fine(h, h);
                task.wide = true;
                task.cut = all_left;
                task.right = false;
                CostExtremes sums, unused;
                extremes(pair, h, a, b, task, sums, unused);
                const Cost here = table.penalty + std::min(answer_[a] + sums.least, answer_[b] - sums.most);
                found = std::min(found, here);
                best_ = std::min(best_, here);
            }
        of_[h] = found;
    }
}

void Stumps::cut_at(const RootSides& sides, Cost left, Cost right) {
    sides_ = &sides;
    pairs_.clear();
    ruled_left_ = ruled_right_ = unbounded;
    const Cost all_left_rows = all_of(sides.left), all_right_rows = all_of(sides.right);
    const Cost penalty = view_->table().penalty;
    std::size_t number = 0;
    for (std::size_t i = 0; i < answers_.size(); ++i)
        for (std::size_t k = i + 1; k < answers_.size(); ++k, ++number) {
            const std::uint8_t a = answers_[i], b = answers_[k];
            const Cost on_left = others(sides.left, a, b, all_left_rows) + penalty;
            const Cost on_right = others(sides.right, a, b, all_right_rows) + penalty;
            if (on_left >= left) ruled_left_ = std::min(ruled_left_, on_left);
            if (on_right >= right) ruled_right_ = std::min(ruled_right_, on_right);
            if (on_left < left || on_right < right) pairs_.push_back({number, a, b, on_left, on_right});
        }
}

void Stumps::on_sides(std::size_t h, bool want_left, bool want_right, Cost& left, Cost& right,
                      Cost& best_left, Cost& best_right) {
    if (want_left) left = ruled_left_;
    if (want_right) right = ruled_right_;
    const bool coarse = sides_->coarse && view_->table().loss->counts_rows();
    const std::size_t g = sides_->test;
    const Cost penalty = view_->table().penalty;
    ExtremesTask task;
    task.rank = coarse ? static_cast<const void*>(view_->coarse(g, h)) : view_->fine(g, h);
    task.wide = !coarse;
    task.cut =
        coarse ? static_cast<std::int8_t>(view_->bucket(g, sides_->rank) ^ 0x80) : flipped(sides_->rank);
    for (const Pair& pair : pairs_) {
        task.left = want_left && pair.others_left < best_left;
        task.right = want_right && pair.others_right < best_right;
        if (want_left && !task.left) left = std::min(left, pair.others_left);
        if (want_right && !task.right) right = std::min(right, pair.others_right);
        if (!task.left && !task.right) continue;
        CostExtremes of_left, of_right;
        extremes(pair.number, h, pair.a, pair.b, task, of_left, of_right);
        if (task.left) {
            const Cost cost =
                penalty + std::min(sides_->left[pair.a] + of_left.least, sides_->left[pair.b] - of_left.most);
            left = std::min(left, cost);
            best_left = std::min(best_left, cost);
        }
        if (task.right) {
            const Cost cost = penalty + std::min(sides_->right[pair.a] + of_right.least,
                                                 sides_->right[pair.b] - of_right.most);
            right = std::min(right, cost);
            best_right = std::min(best_right, cost);
        }
    }
}

}  // namespace branchwork::optimal
