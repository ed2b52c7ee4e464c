// Settings, counters and results of the search for an optimal tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace branchwork::optimal {

/// Costs are integers: weights, costs of errors and squared errors are scaled to integers once. So sums do not depend
/// on the order of additions, and every comparison is exact.
using Cost = std::int64_t;
inline constexpr Cost unbounded = std::numeric_limits<Cost>::max() / 4;

/// The bounds of the search. Each may be switched off; the cost of the tree found stays the same.
struct Bounds {
    bool interval = true;  // more rows never cost less, so the ends of an interval bound all cuts inside it
    bool moved = true;     // a cut is cheaper than a known cut by at most what the rows between them can cost
    bool equivalent = true;  // rows that no test can tell apart get the same answer
    bool classes = true;     // a tree with m leaves predicts at most m classes
    bool shallow = true;     // solve a subproblem with one level less first
    bool cache = true;       // do not solve the same set of rows twice
    bool counted = true;     // use the fast search for classes (counted_search.hpp)
};

struct Settings {
    std::int32_t max_depth = 3;
    std::int64_t max_leaves = std::numeric_limits<std::int32_t>::max();
    double leaf_penalty = 0;        // per leaf beyond the first, in units of the target
    double min_leaf_samples = 0;    // 0: no limit
    bool groups = false;            // split categories into any two groups, not only one against the rest
    std::int32_t lookahead = 0;     // number of levels that the choice of a split considers; 0: all
    bool try_roots = false;         // with lookahead: complete the trees of several roots, and keep the best
    double max_gap = 0;             // stop when this close to the lower bound, in units of the target
    double start = -1;              // cost of a known tree; -1: none
    double target_cost = -1;        // find the fewest leaves with at most this cost; -1: find the least cost
    std::int32_t only_column = -1;  // the feature that the root must test; -1: any
    double time_limit = -1;         // seconds; -1: none
    double memory_limit = -1;       // bytes; -1: none
    bool keep_interrupted = false;  // after Ctrl-C, return the best tree so far
    int threads = 1;
    Bounds bounds;
};

/// Work that was done, and work that the bounds saved.
struct Counters {
    std::int64_t subproblems = 0;      // sets of rows that were solved
    std::int64_t cuts = 0;             // cuts that were evaluated
    std::int64_t closed_interval = 0;  // intervals of cuts ruled out by Bounds::interval
    std::int64_t closed_moved = 0;     // intervals of cuts ruled out by Bounds::moved
    std::int64_t closed_rows = 0;      // subproblems ruled out by Bounds::equivalent or Bounds::classes
    std::int64_t cache_hits = 0;
    std::int64_t cache_entries = 0;
    std::int64_t kernels = 0;  // calls of kernels

    Counters& operator+=(const Counters& other) {
        subproblems += other.subproblems;
        cuts += other.cuts;
        closed_interval += other.closed_interval;
        closed_moved += other.closed_moved;
        closed_rows += other.closed_rows;
        cache_hits += other.cache_hits;
        cache_entries += other.cache_entries;
        kernels += other.kernels;
        return *this;
    }
};

/// A node of the tree found. Nodes are in preorder.
struct FoundNode {
    std::int32_t column = -1;          // -1: leaf
    double cut = 0;                    // numeric
    std::vector<std::int32_t> branch;  // categorical: branch of each category; -1: the node has no such row
    std::int32_t missing = 0;          // branch of missing values; -1: the node has none
    std::int32_t branches = 0;
};

/// The best tree with at most `depth` levels.
struct FoundLevel {
    std::int32_t depth = 0;
    std::vector<FoundNode> nodes;
};

enum class Ending : std::uint8_t { proven, gap, time, memory, interrupted };

struct Found {
    std::vector<FoundNode> nodes;
    bool has_tree = false;           // false: no tree better than `start` was found
    std::vector<FoundLevel> levels;  // every tree that is better than all trees with fewer levels
    double cost = 0, lower_bound = 0;
    Ending ending = Ending::proven;
    double seconds = 0;
    std::int32_t depth_proven = 0;   // the search was completed for trees with up to this many levels
    std::int64_t leaves_needed = 0;  // with target_cost: the fewest leaves that reach it; 0: no tree does
    Counters counters;
};

}  // namespace branchwork::optimal
