#include "core/sorted_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <memory>

namespace branchwork {
namespace {

/// An unsigned integer with the order of the cell's value. -0.0 and 0.0 are one value.
template <class T>
std::uint64_t ordered_key(T cell) {
    if constexpr (std::same_as<T, float>) {
        const auto bits = std::bit_cast<std::uint32_t>(cell + 0.0F);
        return bits >> 31 ? ~bits : bits | 0x8000'0000U;
    } else if constexpr (std::same_as<T, double>) {
        const auto bits = std::bit_cast<std::uint64_t>(cell + 0.0);
        return bits >> 63 ? ~bits : bits | 0x8000'0000'0000'0000U;
    } else if constexpr (std::signed_integral<T>) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(cell)) ^ 0x8000'0000'0000'0000U;
    } else {
        return cell;
    }
}

template <class T>
bool is_missing(T cell) {
    if constexpr (std::floating_point<T>) return std::isnan(cell);
    else return false;
}

struct Keyed {
    std::uint32_t key;  // the leading 32 bits of (key - smallest key)
    Row row;
};

/// Stable least-significant-digit radix sort on the lowest `bits` bits of the key, at most 11 bits a pass.
void radix_sort(std::vector<Keyed>& items, int bits, const Pulse& pulse, std::int64_t& visits) {
    constexpr int widest = 11;
    const std::size_t n = items.size();
    const int passes = (bits + widest - 1) / widest;
    if (passes == 0) return;
    const int width = (bits + passes - 1) / passes;
    const std::uint32_t mask = (1U << width) - 1;

    std::array<std::vector<std::size_t>, 3> begins;  // where each digit's items go, for each pass
    for (int p = 0; p < passes; ++p) begins[static_cast<std::size_t>(p)].assign(std::size_t{1} << width, 0);
    in_blocks(n, pulse, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int p = 0; p < passes; ++p)
                ++begins[static_cast<std::size_t>(p)][(items[i].key >> (p * width)) & mask];
    });
    const auto spare = std::make_unique_for_overwrite<Keyed[]>(n);
    Keyed* from = items.data();
    Keyed* to = spare.get();
    for (int p = 0; p < passes; ++p) {
        std::vector<std::size_t>& begin_of = begins[static_cast<std::size_t>(p)];
        std::size_t sum = 0;
        for (std::size_t& count : begin_of) sum += std::exchange(count, sum);
        in_blocks(n, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) to[begin_of[(from[i].key >> (p * width)) & mask]++] = from[i];
        });
        std::swap(from, to);
    }
    if (from != items.data()) std::copy(from, from + n, items.data());
    visits += static_cast<std::int64_t>(n) * (passes + 1);
}

}  // namespace

std::vector<Entry> sort_column(const Column& column, std::size_t rows, const Pulse& pulse, std::int64_t& visits) {
    // 1. Keys of the known cells, and their range.
    std::vector<std::uint64_t> keys(rows);
    std::vector<Row> missing;
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 0;
    with_cells(column, [&](auto cells) {
        in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                const auto cell = cells[row];
                if (is_missing(cell)) {
                    missing.push_back(static_cast<Row>(row));
                    continue;
                }
                keys[row] = ordered_key(cell);
                smallest = std::min(smallest, keys[row]);
                largest = std::max(largest, keys[row]);
            }
        });
    });
    visits += static_cast<std::int64_t>(rows);
    const std::size_t known = rows - missing.size();

    // 2. Sort by the leading 32 bits of what lies between the smallest and the largest key.
    const std::uint64_t range = known > 0 ? largest - smallest : 0;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - 32);
    std::vector<Keyed> items(known);
    {
        std::size_t i = 0;
        std::size_t next_missing = 0;
        in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                if (next_missing < missing.size() && missing[next_missing] == row) {
                    ++next_missing;
                    continue;
                }
                items[i++] = {static_cast<std::uint32_t>((keys[row] - smallest) >> shift), static_cast<Row>(row)};
            }
        });
    }
    radix_sort(items, static_cast<int>(std::bit_width(range >> shift)), pulse, visits);

    // 3. Keys that agree in those 32 bits and differ below: sort each such run by the whole key.
    if (shift > 0) {
        const auto by_key_then_row = [&keys](const Keyed& a, const Keyed& b) {
            return keys[a.row] != keys[b.row] ? keys[a.row] < keys[b.row] : a.row < b.row;
        };
        for (std::size_t begin = 0; begin < known;) {
            if (begin % 4096 == 0) pulse.check();
            std::size_t end = begin + 1;
            bool differ = false;
            for (; end < known && items[end].key == items[begin].key; ++end)
                differ |= keys[items[end].row] != keys[items[begin].row];
            if (differ) {
                const auto first = items.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto last = items.begin() + static_cast<std::ptrdiff_t>(end);
                std::sort(first, last, by_key_then_row);
                visits += static_cast<std::int64_t>(end - begin) * std::bit_width(end - begin);
            }
            begin = end;
        }
    }

    // 4. Dense ranks.
    std::vector<Entry> entries(rows);
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < known; ++i) {
        if (i > 0 && (items[i].key != items[i - 1].key ||
                      (shift > 0 && keys[items[i].row] != keys[items[i - 1].row])))
            ++rank;
        entries[i] = {items[i].row, rank};
    }
    for (std::size_t i = 0; i < missing.size(); ++i) entries[known + i] = {missing[i], missing_rank};
    return entries;
}

}  // namespace branchwork
