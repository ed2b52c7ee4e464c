// The kernels for any processor.
#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/below.hpp"
#include "core/kernels/cost_extremes_plain.hpp"
#include "core/kernels/costs.hpp"
#include "core/kernels/counts.hpp"
#include "core/kernels/extremes_plain.hpp"
#include "core/kernels/predict.hpp"
#include "core/kernels/signs.hpp"
#include "core/kernels/small_gini_plain.hpp"
#include "core/kernels/values.hpp"

}  // namespace

const Kernels plain_kernels{"plain",       subtract,      gini_costs,   gini_pair_costs, small_gini,
                            small_ends,    weights_below, leans_below,  lean_bins,       value_ends,
                            values_above,  rank_ends,     rank_bytes,   rank_words,      multiplex,
                            side_extremes, cost_extremes, mark_outside, bits_above,      class_signs};

}  // namespace branchwork
