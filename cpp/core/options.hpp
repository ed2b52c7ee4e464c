// The options of growth as the core sees them: a recipe, spelled out as one plain struct.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/asked_score.hpp"
#include "core/own_score.hpp"

namespace branchwork {

enum class Criterion : std::uint8_t {
    accuracy,
    entropy,
    gini,
    gain_ratio,
    variance,
    squared_error,
    poisson,
    own
};

/// What Python calls them: the names of its table of criteria, and "own" for a user's own score.
inline constexpr std::pair<const char*, Criterion> criterion_names[] = {
    {"accuracy", Criterion::accuracy}, {"entropy", Criterion::entropy},
    {"gini", Criterion::gini},         {"gain_ratio", Criterion::gain_ratio},
    {"variance", Criterion::variance}, {"squared_error", Criterion::squared_error},
    {"poisson", Criterion::poisson},   {"own", Criterion::own},
};

/// How cuts of a numeric column are searched. All three find the same partition; the first two exist to show
/// why the third is used.
enum class NumericSearch : std::uint8_t {
    grid,    // every point of a grid, counting all rows for each: O(n k) per column
    values,  // every row's own value, counting all rows for each: O(n^2)
    sorted,  // sorted once, then running counts: O(n log n)
    random,  // one cut, drawn between the smallest and the largest value: extra trees
};

/// The branches of a nominal column.
enum class Nominal : std::uint8_t {
    multiway,     // one for each category
    subset,       // two groups of categories
    one_vs_rest,  // one category, and all others
    groups,       // C4.5's groups of values, as many as it finds; see value_groups.hpp
};

/// Where a missing cell goes.
enum class Missing : std::uint8_t {
    branch,     // to a branch of its own
    larger,     // to the heavier branch
    share,      // to every branch, by weight
    learn,      // to the branch where the split is best
    surrogate,  // where another column sends the row that parts rows nearly the same way
};

/// Which open node is split next. It matters only where leaves are limited.
enum class Order : std::uint8_t { depth, breadth, best };

/// What makes a split admissible, and which one is chosen.
enum class Rules : std::uint8_t {
    plain,  // the best score
    c45,    // Quinlan's C4.5 Release 8: gain ratio among tests of at least average gain; see quinlan.hpp
    j48,    // Weka's J48: the same with its own slack
    rpart,  // the best score, with rpart's ways: x < cut, and groups that are neighbours in the order of
            // categories even where limits bind; a branch of Poisson rates may have no counts
};

struct Options {
    Criterion criterion = Criterion::entropy;
    std::shared_ptr<const OwnTables> own;       // a user's own score: its tables for whole counts ...
    std::shared_ptr<const OwnFunctions> asked;  // ... or, for real weights and gains, its functions
    NumericSearch search = NumericSearch::sorted;
    double grid_step = 0;          // grid search: multiples of this step ...
    std::int64_t grid_points = 0;  // ... or this many points between the smallest and the largest value
    bool only_changes = false;     // cut only where the class changes between neighbouring values
    bool data_cuts = false;        // cut at the largest value of the training table not above the midpoint
    Nominal nominal = Nominal::multiway;
    Missing missing = Missing::branch;
    Order order = Order::depth;
    Rules rules = Rules::plain;
    bool collapse = false;              // a subtree that makes no fewer errors than a leaf becomes one
    bool cut_penalty = true;            // C4.5: does a cut pay for having been chosen among many?
    bool zero_gain = true;              // may a split without gain be taken?
    std::int64_t max_depth = -1;        // -1: none
    std::int64_t max_leaves = -1;       // -1: none
    double min_split_samples = 0;       // nodes of fewer samples are not split
    double min_leaf_samples = 0;        // a split with a branch of fewer samples is not made
    double min_leaf_weight = 0;         // ... nor one with a lighter branch, class weights included
    double min_gain = 0;                // a split must gain this much per row ...
    double min_decrease = 0;            // ... and this much times the node's share of the table
    std::int64_t ledger_nodes = 1000;   // the ledger is kept for trees up to this size
    std::int64_t max_surrogates = 0;    // with Missing::surrogate: most that a node keeps
    std::int64_t max_features = -1;     // columns that compete in a node, drawn anew for each; -1: all
    std::int64_t tree_features = -1;    // columns that compete in a tree, drawn once for it; -1: all
    std::int64_t most_nodes = -1;       // memory holds this many nodes, growth throws beyond; -1: not known
    std::int64_t counted_values = 256;  // numeric columns of at most this many values are counted, not sorted
    int threads = 1;

    bool limits_leaves() const { return min_leaf_samples > 0 || min_leaf_weight > 0; }
    bool by_ratio() const { return criterion == Criterion::gain_ratio; }
    /// Is the order of a column needed only once? A tree of depth 1 does not keep it, unless rows are to be
    /// sent by other columns.
    bool sorts_once() const { return max_depth == 1 && missing != Missing::surrogate; }
};

}  // namespace branchwork
