// Every kernel gives the same bits in each of its forms.
#include <doctest/doctest.h>

#include <algorithm>
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
static_assert(sizeof(Kernels) == sizeof(const char*) + 19 * sizeof(void (*)()),
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

/// Compares bits: what is not a number is like itself.
template <class Number>
bool same_bits(const std::vector<Number>& a, const std::vector<Number>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0);
}

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

TEST_CASE("cuts of small nodes: every form, and counting each side from scratch") {
    Chance chance(6);
    for (int turn = 0; turn < 400; ++turn) {
        const std::size_t rows = 1 + chance.below(255), values = 1 + chance.below(turn % 3 == 0 ? 256 : 9);
        const std::size_t count = 1 + chance.below(rows);
        std::vector<std::uint8_t> codes(16 * 255), row(rows), class_rows, thresholds(16 * (count + 8));
        for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(chance.below(values));
        for (std::uint8_t& r : row) r = static_cast<std::uint8_t>(chance.below(255));
        for (std::size_t left = rows; left > 0; left -= class_rows.back())
            class_rows.push_back(static_cast<std::uint8_t>(1 + chance.below(left)));
        for (std::uint8_t& t : thresholds) t = static_cast<std::uint8_t>(chance.below(values));
        for (std::size_t k = 16 * count; k < thresholds.size(); ++k) thresholds[k] = thresholds[k - 16];
        const auto least = static_cast<float>(1 + chance.below(4));
        const SmallCuts cuts{codes.data(),      row.data(),        rows, least, class_rows.data(),
                             class_rows.size(), thresholds.data(), count};
        std::vector<float> expected, best_expected(16, 0.0F);
        for (std::size_t at = 0; at < 16 * count; ++at) {
            float left = 0, inside = 0, outside = 0;
            std::size_t i = 0;
            for (const std::uint8_t of_class : class_rows) {
                float below = 0;
                for (std::size_t k = 0; k < of_class; ++k)
                    below += codes[16 * row[i++] + at % 16] <= thresholds[at] ? 1.0F : 0.0F;
                left += below;
                inside += below * below;
                outside += (of_class - below) * (of_class - below);
            }
            const float right = static_cast<float>(rows) - left;
            const bool enough = left >= least && right >= least;
            expected.push_back(enough ? (inside * right + outside * left) / (left * right) : 0.0F);
            best_expected[at % 16] = std::max(best_expected[at % 16], expected.back());
        }
        for (const Kernels* form : forms()) {
            CAPTURE(form->name);
            std::vector<float> scores(16 * (count + 8)), best(16);
            form->small_gini(cuts, scores.data(), best.data());
            scores.resize(16 * count);
            CHECK(same_bits(scores, expected));
            CHECK(same_bits(best, best_expected));
            std::vector<std::uint8_t> smallest(16), largest(16);
            form->small_ends(codes.data(), row.data(), rows, smallest.data(), largest.data());
            for (std::size_t lane = 0; lane < 16; ++lane) {
                std::uint8_t low = 255, high = 0;
                for (const std::uint8_t r : row) {
                    low = std::min(low, codes[16 * r + lane]);
                    high = std::max(high, codes[16 * r + lane]);
                }
                CHECK(smallest[lane] == low);
                CHECK(largest[lane] == high);
            }
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

TEST_CASE("what lies below each of a few rows") {
    Chance chance(5);
    for (std::size_t n = 8; n <= 64; n += 8)
        for (int turn = 0; turn < 20; ++turn) {
            std::vector<std::int32_t> keys(n);
            std::vector<std::uint32_t> weights(n);
            for (std::int32_t& key : keys)
                key = static_cast<std::int32_t>(chance.below(turn % 2 ? 10 : 1 << 30));
            for (std::uint32_t& weight : weights)
                weight = static_cast<std::uint32_t>(chance.below(5)) << 16 * chance.below(2);
            for (const Kernels* form : forms()) {
                std::vector<std::uint32_t> sums(n);
                form->weights_below(keys.data(), weights.data(), n, sums.data());
                for (std::size_t i = 0; i < n; ++i) {
                    std::uint32_t expected = 0;
                    for (std::size_t k = 0; k < n; ++k) expected += keys[k] < keys[i] ? weights[k] : 0;
                    REQUIRE(sums[i] == expected);
                }
            }
        }
}

TEST_CASE("how far cuts lean: every form, and no cut inside a bin leans farther than its bound") {
    Chance chance(6);
    constexpr double close = 4e-7;  // five roundings to 24 bits
    for (std::size_t n = 1; n < 180; ++n) {
        const std::uint64_t most = n % 3 == 0 ? 600 : 6;  // all rows: more than 2^15, or fewer
        std::vector<std::uint64_t> cells(n);
        std::int32_t zeros = 0, ones = 0;
        for (std::uint64_t& cell : cells) {
            const std::uint64_t a = chance.below(most), b = chance.below(most);
            cell = b << 32 | a;
            zeros += static_cast<std::int32_t>(a), ones += static_cast<std::int32_t>(b);
        }
        const auto lean = [&](double a, double b) {
            const double product = (a + b) * (zeros + ones - a - b), far = zeros * b - ones * a;
            return product > 0 ? far * far / product : 0;
        };
        std::vector<std::vector<float>> first;
        for (const Kernels* form : forms()) {
            std::vector<std::int32_t> a(n + 1), b(n + 1);
            std::vector<float> at_end(n), inside(n);
            float most_inside;
            const float most_at_end = form->lean_bins(cells.data(), n, zeros, ones, a.data(), b.data(),
                                                      at_end.data(), inside.data(), &most_inside);
            CHECK(most_at_end == *std::max_element(at_end.begin(), at_end.end()));
            CHECK(most_inside == *std::max_element(inside.begin(), inside.end()));
            if (first.empty()) first = {at_end, inside};
            CHECK(same_bits(first[0], at_end));
            CHECK(same_bits(first[1], inside));
            std::int32_t zeros_before = 0, ones_before = 0;
            for (std::size_t bin = 0; bin <= n; ++bin) {
                CHECK(a[bin] == zeros_before);
                CHECK(b[bin] == ones_before);
                if (bin == n) break;
                zeros_before += static_cast<std::int32_t>(cells[bin] & 0xffff'ffff);
                ones_before += static_cast<std::int32_t>(cells[bin] >> 32);
            }
            if (zeros + ones >= 1 << 15) continue;
            const std::size_t padded = (n + 7) / 8 * 8;
            std::vector<std::uint32_t> sums(padded);
            std::vector<float> leans(padded);
            for (std::size_t i = 0; i < n; ++i)
                sums[i] = static_cast<std::uint32_t>(a[i + 1]) | static_cast<std::uint32_t>(b[i + 1]) << 16;
            const std::int32_t least = n % 2 == 0 ? 1 : 20;
            const float most_below = form->leans_below(sums.data(), padded, zeros, ones, least, leans.data());
            CHECK(most_below == *std::max_element(leans.begin(), leans.end()));
            for (std::size_t i = 0; i < padded; ++i) {
                const std::int32_t left = i < n ? a[i + 1] + b[i + 1] : 0, right = zeros + ones - left;
                CHECK(leans[i] == (std::min(left, right) >= least ? at_end[i] : -1));
            }
        }
        double a = 0, b = 0;
        for (std::size_t bin = 0; bin < n; ++bin) {
            const auto more_a = static_cast<double>(cells[bin] & 0xffff'ffff),
                       more_b = static_cast<double>(cells[bin] >> 32);
            const double step = most > 6 ? 97 : 1;
            for (double i = 0; i <= more_a; i += step)
                for (double k = 0; k <= more_b; k += step)
                    REQUIRE(lean(a + i, b + k) <= static_cast<double>(first[1][bin]) * (1 + close));
            a += more_a, b += more_b;
            REQUIRE(std::abs(first[0][bin] - lean(a, b)) <= close * lean(a, b));
        }
    }
}

TEST_CASE("ends of values and of ranks, and what is above a cut") {
    Chance chance(7);
    for (std::size_t n = 1; n < 70; ++n) {
        std::vector<double> x(n);
        std::vector<std::uint32_t> ranks(n);
        for (double& value : x)
            value = chance.once_in(9) ? std::numeric_limits<double>::quiet_NaN() : chance.share() - 0.5;
        for (std::uint32_t& rank : ranks) rank = static_cast<std::uint32_t>(chance.bits());
        double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
        std::size_t numbers = 0;
        for (const double value : x)
            if (value == value)
                smallest = std::min(smallest, value), largest = std::max(largest, value), ++numbers;
        for (const Kernels* form : forms()) {
            double low, high;
            std::size_t known;
            form->value_ends(x.data(), n, &low, &high, &known);
            CHECK(low == smallest);
            CHECK(high == largest);
            CHECK(known == numbers);
            std::vector<std::uint32_t> above(n);
            form->values_above(x.data(), n, 0.1, above.data());
            for (std::size_t i = 0; i < n; ++i) CHECK(above[i] == (x[i] > 0.1 ? 1 : 0));
            std::uint32_t first, last;
            form->rank_ends(ranks.data(), n, &first, &last);
            CHECK(first == *std::min_element(ranks.begin(), ranks.end()));
            CHECK(last == *std::max_element(ranks.begin(), ranks.end()));
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
