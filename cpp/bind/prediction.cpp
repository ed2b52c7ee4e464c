// Sending rows down a tree.
#include "bind/bind.hpp"
#include "core/predict/apply.hpp"
#include "core/prune/error_based.hpp"

namespace branchwork {
namespace {

/// A tree to send rows down. It may live until the interpreter ends, so it keeps the arrays alive as objects:
/// NumPy does not let go of what it has lent out by then.
class Walker {
  public:
    Walker(nb::object feature, nb::object cut, nb::object first_child, nb::object lookup, nb::object pool,
           nb::object bounds, nb::object default_child, nb::object unseen_child, nb::object n_children,
           nb::object weight, std::optional<std::vector<nb::object>> surrogates)
        : view_{keep<std::int32_t>(feature),
                keep<std::int32_t>(first_child),
                keep<std::int32_t>(lookup),
                keep<std::int32_t>(pool),
                keep<std::int32_t>(default_child),
                keep<std::int32_t>(unseen_child),
                keep<double>(cut),
                keep<std::int32_t>(n_children),
                keep<double>(bounds),
                {}},
          weight_(keep<double>(weight)) {
        if (!surrogates) return;
        const std::vector<nb::object>& s = *surrogates;
        if (s.size() != 7) throw std::invalid_argument("surrogates have seven arrays");
        view_.surrogates = {keep<std::int32_t>(s[0]), keep<std::int32_t>(s[1]), keep<std::int32_t>(s[2]),
                            keep<std::int32_t>(s[3]), keep<std::int32_t>(s[4]), keep<std::int32_t>(s[5]),
                            keep<double>(s[6])};
    }

    const TreeView& view() const { return view_; }
    std::span<const double> weight() const { return weight_; }
    /// A thread that watches for Ctrl-C would cost more than the walk.
    bool is_small(std::size_t rows) const { return rows * view_.feature.size() < std::size_t{1} << 24; }

  private:
    template <class T>
    std::span<const T> keep(const nb::object& array) {
        owners_.push_back(array);
        return span_of(nb::cast<ArrayIn<T>>(array, false));
    }

    std::vector<nb::object> owners_;
    TreeView view_;
    std::span<const double> weight_;
};

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
                       "branchwork.tree.check.")
        .def(nb::init<nb::object, nb::object, nb::object, nb::object, nb::object, nb::object, nb::object,
                      nb::object, nb::object, nb::object, std::optional<std::vector<nb::object>>>(),
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
            nb::arg("columns"), nb::arg("threads"), "The leaf of every row.")
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
            "The leaves of every row, where missing cells go down every branch: row pointers, leaves, "
            "shares.")
        .def("prune_by_error", &prune_walked, nb::arg("columns"), nb::arg("target"),
             nb::arg("answer").noconvert(), nb::arg("bound"), nb::arg("raising"),
             "Error-based pruning by the rows that the tree was grown on.");
}

}  // namespace branchwork
