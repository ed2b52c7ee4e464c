#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

#include "core/kernels/counts.hpp"

}  // namespace

const Kernels plain_kernels{"plain", subtract};

}  // namespace branchwork
