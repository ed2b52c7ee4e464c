#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/costs.hpp"
#include "core/kernels/counts.hpp"

}  // namespace

const Kernels plain_kernels{"plain", subtract, gini_costs, gini_pair_costs};

}  // namespace branchwork
