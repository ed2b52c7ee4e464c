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
}

}  // namespace branchwork
