#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/cost_extremes_plain.hpp"
#include "core/kernels/costs.hpp"
#include "core/kernels/counts.hpp"
#include "core/kernels/extremes_plain.hpp"
#include "core/kernels/predict.hpp"
#include "core/kernels/signs.hpp"

}  // namespace

const Kernels plain_kernels{"plain",       subtract,     gini_costs, gini_pair_costs,
                            rank_bytes,    rank_words,   multiplex,  side_extremes,
                            cost_extremes, mark_outside, bits_above, class_signs};

}  // namespace branchwork
