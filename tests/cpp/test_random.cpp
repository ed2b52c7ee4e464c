// Draws are uniform, and their keys differ by everything that a key is made from.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "core/random.hpp"

namespace branchwork {
namespace {

constexpr std::size_t draws = 1'000'000;

/// How many standard deviations Pearson's chi-square of equally likely cells is above its mean.
double deviation(const std::vector<std::size_t>& cells) {
    const double expected = static_cast<double>(draws) / static_cast<double>(cells.size());
    double chi_square = 0;
    for (const std::size_t count : cells) {
        const double off = static_cast<double>(count) - expected;
        chi_square += off * off / expected;
    }
    const auto freedom = static_cast<double>(cells.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST_CASE("draws below a number are uniform") {
    for (const std::size_t below : {2U, 3U, 10U, 255U, 1000U}) {
        CAPTURE(below);
        for (const std::uint64_t seed : {0U, 1U, 2U}) {
            std::vector<std::size_t> cells(below);
            for (std::uint64_t k = 0; k < draws; ++k) ++cells[draw_below(key_of(mixed(seed), k), below)];
            CHECK(std::abs(deviation(cells)) < 5);
        }
    }
}

TEST_CASE("draws of neighbouring keys are independent") {
    constexpr std::size_t side = 16;
    std::vector<std::size_t> pairs(side * side);
    for (std::uint64_t k = 0; k < draws; ++k) {
        const std::uint64_t first = draw_below(key_of(mixed(7), k), side);
        ++pairs[first * side + draw_below(key_of(mixed(7), k + 1), side)];
    }
    CHECK(std::abs(deviation(pairs)) < 5);
}

TEST_CASE("every bit of a mixed number is set half of the time, and changes with every bit of the input") {
    std::vector<std::size_t> set(64), changed(64);
    constexpr std::size_t inputs = 20'000;
    for (std::uint64_t k = 0; k < inputs; ++k) {
        const std::uint64_t here = mixed(k), flipped = here ^ mixed(k ^ (std::uint64_t{1} << k % 64));
        for (std::size_t bit = 0; bit < 64; ++bit) {
            set[bit] += here >> bit & 1;
            changed[bit] += flipped >> bit & 1;
        }
    }
    const double most = 6 * std::sqrt(inputs) / 2;  // standard deviations of a fair coin
    for (std::size_t bit = 0; bit < 64; ++bit) {
        CHECK(std::abs(static_cast<double>(set[bit]) - inputs / 2.0) < most);
        CHECK(std::abs(static_cast<double>(changed[bit]) - inputs / 2.0) < most);
    }
}

TEST_CASE("a draw stays below its number, the largest included") {
    for (const std::uint64_t below : {std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}})
        for (std::uint64_t key = 0; key < 1000; ++key) CHECK(draw_below(key, below) < below);
}

TEST_CASE("keys differ by seed, tree, path and purpose") {
    std::set<std::uint64_t> keys;
    std::size_t made = 0;
    const auto make = [&](std::uint64_t key) {
        keys.insert(key);
        ++made;
        return key;
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        for (std::uint64_t tree = 0; tree < 20; ++tree) {
            const std::uint64_t root = make(key_of(mixed(seed), tree));
            for (const Purpose purpose : {Purpose::node, Purpose::features, Purpose::rows})
                make(key_of(root, purpose));
            for (std::uint64_t first = 0; first < 5; ++first) {
                const std::uint64_t child = make(key_of(root, first));
                make(key_of(child, Purpose::features));
                for (std::uint64_t second = 0; second < 5; ++second) make(key_of(child, second));
            }
        }
    CHECK(keys.size() == made);
}

TEST_CASE("seed and tree do not change places") {
    CHECK(key_of(mixed(3), std::uint64_t{5}) != key_of(mixed(5), std::uint64_t{3}));
    CHECK(key_of(mixed(3), std::uint64_t{3}) != key_of(mixed(5), std::uint64_t{5}));
}

TEST_CASE("the path matters, not only the places on it") {
    CHECK(key_of(key_of(1, std::uint64_t{0}), std::uint64_t{1}) !=
          key_of(key_of(1, std::uint64_t{1}), std::uint64_t{0}));
}

}  // namespace
}  // namespace branchwork
