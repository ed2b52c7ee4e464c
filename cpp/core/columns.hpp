// What a column looks like to the core: a borrowed, possibly strided, read-only run of cells.
//
// Numeric cells keep the width they came in; widening to double is exact (integers beyond 2^53 are refused
// before they get here) and happens where a cell is read. NaN is a missing cell. Nominal cells are int32
// codes into the column's categories; -1 is missing, and, at prediction only, -2 is a category never seen in
// training.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace branchwork {

using Row = std::uint32_t;  // a table has at most 2^32 - 1 rows; checked at the door

inline constexpr std::int32_t missing_code = -1;
inline constexpr std::int32_t unseen_code = -2;

enum class CellType : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

struct Column {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;  // bytes from one row to the next
    CellType type = CellType::f64;
    bool nominal = false;
    std::int32_t levels = 0;   // nominal: number of categories
    bool has_missing = false;  // in the training table; decides whether a split gets a missing branch
};

/// The cells of one column as a given type.
template <class T>
struct Cells {
    const std::byte* data;
    std::ptrdiff_t stride;
    T operator[](std::size_t row) const {
        return *reinterpret_cast<const T*>(data + static_cast<std::ptrdiff_t>(row) * stride);
    }
};

/// Is a cell of a numeric column missing?
template <class T>
bool is_missing(T cell) {
    if constexpr (std::floating_point<T>)
        return std::isnan(cell);
    else
        return false;
}

/// Calls `f` with the column's cells in their own type: the one place where a cell type becomes a template.
template <class F>
decltype(auto) with_cells(const Column& column, F&& f) {
    const auto cells = [&]<class T>() { return Cells<T>{column.data, column.stride}; };
    switch (column.type) {
        case CellType::f32:
            return f(cells.template operator()<float>());
        case CellType::f64:
            return f(cells.template operator()<double>());
        case CellType::i8:
            return f(cells.template operator()<std::int8_t>());
        case CellType::i16:
            return f(cells.template operator()<std::int16_t>());
        case CellType::i32:
            return f(cells.template operator()<std::int32_t>());
        case CellType::i64:
            return f(cells.template operator()<std::int64_t>());
        case CellType::u8:
            return f(cells.template operator()<std::uint8_t>());
        case CellType::u16:
            return f(cells.template operator()<std::uint16_t>());
        case CellType::u32:
            return f(cells.template operator()<std::uint32_t>());
        case CellType::u64:
            return f(cells.template operator()<std::uint64_t>());
    }
    throw std::logic_error("unknown cell type");
}

inline double number_at(const Column& column, std::size_t row) {
    return with_cells(column, [row](auto cells) { return static_cast<double>(cells[row]); });
}

inline std::int32_t code_at(const Column& column, std::size_t row) {
    return Cells<std::int32_t>{column.data, column.stride}[row];
}

/// The cut between two neighbouring values a < b. It always separates them: a <= cut < b, even where the
/// midpoint overflows, rounds up to b, or does not exist (-inf and +inf).
inline double cut_between(double a, double b) {
    const double middle = a / 2 + b / 2;
    return a <= middle && middle < b ? middle : a;
}

/// The largest number below that cut, so that `x <= cut` means `x < midpoint`; it separates the two values as well.
inline double cut_below(double a, double b) {
    const double middle = cut_between(a, b);
    return middle > a ? std::nextafter(middle, a) : a;
}

}  // namespace branchwork
