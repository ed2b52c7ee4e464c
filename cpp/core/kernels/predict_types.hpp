// The data that the kernels of prediction work on: plain structs without functions, so that avx2.cpp may include them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchwork {

/// The thresholds of one feature in ascending order, and a uniform grid that says where to look among them:
///
///     cuts     0.1  0.4 0.5    0.9          the rank of x is the number of cuts below x
///     grid    |    |    |    |    |         bucket of x: (x - low) * scale, clamped to the first and last bucket
///     start    0    1    3    3             number of cuts in lower buckets
///
/// All cuts in lower buckets are below x and none in higher buckets is, so only the cuts in the bucket of x are
/// compared with x, as doubles. The bucket is computed in float. That is safe, because rounding never reverses the
/// order of two numbers, and cuts and cells go through the same operations.
struct RankTable {
    const double* cuts;                // followed by as many infinities as a search may read beyond the end
    const std::uint8_t* start_bytes;   // per bucket; null if there are more than 255 cuts
    const std::uint16_t* start_words;  // per bucket, used if start_bytes is null
    float low, scale, top;             // `top` is the number of the last bucket
    std::uint32_t most;                // the largest number of cuts in one bucket
};

/// Up to this many cuts in a bucket are all compared; with more, a binary search is faster.
inline constexpr std::uint32_t most_compared = 6;

/// One test of a multiplexer. The number of a leaf, counted from the left, is computed from the bottom up for many rows
/// at once:
///
///     leaf = rank > cut ? leaf in the right subtree + leaves of the left one : leaf in the left subtree
///
/// Partial results are kept in numbered slots. Slot 0 is always 0: a subtree that is a leaf has only leaf 0.
struct MuxNode {
    std::uint16_t column;
    std::int8_t cut;  // written like the ranks: 0 is -128
    std::uint8_t left_leaves;
    std::uint8_t left, right;  // slots; a test between two leaves writes to `left` and reads neither
};
static_assert(sizeof(MuxNode) == 6);

/// The tests of one tree: first those between two leaves, then the others, children before parents. Each of the others
/// overwrites the slot of a child: `left`, or, if the left child is a leaf, `right`.
struct MuxTree {
    const MuxNode* nodes;
    std::size_t pairs, others;
};

}  // namespace branchwork
