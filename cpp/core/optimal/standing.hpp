// How far a search has come: written by the search, read by the thread that waits for it and moves the progress bar.
//
// To know the lower bound, all open intervals must be looked at. So the waiting thread asks for new numbers (every 50 ms),
// and the search answers when it has finished the next cut of the root.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace branchwork::optimal {

struct Standing {
    std::atomic<bool> asked{false};
    std::atomic<double> cost{std::numeric_limits<double>::infinity()};  // of the best tree so far
    std::atomic<double> lower_bound{0};
    std::atomic<std::int32_t> depth{0};  // levels of the trees that are searched now
};

}  // namespace branchwork::optimal
