#include "core/optimal/counted_view.hpp"

#include <algorithm>
#include <bit>

#include "core/kernels/kernels.hpp"

namespace branchwork::optimal {
namespace {

constexpr std::size_t most_buckets = 255;

/// The memory of a view without its tables of ranks: two orders, labels, ties, and one bit per row and class.
std::size_t bytes_of(const CountedTable& table, std::size_t tests, std::size_t rows) {
    return tests * rows * (sizeof(Row) * 2 + 2) + tests * rows * table.classes() / 8 + tests * 1024;
}

}  // namespace

CountedView::CountedView(const CountedTable& table, std::vector<std::vector<Row>> order)
    : table_(table),
      order_(std::move(order)),
      rows_(order_[0].size()),
      blocks_((rows_ + rows_per_block - 1) / rows_per_block),
      has_ties_(order_.size()),
      buckets_(order_.size()),
      bucket_ends_(order_.size()),
      coarse_(order_.size() * order_.size()),
      fine_(coarse_.made.size()),
      in_order_(coarse_.made.size()) {
    charge_.add(*table_.meter, bytes_of(table, order_.size(), rows_));
    slot_row_.resize(order_.size());
    labels_.resize(order_.size() * slots());
    tied_.resize(labels_.size());
    class_bits_.assign(order_.size() * table.classes() * words(), 0);
    for (std::size_t h = 0; h < order_.size(); ++h) {
        table_.watch->check();
        lay_out(h);
        make_buckets(h);
    }
    for (const Row row : order_[0]) key_.add(row);
}

void CountedView::lay_out(std::size_t h) {
    const std::vector<Row>& rows = order_[h];
    const std::uint16_t* const rank = table_.ranks(h);
    slot_row_[h].assign(slots(), static_cast<Row>(table_.rows));
    std::uint8_t* const label = &labels_[h * slots()];
    std::uint8_t* const tied = &tied_[h * slots()];
    std::fill_n(label, slots(), outside);
    bool any = false;
    for (std::size_t lane = 0, k = 0; lane < rows_per_block; ++lane) {
        for (std::size_t v = 0; v < blocks_ && k < rows_; ++v, ++k) {
            const std::size_t slot = v * rows_per_block + lane;
            slot_row_[h][slot] = rows[k];
            label[slot] = table_.label[rows[k]];
            if (k + 1 < rows_ && rank[rows[k]] == rank[rows[k + 1]]) tied[slot] = 255, any = true;
            class_bits_[(h * table_.classes() + label[slot]) * words() + k / 64] |= std::uint64_t{1}
                                                                                    << (k % 64);
        }
    }
    has_ties_[h] = any;
}

/// Groups the values of a test into at most 255 buckets with about equally many rows. With at most 255 values, each has
/// its own bucket.
void CountedView::make_buckets(std::size_t h) {
    const std::vector<Row>& rows = order_[h];
    const std::uint16_t* const rank = table_.ranks(h);
    std::size_t distinct = 1;
    for (std::size_t k = 1; k < rows_; ++k) distinct += rank[rows[k]] != rank[rows[k - 1]];
    const bool one_each = distinct <= most_buckets;
    std::vector<std::uint8_t>& bucket = buckets_[h];
    bucket.resize(rank[rows[rows_ - 1]] + std::size_t{1});
    std::size_t now = 0, filled = 0, left = rows_, next = 0;
    std::size_t quota = one_each ? 1 : (rows_ + most_buckets - 1) / most_buckets;
    for (std::size_t k = 0; k < rows_;) {
        std::size_t end = k + 1;
        while (end < rows_ && rank[rows[end]] == rank[rows[k]]) ++end;
        if (k > 0 && filled >= quota && now + 1 < most_buckets) {
            ++now;
            filled = 0;
            quota = one_each ? 1 : (left + most_buckets - 1 - now) / (most_buckets - now);
        }
        for (; next <= rank[rows[k]]; ++next) bucket[next] = static_cast<std::uint8_t>(now);
        filled += end - k;
        left -= end - k;
        k = end;
        bucket_ends_[h].resize(now + 1);
        bucket_ends_[h][now] = static_cast<std::uint32_t>(k);
    }
}

template <class T, class Make>
const T* CountedView::lazily(Lazy<T>& tables, std::size_t g, std::size_t h, std::size_t size,
                             Make make) const {
    const std::size_t at = g * order_.size() + h;
    if (const T* const known = tables.ready[at].load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(mutex_);
    if (!tables.made[at]) {
        table_.watch->check();
        charge_.add(*table_.meter, size * sizeof(T));
        auto table = std::make_unique_for_overwrite<T[]>(size);
        make(table.get());
        tables.made[at] = std::move(table);
        tables.ready[at].store(tables.made[at].get(), std::memory_order_release);
    }
    return tables.made[at].get();
}

const std::int8_t* CountedView::coarse(std::size_t g, std::size_t h) const {
    return lazily(coarse_, g, h, slots(), [&](std::int8_t* out) {
        const std::uint16_t* const rank = table_.ranks(g);
        const std::vector<std::uint8_t>& bucket = buckets_[g];
        for (std::size_t s = 0; s < slots(); ++s) {
            const Row row = slot_row_[h][s];
            out[s] =
                row == table_.rows ? std::int8_t{127} : static_cast<std::int8_t>(bucket[rank[row]] ^ 0x80);
        }
    });
}

const std::int16_t* CountedView::fine(std::size_t g, std::size_t h) const {
    return lazily(fine_, g, h, slots(), [&](std::int16_t* out) {
        const std::uint16_t* const rank = table_.ranks(g);
        for (std::size_t v = 0; v < blocks_; ++v)
            for (std::size_t lane = 0; lane < rows_per_block; ++lane)
                out[v * rows_per_block + wide_slot(lane)] =
                    static_cast<std::int16_t>(rank[slot_row_[h][v * rows_per_block + lane]] ^ 0x8000);
    });
}

const std::uint16_t* CountedView::in_order(std::size_t g, std::size_t h) const {
    return lazily(in_order_, g, h, words() * 64, [&](std::uint16_t* out) {
        const std::uint16_t* const rank = table_.ranks(g);
        for (std::size_t k = 0; k < rows_; ++k) out[k] = rank[order_[h][k]];
        std::fill(out + rows_, out + words() * 64, padding);
    });
}

std::pair<std::uint32_t, std::uint32_t> CountedView::places(std::size_t test, std::uint16_t low,
                                                            std::uint16_t high) const {
    const std::uint16_t* const rank = in_order(test, test);
    const std::uint16_t* const end = rank + rows_;
    return {static_cast<std::uint32_t>(std::lower_bound(rank, end, low) - rank),
            static_cast<std::uint32_t>(std::upper_bound(rank, end, high) - rank)};
}

void CountedView::add_between(std::size_t h, std::uint32_t begin, std::uint32_t end, Cost* stats) const {
    const ClassLoss& loss = *table_.loss;
    if (!loss.counts_rows()) {
        for (std::uint32_t k = begin; k < end; ++k) loss.add(stats, order_[h][k]);
        return;
    }
    const auto below = [](const std::uint64_t* bits, std::uint32_t place) {
        Cost sum = 0;
        for (std::size_t w = 0; w < place / 64; ++w) sum += std::popcount(bits[w]);
        if (place % 64) sum += std::popcount(bits[place / 64] & ((std::uint64_t{1} << (place % 64)) - 1));
        return sum;
    };
    for (std::size_t c = 0; c < table_.classes(); ++c) {
        const std::uint64_t* const bits = class_bits(h, c);
        stats[c] += (below(bits, end) - below(bits, begin)) * loss.error_cost();
    }
}

std::unique_ptr<CountedView> CountedView::part(std::size_t g, std::uint16_t low, std::uint16_t high) const {
    const std::uint16_t* const ranks = table_.ranks(g);
    std::vector<std::vector<Row>> order(order_.size());
    for (std::size_t h = 0; h < order_.size(); ++h) {
        table_.watch->check();
        order[h].resize(rows_);
        std::size_t n = 0;
        for (const Row row : order_[h]) {
            order[h][n] = row;
            n += ranks[row] >= low && ranks[row] <= high;
        }
        order[h].resize(n);
    }
    return std::make_unique<CountedView>(table_, std::move(order));
}

}  // namespace branchwork::optimal
