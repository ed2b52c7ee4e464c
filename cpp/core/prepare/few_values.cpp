#include "core/prepare/few_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

namespace branchwork {
namespace {

/// A set of numbers in order of appearance. Small integers, the usual case, are looked up in a table; other numbers are
/// found by hashing their bits.
class NumberSet {
  public:
    explicit NumberSet(std::size_t most)
        : most_(most), whole_(2 * most_whole, 0), slots_(std::bit_ceil(4 * most + 1), 0) {}

    /// Returns 1 + the index of a number, adding it if it is new; 0 if there are more than `most` numbers.
    template <class T>
    std::uint16_t place(T number) {
        if (!(number < most_whole && number > -most_whole)) return hashed(static_cast<double>(number));
        const auto whole = static_cast<std::int32_t>(number);
        if (static_cast<T>(whole) != number) return hashed(static_cast<double>(number));
        std::uint16_t& place = whole_[static_cast<std::size_t>(whole + most_whole)];
        if (place == 0) place = hashed(static_cast<double>(number));
        return place;
    }
    std::size_t size() const { return seen_.size(); }
    double number(std::size_t k) const { return std::bit_cast<double>(seen_[k]); }

  private:
    static constexpr std::int32_t most_whole = 4096;

    std::uint16_t hashed(double number) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 and 0.0 are one number
        std::size_t at = (bits * 0x9E37'79B9'7F4A'7C15U >> 32) & (slots_.size() - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
            if (seen_[slots_[at] - 1U] == bits) return slots_[at];
        if (seen_.size() == most_) return 0;
        seen_.push_back(bits);
        return slots_[at] = static_cast<std::uint16_t>(seen_.size());
    }

    std::size_t most_;
    std::vector<std::uint16_t> whole_, slots_;
    std::vector<std::uint64_t> seen_;
};

/// Whether nearly all of 64 evenly spaced cells differ. Then the feature is assumed to have many values, without
/// reading the other cells. A wrong guess only costs time: the feature is sorted instead of counted. With 256 equally
/// frequent values, about eight of 64 cells repeat another one.
template <class Cell>
bool seem_many(Cells<Cell> cells, std::size_t count, std::span<const Row> cell_row, std::size_t most) {
    constexpr std::size_t looked_at = 64, most_repeated = 3;
    if (most < 2 * looked_at || count < 2 * looked_at) return false;
    std::array<double, looked_at> numbers;
    for (std::size_t k = 0; k < looked_at; ++k) {
        const std::size_t i = k * count / looked_at;
        numbers[k] = static_cast<double>(cells[cell_row.empty() ? i : cell_row[i]]);
        if (is_missing(numbers[k])) return false;
    }
    std::ranges::sort(numbers);
    std::size_t repeated = 0;
    for (std::size_t k = 1; k < looked_at; ++k) repeated += numbers[k] == numbers[k - 1];
    return repeated <= most_repeated;
}

/// Codes the cells of a feature that has two values, the usual case of few, without looking any of them up. Returns
/// false if there are more or fewer, or if one is missing. A loop over a block has no branches.
template <class Cell>
bool code_two(Cells<Cell> cells, std::span<const Row> cell_row, const Pulse& pulse, FewValues& out) {
    const auto cell_at = [&](std::size_t i) { return cells[cell_row.empty() ? i : cell_row[i]]; };
    const std::size_t count = out.codes.size();
    std::size_t other = 1;
    while (other < count && cell_at(other) == cell_at(0)) ++other;
    if (other >= count) return false;
    const Cell low = std::min(cell_at(0), cell_at(other)), high = std::max(cell_at(0), cell_at(other));
    if (!(low < high)) return false;  // one of them is missing
    constexpr std::size_t block = 4096;
    for (std::size_t begin = 0; begin < count; begin += block) {
        pulse.check();
        bool two = true;
        for (std::size_t i = begin; i < std::min(count, begin + block); ++i) {
            const Cell cell = cell_at(i);
            two &= (cell == low) | (cell == high);
            out.codes[i] = static_cast<std::uint16_t>(1 + (cell == high));
        }
        if (!two) return false;
    }
    out.values = {static_cast<double>(low) + 0.0, static_cast<double>(high) + 0.0};
    return true;
}

/// Renumbers the codes from order of appearance to order of value.
void put_in_order(const NumberSet& seen, FewValues& out) {
    std::vector<std::size_t> order(seen.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) { return seen.number(k); });
    std::vector<std::uint16_t> code(seen.size() + 1, 0);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        out.values.push_back(seen.number(order[rank]));
        code[order[rank] + 1] = static_cast<std::uint16_t>(rank + 1);
    }
    if (!std::ranges::is_sorted(code))
        for (std::uint16_t& place : out.codes) place = code[place];
}

}  // namespace

std::optional<FewValues> few_values(const Column& column, std::size_t rows, std::span<const Row> cell_row,
                                    std::size_t most, const Pulse& pulse) {
    if (most == 0) return std::nullopt;
    const std::size_t count = cell_row.empty() ? rows : cell_row.size();
    if (with_cells(column, [&](auto cells) { return seem_many(cells, count, cell_row, most); }))
        return std::nullopt;
    FewValues out;
    NumberSet seen(most);
    const bool few = with_cells(column, [&](auto cells) {
        using Cell = decltype(cells[0]);
        using Number = std::conditional_t<std::integral<Cell>, std::int64_t, Cell>;
        out.codes.resize(count);
        if (most >= 2 && code_two(cells, cell_row, pulse, out)) return true;
        std::ranges::fill(out.codes, std::uint16_t{0});
        bool fits = true;
        constexpr std::size_t block = 512;  // a feature with many values exceeds `most` within a few blocks
        for (std::size_t begin = 0; begin < count && fits; begin += block) {
            pulse.check();
            for (std::size_t i = begin; i < std::min(count, begin + block); ++i) {
                const Cell cell = cells[cell_row.empty() ? i : cell_row[i]];
                if (is_missing(cell)) {
                    out.has_missing = true;  // code 0
                    continue;
                }
                out.codes[i] = seen.place(static_cast<Number>(cell));
                fits &= out.codes[i] != 0;
            }
        }
        return fits;
    });
    if (!few) return std::nullopt;
    if (out.values.empty()) put_in_order(seen, out);
    return out;
}

std::optional<FewValues> few_values(const Column& column, const PreparedColumn& prepared,
                                    std::span<const Row> cell_row, std::size_t most, const Pulse& pulse) {
    if (prepared.distinct() > most) return std::nullopt;
    FewValues out;
    std::vector<std::uint16_t> code(prepared.distinct() + 1, 0);  // code of rank - 1; 0: no row has this rank
    std::visit(
        [&]<class Rank>(const std::vector<Rank>& rank) {
            out.codes.resize(cell_row.empty() ? rank.size() : cell_row.size());
            in_blocks(out.codes.size(), pulse, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const Rank here = rank[cell_row.empty() ? i : cell_row[i]];
                    out.codes[i] = here == std::numeric_limits<Rank>::max()
                                       ? std::uint16_t{0}
                                       : static_cast<std::uint16_t>(here + 1);
                }
            });
        },
        prepared.rank);
    for (const std::uint16_t place : out.codes) code[place] = 1;
    out.has_missing = std::exchange(code[0], 0) != 0;
    for (std::size_t rank = 0; rank < prepared.distinct(); ++rank) {
        if (code[rank + 1] == 0) continue;
        out.values.push_back(number_at(column, prepared.row_of_rank[rank]) + 0.0);
        code[rank + 1] = static_cast<std::uint16_t>(out.values.size());
    }
    if (out.values.size() < prepared.distinct())
        for (std::uint16_t& place : out.codes) place = code[place];
    return out;
}

}  // namespace branchwork
