// Hot loops that gain from AVX2, behind one table of functions.
//
// The core is built for plain x86-64 (or whatever the compiler's default is), so that a wheel runs everywhere. The
// loops in this folder are compiled twice: in plain.cpp, and with -mavx2 in avx2.cpp. When the module is loaded, it
// checks which of the two the processor can run. Both give the same bits: a test runs a part of the test suite with
// each.
//
//     kernels().subtract(from, part, n)
//        |
//        +-- plain.cpp   any processor
//        '-- avx2.cpp    only where the processor has AVX2
//
// BRANCHWORK_INSTRUCTIONS=plain in the environment asks for the plain form.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/compiler.hpp"
#include "core/kernels/extremes.hpp"
#include "core/kernels/predict_types.hpp"

namespace branchwork {

/// The rows of a node, counted by class and slot: of the k-th class in the node, `of[k][s]` rows are in slot s. The
/// slots of several features may follow each other. A row has one slot in each feature, so a running count up to a slot
/// is the count within its feature, plus all rows of the class once for every feature before it.
struct ClassCounters {
    const std::uint32_t* const* of;
    const double* totals;  // rows per class
    std::size_t classes;
    std::size_t slots;
    const double* before;  // per slot: the number of features before its own
    double rows;
};

/// Cuts of sixteen features in a node of few rows; see small_gini_plain.hpp.
struct SmallCuts {
    const std::uint8_t* codes;       // sixteen per row, one of each feature
    const std::uint8_t* rows;        // those of the node, class by class
    std::size_t row_count;           // at most 255
    float least_rows;                // on either side of a cut; at least 1
    const std::uint8_t* class_rows;  // per class: how many rows it has
    std::size_t classes;
    const std::uint8_t* thresholds;  // sixteen per cut: codes up to these are on the left
    std::size_t count;               // of cuts; there is room for eight more in the arrays of cuts
};

struct Kernels {
    const char* name;  // "plain" or "avx2"

    /// from[i] -= part[i]
    void (*subtract)(std::uint32_t* from, const std::uint32_t* part, std::size_t n);

    /// The Gini cost of a cut after each slot; see costs.hpp.
    void (*gini_costs)(const ClassCounters& counters, double* cost, double* space);
    void (*gini_pair_costs)(const ClassCounters& counters, double* cost, double* space);

    /// The score of each cut, sixteen per cut, and the largest of each feature; see small_gini_plain.hpp.
    void (*small_gini)(const SmallCuts& cuts, float* scores, float* best);
    void (*small_ends)(const std::uint8_t* codes, const std::uint8_t* rows, std::size_t row_count,
                       std::uint8_t* smallest, std::uint8_t* largest);

    /// The best cut of two classes without sorting the rows; see below.hpp.
    void (*weights_below)(const std::int32_t* keys, const std::uint32_t* weights, std::size_t n,
                          std::uint32_t* sums);
    float (*leans_below)(const std::uint32_t* sums, std::size_t n, std::int32_t zeros, std::int32_t ones,
                         std::int32_t least, float* leans);
    float (*lean_bins)(const std::uint64_t* cells, std::size_t n, std::int32_t zeros, std::int32_t ones,
                       std::int32_t* left_zeros, std::int32_t* left_ones, float* at_end, float* inside,
                       float* most_inside);

    /// For thresholds drawn at random; see values.hpp.
    void (*value_ends)(const double* x, std::size_t n, double* smallest, double* largest, std::size_t* known);
    void (*values_above)(const double* x, std::size_t n, double cut, std::uint32_t* above);
    void (*rank_ends)(const std::uint32_t* ranks, std::size_t n, std::uint32_t* smallest,
                      std::uint32_t* largest);

    /// Writes the ranks of up to 64 cells, with NaN as the smallest rank to `low` and as the largest to `high`; either
    /// may be null. Ranks of one byte are signed: the smallest is -128.
    void (*rank_bytes)(const RankTable& table, const double* x, std::size_t n, std::int8_t* low,
                       std::int8_t* high);
    void (*rank_words)(const RankTable& table, const double* x, std::size_t n, std::uint16_t* low,
                       std::uint16_t* high);

    /// Writes the leaf of each row, counted from the left. `ranks` has `rows` cells per column and `slots` has `rows`
    /// cells per slot. `rows` is a multiple of 32.
    void (*multiplex)(const MuxTree& tree, const std::int8_t* ranks, std::size_t rows, std::uint8_t* slots,
                      std::uint8_t* leaf);

    // For optimal trees; see extremes.hpp.
    void (*side_extremes)(const ExtremesTask& task, Extremes* left, Extremes* right);
    void (*cost_extremes)(const ExtremesTask& task, CostExtremes* left, CostExtremes* right);
    void (*mark_outside)(const std::int16_t* rank, const std::uint8_t* classes, std::size_t blocks,
                         std::int32_t cut, bool left, std::uint8_t* out);
    void (*bits_above)(const std::uint16_t* rank, std::size_t words, std::uint16_t cut, std::uint64_t* out);
    void (*class_signs)(const std::uint8_t* classes, std::size_t n, std::uint8_t a, std::uint8_t b,
                        std::int8_t* out);
};

/// The table for this processor. It is chosen on the first call and never changes.
const Kernels& kernels();

extern const Kernels plain_kernels;
#if defined(BRANCHWORK_AVX2)
extern const Kernels avx2_kernels;
#endif

}  // namespace branchwork
