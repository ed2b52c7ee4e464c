// Features that are sorted and ranked once for all fits.
#include <utility>

#include "bind/bind.hpp"

namespace branchwork {
namespace {

PreparedView prepare(const TableView& table, int threads) {
    constexpr std::size_t soon = std::size_t{1} << 18;  // this many cells take about ten milliseconds
    std::optional<Prepared> prepared;
    run_interruptible(table.rows * table.columns.size() < soon,
                      [&](Pulse& pulse) { prepared.emplace(table.columns, table.rows, threads, pulse); });
    return {table, std::move(*prepared)};
}

}  // namespace

void bind_prepared(nb::module_& m) {
    nb::class_<PreparedView>(m, "Prepared",
                             "The numeric columns of a table, sorted and ranked once for all fits on it.")
        .def_prop_ro("rows", [](const PreparedView& view) { return view.table.rows; })
        .def_prop_ro("bytes", [](const PreparedView& view) { return view.prepared.bytes(); });
    m.def("prepare", &prepare, nb::arg("columns"), nb::arg("threads"), "Sort and rank every numeric column.");
}

}  // namespace branchwork
