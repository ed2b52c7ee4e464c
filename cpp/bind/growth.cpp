#include <algorithm>
#include <utility>

#include "bind/bind.hpp"
#include "core/grow.hpp"
#include "core/route.hpp"
#include "core/tally.hpp"

namespace branchwork {
namespace {

/// Is this over so soon that nobody will ask it to stop? Every level of a tree looks at every cell at most
/// once, and a nominal column is used once on a path.
bool is_small(const TableView& table, const Options& options) {
    constexpr std::size_t soon = std::size_t{1} << 23;  // cells: some ten milliseconds
    if (options.search != NumericSearch::sorted || options.nominal == Nominal::groups) return false;
    const bool nominal = std::ranges::all_of(table.columns, &Column::nominal);
    std::size_t levels = nominal ? table.columns.size() : table.rows;
    if (options.max_depth >= 0) levels = std::min(levels, static_cast<std::size_t>(options.max_depth));
    return static_cast<double>(table.rows) * static_cast<double>(table.columns.size()) *
               static_cast<double>(levels + 1) <
           static_cast<double>(soon);
}

void same_rows(const TableView& table, const TargetView& target) {
    if (table.rows != target.target.rows())
        throw std::invalid_argument("table and target differ in their rows");
}

GrownTree grow_tree(const TableView& table, const TargetView& target, const Options& options,
                    const Progress& progress, const TableView* whole, double whole_weight) {
    same_rows(table, target);
    WholeTable all;
    if (whole) {
        if (whole->columns.size() != table.columns.size() || options.rules == Rules::plain)
            throw std::invalid_argument("Quinlan's rules may look at a whole table of the same columns");
        all = {whole->columns, whole->rows, whole_weight};
    }
    GrownTree tree;
    run_interruptible(
        is_small(table, options),
        [&](Pulse& pulse) { tree = grow(table.columns, target.target, options, all, pulse); }, progress);
    return tree;
}

/// One field of every candidate of every ledger page, page by page.
template <class T, class Field>
auto ledger_column(const GrownTree& tree, Field field) {
    std::vector<T> out;
    for (const LedgerPage& page : tree.ledger)
        for (const Candidate& c : page.candidates) out.push_back(static_cast<T>(field(c)));
    return array_out(std::move(out));
}

void bind_options(nb::module_& m) {
    nb::enum_<Criterion>(m, "Criterion")
        .value("accuracy", Criterion::accuracy)
        .value("entropy", Criterion::entropy)
        .value("gini", Criterion::gini)
        .value("gain_ratio", Criterion::gain_ratio)
        .value("variance", Criterion::variance)
        .value("squared_error", Criterion::squared_error)
        .value("poisson", Criterion::poisson);
    nb::enum_<NumericSearch>(m, "NumericSearch")
        .value("grid", NumericSearch::grid)
        .value("values", NumericSearch::values)
        .value("sorted", NumericSearch::sorted);
    nb::enum_<Nominal>(m, "Nominal")
        .value("multiway", Nominal::multiway)
        .value("subset", Nominal::subset)
        .value("one_vs_rest", Nominal::one_vs_rest)
        .value("groups", Nominal::groups);
    nb::enum_<Missing>(m, "Missing")
        .value("branch", Missing::branch)
        .value("larger", Missing::larger)
        .value("share", Missing::share)
        .value("learn", Missing::learn)
        .value("surrogate", Missing::surrogate);
    nb::enum_<Order>(m, "Order")
        .value("depth", Order::depth)
        .value("breadth", Order::breadth)
        .value("best", Order::best);
    nb::enum_<Rules>(m, "Rules")
        .value("plain", Rules::plain)
        .value("c45", Rules::c45)
        .value("j48", Rules::j48)
        .value("rpart", Rules::rpart);
    nb::class_<Options>(m, "Options", "A recipe, spelled out for the core.")
        .def(nb::init<>())
        .def_rw("criterion", &Options::criterion)
        .def_rw("search", &Options::search)
        .def_rw("grid_step", &Options::grid_step)
        .def_rw("grid_points", &Options::grid_points)
        .def_rw("only_changes", &Options::only_changes)
        .def_rw("data_cuts", &Options::data_cuts)
        .def_rw("nominal", &Options::nominal)
        .def_rw("missing", &Options::missing)
        .def_rw("order", &Options::order)
        .def_rw("rules", &Options::rules)
        .def_rw("collapse", &Options::collapse)
        .def_rw("cut_penalty", &Options::cut_penalty)
        .def_rw("zero_gain", &Options::zero_gain)
        .def_rw("max_depth", &Options::max_depth)
        .def_rw("max_leaves", &Options::max_leaves)
        .def_rw("min_split_samples", &Options::min_split_samples)
        .def_rw("min_leaf_samples", &Options::min_leaf_samples)
        .def_rw("min_leaf_weight", &Options::min_leaf_weight)
        .def_rw("min_gain", &Options::min_gain)
        .def_rw("min_decrease", &Options::min_decrease)
        .def_rw("ledger_nodes", &Options::ledger_nodes)
        .def_rw("max_surrogates", &Options::max_surrogates)
        .def_rw("most_nodes", &Options::most_nodes)
        .def_rw("threads", &Options::threads);
}

/// One number of every surrogate, node by node.
template <class T, class Field>
auto surrogate_column(const GrownTree& tree, Field field) {
    std::vector<T> out;
    for (const NodeSurrogates& of : tree.surrogates)
        for (const Surrogate& s : of.found) out.push_back(static_cast<T>(field(s)));
    return array_out(std::move(out));
}

void bind_surrogates(nb::class_<GrownTree>& cls) {
    cls.def_prop_ro(
        "surrogate_count",
        [](const GrownTree& t) {
            std::vector<std::int32_t> count(t.size(), 0);
            for (const NodeSurrogates& of : t.surrogates)
                count[static_cast<std::size_t>(of.node)] = static_cast<std::int32_t>(of.found.size());
            return array_out(std::move(count));
        },
        nb::rv_policy::automatic, "Surrogates of each node.");
    cls.def_prop_ro(
        "surrogate_feature",
        [](const GrownTree& t) {
            return surrogate_column<std::int32_t>(t, [](auto& s) { return s.feature; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_low_child",
        [](const GrownTree& t) {
            return surrogate_column<std::int32_t>(t, [](auto& s) { return s.low_child; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_cut",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.cut; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_agreement",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.agreement; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_adjusted",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.adjusted; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_lookup",
        [](const GrownTree& t) {
            std::int32_t at = 0;
            return surrogate_column<std::int32_t>(t, [&at](auto& s) {
                if (s.sides.empty()) return std::int32_t{-1};
                return std::exchange(at, at + static_cast<std::int32_t>(s.sides.size()));
            });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_pool",
        [](const GrownTree& t) {
            std::vector<std::int32_t> all;
            for (const NodeSurrogates& of : t.surrogates)
                for (const Surrogate& s : of.found) all.insert(all.end(), s.sides.begin(), s.sides.end());
            return array_out(std::move(all));
        },
        nb::rv_policy::automatic);
}

void bind_grown_tree(nb::module_& m) {
    nb::class_<GrownTree> cls(m, "GrownTree", "A tree as the core hands it over: one array entry a node.");
    array_property<&GrownTree::feature>(cls, "feature");
    array_property<&GrownTree::cut>(cls, "cut");
    array_property<&GrownTree::first_child>(cls, "first_child");
    array_property<&GrownTree::n_children>(cls, "n_children");
    array_property<&GrownTree::lookup>(cls, "lookup");
    array_property<&GrownTree::pool>(cls, "pool");
    array_property<&GrownTree::default_child>(cls, "default_child");
    array_property<&GrownTree::weight>(cls, "weight");
    array_property<&GrownTree::n_rows>(cls, "n_rows");
    array_property<&GrownTree::impurity>(cls, "impurity");
    array_property<&GrownTree::gain>(cls, "gain");
    array_property<&GrownTree::variance>(cls, "variance");
    array_property<&GrownTree::stats>(cls, "stats");
    cls.def_prop_ro(
        "stop",
        [](const GrownTree& t) {
            std::vector<std::uint8_t> out;
            for (const Stop stop : t.stop) out.push_back(static_cast<std::uint8_t>(stop));
            return array_out(std::move(out));
        },
        nb::rv_policy::automatic);
    bind_surrogates(cls);
    cls.def_prop_ro("has_ledger", [](const GrownTree& t) { return t.has_ledger; });
    cls.def_prop_ro("rules_scored", [](const GrownTree& t) { return t.search_cost.rules_scored; });
    cls.def_prop_ro("rows_visited", [](const GrownTree& t) { return t.search_cost.rows_visited; });
    cls.def_prop_ro(
        "ledger_node",
        [](const GrownTree& t) {
            std::vector<std::int32_t> nodes;
            for (const LedgerPage& page : t.ledger) nodes.push_back(page.node);
            return array_out(std::move(nodes));
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_cut",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.cut; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_gain",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.gain; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_split_info",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.split_info; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_statistic",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.statistic; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_freedom",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.freedom; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_rest",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.rest; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_known",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.known; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_before",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.before; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_price",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.price; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_missing_child",
        [](const GrownTree& t) {
            return ledger_column<std::int32_t>(t, [](auto& c) { return c.missing_child; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_sides_at",
        [](const GrownTree& t) {
            std::int64_t at = 0;
            return ledger_column<std::int64_t>(t, [&at](auto& c) {
                if (c.sides.empty()) return std::int64_t{-1};
                return std::exchange(at, at + static_cast<std::int64_t>(c.sides.size()));
            });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_sides",
        [](const GrownTree& t) {
            std::vector<std::int32_t> all;
            for (const LedgerPage& page : t.ledger)
                for (const Candidate& c : page.candidates)
                    for (const Side side : c.sides) all.push_back(static_cast<std::int32_t>(side));
            return array_out(std::move(all));
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_verdict",
        [](const GrownTree& t) { return ledger_column<std::uint8_t>(t, [](auto& c) { return c.verdict; }); },
        nb::rv_policy::automatic);
}

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

}  // namespace

void bind_growth(nb::module_& m) {
    bind_options(m);
    bind_grown_tree(m);
    nb::exception<TreeTooLarge>(m, "TreeTooLarge", PyExc_MemoryError);
    m.def("grow", &grow_tree, nb::arg("columns"), nb::arg("target"), nb::arg("options"),
          nb::arg("progress").none(), nb::arg("whole").none() = nb::none(), nb::arg("whole_weight") = 0.0,
          "Grows one whole tree. `whole`: a table of more rows, and its weight, that C4.5's rules look at.");
    bind_steps(m);
}

}  // namespace branchwork
