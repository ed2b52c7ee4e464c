// Tables and targets, and how a call into the core watches for Ctrl-C.
#include <limits>
#include <string>

#include "bind/bind.hpp"
#include "core/prepare/distinct.hpp"
#include "core/prepare/distinct_texts.hpp"
#include "core/prepare/spread.hpp"
#include "core/route/route.hpp"

namespace branchwork {
namespace {

CellType cell_type(const nb::dlpack::dtype& dtype) {
    using Code = nb::dlpack::dtype_code;
    const auto is = [&](Code code, int bits) {
        return dtype.code == static_cast<std::uint8_t>(code) && dtype.bits == bits && dtype.lanes == 1;
    };
    if (is(Code::Float, 64)) return CellType::f64;
    if (is(Code::Float, 32)) return CellType::f32;
    if (is(Code::Int, 8)) return CellType::i8;
    if (is(Code::Int, 16)) return CellType::i16;
    if (is(Code::Int, 32)) return CellType::i32;
    if (is(Code::Int, 64)) return CellType::i64;
    if (is(Code::UInt, 8)) return CellType::u8;
    if (is(Code::UInt, 16)) return CellType::u16;
    if (is(Code::UInt, 32)) return CellType::u32;
    if (is(Code::UInt, 64)) return CellType::u64;
    throw nb::type_error("a column must hold float32, float64 or integers");
}

void check_rows(std::size_t rows) {
    if (rows >= std::numeric_limits<Row>::max())
        throw std::length_error("a table has fewer than 2^32 - 1 rows");
}

void add_column(TableView& table, nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu> array,
                std::int32_t levels) {
    Column column;
    column.type = cell_type(array.dtype());
    column.nominal = levels >= 0;
    column.levels = std::max(levels, 0);
    if (column.nominal && column.type != CellType::i32) throw nb::type_error("nominal codes must be int32");
    column.data = static_cast<const std::byte*>(array.data());
    column.stride =
        static_cast<std::ptrdiff_t>(array.stride(0)) * static_cast<std::ptrdiff_t>(array.itemsize());
    if (!table.columns.empty() && array.size() != table.rows)
        throw std::invalid_argument("all columns must have the same number of rows");
    check_rows(array.size());
    table.rows = array.size();
    if (column.nominal) mark_missing(column, array.size());
    table.columns.push_back(column);
    table.arrays.emplace_back(std::move(array));
}

TableView matrix(nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu> array) {
    const auto bytes = [&](std::size_t axis) {
        return static_cast<std::ptrdiff_t>(array.stride(axis)) *
               static_cast<std::ptrdiff_t>(array.itemsize());
    };
    Column column;
    column.type = cell_type(array.dtype());
    column.data = static_cast<const std::byte*>(array.data());
    column.stride = bytes(0);
    check_rows(array.shape(0));
    TableView table{{}, {}, array.shape(0)};
    for (std::size_t j = 0; j < array.shape(1); ++j, column.data += bytes(1)) table.columns.push_back(column);
    table.arrays.emplace_back(std::move(array));
    return table;
}

/// The columns of a list in which they may be repeated, as the features of a tree's nodes are; -1 stands for none.
std::vector<std::size_t> listed(const TableView& table, const ArrayIn<std::int32_t>& columns) {
    std::vector<bool> is_listed(table.columns.size(), false);
    for (const std::int32_t j : span_of(columns))
        if (j >= 0) is_listed.at(static_cast<std::size_t>(j)) = true;
    std::vector<std::size_t> found;
    for (std::size_t j = 0; j < is_listed.size(); ++j)
        if (is_listed[j]) found.push_back(j);
    return found;
}

std::vector<double> spreads(const TableView& table, const ArrayIn<std::int32_t>& columns,
                            const std::optional<ArrayIn<double>>& weights) {
    if (weights && weights->size() != table.rows) throw std::invalid_argument("one weight per row");
    const std::span<const double> of_rows = weights ? span_of(*weights) : std::span<const double>();
    std::vector<double> found(table.columns.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::size_t j : listed(table, columns))
        if (!table.columns[j].nominal) found[j] = spread(table.columns[j], table.rows, of_rows);
    return found;
}

std::vector<std::size_t> with_missing(const TableView& table, const ArrayIn<std::int32_t>& columns) {
    std::vector<std::size_t> found;
    for (const std::size_t j : listed(table, columns)) {
        Column column = table.columns[j];
        if (!column.nominal)
            mark_missing(column, table.rows);  // nominal columns were marked when they were added
        if (column.has_missing) found.push_back(j);
    }
    return found;
}

/// So many items are coded before anyone would press Ctrl-C.
constexpr std::size_t coded_soon = std::size_t{1} << 20;

std::size_t size_of(Unit unit) { return unit == Unit::byte ? 1 : unit == Unit::character ? 4 : 8; }

}  // namespace

void run_interruptible(bool small, const std::function<void(Pulse&)>& work,
                       const std::function<void(std::int64_t)>& advanced, bool keeps) {
    std::exception_ptr interrupt;  // what Python raised in the meantime
    const Tick tick = [&interrupt, &advanced](std::int64_t done) {
        const nb::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (advanced) advanced(done);
            return true;
        } catch (...) {
            interrupt = std::current_exception();
            return false;
        }
    };
    try {
        // This is safe without the GIL: the core uses no Python objects, user-defined scores acquire the GIL
        // themselves, and the caller keeps alive the arrays that the core reads.
        const nb::gil_scoped_release no_gil;
        run_watched(small, work, tick);
    } catch (const Stopped&) {
        std::rethrow_exception(interrupt);
    }
    if (interrupt && !keeps) std::rethrow_exception(interrupt);
}

/// Rows of weight 0 must have been removed by the caller: a row without weight must not influence the tree.
void check_weights(const std::optional<ArrayIn<double>>& weights, std::size_t rows) {
    if (!weights) return;
    if (weights->size() != rows) throw std::invalid_argument("one weight per row");
    for (const double w : span_of(*weights))
        if (!(w > 0)) throw std::invalid_argument("weights are above 0");
}

void bind_columns(nb::module_& m) {
    nb::class_<TableView>(m, "Columns", "The columns of a table. It refers to their arrays without a copy.")
        .def(nb::init<>())
        .def("add", &add_column, nb::arg("array").noconvert(), nb::arg("levels"),
             "Add a column. `levels` is the number of categories, or -1 for a numeric column.")
        .def_static("matrix", &matrix, nb::arg("array").noconvert(),
                    "Make numeric columns of a two-dimensional array.")
        .def(
            "mark_missing",
            [](TableView& t) {
                for (Column& column : t.columns) mark_missing(column, t.rows);
            },
            "Record which columns have missing values: a split on them gets a branch for missing values.")
        .def(
            "with_missing", &with_missing, nb::arg("columns").noconvert(),
            nb::call_guard<nb::gil_scoped_release>(),
            "Return which of these columns have missing values. Columns may be repeated; -1 stands for none.")
        .def("spreads", &spreads, nb::arg("columns").noconvert(), nb::arg("weights").noconvert().none(),
             "Return the interquartile range of these columns, listed in the same way; NaN for categorical "
             "columns and for all others.")
        .def_prop_ro("rows", [](const TableView& t) { return t.rows; })
        .def("__len__", [](const TableView& t) { return t.columns.size(); });

    nb::class_<TargetView>(m, "Target",
                           "A target of classes or numbers. It refers to its arrays without a copy.")
        .def_static(
            "classes",
            [](const ArrayIn<std::int32_t>& codes, std::size_t classes,
               const std::optional<ArrayIn<double>>& weights,
               const std::optional<ArrayIn<double>>& rows_per_weight) {
                for (const std::int32_t code : span_of(codes))
                    if (code < 0 || static_cast<std::size_t>(code) >= classes)
                        throw std::out_of_range("a class code is out of range");
                TargetView view{codes, std::nullopt, weights, rows_per_weight, {}};
                if (rows_per_weight) {
                    if (!weights || rows_per_weight->size() != classes)
                        throw std::invalid_argument("class weights are part of the weights, one per class");
                    view.target.rows_per_weight = span_of(*rows_per_weight);
                }
                view.target.codes = span_of(codes);
                view.target.classes = classes;
                if (weights) view.target.weights = span_of(*weights);
                check_weights(weights, codes.size());
                return view;
            },
            nb::arg("codes").noconvert(), nb::arg("classes"), nb::arg("weights").noconvert().none(),
            nb::arg("rows_per_weight").noconvert().none() = nb::none())
        .def_static(
            "values",
            [](const ArrayIn<double>& values, const std::optional<ArrayIn<double>>& weights) {
                TargetView view{std::nullopt, values, weights, std::nullopt, {}};
                view.target.values = span_of(values);
                if (weights) view.target.weights = span_of(*weights);
                check_weights(weights, values.size());
                return view;
            },
            nb::arg("values").noconvert(), nb::arg("weights").noconvert().none());

    nb::enum_<Unit>(m, "Unit")
        .value("byte", Unit::byte)
        .value("character", Unit::character)
        .value("integer", Unit::integer)
        .value("unsigned_integer", Unit::unsigned_integer);
    m.def(
        "distinct",
        [](const ArrayIn<std::uint8_t>& bytes, std::size_t width, std::optional<Unit> unit) {
            if (width == 0 || bytes.size() % width != 0 || (unit && width % size_of(*unit) != 0))
                throw std::invalid_argument("the bytes are not a whole number of items");
            Distinct found;
            const auto items = std::as_bytes(span_of(bytes));
            run_interruptible(items.size() / width < coded_soon, [&](Pulse& pulse) {
                found = unit ? sorted_items(items, width, *unit, pulse) : distinct_items(items, width, pulse);
            });
            return std::pair(array_out(std::move(found.codes)), array_out(std::move(found.first)));
        },
        nb::arg("bytes").noconvert(), nb::arg("width"), nb::arg("unit").none() = nb::none(),
        "Find the distinct items of `width` bytes. Return the code of every item, and where each distinct "
        "item occurs first. Codes are in order of appearance or, if `unit` says what items are made of, in "
        "ascending order.");
    m.def(
        "distinct_texts",
        [](const ArrayIn<std::int64_t>& ends, const ArrayIn<std::uint8_t>& bytes,
           const std::optional<ArrayIn<std::uint8_t>>& valid, std::size_t first_bit) {
            if (ends.size() == 0 || (valid && (first_bit + ends.size() + 6) / 8 > valid->size()))
                throw std::invalid_argument("there is an end too few, or a bit");
            const Texts texts{span_of(ends), std::as_bytes(span_of(bytes)),
                              valid ? std::as_bytes(span_of(*valid)).data() : nullptr, first_bit};
            Distinct found;
            run_interruptible(texts.size() < coded_soon,
                              [&](Pulse& pulse) { found = distinct_texts(texts, pulse); });
            return std::pair(array_out(std::move(found.codes)), array_out(std::move(found.first)));
        },
        nb::arg("ends").noconvert(), nb::arg("bytes").noconvert(), nb::arg("valid").noconvert().none(),
        nb::arg("first_bit"),
        "Find the distinct texts of an Arrow array. Return the code of every text, -1 if it is missing, and "
        "where each distinct text occurs first. Codes are in ascending order of the texts.");
}

}  // namespace branchwork
