// Trees packed for prediction: every test compares two small integers.
//
// Each cell is replaced by its rank among the thresholds of its feature (ranks.hpp), once for a whole group of trees.
// Then all kinds of tests become the same comparison:
//
//     threshold           rank > k                      in a rank column of the feature
//     several intervals   a binary search among the children, one threshold per test
//     missing value       smallest or largest rank      a feature may have two rank columns, which differ in the rank of
//                                                       missing values; a test uses the one that sends them its way
//     categories          child of the category > k     in a set column: a table from code to child
//
// Rank columns and code columns are *stored* for each row of a block. Set columns are not: a walk looks them up in
// their table, and only the multiplexer (mux.hpp) writes them out for a block.
//
// A row that must be shared among children, or needs a surrogate, is *delicate*: it takes the plain walk (apply.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/predict/apply.hpp"
#include "core/predict/ranks.hpp"

namespace branchwork {

/// A test: a row whose value of `column` is above `cut` goes to child + 1, any other row to `child`. A leaf is its own
/// child, so that a row which has arrived stays there.
struct PackedNode {
    std::uint16_t cut, column;
    std::uint32_t child;
};
static_assert(sizeof(PackedNode) == 8);

/// The cut of a leaf; no value is above it.
inline constexpr std::uint16_t leaf_cut = std::numeric_limits<std::uint16_t>::max();

/// A column that is stored for each row. It has ranks, or codes + 2, so that an unseen category is 0 and a missing
/// value is 1.
struct StoredColumn {
    enum class Kind : std::uint8_t { missing_first, missing_last, codes };
    std::uint32_t feature;
    Kind kind;
    std::uint32_t ranks;  // index into `ranks` of the group
};

/// The child that each category goes to: tables[start + code + 2].
struct SetColumn {
    std::uint16_t codes;  // the stored column with the codes
    std::uint32_t start, levels;
};

/// A feature with values for which a row needs the plain walk.
struct DelicateFeature {
    std::uint32_t feature;
    std::vector<bool> codes;  // categorical: whether code + 2 needs it; empty: numeric, NaN needs it
};

/// Consecutive trees that share their columns.
struct TreeGroup {
    std::size_t first = 0, last = 0;
    bool plain = false;  // a single tree that does not fit into packed nodes and always takes the plain walk
    std::vector<Ranks> ranks;
    std::vector<StoredColumn> stored;
    std::vector<SetColumn> sets;  // numbered after the stored columns
    std::vector<std::uint16_t> tables;
    std::vector<DelicateFeature> delicate;

    std::size_t columns() const { return stored.size() + sets.size(); }
};

struct PackedTree {
    std::uint32_t root = 0, size = 0;
    std::size_t blind = 0;          // levels that all rows take before arrivals are checked; see walk.hpp
    std::vector<std::int32_t> ids;  // number of each packed node in the tree; empty: they are the same
};

struct PackedTrees {
    std::vector<TreeGroup> groups;
    std::vector<PackedTree> trees;
    std::vector<PackedNode> nodes;

    std::size_t bytes() const;
};

/// Largest number of thresholds per feature in a group. n thresholds have n + 1 ranks, and one more is reserved for
/// missing values; all must fit into one byte or two.
inline constexpr std::size_t most_cuts_of_bytes = 254, most_cuts_of_words = 65534;

/// `levels` has the number of categories of each feature, or -1 if it is numeric.
PackedTrees pack(std::span<const TreeView* const> trees, std::span<const std::int32_t> levels,
                 std::size_t most_cuts, const Pulse& pulse);

/// Finds the features with values that some node of these trees sends to a surrogate or shares among children.
std::vector<DelicateFeature> delicate_features(std::span<const TreeView* const> trees,
                                               std::span<const std::int32_t> levels);

/// Marks which of n rows are delicate. Returns whether any is.
bool mark_delicate(std::span<const DelicateFeature> features, std::span<const Column> columns,
                   std::size_t begin, std::size_t n, std::uint8_t* delicate);

}  // namespace branchwork
