#include "core/optimal/root_order.hpp"

#include <algorithm>
#include <bit>

#include "core/kernels/kernels.hpp"

namespace branchwork::optimal {

void RootOrder::set(const Stumps& rows, std::size_t g) {
    rows_ = &rows;
    view_ = &rows.view();
    g_ = g;
    each_ = view_->table().row_cost;
    const std::size_t words = view_->words();
    const RankRange& range = rows.range();
    bits_.resize(words + 1);
    before_.resize(words + 2);
    if (range.test < 0) {
        std::fill_n(bits_.begin(), words, ~std::uint64_t{0});
    } else {
        const std::uint16_t* const rank = view_->in_order(static_cast<std::size_t>(range.test), g);
        kernels().bits_above(rank, words, range.high, bits_.data());
        for (std::size_t w = 0; w < words; ++w) bits_[w] = ~bits_[w];
        if (range.low > 0) {
            above_.resize(words);
            kernels().bits_above(rank, words, static_cast<std::uint16_t>(range.low - 1), above_.data());
            for (std::size_t w = 0; w < words; ++w) bits_[w] &= above_[w];
        }
    }
    if (view_->rows() % 64) bits_[words - 1] &= (std::uint64_t{1} << (view_->rows() % 64)) - 1;
    bits_[words] = 0;
    std::int32_t sum = 0;
    for (std::size_t w = 0; w <= words; ++w) {
        before_[w] = sum;
        sum += std::popcount(bits_[w]);
    }
    if (view_->table().loss->counts_rows())
        count_classes();
    else
        add_up();
}

void RootOrder::count_classes() {
    most_.clear();
    const std::size_t words = view_->words(), classes = rows_->answers().size();
    class_before_.resize((words + 2) * classes);
    for (std::size_t i = 0; i < classes; ++i) {
        const std::uint64_t* const own = view_->class_bits(g_, rows_->answers()[i]);
        std::int32_t of_class = 0;
        for (std::size_t w = 0; w < words; ++w) {
            class_before_[w * classes + i] = of_class;
            of_class += std::popcount(own[w] & bits_[w]);
        }
        class_before_[words * classes + i] = of_class;
    }
}

void RootOrder::add_up() {
    const CountedTable& table = view_->table();
    const std::size_t width = table.loss->width(), rows = static_cast<std::size_t>(rows_->rows());
    charge_.grow_to(*table.meter, (rows + 1) * (width + 1) * sizeof(Cost));
    most_.resize(rows + 1);
    sums_.resize((rows + 1) * width);
    most_[0] = 0;
    std::fill_n(sums_.begin(), width, Cost{0});
    std::size_t k = 0;
    for (std::size_t w = 0; w < view_->words(); ++w)
        for (std::uint64_t bits = bits_[w]; bits; bits &= bits - 1, ++k) {
            const Row row = view_->order(g_)[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
            most_[k + 1] = most_[k] + table.most(row);
            std::copy_n(&sums_[k * width], width, &sums_[(k + 1) * width]);
            table.loss->add(&sums_[(k + 1) * width], row);
        }
}

std::int32_t RootOrder::count(std::uint32_t position) const {
    const std::uint64_t mask = (std::uint64_t{1} << (position % 64)) - 1;
    return before_[position / 64] + std::popcount(bits_[position / 64] & mask);
}

std::uint32_t RootOrder::select(std::int32_t nth) const {
    const auto end = before_.begin() + static_cast<std::ptrdiff_t>(view_->words());
    const auto word =
        static_cast<std::size_t>(std::lower_bound(before_.begin(), end, nth) - before_.begin()) - 1;
    std::uint64_t bits = bits_[word];
    for (std::int32_t skip = nth - before_[word] - 1; skip > 0; --skip) bits &= bits - 1;
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

std::int32_t RootOrder::beyond(std::int32_t from, Cost excess) const {
    if (most_.empty())
        return static_cast<std::int32_t>(std::min<Cost>(from + excess / each_ + 1, rows_->rows()));
    const auto at = most_.begin() + from;
    return static_cast<std::int32_t>(std::upper_bound(at, most_.begin() + rows_->rows() + 1, *at + excess) -
                                     most_.begin());
}

std::int32_t RootOrder::before(std::int32_t from, Cost excess) const {
    if (most_.empty()) return static_cast<std::int32_t>(std::max<Cost>(from - excess / each_ - 1, 0));
    const auto at = most_.begin() + from;
    return static_cast<std::int32_t>(std::lower_bound(most_.begin(), at, *at - excess) - most_.begin()) - 1;
}

void RootOrder::answers(std::uint32_t position, std::int32_t rows, std::vector<Cost>& left,
                        std::vector<Cost>& right) {
    const ClassLoss& loss = *view_->table().loss;
    const std::size_t classes = loss.classes();
    side_.assign(classes, 0);
    if (loss.counts_rows()) {
        const std::vector<std::uint8_t>& some = rows_->answers();
        const std::size_t word = position / 64;
        const std::uint64_t mask = bits_[word] & ((std::uint64_t{1} << (position % 64)) - 1);
        for (std::size_t i = 0; i < some.size(); ++i) {
            std::int32_t count = class_before_[word * some.size() + i];
            if (mask) count += std::popcount(mask & view_->class_bits(g_, some[i])[word]);
            side_[some[i]] = count * loss.error_cost();
        }
    } else {
        std::copy_n(&sums_[static_cast<std::size_t>(rows) * classes], classes, side_.begin());
    }
    left.resize(classes);
    right.resize(classes);
    loss.answers(side_.data(), left.data());
    for (std::size_t c = 0; c < classes; ++c) side_[c] = rows_->stats()[c] - side_[c];
    loss.answers(side_.data(), right.data());
}

void RootOrder::slots(std::size_t test, std::uint32_t position, Cost& left, Cost& right) {
    const CountedTable& table = view_->table();
    const std::size_t width = table.loss->width(), count = table.slots[test];
    slot_left_.assign(count * width, 0);
    slot_right_.assign(count * width, 0);
    rows_left_.assign(count, 0);
    rows_right_.assign(count, 0);
    const std::uint16_t* const slot = view_->in_order(test, g_);
    for (std::size_t w = 0; w < view_->words(); ++w)
        for (std::uint64_t bits = bits_[w]; bits; bits &= bits - 1) {
            const std::size_t place = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            const bool on_left = place < position;
            ++(on_left ? rows_left_ : rows_right_)[slot[place]];
            table.loss->add(&(on_left ? slot_left_ : slot_right_)[slot[place] * width],
                            view_->order(g_)[place]);
        }
    left = rows_->of_slots(slot_left_, rows_left_);
    right = rows_->of_slots(slot_right_, rows_right_);
}

}  // namespace branchwork::optimal
