// Trees packed for prediction: every test compares a small integer with a small integer.
//
// A cell is replaced by its rank among the thresholds of its feature (ranks.hpp), once for a group of trees. Then all
// tests look alike, whatever they were:
//
//     a cut               rank > k                      a rank column of the feature
//     several intervals   one cut after the other, halving the children
//     a missing cell      smallest or largest rank      two rank columns of a feature: the test picks one of them, so
//                                                       that a missing cell goes where the tree sends it
//     categories          child of the category > k     a set column: a table from code to child
//
// Rank columns and columns of codes are *stored* for each row of a block. A set column is looked up in its table when a
// walk asks for it, or written out for a block by the multiplexer (mux.hpp).
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

/// A test: a value of `column` above `cut` goes to the second of two neighbouring children. A leaf is its own child.
struct PackedNode {
    std::uint16_t cut, column;
    std::uint32_t child;
};
static_assert(sizeof(PackedNode) == 8);

/// The cut of a leaf; nothing is above it.
inline constexpr std::uint16_t leaf_cut = std::numeric_limits<std::uint16_t>::max();

/// A column that is stored for each row: ranks, or codes plus 2, so that unseen is 0 and missing is 1.
struct StoredColumn {
    enum class Kind : std::uint8_t { missing_first, missing_last, codes };
    std::uint32_t feature;
    Kind kind;
    std::uint32_t ranks;  // which of the group's
};

/// The child that each category goes to: table[start + code + 2].
struct SetColumn {
    std::uint16_t codes;  // the stored column
    std::uint32_t start, levels;
};

/// A feature whose missing cell needs the plain walk; of categories, which ones do (by code + 2).
struct DelicateFeature {
    std::uint32_t feature;
    std::vector<bool> codes;  // empty: a number
};

/// Consecutive trees that share their columns.
struct TreeGroup {
    std::size_t first = 0, last = 0;
    bool plain = false;  // what does not fit into packed nodes
    std::vector<Ranks> ranks;
    std::vector<StoredColumn> stored;
    std::vector<SetColumn> sets;  // column numbers go on after the stored ones
    std::vector<std::uint16_t> tables;
    std::vector<DelicateFeature> delicate;

    std::size_t columns() const { return stored.size() + sets.size(); }
};

struct PackedTree {
    std::uint32_t root = 0, size = 0;
    std::size_t blind = 0;          // levels that nearly every row takes
    std::vector<std::int32_t> ids;  // the tree's own number of each packed node; empty: they are the same
};

struct PackedTrees {
    std::vector<TreeGroup> groups;
    std::vector<PackedTree> trees;
    std::vector<PackedNode> nodes;

    std::size_t bytes() const;
};

/// Thresholds of one feature in a group: their ranks, and a missing cell, fit into a byte or into two.
inline constexpr std::size_t most_cuts_of_bytes = 254, most_cuts_of_words = 65534;

/// `levels` has the number of categories of each feature, -1 for a number.
PackedTrees pack(std::span<const TreeView* const> trees, std::span<const std::int32_t> levels,
                 std::size_t most_cuts, const Pulse& pulse);

/// The features of a tree whose missing cell needs the plain walk.
std::vector<DelicateFeature> delicate_features(std::span<const TreeView* const> trees,
                                               std::span<const std::int32_t> levels);

/// Writes which of n rows are delicate; false: none is.
bool mark_delicate(std::span<const DelicateFeature> features, std::span<const Column> columns,
                   std::size_t begin, std::size_t n, std::uint8_t* delicate);

}  // namespace branchwork
