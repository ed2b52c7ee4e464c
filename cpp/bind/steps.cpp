// The kernels that Python drives step by step: tally, choose, route, list_cuts.
#include <utility>

#include "bind/bind.hpp"
#include "core/route/route.hpp"
#include "core/steps/tally.hpp"

namespace branchwork {

void bind_steps(nb::module_& m) {
    nb::class_<ColumnTally> column_class(m, "ColumnTally",
                                         "Statistics of one column's categories or distinct values.");
    array_property<&ColumnTally::values>(column_class, "values");
    array_property<&ColumnTally::stats>(column_class, "stats");
    nb::class_<NodeTally> cls(m, "NodeTally", "Statistics of a node's rows, column by column.");
    array_property<&NodeTally::total>(cls, "total");
    cls.def_ro("columns", &NodeTally::columns);
    cls.def_ro("centre", &NodeTally::centre);
    cls.def_ro("pure", &NodeTally::pure);
    cls.def_ro("rows", &NodeTally::rows);
    cls.def_prop_ro("weight", &NodeTally::weight);
    cls.def_prop_ro("samples", &NodeTally::samples);
    cls.def_ro("variance", &NodeTally::variance);

    nb::class_<Candidate>(m, "Candidate", "One column's best split in one node.")
        .def_ro("feature", &Candidate::feature)
        .def_ro("cut", &Candidate::cut)
        .def_ro("gain", &Candidate::gain)
        .def_ro("split_info", &Candidate::split_info)
        .def_prop_ro("statistic", [](const Candidate& c) { return c.test.statistic; })
        .def_prop_ro("freedom", [](const Candidate& c) { return c.test.freedom; })
        .def_prop_ro("rest", [](const Candidate& c) { return c.test.rest; })
        .def_ro("missing_child", &Candidate::missing_child)
        .def_prop_ro(
            "sides",
            [](const Candidate& c) {
                std::vector<std::int32_t> sides;
                for (const Side side : c.sides) sides.push_back(static_cast<std::int32_t>(side));
                return array_out(std::move(sides));
            },
            nb::rv_policy::automatic,
            "Of each category of a nominal column whose categories are grouped: its branch; -1: absent.")
        .def_prop_ro("verdict", [](const Candidate& c) { return static_cast<int>(c.verdict); });
    nb::class_<Choice>(m, "Choice", "Every column's candidate, and the winner or -1.")
        .def_ro("candidates", &Choice::candidates)
        .def_ro("best", &Choice::best)
        .def_ro("parent", &Choice::parent);

    m.def(
        "tally",
        [](const TableView& table, const TargetView& target, const ArrayIn<std::uint32_t>& rows,
           const Options& options) {
            same_rows(table, target);
            for (const Row row : span_of(rows))
                if (row >= table.rows) throw std::out_of_range("a row is out of range");
            return tally(table.columns, target.target, span_of(rows), options);
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("rows").noconvert(), nb::arg("options"),
        "Statistics of the given rows.");
    m.def(
        "choose",
        [](const NodeTally& t, const ArrayIn<bool>& used, double least_gain, const Options& options) {
            if (used.size() != t.columns.size()) throw std::invalid_argument("one flag per column");
            return choose(t, span_of(used), least_gain, options);
        },
        nb::arg("tally"), nb::arg("used").noconvert(), nb::arg("least_gain"), nb::arg("options"),
        "The best split of every column, and of the node.");
    m.def(
        "route",
        [](const TableView& table, std::size_t feature, double cut, const ArrayIn<std::int32_t>& lookup,
           std::int32_t missing, const ArrayIn<std::uint32_t>& rows) {
            const Column& column = table.columns.at(feature);
            if (column.nominal && lookup.size() != static_cast<std::size_t>(column.levels))
                throw std::invalid_argument("one child per category");
            for (const Row row : span_of(rows))
                if (row >= table.rows) throw std::out_of_range("a row is out of range");
            std::vector<std::int32_t> child(rows.size());
            route(column, cut, span_of(lookup), missing, span_of(rows), child);
            return array_out(std::move(child));
        },
        nb::arg("columns"), nb::arg("feature"), nb::arg("cut"), nb::arg("lookup").noconvert(),
        nb::arg("missing"), nb::arg("rows").noconvert(), "The child that each of the rows goes to.");
    m.def(
        "list_cuts",
        [](const NodeTally& t, std::size_t column, const Options& options) {
            std::vector<double> out;
            for (const Cut& c : list_cuts(t, column, options))
                out.insert(out.end(), {c.cut, c.cost, c.left_weight, c.right_weight, c.missing_weight});
            return array_out(std::move(out));
        },
        nb::arg("tally"), nb::arg("column"), nb::arg("options"),
        "Every cut of a numeric column: rows of (cut, cost, left, right and missing weight).");
}

}  // namespace branchwork
