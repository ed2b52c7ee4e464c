// What the kernels of prediction work on: plain structs without functions, so that any file may include them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchwork {

/// The thresholds of one feature in ascending order, and a uniform grid that says where to look among them:
///
///     cuts     0.1  0.4 0.5    0.9          the rank of x is the number of cuts below x
///     grid    |    |    |    |    |         bucket of x: (x - low) * scale, cut off at both ends
///     start    0    1    3    3             cuts in lower buckets: all below x; those in higher ones are not
///
/// So only the cuts of x's own bucket are compared with x, in double. The bucket itself is computed in float: rounding
/// keeps the order of numbers, and cuts and cells go through the same arithmetic, so a rounded bucket is still right.
struct RankTable {
    const double* cuts;                // followed by infinities, as many as a search may read beyond the end
    const std::uint8_t* start_bytes;   // of each bucket, where there are at most 255 cuts; otherwise null
    const std::uint16_t* start_words;  // of each bucket, otherwise
    float low, scale, top;             // `top` is the last bucket
    std::uint32_t most;                // the largest number of cuts in one bucket
};

/// Up to this many cuts in a bucket are all compared; more are searched by halving.
inline constexpr std::uint32_t most_compared = 6;

/// One test of a multiplexer. The number of a leaf, counted from the left, is computed from the bottom up for many rows
/// at once:
///
///     leaf = rank > cut ? leaf in the right subtree + leaves of the left one : leaf in the left subtree
///
/// Partial results lie in numbered slots; slot 0 is always 0, the number of a leaf in itself.
struct MuxNode {
    std::uint16_t column;
    std::int8_t cut;  // as ranks are written: 0 is -128
    std::uint8_t left_leaves;
    std::uint8_t left, right;  // slots; a test between two leaves writes to `left` and reads neither
};
static_assert(sizeof(MuxNode) == 6);

/// The tests of one tree: first those between two leaves, then the others, children before parents. Each of the others
/// writes where one of its children was read: to `left`, or, if that is a leaf, to `right`.
struct MuxTree {
    const MuxNode* nodes;
    std::size_t pairs, others;
};

}  // namespace branchwork
