#include "core/sorted_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <utility>

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
    if constexpr (std::floating_point<T>)
        return std::isnan(cell);
    else
        return false;
}

/// Stable least-significant-digit radix sort of the first n entries on the lowest `bits` bits of their ranks,
/// at most 11 bits a pass. `begins` holds a histogram for each pass.
constexpr int widest_digit = 8;

struct Digits {
    int passes, width;
    std::uint32_t mask;
    std::array<std::array<std::uint32_t, std::size_t{1} << widest_digit>, 4> begins{};

    explicit Digits(int bits)
        : passes((bits + widest_digit - 1) / widest_digit),
          width(passes > 0 ? (bits + passes - 1) / passes : 0),
          mask((1U << width) - 1) {}
    std::uint32_t digit(std::uint32_t key, int pass) const { return (key >> (pass * width)) & mask; }
    void count(std::uint32_t key) {
        for (int p = 0; p < passes; ++p) ++begins[static_cast<std::size_t>(p)][digit(key, p)];
    }
};

void radix_sort(std::vector<Entry>& entries, std::size_t n, std::vector<Entry>& spare, Digits& digits,
                const Pulse& pulse) {
    for (int p = 0; p < digits.passes; ++p) {
        auto& next = digits.begins[static_cast<std::size_t>(p)];
        std::uint32_t sum = 0;
        for (std::uint32_t& count : next) sum += std::exchange(count, sum);
        const Entry* from = entries.data();
        Entry* to = spare.data();
        in_blocks(n, pulse, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) to[next[digits.digit(from[i].rank, p)]++] = from[i];
        });
        entries.swap(spare);
    }
}

}  // namespace

void sort_column(const Column& column, std::size_t rows, const Tags& tags, std::vector<Entry>& entries,
                 SortSpace& space, const Pulse& pulse, std::int64_t& visits) {
    entries.resize(rows);
    space.keys.resize(rows);
    space.spare.resize(rows);
    std::uint64_t* const keys = space.keys.data();

    // 1. Keys of the known cells, and their range. A missing cell has no key of its own: it is noted by its
    // row.
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
    const std::size_t known = rows - missing.size();

    // 2. Sort by the leading 32 bits of what lies between the smallest and the largest key; `rank` holds them
    // so long.
    const std::uint64_t range = known > 0 ? largest - smallest : 0;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - 32);
    Digits digits(static_cast<int>(std::bit_width(range >> shift)));
    std::size_t filled = 0;
    auto next_missing = missing.begin();
    in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            if (next_missing != missing.end() && *next_missing == row) {
                ++next_missing;
                continue;
            }
            const auto key = static_cast<std::uint32_t>((keys[row] - smallest) >> shift);
            digits.count(key);
            entries[filled++] = {tags.make(static_cast<Row>(row)), key};
        }
    });
    radix_sort(entries, known, space.spare, digits, pulse);
    visits += static_cast<std::int64_t>(rows) * (digits.passes + 2);

    // 3. Keys that agree in those 32 bits and differ below: sort each such run by the whole key.
    if (shift > 0) {
        const auto by_key_then_row = [keys, &tags](const Entry& a, const Entry& b) {
            const Row p = tags.row(a.tag);
            const Row q = tags.row(b.tag);
            return keys[p] != keys[q] ? keys[p] < keys[q] : p < q;
        };
        for (std::size_t begin = 0; begin < known;) {
            if (begin % 4096 == 0) pulse.check();
            std::size_t end = begin + 1;
            bool differ = false;
            for (; end < known && entries[end].rank == entries[begin].rank; ++end)
                differ |= keys[tags.row(entries[end].tag)] != keys[tags.row(entries[begin].tag)];
            if (differ) {
                std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                          entries.begin() + static_cast<std::ptrdiff_t>(end), by_key_then_row);
                visits += static_cast<std::int64_t>(end - begin) * std::bit_width(end - begin);
            }
            begin = end;
        }
    }

    // 4. Dense ranks in place of keys.
    std::uint32_t rank = 0;
    std::uint32_t key = known > 0 ? entries[0].rank : 0;
    for (std::size_t i = 0; i < known; ++i) {
        const std::uint32_t key_here = entries[i].rank;
        const bool new_value =
            i > 0 && (key_here != key ||
                      (shift > 0 && keys[tags.row(entries[i].tag)] != keys[tags.row(entries[i - 1].tag)]));
        rank += new_value;
        key = key_here;
        entries[i].rank = rank;
    }
    for (std::size_t i = 0; i < missing.size(); ++i)
        entries[known + i] = {tags.make(missing[i]), Entry::missing};
}

}  // namespace branchwork
