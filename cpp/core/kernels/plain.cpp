#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/costs.hpp"
#include "core/kernels/counts.hpp"
#include "core/kernels/predict.hpp"

}  // namespace

const Kernels plain_kernels{"plain",    subtract,   gini_costs, gini_pair_costs,
                            rank_bytes, rank_words, multiplex};

}  // namespace branchwork
