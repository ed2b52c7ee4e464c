#include "bind/bind.hpp"
#include "core/apply.hpp"

namespace branchwork {

void bind_prediction(nb::module_& m) {
    using Ints = ArrayIn<std::int32_t>;
    m.def(
        "apply",
        [](const TableView& table, const Ints& feature, const ArrayIn<double>& cut, const Ints& first_child,
           const Ints& lookup, const Ints& pool, const Ints& default_child, const Ints& unseen_child,
           int threads) {
            const TreeView tree{span_of(feature),       span_of(first_child),  span_of(lookup), span_of(pool),
                                span_of(default_child), span_of(unseen_child), span_of(cut)};
            std::vector<std::int32_t> leaf(table.rows);
            run_interruptible(table.rows < 4096 && feature.size() < 4096,
                              [&](Pulse& pulse) { apply(table.columns, tree, leaf, threads, pulse); });
            return array_out(std::move(leaf));
        },
        nb::arg("columns"), nb::arg("feature").noconvert(), nb::arg("cut").noconvert(),
        nb::arg("first_child").noconvert(), nb::arg("lookup").noconvert(), nb::arg("pool").noconvert(),
        nb::arg("default_child").noconvert(), nb::arg("unseen_child").noconvert(), nb::arg("threads"),
        "The leaf of every row. The tree must have passed branchwork.tree.check.");
    m.def(
        "apply_shared",
        [](const TableView& table, const Ints& feature, const ArrayIn<double>& cut, const Ints& first_child,
           const Ints& lookup, const Ints& pool, const Ints& default_child, const Ints& unseen_child,
           const Ints& n_children, const ArrayIn<double>& weight, int threads) {
            const TreeView tree{span_of(feature),       span_of(first_child),  span_of(lookup), span_of(pool),
                                span_of(default_child), span_of(unseen_child), span_of(cut)};
            Shares shares;
            run_interruptible(table.rows < 4096 && feature.size() < 4096, [&](Pulse& pulse) {
                shares = apply_shared(table.columns, tree, span_of(n_children), span_of(weight), table.rows,
                                      threads, pulse);
            });
            return std::tuple(array_out(std::move(shares.starts)), array_out(std::move(shares.leaf)),
                              array_out(std::move(shares.share)));
        },
        nb::arg("columns"), nb::arg("feature").noconvert(), nb::arg("cut").noconvert(),
        nb::arg("first_child").noconvert(), nb::arg("lookup").noconvert(), nb::arg("pool").noconvert(),
        nb::arg("default_child").noconvert(), nb::arg("unseen_child").noconvert(),
        nb::arg("n_children").noconvert(), nb::arg("weight").noconvert(), nb::arg("threads"),
        "The leaves of every row, where missing cells go down every branch: row pointers, leaves, shares.");
}

}  // namespace branchwork
