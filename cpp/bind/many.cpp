// Prepared columns, and many trees on them.
#include <algorithm>
#include <utility>

#include "bind/bind.hpp"
#include "core/grow/grow.hpp"
#include "core/prepare/prepared.hpp"

namespace branchwork {
namespace {

/// Prepared columns; keeps the arrays alive that they look into.
struct PreparedView {
    TableView table;
    Prepared prepared;
};

std::unique_ptr<PreparedView> prepare(const TableView& table, int threads) {
    std::unique_ptr<PreparedView> out;
    TableView kept = table;
    run_interruptible(table.rows * table.columns.size() < (std::size_t{1} << 18), [&](Pulse& pulse) {
        Prepared prepared(kept.columns, kept.rows, threads, pulse);
        out = std::make_unique<PreparedView>(PreparedView{{}, std::move(prepared)});
    });
    out->table = std::move(kept);
    return out;
}

std::vector<GrownTree> grow_trees(const PreparedView& view, const TargetView& target, const Options& options,
                                  const std::vector<ArrayIn<std::uint32_t>>& copies, std::uint64_t seed,
                                  std::uint64_t first_tree, const Progress& progress) {
    if (view.table.rows != target.target.rows())
        throw std::invalid_argument("table and target differ in their rows");
    std::vector<std::span<const std::uint32_t>> samples;
    for (const auto& one : copies) {
        if (one.size() != view.table.rows) throw std::invalid_argument("one number of copies for each row");
        samples.push_back(span_of(one));
    }
    std::vector<GrownTree> trees;
    run_interruptible(
        false,
        [&](Pulse& pulse) {
            trees = grow_many(view.prepared, target.target, options, samples, seed, first_tree, pulse);
        },
        progress);
    return trees;
}

}  // namespace

void bind_many(nb::module_& m) {
    nb::class_<PreparedView>(m, "Prepared", "Columns that were sorted and ranked once, for every fit on their table.")
        .def_prop_ro("rows", [](const PreparedView& view) { return view.table.rows; })
        .def_prop_ro("bytes", [](const PreparedView& view) { return view.prepared.bytes(); })
        .def("distinct", [](const PreparedView& view, std::size_t column) {
            return view.prepared.numeric(column).distinct();
        }, nb::arg("column"), "Distinct values of a numeric column.");
    m.def("prepare", &prepare, nb::arg("columns"), nb::arg("threads"), "Sorts and ranks every numeric column.");
    m.def("grow_many", &grow_trees, nb::arg("prepared"), nb::arg("target"), nb::arg("options"), nb::arg("copies"),
          nb::arg("seed"), nb::arg("first_tree"), nb::arg("progress").none() = nb::none(),
          "Grows a tree on each sample; `copies` says of each how often it has each row of the table.");
}

}  // namespace branchwork
