// Every kernel gives the same bits in each of its forms.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "chance.hpp"
#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

// A kernel that is added to the table needs a comparison below.
static_assert(sizeof(Kernels) == sizeof(const char*) + sizeof(void (*)()), "compare the new kernel here");

/// The forms that this processor can run.
std::vector<const Kernels*> forms() {
    std::vector<const Kernels*> all{&plain_kernels};
#if defined(BRANCHWORK_AVX2)
    if (__builtin_cpu_supports("avx2")) all.push_back(&avx2_kernels);
#endif
    return all;
}

constexpr std::size_t longest = 300;

TEST_CASE("subtract: every form, length and alignment") {
    Chance chance(1);
    for (std::size_t n = 0; n <= longest; ++n)
        for (std::size_t offset = 0; offset < 9; offset += n % 2 + 1) {
            std::vector<std::uint32_t> from(n + offset + 1), part(n + offset + 1);
            for (std::uint32_t& x : from) x = static_cast<std::uint32_t>(chance.bits());
            for (std::uint32_t& x : part) x = static_cast<std::uint32_t>(chance.bits());
            std::vector<std::uint32_t> expected = from;
            for (std::size_t i = offset; i < offset + n; ++i) expected[i] = from[i] - part[i];
            for (const Kernels* form : forms()) {
                CAPTURE(form->name);
                std::vector<std::uint32_t> found = from;
                form->subtract(found.data() + offset, part.data() + offset, n);
                REQUIRE(found == expected);  // cells before and behind are untouched
            }
        }
}

TEST_CASE("the table in use is the one that was asked for") {
    const std::string_view name = kernels().name;
    const char* const asked = std::getenv("BRANCHWORK_INSTRUCTIONS");
    CHECK(name == (asked && std::string_view(asked) == "plain" ? "plain" : forms().back()->name));
}

}  // namespace
}  // namespace branchwork
