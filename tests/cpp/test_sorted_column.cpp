// A sorted column is what std::stable_sort makes of it: each type of cell, with NaN, infinities and both zeros.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "chance.hpp"
#include "core/prepare/sorted_column.hpp"

namespace branchwork {
namespace {

template <class T>
constexpr CellType type_of() {
    if constexpr (std::is_same_v<T, float>) return CellType::f32;
    if constexpr (std::is_same_v<T, double>) return CellType::f64;
    if constexpr (std::is_same_v<T, std::int8_t>) return CellType::i8;
    if constexpr (std::is_same_v<T, std::int16_t>) return CellType::i16;
    if constexpr (std::is_same_v<T, std::int32_t>) return CellType::i32;
    if constexpr (std::is_same_v<T, std::int64_t>) return CellType::i64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return CellType::u8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return CellType::u16;
    if constexpr (std::is_same_v<T, std::uint32_t>) return CellType::u32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return CellType::u64;
}

/// Cells that are hard to sort: extremes, neighbours that differ in the last bit, all bits at random, many equal ones.
template <class T>
T cell(Chance& chance, std::size_t kind) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
        if (kind == 0) return static_cast<T>(chance.share() - 0.5);
        if (kind == 1) {
            const std::vector<T> odd{Limits::quiet_NaN(),
                                     -Limits::quiet_NaN(),
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     T{0},
                                     -T{0},
                                     Limits::denorm_min(),
                                     -Limits::denorm_min(),
                                     Limits::max(),
                                     Limits::lowest(),
                                     T{1},
                                     -T{1}};
            return chance.one_of(odd);
        }
        if (kind == 2) {  // neighbours: they differ only in bits that a first look does not see
            T x = 1;
            for (std::size_t k = chance.below(5); k > 0; --k) x = std::nextafter(x, T{2});
            return chance.once_in(100) ? static_cast<T>(1e30) : x;
        }
        return static_cast<T>(chance.below(7));
    } else {
        if (kind == 0) return static_cast<T>(chance.bits());
        if (kind == 1) return chance.one_of(std::vector<T>{Limits::min(), Limits::max(), T{0}, T{1}});
        if (kind == 2) return static_cast<T>(Limits::max() - static_cast<T>(chance.below(3)));
        return static_cast<T>(chance.below(7));
    }
}

template <class T>
bool is_nan(T cell) {
    return cell != cell;
}

/// Checks order, ranks and tags of one column; cells lie `step` places apart.
template <class T>
void check_column(const std::vector<T>& cells, std::size_t step, bool with_classes, SortSpace& space) {
    const std::size_t rows = cells.size() / step;
    const auto at = [&](Row row) { return cells[row * step]; };
    std::vector<std::int32_t> codes(rows);
    for (std::size_t row = 0; row < rows; ++row) codes[row] = static_cast<std::int32_t>(row % 3);
    const Tags tags = with_classes ? Tags(rows, codes, 3) : Tags();
    REQUIRE(tags.has_class() == with_classes);

    std::vector<Row> expected(rows);
    for (Row row = 0; row < rows; ++row) expected[row] = row;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](Row a, Row b) { return is_nan(at(b)) ? !is_nan(at(a)) : at(a) < at(b); });

    Column column{reinterpret_cast<const std::byte*>(cells.data()),
                  static_cast<std::ptrdiff_t>(step * sizeof(T)), type_of<T>()};
    std::vector<Entry> entries;
    std::int64_t visits = 0;
    sort_column(column, rows, tags, entries, space, Pulse(), visits);
    REQUIRE(entries.size() == rows);
    std::size_t wrong = 0;
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const Row row = expected[i];
        if (i > 0 && at(expected[i - 1]) < at(row)) ++rank;
        wrong += tags.row(entries[i].tag) != row;
        wrong += entries[i].rank != (is_nan(at(row)) ? Entry::missing : rank);
        if (with_classes) wrong += tags.label(entries[i].tag) != codes[row];
    }
    CHECK(wrong == 0);
    CHECK(visits >= static_cast<std::int64_t>(rows));
}

TEST_CASE_TEMPLATE("a sorted column is a stable sort", T, float, double, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    Chance chance(3);
    SortSpace space;  // reused, as in growth: what an earlier column left there must not show
    for (const std::size_t rows : {1U, 2U, 3U, 24U, 25U, 300U, 5000U})
        for (std::size_t kind = 0; kind < 5; ++kind)
            for (const std::size_t step : {1U, 3U}) {
                CAPTURE(rows);
                CAPTURE(kind);
                CAPTURE(step);
                std::vector<T> cells(rows * step);
                for (T& x : cells) x = cell<T>(chance, kind == 4 ? chance.below(4) : kind);
                check_column(cells, step, rows % 2 == 1 && rows > 1, space);
            }
}

TEST_CASE("a column of nothing but missing cells keeps its rows in order") {
    SortSpace space;
    check_column(std::vector<double>(100, std::numeric_limits<double>::quiet_NaN()), 1, false, space);
}

TEST_CASE("a long column of random bits, sorted in buckets") {
    Chance chance(4);
    SortSpace space;
    std::vector<double> cells(200'000);
    for (double& x : cells) x = chance.once_in(50) ? cell<double>(chance, 1) : chance.share() * 1e6 - 5e5;
    check_column(cells, 1, true, space);
}

TEST_CASE("a stop is heard while a column is sorted") {
    Pulse pulse;
    pulse.stop();
    const std::vector<double> cells(10, 1.0);
    SortSpace space;
    std::vector<Entry> entries;
    std::int64_t visits = 0;
    const Column column{reinterpret_cast<const std::byte*>(cells.data()), sizeof(double)};
    CHECK_THROWS_AS(sort_column(column, 10, Tags(), entries, space, pulse, visits), Stopped);
}

}  // namespace
}  // namespace branchwork
