// Compiled with -mavx2. Whatever this file includes outside its own namespace must have no inline functions that other
// files share: the linker might keep the AVX2 copy for all of them.
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
#include "core/kernels/values.hpp"

}  // namespace

const Kernels avx2_kernels{"avx2",       subtract,   gini_costs, gini_pair_costs, weights_below,
                           leans_below,  lean_bins,  value_ends, values_above,    rank_ends,
                           rank_bytes,   rank_words, multiplex,  side_extremes,   cost_extremes,
                           mark_outside, bits_above, class_signs};

}  // namespace branchwork
