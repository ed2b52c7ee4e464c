// Random numbers for tests: the same on every machine, and not those of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace branchwork {

class Chance {
  public:
    explicit Chance(std::uint64_t seed) : bits_(seed) {}

    /// A whole number in 0 ... below - 1.
    std::size_t below(std::size_t below) { return static_cast<std::size_t>(bits_() % below); }
    /// A number in [0, 1).
    double share() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    bool once_in(std::size_t times) { return below(times) == 0; }
    template <class T>
    const T& one_of(const std::vector<T>& items) {
        return items[below(items.size())];
    }
    std::uint64_t bits() { return bits_(); }

  private:
    std::mt19937_64 bits_;
};

}  // namespace branchwork
