// The kernels, compiled with -mavx2. Headers included outside the unnamed namespace must not contain inline functions:
// the linker keeps one copy of an inline function for the whole program, and if that is the one with AVX2 instructions,
// the program crashes on processors without AVX2.
#include <immintrin.h>

#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/below.hpp"
#include "core/kernels/cost_extremes_avx2.hpp"
#include "core/kernels/costs.hpp"
#include "core/kernels/counts.hpp"
#include "core/kernels/extremes_avx2.hpp"
#include "core/kernels/predict.hpp"
#include "core/kernels/signs.hpp"
#include "core/kernels/small_gini_avx2.hpp"
#include "core/kernels/values.hpp"

}  // namespace

const Kernels avx2_kernels{"avx2",        subtract,      gini_costs,   gini_pair_costs, small_gini,
                           small_ends,    weights_below, leans_below,  lean_bins,       value_ends,
                           values_above,  rank_ends,     rank_bytes,   rank_words,      multiplex,
                           side_extremes, cost_extremes, mark_outside, bits_above,      class_signs};

}  // namespace branchwork
