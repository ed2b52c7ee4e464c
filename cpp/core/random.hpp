// Random draws that do not depend on threads or on the order of work: each is a function of a key and of what is
// drawn. The key of a node comes from its parent's key and its place among the children, the root's from the seed
// and the number of the tree.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>  // for __umulh
#endif

namespace branchwork {

/// splitmix64's mixing function (Steele, Lea and Flood 2014): every bit of the input changes half of the output's.
inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e37'79b9'7f4a'7c15U;
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebU;
    return x ^ (x >> 31);
}

/// A key made from a key: what it is for, or which of several. The key is mixed and `which` is not, so the two cannot
/// change places: tree 3 of seed 5 has another key than tree 5 of seed 3.
inline std::uint64_t key_of(std::uint64_t key, std::uint64_t which) { return mixed(mixed(key) ^ which); }

/// The keys of one key: the same as key_of, with the part that all of them share computed once.
class KeysOf {
  public:
    explicit KeysOf(std::uint64_t key) : mixed_(mixed(key)) {}
    std::uint64_t operator()(std::uint64_t which) const { return mixed(mixed_ ^ which); }

  private:
    std::uint64_t mixed_;
};

/// What draws are made for; the numbers are part of every model that was drawn with them.
enum class Purpose : std::uint64_t { node = 1, features = 2, rows = 3, cut = 4 };

inline std::uint64_t key_of(std::uint64_t key, Purpose purpose) {
    return key_of(key, static_cast<std::uint64_t>(purpose) << 56);
}

/// A number below `below`, from the high half of a product; the bias is negligible.
inline std::uint64_t draw_below(std::uint64_t key, std::uint64_t below) {
#if defined(_MSC_VER) && !defined(__clang__)
    return __umulh(mixed(key), below);
#else
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(mixed(key)) * below) >> 64);
#endif
}

}  // namespace branchwork
