// The search for optimal trees.
#include <algorithm>

#include "bind/bind.hpp"
#include "core/optimal/search.hpp"

namespace branchwork {
namespace {

/// Whether this is so fast that nobody needs to interrupt it. In the worst case, a tree of two levels tries every cut
/// with every other cut. Numeric targets and a minimum leaf size need the slow search, so they never count as fast.
bool is_small(const PreparedView& view, const TargetView& target, const optimal::Settings& settings) {
    constexpr double soon = 1 << 25;
    const double cells =
        static_cast<double>(view.table.rows) * static_cast<double>(view.table.columns.size());
    const bool numeric = std::ranges::none_of(view.table.columns, &Column::nominal);
    return numeric && target.target.is_classes() && settings.min_leaf_samples <= 1 &&
           settings.max_depth <= 2 && cells * cells < soon;
}

optimal::Found search(const PreparedView& view, const TargetView& target, const ArrayIn<double>& costs,
                      const optimal::Settings& settings, const Progress& told) {
    same_rows(view.table, target);
    const std::size_t classes = target.target.classes;
    if (costs.size() != 0 && costs.size() != classes * classes)
        throw std::invalid_argument("one cost for each pair of classes");
    optimal::Found found;
    optimal::Standing standing;
    std::function<void(std::int64_t)> advanced;
    if (told)
        advanced = [&standing, &told](std::int64_t) {
            standing.asked = true;
            (*told)(static_cast<double>(standing.cost), static_cast<double>(standing.lower_bound),
                    static_cast<std::int32_t>(standing.depth));
        };
    run_interruptible(
        is_small(view, target, settings),
        [&](Pulse& pulse) {
            found = optimal::search(view.prepared, target.target, span_of(costs), settings, pulse, standing);
        },
        advanced, settings.keep_interrupted);
    return found;
}

void bind_bounds(nb::module_& m) {
    using optimal::Bounds;
    nb::class_<Bounds>(m, "OptimalBounds", "The bounds of the search; each may be switched off.")
        .def(nb::init<>())
        .def_rw("interval", &Bounds::interval)
        .def_rw("moved", &Bounds::moved)
        .def_rw("equivalent", &Bounds::equivalent)
        .def_rw("classes", &Bounds::classes)
        .def_rw("shallow", &Bounds::shallow)
        .def_rw("cache", &Bounds::cache)
        .def_rw("counted", &Bounds::counted);
}

void bind_settings(nb::module_& m) {
    using optimal::Settings;
    nb::class_<Settings>(m, "OptimalSettings", "Settings of the search for an optimal tree.")
        .def(nb::init<>())
        .def_rw("max_depth", &Settings::max_depth)
        .def_rw("max_leaves", &Settings::max_leaves)
        .def_rw("leaf_penalty", &Settings::leaf_penalty)
        .def_rw("min_leaf_samples", &Settings::min_leaf_samples)
        .def_rw("groups", &Settings::groups)
        .def_rw("lookahead", &Settings::lookahead)
        .def_rw("try_roots", &Settings::try_roots)
        .def_rw("max_gap", &Settings::max_gap)
        .def_rw("start", &Settings::start)
        .def_rw("target_cost", &Settings::target_cost)
        .def_rw("only_column", &Settings::only_column)
        .def_rw("time_limit", &Settings::time_limit)
        .def_rw("memory_limit", &Settings::memory_limit)
        .def_rw("keep_interrupted", &Settings::keep_interrupted)
        .def_rw("threads", &Settings::threads)
        .def_rw("bounds", &Settings::bounds);
}

void bind_found(nb::module_& m) {
    using optimal::Counters, optimal::Ending, optimal::Found, optimal::FoundLevel, optimal::FoundNode;
    nb::enum_<Ending>(m, "OptimalEnding")
        .value("proven", Ending::proven)
        .value("gap", Ending::gap)
        .value("time", Ending::time)
        .value("memory", Ending::memory)
        .value("interrupted", Ending::interrupted);
    nb::class_<FoundNode>(m, "OptimalNode", "One node of the tree found.")
        .def(nb::init<>())
        .def_ro("column", &FoundNode::column)
        .def_ro("cut", &FoundNode::cut)
        .def_ro("branch", &FoundNode::branch)
        .def_ro("missing", &FoundNode::missing)
        .def_ro("branches", &FoundNode::branches);
    nb::class_<FoundLevel>(m, "OptimalLevel", "The best tree with at most `depth` levels.")
        .def_ro("depth", &FoundLevel::depth)
        .def_ro("nodes", &FoundLevel::nodes);
    nb::class_<Counters>(m, "OptimalCounters", "Work that was done, and work that the bounds saved.")
        .def_ro("subproblems", &Counters::subproblems)
        .def_ro("cuts", &Counters::cuts)
        .def_ro("closed_interval", &Counters::closed_interval)
        .def_ro("closed_moved", &Counters::closed_moved)
        .def_ro("closed_rows", &Counters::closed_rows)
        .def_ro("cache_hits", &Counters::cache_hits)
        .def_ro("cache_entries", &Counters::cache_entries)
        .def_ro("kernels", &Counters::kernels);
    nb::class_<Found>(m, "OptimalFound", "The tree found, in preorder, and the proof.")
        .def_ro("nodes", &Found::nodes)
        .def_ro("has_tree", &Found::has_tree)
        .def_ro("levels", &Found::levels)
        .def_ro("cost", &Found::cost)
        .def_ro("lower_bound", &Found::lower_bound)
        .def_ro("ending", &Found::ending)
        .def_ro("seconds", &Found::seconds)
        .def_ro("depth_proven", &Found::depth_proven)
        .def_ro("leaves_needed", &Found::leaves_needed)
        .def_ro("counters", &Found::counters);
}

}  // namespace

void bind_optimal(nb::module_& m) {
    bind_bounds(m);
    bind_settings(m);
    bind_found(m);
    m.def("optimal_tree", &search, nb::arg("prepared"), nb::arg("target"), nb::arg("costs").noconvert(),
          nb::arg("settings"), nb::arg("progress").none() = nb::none(),
          "Find the tree with the least cost. `progress` is called with the cost of the best tree so far, "
          "the lower "
          "bound, and the number of levels that is being searched. `costs[c * classes + k]` is the cost of "
          "predicting class k for "
          "a row of class c; empty: every error costs 1.");
}

}  // namespace branchwork
