// The table of contents of `branchwork._core`. Each line below has a file of its own.
#include "bind/bind.hpp"
#include "core/kernels/kernels.hpp"

NB_MODULE(_core, m) {
    // A program may still hold models when it ends. That is no leak that a user should be warned about.
    nanobind::set_leak_warnings(false);
    m.doc() = "Hot kernels of Branchwork. Not a public interface.";
    m.def(
        "instructions", [] { return branchwork::kernels().name; },
        "Return the instruction set that hot loops use: plain or avx2.");
    branchwork::bind_columns(m);     // Columns, Target: the training data
    branchwork::bind_prepared(m);    // Prepared: features sorted once
    branchwork::bind_grown_tree(m);  // GrownTree: the result of growing
    branchwork::bind_growth(m);      // Options, grow, grow_sample, grow_many
    branchwork::bind_steps(m);       // tally, choose, route, list_cuts: growing step by step
    branchwork::bind_chaid(m);       // ChaidColumns, ChaidGrowth: CHAID, one level at a time
    branchwork::bind_optimal(m);     // OptimalSettings, OptimalFound, optimal_tree
    branchwork::bind_pruning(m);     // ErrorBound, PrunedTree, weakest_links
    branchwork::bind_prediction(m);  // Walker: prediction with one tree
    branchwork::bind_ensemble(m);    // Ensemble: prediction with many trees
}
