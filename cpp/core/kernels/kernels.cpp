#include "core/kernels/kernels.hpp"

#include <cstdlib>
#include <string_view>

namespace branchwork {
namespace {

const Kernels& choose() {
#if defined(BRANCHWORK_AVX2)
    const char* const asked = std::getenv("BRANCHWORK_INSTRUCTIONS");
    if (asked && std::string_view(asked) == "plain") return plain_kernels;
    if (__builtin_cpu_supports("avx2")) return avx2_kernels;
#endif
    return plain_kernels;
}

const Kernels& chosen = choose();  // when the module is loaded, see score.cpp

}  // namespace

const Kernels& kernels() { return chosen; }

}  // namespace branchwork
