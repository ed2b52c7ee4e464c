// CHAID: features as categories, and growth one level at a time.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstring>
#include <numeric>
#include <string>

#include "bind/bind.hpp"
#include "core/chaid/growth.hpp"

namespace branchwork {
namespace {

using chaid::Categories, chaid::Growth, chaid::Look, chaid::Outcome, chaid::Settings, chaid::SpecialFunctions;

/// Takes a C function that Cython exports in a capsule. The name of the capsule is the signature of the function.
template <class Function>
void take_function(Function& function, const nb::capsule& exported, const char* signature) {
    const char* const name = exported.name();
    if (name == nullptr || std::strcmp(name, signature) != 0)
        throw nb::type_error((std::string("expected a C function ") + signature + ", found " +
                              (name == nullptr ? "one without a signature" : name))
                                 .c_str());
    function = reinterpret_cast<Function>(exported.data(name));
}

SpecialFunctions special_functions(const nb::capsule& chdtrc, const nb::capsule& fdtrc,
                                   const nb::capsule& gammaln, const nb::capsule& betaln) {
    SpecialFunctions special;
    take_function(special.chdtrc, chdtrc, "double (double, double, int __pyx_skip_dispatch)");
    take_function(special.fdtrc, fdtrc, "double (double, double, double, int __pyx_skip_dispatch)");
    take_function(special.gammaln, gammaln, "double (double, int __pyx_skip_dispatch)");
    take_function(special.betaln, betaln, "double (double, double, int __pyx_skip_dispatch)");
    return special;
}

/// Whether this is so fast that nobody needs to interrupt it.
bool is_soon(std::size_t cells, std::span<const Categories> columns) {
    constexpr std::size_t few_cells = std::size_t{1} << 15, few_categories = 64;
    return cells < few_cells &&
           std::ranges::all_of(
               columns, [](const Categories& column) { return column.count < few_categories; });
}

struct CategoriesView {
    std::vector<Categories> columns;
    std::size_t rows = 0;
};

CategoriesView categories(const TableView& table, const ArrayIn<std::uint8_t>& ordinal, std::size_t bins,
                          const std::optional<ArrayIn<double>>& weights, int threads) {
    if (ordinal.size() != table.columns.size() || (weights && weights->size() != table.rows))
        throw std::invalid_argument("one mark per column, and one weight per row");
    CategoriesView view{{}, table.rows};
    constexpr std::size_t soon = std::size_t{1} << 18;  // this many cells take about ten milliseconds
    run_interruptible(table.rows * table.columns.size() < soon, [&](Pulse& pulse) {
        view.columns =
            chaid::categories_of(table.columns, table.rows, span_of(ordinal), bins,
                                 weights ? span_of(*weights) : std::span<const double>(), threads, pulse);
    });
    return view;
}

/// A Growth, together with the objects that it refers to.
class GrowthView {
  public:
    GrowthView(nb::object columns, nb::object target, const std::optional<ArrayIn<std::int64_t>>& rows,
               const Settings& settings, const SpecialFunctions& special, int threads)
        : columns_(std::move(columns)),
          target_(std::move(target)),
          growth_(nb::cast<const CategoriesView&>(columns_).columns,
                  nb::cast<const TargetView&>(target_).target, settings, special, rows_of(rows), threads) {}

    auto describe() {
        chaid::NodeTargets found;
        run_interruptible(soon(), [&](Pulse& pulse) { found = growth_.describe(pulse); });
        return nb::make_tuple(array_out(std::move(found.value)), array_out(std::move(found.weight)),
                              array_out(std::move(found.spread)), array_out(std::move(found.unit)),
                              array_out(std::move(found.n_rows)));
    }

    auto look(const ArrayIn<std::int32_t>& open) {
        for (const std::int32_t node : span_of(open))
            if (node < 0 || static_cast<std::size_t>(node) >= growth_.nodes())
                throw std::out_of_range("there is no such node");
        run_interruptible(soon(), [&](Pulse& pulse) { growth_.look(span_of(open), pulse); });
        const auto numbers = [&](auto get) {
            std::vector<std::invoke_result_t<decltype(get), const Look&>> found;
            for (const Look& look : growth_.looks()) found.push_back(get(look));
            return array_out(std::move(found));
        };
        return nb::make_tuple(
            numbers([](const Look& l) { return static_cast<std::uint8_t>(l.outcome); }),
            numbers([](const Look& l) { return static_cast<std::int32_t>(l.categories); }),
            numbers([](const Look& l) { return static_cast<std::uint8_t>(l.has_missing); }),
            numbers([](const Look& l) {
                const bool is_known = l.has_missing && l.outcome == Outcome::groups;
                return static_cast<std::int32_t>(is_known ? l.merged.group_of.back() : -1);
            }),
            numbers([](const Look& l) { return static_cast<std::int32_t>(l.merged.groups); }),
            numbers([](const Look& l) { return l.merged.evidence.statistic; }),
            numbers([](const Look& l) { return l.merged.evidence.p_value; }),
            numbers([](const Look& l) { return l.merged.evidence.log_p; }),
            numbers([](const Look& l) { return l.merged.remainder; }));
    }

    auto parts(const ArrayIn<std::int64_t>& wanted) {
        std::vector<double> found;
        std::vector<std::int64_t> ends;
        for (const std::int64_t at : span_of(wanted)) {
            if (at < 0 || static_cast<std::size_t>(at) >= growth_.looks().size())
                throw std::out_of_range("there is no such look");
            growth_.append_parts(static_cast<std::size_t>(at), found);
            ends.push_back(static_cast<std::int64_t>(found.size()));
        }
        return nb::make_tuple(array_out(std::move(ends)), array_out(std::move(found)));
    }

    auto part(const ArrayIn<std::int32_t>& chosen) {
        if (chosen.size() * growth_.columns() != growth_.looks().size())
            throw std::invalid_argument("one column, or -1, for each node that was looked at");
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const std::int32_t column = span_of(chosen)[k];
            if (column < 0) continue;
            if (static_cast<std::size_t>(column) >= growth_.columns() ||
                growth_.looks()[k * growth_.columns() + static_cast<std::size_t>(column)].outcome !=
                    Outcome::groups)
                throw std::out_of_range("this column has no groups at that node");
        }
        std::vector<std::int32_t> heaviest;
        run_interruptible(soon(), [&](Pulse& pulse) { heaviest = growth_.part(span_of(chosen), pulse); });
        return array_out(std::move(heaviest));
    }

    const Growth& growth() const { return growth_; }

  private:
    bool soon() const {
        const auto& view = nb::cast<const CategoriesView&>(columns_);
        return is_soon(view.rows * view.columns.size(), view.columns);
    }

    std::vector<Row> rows_of(const std::optional<ArrayIn<std::int64_t>>& rows) const {
        const std::size_t count = nb::cast<const CategoriesView&>(columns_).rows;
        if (nb::cast<const TargetView&>(target_).target.rows() != count)
            throw std::invalid_argument("columns and target differ in their rows");
        for (const Categories& column : nb::cast<const CategoriesView&>(columns_).columns)
            if (column.codes.size() != count) throw std::length_error("a column has too many categories");
        std::vector<Row> found(rows ? rows->size() : count);
        if (!rows) {
            std::iota(found.begin(), found.end(), Row{0});
            return found;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::int64_t row = span_of(*rows)[i];
            if (row < 0 || static_cast<std::size_t>(row) >= count)
                throw std::out_of_range("there is no such row");
            found[i] = static_cast<Row>(row);
        }
        return found;
    }

    nb::object columns_, target_;
    Growth growth_;
};

}  // namespace

void bind_chaid(nb::module_& m) {
    nb::class_<SpecialFunctions>(m, "SpecialFunctions", "SciPy's functions, as SciPy exports them to C.")
        .def(
            "__init__",
            [](SpecialFunctions* special, const nb::capsule& chdtrc, const nb::capsule& fdtrc,
               const nb::capsule& gammaln, const nb::capsule& betaln) {
                new (special) SpecialFunctions(special_functions(chdtrc, fdtrc, gammaln, betaln));
            },
            nb::arg("chdtrc"), nb::arg("fdtrc"), nb::arg("gammaln"), nb::arg("betaln"))
        .def(
            "chi_square_tail",
            [](const SpecialFunctions& special, double x, double freedom) {
                const chaid::Tail tail = chi_square_tail(special, x, freedom);
                return std::tuple(tail.p, tail.log_p, log_chi_square_tail(special, x, freedom));
            },
            nb::arg("x"), nb::arg("freedom"),
            "Return the probability of a chi-square above x, its logarithm, and the logarithm by the faster "
            "method that comparisons use.")
        .def(
            "f_tail",
            [](const SpecialFunctions& special, double f, double d1, double d2) {
                const chaid::Tail tail = chaid::f_tail(special, f, d1, d2);
                return std::pair(tail.p, tail.log_p);
            },
            nb::arg("f"), nb::arg("d1"), nb::arg("d2"),
            "Return the probability of an F above f, and its logarithm.");
    nb::class_<Settings>(m, "ChaidSettings", "How CHAID merges categories.")
        .def(nb::init<>())
        .def_rw("exhaustive", &Settings::exhaustive)
        .def_prop_rw(
            "likelihood", [](const Settings& s) { return s.statistic == chaid::Statistic::likelihood; },
            [](Settings& s, bool on) {
                s.statistic = on ? chaid::Statistic::likelihood : chaid::Statistic::pearson;
            })
        .def_rw("alpha_merge", &Settings::alpha_merge)
        .def_rw("alpha_resplit", &Settings::alpha_resplit)
        .def_rw("least_weight", &Settings::least_weight);
    nb::class_<CategoriesView>(m, "ChaidColumns", "The columns of a table as categories.")
        .def(
            "__init__",
            [](CategoriesView* view, const TableView& table, const ArrayIn<std::uint8_t>& ordinal,
               std::size_t bins, const std::optional<ArrayIn<double>>& weights, int threads) {
                new (view) CategoriesView(categories(table, ordinal, bins, weights, threads));
            },
            nb::arg("columns"), nb::arg("ordinal").noconvert(), nb::arg("bins"),
            nb::arg("weights").noconvert().none(), nb::arg("threads"))
        .def("counts", [](const CategoriesView& view) {
            std::vector<std::int64_t> counts;
            for (const Categories& column : view.columns)
                counts.push_back(static_cast<std::int64_t>(column.count));
            return array_out(std::move(counts));
        });
    nb::class_<GrowthView>(m, "ChaidGrowth", "A CHAID tree while it grows: the rows of its last level.")
        .def(nb::init<nb::object, nb::object, const std::optional<ArrayIn<std::int64_t>>&, const Settings&,
                      const SpecialFunctions&, int>(),
             nb::arg("columns"), nb::arg("target"), nb::arg("rows").noconvert().none(), nb::arg("settings"),
             nb::arg("special"), nb::arg("threads"))
        .def("describe", &GrowthView::describe,
             "Return the targets of the nodes: class weights or means, weights, spreads, units, numbers of "
             "rows.")
        .def("look", &GrowthView::look, nb::arg("open").noconvert(),
             "Find the groups of every feature at some nodes. Return, for each node and feature: the "
             "outcome, the number of categories, whether values are missing, their group or -1, the number "
             "of groups, the statistic, the p-value, its logarithm, and the impurity of the groups.")
        .def("parts", &GrowthView::parts, nb::arg("looks").noconvert(),
             "Return the groups of some results of `look` in the form of the ledger: where each ends, and "
             "all of them one after the other.")
        .def("part", &GrowthView::part, nb::arg("chosen").noconvert(),
             "Split the open nodes by these features; -1: do not split. Return the heaviest child of each "
             "node that was split.")
        .def_prop_ro("tests", [](const GrowthView& view) { return view.growth().tests(); })
        .def_prop_ro("rows_visited", [](const GrowthView& view) { return view.growth().rows_visited(); });
}

}  // namespace branchwork
