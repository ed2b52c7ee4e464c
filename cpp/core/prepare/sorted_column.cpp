#include "core/prepare/sorted_column.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <utility>

namespace branchwork {
namespace {

/// Returns an unsigned integer that is ordered like the value of the cell, of 32 bits if that is enough. -0.0 and 0.0
/// have the same key.
template <class T>
auto ordered_key(T cell) {
    if constexpr (std::same_as<T, float>) {
        const auto bits = std::bit_cast<std::uint32_t>(cell + 0.0F);
        return bits >> 31 ? ~bits : bits | 0x8000'0000U;
    } else if constexpr (std::same_as<T, double>) {
        const auto bits = std::bit_cast<std::uint64_t>(cell + 0.0);
        return bits >> 63 ? ~bits : bits | 0x8000'0000'0000'0000U;
    } else if constexpr (sizeof(T) <= 4) {
        return static_cast<std::uint32_t>(cell) ^ (std::signed_integral<T> ? 0x8000'0000U : 0U);
    } else {
        return static_cast<std::uint64_t>(cell) ^ (std::signed_integral<T> ? 0x8000'0000'0000'0000U : 0U);
    }
}

/// A stable radix sort of entries by the lowest bits of their ranks. With many bits, entries are first distributed into
/// buckets by the leading bits, so that the rest is done within the cache:
///
///     leading bits    [ .  .  . | . |  .  .  .  .  . |  . ]     one pass over all entries
///     other bits        3 passes       3 passes                 per bucket; insertion sort if it is small
///
/// If there are few entries, there are about as many buckets as entries.
class RadixSort {
  public:
    RadixSort(std::vector<Entry>& entries, std::vector<Entry>& spare, const Pulse& pulse)
        : entries_(entries), spare_(spare), pulse_(pulse) {}

    /// Returns how many times each entry was read.
    int sort(std::size_t n, int bits) {
        if (bits <= passes_below * digit_bits) {
            const int passes = (bits + digit_bits - 1) / digit_bits;
            sort_digits(entries_.data(), spare_.data(), n, passes);
            if (passes % 2 == 1) entries_.swap(spare_);
            return passes + 1;
        }
        const bool small = n < std::size_t{1} << (bits - passes_below * digit_bits);
        const int shift = small ? bits - static_cast<int>(std::bit_width(n)) : passes_below * digit_bits;
        std::vector<std::uint32_t> begins((std::size_t{1} << (bits - shift)) + 1, 0);
        for (std::size_t i = 0; i < n; ++i) ++begins[(entries_[i].rank >> shift) + 1];
        for (std::size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
        std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
        in_blocks(n, pulse_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) spare_[next[entries_[i].rank >> shift]++] = entries_[i];
        });
        for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
            const std::size_t count = begins[k + 1] - begins[k];
            if (count == 0) continue;
            Entry* const from = spare_.data() + begins[k];
            Entry* const to = entries_.data() + begins[k];
            if (count <= few) {
                insert(from, to, count);
            } else if (small) {
                std::copy(from, from + count, to);
                std::stable_sort(to, to + count,
                                 [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
            } else {
                sort_digits(from, to, count, passes_below);
            }
        }
        return passes_below + 3;
    }

  private:
    static constexpr int digit_bits = 7, passes_below = 3;  // an odd number, so that the result is in `to`
    static constexpr std::size_t few = 24;
    using Counts = std::array<std::uint32_t, std::size_t{1} << digit_bits>;

    static std::uint32_t digit(const Entry& e, int pass) {
        return (e.rank >> (pass * digit_bits)) & ((1U << digit_bits) - 1);
    }
    /// Sorts from the least significant digit to the most significant, moving back and forth between the two arrays.
    void sort_digits(Entry* from, Entry* to, std::size_t n, int passes) const {
        std::array<Counts, passes_below> next{};
        for (std::size_t i = 0; i < n; ++i)
            for (int p = 0; p < passes; ++p) ++next[static_cast<std::size_t>(p)][digit(from[i], p)];
        for (int p = 0; p < passes; ++p) {
            std::uint32_t sum = 0;
            Counts& begins = next[static_cast<std::size_t>(p)];
            for (std::uint32_t& count : begins) sum += std::exchange(count, sum);
            in_blocks(n, pulse_, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) to[begins[digit(from[i], p)]++] = from[i];
            });
            std::swap(from, to);
        }
    }
    static void insert(const Entry* from, Entry* to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t at = i;
            for (; at > 0 && from[i].rank < to[at - 1].rank; --at) to[at] = to[at - 1];
            to[at] = from[i];
        }
    }

    std::vector<Entry>& entries_;
    std::vector<Entry>& spare_;
    const Pulse& pulse_;
};

/// Writes an entry for each row with a known value, in table order, with its key as rank. Collects the other rows in
/// `missing`.
template <class T, class KeepKey>
std::size_t read_cells(Cells<T> cells, std::size_t rows, const Tags& tags, std::vector<Entry>& entries,
                       std::vector<Row>& missing, const Pulse& pulse, KeepKey keep) {
    std::size_t filled = 0;
    in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const T cell = cells[row];
            if (is_missing(cell))
                missing.push_back(static_cast<Row>(row));
            else
                entries[filled++] = {tags.make(static_cast<Row>(row)), keep(row, ordered_key(cell))};
        }
    });
    return filled;
}

/// Sorts each run of entries whose keys agree in the leading 32 bits but not in all bits by the whole key.
void sort_runs(std::span<Entry> entries, const std::uint64_t* keys, const Tags& tags, const Pulse& pulse,
               std::int64_t& visits) {
    const auto by_key_then_row = [keys, &tags](const Entry& a, const Entry& b) {
        const Row p = tags.row(a.tag);
        const Row q = tags.row(b.tag);
        return keys[p] != keys[q] ? keys[p] < keys[q] : p < q;
    };
    constexpr std::size_t few_rows = std::size_t{1} << 17;
    std::size_t next_check = 0;
    for (std::size_t begin = 0; begin < entries.size();) {
        if (begin >= next_check) {
            pulse.check();
            next_check = begin + 65'536;
        }
        std::size_t end = begin + 1;
        bool differ = false;
        for (; end < entries.size() && entries[end].rank == entries[begin].rank; ++end)
            differ |= keys[tags.row(entries[end].tag)] != keys[tags.row(entries[begin].tag)];
        if (differ) {
            const std::span<Entry> run = entries.subspan(begin, end - begin);
            if (run.size() <= few_rows)
                std::sort(run.begin(), run.end(), by_key_then_row);
            else
                sort_in_blocks(run, pulse, by_key_then_row);
            visits += static_cast<std::int64_t>((end - begin) *
                                                static_cast<std::size_t>(std::bit_width(end - begin)));
        }
        begin = end;
    }
}

/// Replaces keys by dense ranks. `differ(a, b)` says whether two neighbours with the same key have different values.
template <class Differ>
void make_ranks(std::span<Entry> entries, const Pulse& pulse, Differ differ) {
    std::uint32_t rank = 0;
    std::uint32_t key = entries.empty() ? 0 : entries[0].rank;
    for (std::size_t i = 1; i < entries.size(); ++i) {
        if (i % 65'536 == 0) pulse.check();
        const std::uint32_t key_here = entries[i].rank;
        rank += key_here != key || differ(entries[i - 1], entries[i]);
        key = key_here;
        entries[i].rank = rank;
    }
    if (!entries.empty()) entries[0].rank = 0;
}

}  // namespace

void sort_column(const Column& column, std::size_t rows, const Tags& tags, std::vector<Entry>& entries,
                 SortSpace& space, const Pulse& pulse, std::int64_t& visits) {
    entries.resize(rows);
    space.spare.resize(rows);
    std::vector<Row> missing;
    const std::size_t known = with_cells(column, [&]<class T>(Cells<T> cells) {
        using Key = decltype(ordered_key(T{}));
        Key smallest = std::numeric_limits<Key>::max(), largest = 0;
        const auto see = [&](Key key) {
            smallest = std::min(smallest, key), largest = std::max(largest, key);
        };
        if constexpr (sizeof(Key) == 4) {
            const std::size_t count =
                read_cells(cells, rows, tags, entries, missing, pulse, [&](std::size_t, Key key) {
                    see(key);
                    return key;
                });
            const std::span<Entry> filled = std::span(entries).first(count);
            for (Entry& e : filled) e.rank -= smallest;
            const int bits = count > 0 ? static_cast<int>(std::bit_width(largest - smallest)) : 0;
            const int looks = RadixSort(entries, space.spare, pulse).sort(count, bits);
            visits += static_cast<std::int64_t>(rows) * looks;
            make_ranks(std::span(entries).first(count), pulse,
                       [](const Entry&, const Entry&) { return false; });
            return count;
        } else {
            // Keys of 64 bits are sorted by the leading 32 bits of their distance from the smallest key.
            space.keys.resize(rows);
            std::uint64_t* const keys = space.keys.data();
            const std::size_t count =
                read_cells(cells, rows, tags, entries, missing, pulse, [&](std::size_t row, Key key) {
                    keys[row] = key;
                    see(key);
                    return 0U;
                });
            const std::uint64_t range = count > 0 ? largest - smallest : 0;
            const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - 32);
            for (Entry& e : std::span(entries).first(count))
                e.rank = static_cast<std::uint32_t>((keys[tags.row(e.tag)] - smallest) >> shift);
            const int bits = static_cast<int>(std::bit_width(range >> shift));
            const int looks = RadixSort(entries, space.spare, pulse).sort(count, bits);
            visits += static_cast<std::int64_t>(rows) * (looks + 1);
            const std::span<Entry> sorted = std::span(entries).first(count);
            if (shift > 0) sort_runs(sorted, keys, tags, pulse, visits);
            make_ranks(sorted, pulse, [&](const Entry& a, const Entry& b) {
                return shift > 0 && keys[tags.row(a.tag)] != keys[tags.row(b.tag)];
            });
            return count;
        }
    });
    for (std::size_t i = 0; i < missing.size(); ++i)
        entries[known + i] = {tags.make(missing[i]), Entry::missing};
}

}  // namespace branchwork
