// Every kernel gives the same bits in each of its forms.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "chance.hpp"
#include "core/kernels/kernels.hpp"

namespace branchwork {
namespace {

// A kernel that is added to the table needs a comparison of its forms: below, or, where it has a face in Python, in
// tests/model/test_packed.py (ranks, multiplexers) or tests/grow/test_optimal.py (extremes, signs).
static_assert(sizeof(Kernels) == sizeof(const char*) + 10 * sizeof(void (*)()),
              "compare the new kernel here");

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

/// Counters of several columns side by side: every row has one slot in each.
struct CountedTable {
    std::vector<std::vector<std::uint32_t>> of;  // of each class, of each slot
    std::vector<double> totals, before;
    std::vector<std::size_t> first;  // slot of each column

    CountedTable(Chance& chance, std::size_t classes, std::size_t columns, std::size_t rows) {
        std::vector<std::size_t> label(rows);
        totals.assign(classes, 0);
        for (std::size_t& c : label) ++totals[c = chance.below(classes)];
        of.resize(classes);
        for (std::size_t j = 0; j < columns; ++j) {
            const std::size_t slots = 1 + chance.below(20);
            first.push_back(before.size());
            before.insert(before.end(), slots, static_cast<double>(j));
            for (auto& counters : of) counters.resize(before.size(), 0);
            for (const std::size_t c : label) ++of[c][first[j] + chance.below(slots)];
        }
    }
    ClassCounters view(std::vector<const std::uint32_t*>& rows_of) const {
        rows_of.clear();
        double rows = 0;
        for (std::size_t c = 0; c < of.size(); ++c) rows_of.push_back(of[c].data()), rows += totals[c];
        return {rows_of.data(), totals.data(), of.size(), before.size(), before.data(), rows};
    }
    /// Rows of a class up to a slot, in the slot's column.
    double below(std::size_t c, std::size_t slot) const {
        double sum = 0;
        for (std::size_t s = first[static_cast<std::size_t>(before[slot])]; s <= slot; ++s) sum += of[c][s];
        return sum;
    }
};

/// Compares bits: what is not a number is like itself.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST_CASE("Gini costs: every form, and counting each side from scratch") {
    Chance chance(2);
    for (int turn = 0; turn < 300; ++turn) {
        const bool pairs = turn % 2 == 0;
        const CountedTable table(chance, pairs ? 2 : 1 + chance.below(9), 1 + chance.below(12),
                                 1 + chance.below(200));
        std::vector<const std::uint32_t*> rows_of;
        const ClassCounters counters = table.view(rows_of);
        std::vector<std::vector<double>> found;
        for (const Kernels* form : forms()) {
            std::vector<double> cost(counters.slots), space(4 * counters.slots);
            (pairs ? form->gini_pair_costs : form->gini_costs)(counters, cost.data(), space.data());
            found.push_back(cost);
            CHECK(same_bits(found[0], cost));
        }
        for (std::size_t s = 0; s < counters.slots; ++s) {
            double left = 0, inside = 0, outside = 0;
            for (std::size_t c = 0; c < counters.classes; ++c) {
                const double below = table.below(c, s), above = table.totals[c] - below;
                left += below, inside += below * below, outside += above * above;
            }
            const double right = counters.rows - left;
            if (left == 0 || right == 0)
                CHECK(!(found[0][s] < std::numeric_limits<double>::infinity()));
            else
                CHECK(found[0][s] == doctest::Approx(counters.rows - inside / left - outside / right));
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
