// The contents page of `branchwork._core`: each noun has a file of its own.
#include "bind/bind.hpp"
#include "core/kernels/kernels.hpp"

NB_MODULE(_core, m) {
    // Models that a program still holds when it ends are no leak worth a page of warnings to its user.
    nanobind::set_leak_warnings(false);
    m.doc() = "Hot kernels of Branchwork. Not a public interface.";
    m.def(
        "instructions", [] { return branchwork::kernels().name; },
        "The instruction set that hot loops use here.");
    branchwork::bind_columns(m);     // Columns, Target: what goes in
    branchwork::bind_prepared(m);    // Prepared: columns sorted once
    branchwork::bind_grown_tree(m);  // GrownTree: what comes out
    branchwork::bind_growth(m);      // Options, grow, grow_sample, grow_many
    branchwork::bind_steps(m);       // tally, choose, route, list_cuts: the same, step by step
    branchwork::bind_chaid(m);       // ChaidColumns, ChaidGrowth: CHAID, a level at a time
    branchwork::bind_optimal(m);     // OptimalSettings, OptimalFound, optimal_tree
    branchwork::bind_pruning(m);     // ErrorBound, PrunedTree, weakest_links
    branchwork::bind_prediction(m);  // Walker: the leaves of rows
    branchwork::bind_ensemble(m);    // Ensemble: many trees at once
}
