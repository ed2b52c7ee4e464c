// The best way to part a node's rows in two, as a search reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace branchwork {

/// The partition "everything known | everything missing", which no arrangement goes through.
inline constexpr std::size_t known_or_missing = std::numeric_limits<std::size_t>::max();

struct BestPair {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t id = 0;
    double split_info = 0;
    std::int32_t missing_child = -1;
    double first = 0, second = 0;  // weight of each side, learned missing cells included ...
    double room = 0;               // ... and by how much the smaller exceeds the limits
    bool too_few = false;          // partitions were refused for a branch below the limit

    bool found() const { return cost < std::numeric_limits<double>::infinity(); }
};

}  // namespace branchwork
