// The progress of a search: written by the search, read by the thread that waits for it and updates the progress bar.
//
// Computing the lower bound takes a pass over all open intervals. So the waiting thread sets `asked` (every 50 ms), and
// the search computes the bound only then, after its next cut of the root.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace branchwork::optimal {

struct Standing {
    std::atomic<bool> asked{false};
    std::atomic<double> cost{std::numeric_limits<double>::infinity()};  // of the best tree so far
    std::atomic<double> lower_bound{0};
    std::atomic<std::int32_t> depth{0};  // number of levels that is searched now
};

}  // namespace branchwork::optimal
