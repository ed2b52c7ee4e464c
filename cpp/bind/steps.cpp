// The steps of growing a tree as functions of their own: tally, choose, route and list_cuts.
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "core/route/route.hpp"
#include "core/steps/tally.hpp"

namespace branchwork {
namespace {

using ColumnState = std::tuple<bool, std::vector<double>, std::vector<double>, std::vector<double>>;
using TallyState = std::tuple<std::size_t, bool, bool, std::vector<double>, double, double, double,
                              std::size_t, std::vector<double>, std::vector<ColumnState>>;

TallyState state_of(const NodeTally& t) {
    std::vector<ColumnState> columns;
    for (const ColumnTally& c : t.columns) columns.emplace_back(c.nominal, c.values, c.labels, c.stats);
    return {t.width, t.classes,    t.unit_weights, t.rows_per_weight, t.centre,
            t.label, t.deviations, t.rows,         t.total,           std::move(columns)};
}

/// A pickle may be damaged, so everything that the core uses as an index is checked.
NodeTally from_state(const TallyState& state) {
    NodeTally t;
    std::vector<ColumnState> columns;
    std::tie(t.width, t.classes, t.unit_weights, t.rows_per_weight, t.centre, t.label, t.deviations, t.rows,
             t.total, columns) = state;
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("this is not the state of a tally");
    };
    require(t.width > 0 && t.total.size() == t.width && (t.classes || t.width == 3));
    require(t.rows_per_weight.empty() || t.rows_per_weight.size() == t.width);
    for (const auto& [nominal, values, labels, stats] : columns) {
        require(stats.size() % t.width == 0 && !stats.empty());
        require(nominal ? values.empty() : stats.size() / t.width == values.size() + 1);
        require(labels.empty() || labels.size() == values.size());
        t.columns.push_back({nominal, values, labels, stats});
    }
    return t;
}

/// Work on this many cells takes about ten milliseconds.
constexpr std::size_t soon = std::size_t{1} << 18;

bool is_soon_done(const NodeTally& tally) {
    std::size_t cells = 0;
    for (const ColumnTally& column : tally.columns) cells += column.stats.size();
    return cells < soon;
}

}  // namespace

void bind_steps(nb::module_& m) {
    nb::class_<ColumnTally> column_class(m, "ColumnTally",
                                         "The statistics of each category or distinct value of one feature.");
    array_property<&ColumnTally::values>(column_class, "values");
    array_property<&ColumnTally::stats>(column_class, "stats");
    nb::class_<NodeTally> cls(m, "NodeTally", "The statistics of the rows of a node for each feature.");
    array_property<&NodeTally::total>(cls, "total");
    cls.def_ro("columns", &NodeTally::columns);
    cls.def_ro("centre", &NodeTally::centre);
    cls.def_prop_ro("pure", &NodeTally::pure);
    cls.def_prop_ro("mean", &NodeTally::mean);
    cls.def_ro("rows", &NodeTally::rows);
    cls.def_prop_ro("weight", &NodeTally::weight);
    cls.def_prop_ro("samples", &NodeTally::samples);
    cls.def_prop_ro("variance", &NodeTally::variance);
    cls.def(
        "__add__",
        [](const NodeTally& a, const NodeTally& b) {
            NodeTally sum = a;
            sum += b;
            return sum;
        },
        nb::arg("other"), "Return the tally of the rows of both, which must be parts of the same table.");
    cls.def("__getstate__", &state_of);
    cls.def("__setstate__",
            [](NodeTally& t, const TallyState& state) { new (&t) NodeTally(from_state(state)); });

    nb::class_<Candidate>(m, "Candidate", "The best split of one feature in one node.")
        .def_ro("feature", &Candidate::feature)
        .def_ro("cut", &Candidate::cut)
        .def_ro("gain", &Candidate::gain)
        .def_ro("split_info", &Candidate::split_info)
        .def_prop_ro("statistic", [](const Candidate& c) { return c.test.statistic; })
        .def_prop_ro("freedom", [](const Candidate& c) { return c.test.freedom; })
        .def_prop_ro("rest", [](const Candidate& c) { return c.test.rest; })
        .def_prop_ro("known", [](const Candidate& c) { return c.judged.known; })
        .def_prop_ro("before", [](const Candidate& c) { return c.judged.before; })
        .def_prop_ro("price", [](const Candidate& c) { return c.judged.price; })
        .def_ro("missing_child", &Candidate::missing_child)
        .def_prop_ro(
            "sides",
            [](const Candidate& c) {
                std::vector<std::int32_t> sides;
                for (const Side side : c.sides) sides.push_back(static_cast<std::int32_t>(side));
                return array_out(std::move(sides));
            },
            nb::rv_policy::automatic,
            "For a categorical feature whose categories are grouped: the branch of each category; -1: "
            "absent.")
        .def_prop_ro("verdict", [](const Candidate& c) { return static_cast<int>(c.verdict); });
    nb::class_<Choice>(m, "Choice", "The candidates of all features, and the index of the best or -1.")
        .def_ro("candidates", &Choice::candidates)
        .def_ro("best", &Choice::best)
        .def_ro("parent", &Choice::parent);

    m.def(
        "tally",
        [](const TableView& table, const TargetView& target, const ArrayIn<std::uint32_t>& rows,
           const Options& options, std::optional<double> centre) {
            same_rows(table, target);
            for (const Row row : span_of(rows))
                if (row >= table.rows) throw std::out_of_range("a row is out of range");
            NodeTally found;
            run_interruptible(rows.size() * table.columns.size() < soon, [&](Pulse& pulse) {
                found = tally(table.columns, target.target, span_of(rows), options, centre, pulse);
            });
            return found;
        },
        nb::arg("columns"), nb::arg("target"), nb::arg("rows").noconvert(), nb::arg("options"),
        nb::arg("centre").none() = nb::none(),
        "Return the statistics of the given rows. `centre` is subtracted from a numeric target; tallies can "
        "be added only if they have the same centre.");
    m.def(
        "choose",
        [](const NodeTally& t, const ArrayIn<bool>& used, double least_gain, const Options& options) {
            if (used.size() != t.columns.size()) throw std::invalid_argument("one flag per column");
            Choice found;
            run_interruptible(is_soon_done(t), [&](Pulse& pulse) {
                found = choose(t, span_of(used), least_gain, options, pulse);
            });
            return found;
        },
        nb::arg("tally"), nb::arg("used").noconvert(), nb::arg("least_gain"), nb::arg("options"),
        "Return the best split of every feature, and of the node.");
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
        nb::arg("missing"), nb::arg("rows").noconvert(), "Return the child that each of the rows goes to.");
    m.def(
        "list_cuts",
        [](const NodeTally& t, std::size_t column, const Options& options) {
            std::vector<Cut> cuts;
            run_interruptible(is_soon_done(t),
                              [&](Pulse& pulse) { cuts = list_cuts(t, column, options, pulse); });
            std::vector<double> out;
            for (const Cut& c : cuts)
                out.insert(out.end(), {c.cut, c.cost, c.left_weight, c.right_weight, c.missing_weight});
            return array_out(std::move(out));
        },
        nb::arg("tally"), nb::arg("column"), nb::arg("options"),
        "Return every threshold of a numeric feature, as rows of (cut, cost, left, right and missing "
        "weight).");
}

}  // namespace branchwork
