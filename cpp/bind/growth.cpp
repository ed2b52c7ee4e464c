// Options, and growing one tree, a tree on a sample, or many trees.
#include <algorithm>

#include "bind/bind.hpp"
#include "core/grow/grow.hpp"

namespace branchwork {
namespace {

/// Whether this is so fast that nobody needs to interrupt it. The bound counts cells: every level of a tree reads every
/// cell at most once. With categorical features only, there are at most as many levels as features, because each is
/// used once per path. Otherwise the deepest tree is a chain in which each level has one row less than the level above
/// it.
bool is_small(const TableView& table, const Options& options) {
    constexpr std::size_t soon = std::size_t{1} << 23;  // this many cells take about ten milliseconds
    if (options.search != NumericSearch::sorted || options.nominal == Nominal::groups) return false;
    const bool nominal = std::ranges::all_of(table.columns, &Column::nominal);
    std::size_t levels = nominal ? table.columns.size() : table.rows;
    if (options.max_depth >= 0) levels = std::min(levels, static_cast<std::size_t>(options.max_depth));
    const double rows = static_cast<double>(table.rows), deepest = static_cast<double>(levels);
    const double visits = rows * (deepest + 1) - (nominal ? 0 : deepest * (deepest + 1) / 2);
    return visits * static_cast<double>(table.columns.size()) < static_cast<double>(soon);
}

/// With C4.5's rules, a tree on some rows of a table may need the whole table.
WholeTable whole_table(const TableView* whole, double weight, std::size_t columns, const Options& options) {
    if (!whole) return {};
    if (whole->columns.size() != columns || options.rules == Rules::plain)
        throw std::invalid_argument("Quinlan's rules may look at a whole table of the same columns");
    return {whole->columns, whole->rows, weight};
}

GrownTree grow_sample(const PreparedView& view, const ArrayIn<std::uint32_t>& copies,
                      const TargetView& target, const Options& options, const Progress& progress,
                      const TableView* whole, double whole_weight) {
    if (copies.size() != view.table.rows) throw std::invalid_argument("one number of copies for each row");
    const Sample sample(span_of(copies));
    if (sample.size() != target.target.rows() || sample.size() == 0)
        throw std::invalid_argument("sample and target differ in their rows");
    const Training training{view.prepared.columns(), view.table.rows, &view.prepared, &sample};
    const WholeTable all = whole_table(whole, whole_weight, view.table.columns.size(), options);
    GrownTree tree;
    run_interruptible(
        is_small(view.table, options),
        [&](Pulse& pulse) { tree = grow(training, target.target, options, all, pulse); }, told_to(progress));
    return tree;
}

GrownTree grow_tree(const TableView& table, const TargetView& target, const Options& options,
                    const Progress& progress, const TableView* whole, double whole_weight) {
    same_rows(table, target);
    const WholeTable all = whole_table(whole, whole_weight, table.columns.size(), options);
    GrownTree tree;
    run_interruptible(
        is_small(table, options),
        [&](Pulse& pulse) { tree = grow({table.columns, table.rows}, target.target, options, all, pulse); },
        told_to(progress));
    return tree;
}

std::vector<GrownTree> grow_trees(const PreparedView& view, const TargetView& target, const Options& options,
                                  const nb::sequence& copies, std::uint64_t seed, std::uint64_t first_tree,
                                  const Progress& progress) {
    same_rows(view.table, target);
    const auto arrays = vector_of<ArrayIn<std::uint32_t>>(copies, false);
    std::vector<std::span<const std::uint32_t>> samples;
    for (const auto& one : arrays) {
        if (one.size() != view.table.rows) throw std::invalid_argument("one number of copies for each row");
        samples.push_back(span_of(one));
    }
    std::vector<GrownTree> trees;
    run_interruptible(
        false,
        [&](Pulse& pulse) {
            trees = grow_many(view.prepared, target.target, options, samples, seed, first_tree, pulse);
        },
        told_to(progress));
    return trees;
}

/// A view that Python may read only during the call.
template <class... Shape>
nb::object lent(std::span<const double> numbers, Shape... shape) {
    using View = nb::ndarray<nb::numpy, const double, nb::ndim<sizeof...(Shape)>>;
    return nb::cast(View(numbers.data(), {shape...}), nb::rv_policy::reference);
}

void read_answer(const nb::object& answer, std::span<double> to) {
    const auto array = nb::cast<ArrayIn<double>>(answer);
    if (array.size() != to.size()) throw std::invalid_argument("one number for each candidate");
    std::ranges::copy(span_of(array), to.begin());
}

/// The core calls these functions without the GIL, from any thread. Exceptions that they raise pass through the core
/// unchanged.
OwnFunctions functions_of(const nb::callable& costs, const nb::callable& gains, std::size_t classes) {
    OwnFunctions functions;
    functions.classes = classes;
    functions.costs = [costs, classes](std::span<const double> nodes, std::span<double> answers) {
        const nb::gil_scoped_acquire gil;
        read_answer(costs(lent(nodes, nodes.size() / classes, classes)), answers);
    };
    functions.gains = [gains, classes](std::span<const double> weights, std::size_t branches,
                                       std::span<double> answers) {
        const nb::gil_scoped_acquire gil;
        read_answer(gains(lent(weights.first(classes), classes),
                          lent(weights.subspan(classes), answers.size(), branches, classes)),
                    answers);
    };
    return functions;
}

void bind_options(nb::module_& m) {
    auto criterion = nb::enum_<Criterion>(m, "Criterion");
    for (const auto& [name, value] : criterion_names) criterion.value(name, value);
    nb::class_<OwnTables>(m, "OwnTables", "A user-defined score, tabulated for every number of rows.")
        .def(
            "__init__",
            [](OwnTables* self, const ArrayIn<double>& offset, const ArrayIn<double>& scale,
               const ArrayIn<double>& terms, std::size_t classes, bool by_maximum) {
                new (self) OwnTables(span_of(offset), span_of(scale), span_of(terms), classes, by_maximum);
            },
            nb::arg("offset").noconvert(), nb::arg("scale").noconvert(), nb::arg("terms").noconvert(),
            nb::arg("classes"), nb::arg("by_maximum"))
        .def_ro("is_concave", &OwnTables::is_concave)
        .def_ro("is_monotone", &OwnTables::is_monotone)
        .def_ro("is_homogeneous", &OwnTables::is_homogeneous)
        .def_ro("is_linear", &OwnTables::is_linear)
        .def_prop_ro("has_running_terms", [](const OwnTables& t) { return !t.fixed.empty(); });
    nb::class_<OwnFunctions>(m, "OwnFunctions",
                             "A user-defined score that is called with arrays of candidates.")
        .def(
            "__init__",
            [](OwnFunctions* self, const nb::callable& costs, const nb::callable& gains,
               std::size_t classes) { new (self) OwnFunctions(functions_of(costs, gains, classes)); },
            nb::arg("costs"), nb::arg("gains"), nb::arg("classes"),
            "costs(nodes) returns two numbers per node: its impurity times its weight, and the magnitude of "
            "the numbers that it was computed from. gains(rows, ways) returns, for each way to split the "
            "rows, its gain times their weight.");
    nb::enum_<NumericSearch>(m, "NumericSearch")
        .value("grid", NumericSearch::grid)
        .value("values", NumericSearch::values)
        .value("sorted", NumericSearch::sorted)
        .value("random", NumericSearch::random);
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
    nb::class_<Options>(m, "Options", "A recipe in the form that the core needs.")
        .def(nb::init<>())
        .def_rw("criterion", &Options::criterion)
        .def_rw("own", &Options::own, nb::arg().none())
        .def_rw("asked", &Options::asked, nb::arg().none())
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
        .def_rw("counted_values", &Options::counted_values)
        .def_rw("max_surrogates", &Options::max_surrogates)
        .def_rw("max_features", &Options::max_features)
        .def_rw("tree_features", &Options::tree_features)
        .def_rw("most_nodes", &Options::most_nodes)
        .def_rw("threads", &Options::threads);
}

}  // namespace

void bind_growth(nb::module_& m) {
    bind_options(m);
    nb::exception<TreeTooLarge>(m, "TreeTooLarge", PyExc_MemoryError);
    nb::exception<TableChanged>(m, "TableChanged", PyExc_ValueError);
    m.def("grow", &grow_tree, nb::arg("columns"), nb::arg("target"), nb::arg("options"),
          nb::arg("progress").none(), nb::arg("whole").none() = nb::none(), nb::arg("whole_weight") = 0.0,
          "Grow one tree. `whole` is a table with more rows, and `whole_weight` its weight, which C4.5's "
          "rules need.");
    m.def("grow_sample", &grow_sample, nb::arg("prepared"), nb::arg("copies").noconvert(), nb::arg("target"),
          nb::arg("options"), nb::arg("progress").none(), nb::arg("whole").none() = nb::none(),
          nb::arg("whole_weight") = 0.0,
          "Grow one tree on some rows of a prepared table. `copies` says how often each row of the table is "
          "taken; `target` has the targets of the rows taken.");
    m.def("grow_many", &grow_trees, nb::arg("prepared"), nb::arg("target"), nb::arg("options"),
          nb::arg("copies"), nb::arg("seed"), nb::arg("first_tree"), nb::arg("progress").none() = nb::none(),
          "Grow one tree per sample. `copies` says for each sample how often it has each row of the table.");
}

}  // namespace branchwork
