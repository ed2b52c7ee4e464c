// What is asked of the search for an optimal tree, and what it tells about itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace branchwork::optimal {

/// Costs are whole numbers: weights, costs of errors and squared errors are scaled to integers once, so sums do not
/// depend on the order of adding and every comparison is exact.
using Cost = std::int64_t;
inline constexpr Cost unbounded = std::numeric_limits<Cost>::max() / 4;

/// The bounds of the search. Each may be switched off: the cost of the tree found stays the same.
struct Bounds {
    bool interval =
        true;           // more rows never cost less, so the ends of an interval of cuts bound all cuts inside
    bool moved = true;  // a cut costs at most what the rows between it and a known cut cost
    bool equivalent = true;  // rows that no test tells apart get the same answer
    bool classes = true;     // a tree with m leaves answers at most m classes
    bool shallow = true;     // solve a subproblem with one level less first
    bool cache = true;       // a set of rows that was solved before is not solved again
    bool counted = true;     // trees of two levels by the kernel that counts rows
};

struct Settings {
    std::int32_t max_depth = 3;
    std::int64_t max_leaves = std::numeric_limits<std::int32_t>::max();
    double leaf_penalty = 0;        // of each leaf but the first, in units of the target
    double min_leaf_samples = 0;    // 0: no limit
    bool groups = false;            // categories in two groups, not only one against the rest
    std::int32_t lookahead = 0;     // levels that the choice of each split looks at; 0: all
    bool try_roots = false;         // with lookahead: complete several roots, and keep the best
    double max_gap = 0;             // stop once this close to the lower bound, in units of the target
    double start = -1;              // cost of a tree that is known; -1: none
    double target_cost = -1;        // find the fewest leaves whose cost is not above this; -1: least cost
    std::int32_t only_column = -1;  // the column that the root must ask for; -1: any
    double time_limit = -1;         // seconds; -1: none
    double memory_limit = -1;       // bytes; -1: none
    bool keep_interrupted = false;  // return the best tree so far at Ctrl-C
    int threads = 1;
    Bounds bounds;
};

/// Work that was done, and work that bounds saved.
struct Counters {
    std::int64_t subproblems = 0;      // sets of rows that were solved
    std::int64_t cuts = 0;             // cuts that were tried
    std::int64_t closed_interval = 0;  // intervals of cuts that each bound ruled out
    std::int64_t closed_moved = 0;
    std::int64_t closed_rows = 0;  // subproblems that the equivalent rows or the number of classes decided
    std::int64_t cache_hits = 0;
    std::int64_t cache_entries = 0;
    std::int64_t kernels = 0;

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

/// One node of the tree found, in preorder. Rows are parted by a test; the first branch comes first.
struct FoundNode {
    std::int32_t column = -1;          // -1: leaf
    double cut = 0;                    // numeric
    std::vector<std::int32_t> branch;  // nominal: the branch of each category; -1: not among the rows here
    std::int32_t missing = 0;          // the branch of missing cells; -1: none here
    std::int32_t branches = 0;
};

/// The best tree with up to this many levels.
struct FoundLevel {
    std::int32_t depth = 0;
    std::vector<FoundNode> nodes;
};

enum class Ending : std::uint8_t { proven, gap, time, memory, interrupted };

struct Found {
    std::vector<FoundNode> nodes;
    bool has_tree = false;           // false: nothing better than `start` was found
    std::vector<FoundLevel> levels;  // every tree that was better than those with fewer levels
    double cost = 0, lower_bound = 0;
    Ending ending = Ending::proven;
    double seconds = 0;
    std::int32_t depth_proven = 0;   // levels up to which the search came to its end
    std::int64_t leaves_needed = 0;  // with target_cost: fewer leaves do not reach it; 0: no tree does
    Counters counters;
};

}  // namespace branchwork::optimal
