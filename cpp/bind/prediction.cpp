// Prediction with one tree, and error-based pruning, which also sends rows down a tree.
#include "bind/bind.hpp"
#include "bind/walker.hpp"
#include "core/predict/apply.hpp"
#include "core/predict/missing_arrivals.hpp"
#include "core/prune/error_based.hpp"

namespace branchwork {
namespace {

PrunedTree prune_walked(const Walker& walker, const TableView& table, const TargetView& target,
                        const ArrayIn<std::int32_t>& answer, const ErrorBound& bound, bool raising) {
    if (table.rows != target.target.rows() || !target.target.is_classes())
        throw std::invalid_argument("pruning by error needs a class for every row");
    if (answer.size() != walker.view().feature.size()) throw std::invalid_argument("one answer per node");
    PrunedTree pruned;
    run_interruptible(walker.is_small(table.rows), [&](Pulse& pulse) {
        pruned = prune_by_error(table.columns, target.target, walker.view(), span_of(answer), bound, raising,
                                pulse);
    });
    return pruned;
}

}  // namespace

void bind_prediction(nb::module_& m) {
    nb::class_<Walker>(m, "Walker",
                       "The arrays of a tree that decide which way a row goes. They must have passed "
                       "branchwork.tree.check: the core does not check them again.")
        .def(nb::init<nb::object, nb::object, nb::object, nb::object, nb::object, nb::object, nb::object,
                      nb::object, nb::object, nb::object, const std::optional<nb::sequence>&>(),
             nb::arg("feature"), nb::arg("cut"), nb::arg("first_child"), nb::arg("lookup"), nb::arg("pool"),
             nb::arg("bounds"), nb::arg("default_child"), nb::arg("unseen_child"), nb::arg("n_children"),
             nb::arg("weight"), nb::arg("surrogates").none() = nb::none())
        .def(
            "leaves",
            [](const Walker& walker, const TableView& table, int threads) {
                std::vector<std::int32_t> leaf(table.rows);
                run_interruptible(walker.is_small(table.rows), [&](Pulse& pulse) {
                    apply(table.columns, walker.view(), leaf, threads, pulse);
                });
                return array_out(std::move(leaf));
            },
            nb::arg("columns"), nb::arg("threads"), "Return the leaf of every row.")
        .def(
            "shares",
            [](const Walker& walker, const TableView& table, int threads) {
                Shares shares;
                run_interruptible(walker.is_small(table.rows), [&](Pulse& pulse) {
                    shares = apply_shared(table.columns, walker.view(), walker.weight(), table.rows, threads,
                                          pulse);
                });
                return std::tuple(array_out(std::move(shares.starts)), array_out(std::move(shares.leaf)),
                                  array_out(std::move(shares.share)));
            },
            nb::arg("columns"), nb::arg("threads"),
            "Return the leaves of every row if rows with missing values are shared among all branches: where "
            "the leaves of each row begin, the leaves, and the share of each.")
        .def(
            "missing_arrivals",
            [](const Walker& walker, const TableView& table,
               const std::optional<ArrayIn<double>>& row_weight) {
                if (row_weight && row_weight->size() != table.rows)
                    throw std::invalid_argument("one weight per row");
                std::vector<double> arrived;
                run_interruptible(walker.is_small(table.rows), [&](Pulse& pulse) {
                    arrived = missing_arrivals(table.columns, walker.view(), walker.weight(), table.rows,
                                               row_weight ? span_of(*row_weight) : std::span<const double>{},
                                               pulse);
                });
                return array_out(std::move(arrived));
            },
            nb::arg("columns"), nb::arg("row_weight").noconvert().none(),
            "Return, for each node, the weight of the rows that arrive there although their value of the "
            "feature "
            "that its parent tests is missing.")
        .def("prune_by_error", &prune_walked, nb::arg("columns"), nb::arg("target"),
             nb::arg("answer").noconvert(), nb::arg("bound"), nb::arg("raising"),
             "Prune by error-based pruning, with the rows that the tree was grown on.");
}

}  // namespace branchwork
