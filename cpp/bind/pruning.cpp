// Pruning: the error bound and the pruned trees of C4.5, and the complexities of cost-complexity pruning.
#include "bind/bind.hpp"
#include "core/prune/cost_complexity.hpp"
#include "core/prune/error_based.hpp"

namespace branchwork {
namespace {

/// Checks that the number of every child is above that of its parent and below the number of nodes, so that no walk
/// leaves the arrays.
TreeShape shape_of(const ArrayIn<std::int32_t>& first_child, const ArrayIn<std::int32_t>& n_children,
                   const ArrayIn<double>& risk) {
    const TreeShape tree{span_of(first_child), span_of(n_children)};
    const auto nodes = static_cast<std::int64_t>(risk.size());
    if (first_child.size() != risk.size() || n_children.size() != risk.size())
        throw std::invalid_argument("one number per node");
    for (std::int64_t node = 0; node < nodes; ++node) {
        const auto at = static_cast<std::size_t>(node);
        const std::int64_t first = tree.first_child[at], count = tree.n_children[at];
        if (first < 0 ? count != 0 : first <= node || count < 2 || first + count > nodes)
            throw std::out_of_range("a child is out of range");
    }
    return tree;
}

}  // namespace

void bind_pruning(nb::module_& m) {
    nb::class_<ErrorBound>(m, "ErrorBound", "C4.5's upper limit of the errors to expect.")
        .def(
            "__init__",
            [](ErrorBound* bound, double confidence, double deviate, bool j48) {
                new (bound) ErrorBound{confidence, deviate, j48};
            },
            nb::arg("confidence"), nb::arg("deviate"), nb::arg("j48"))
        .def("extra", &ErrorBound::extra, nb::arg("errors"), nb::arg("weight"),
             "Return the number of errors to add to those observed among rows of this weight.");
    nb::class_<PrunedTree> cls(m, "PrunedTree", "A pruned tree. Its nodes refer to nodes of the given tree.");
    array_property<&PrunedTree::origin>(cls, "origin");
    array_property<&PrunedTree::leaf>(cls, "leaf");
    array_property<&PrunedTree::weight>(cls, "weight");
    array_property<&PrunedTree::n_rows>(cls, "n_rows");
    array_property<&PrunedTree::stats>(cls, "stats");
    array_property<&PrunedTree::answer>(cls, "answer");
    array_property<&PrunedTree::estimate>(cls, "estimate");
    array_property<&PrunedTree::of_subtree>(cls, "of_subtree");
    array_property<&PrunedTree::of_leaf>(cls, "of_leaf");

    m.def(
        "weakest_links",
        [](const ArrayIn<std::int32_t>& first_child, const ArrayIn<std::int32_t>& n_children,
           const ArrayIn<double>& risk, const ArrayIn<double>& below) {
            const TreeShape tree = shape_of(first_child, n_children, risk);
            if (below.size() != risk.size()) throw std::invalid_argument("one sum of risks per node");
            return array_out(weakest_links(tree, span_of(risk), span_of(below)));
        },
        nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(), nb::arg("risk").noconvert(),
        nb::arg("below").noconvert(), "Return the complexity at which each node becomes a leaf.");
    m.def(
        "links_as_rpart",
        [](const ArrayIn<std::int32_t>& first_child, const ArrayIn<std::int32_t>& n_children,
           const ArrayIn<double>& risk, double slack) {
            return array_out(links_as_rpart(shape_of(first_child, n_children, risk), span_of(risk), slack));
        },
        nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(), nb::arg("risk").noconvert(),
        nb::arg("slack"), "Return the complexity at which each node becomes a leaf, as rpart computes it.");
}

}  // namespace branchwork
