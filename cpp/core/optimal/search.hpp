// Searches for the best tree of a table. This is the entry point; driver.hpp has the outline of the search.
#pragma once

#include <span>

#include "core/optimal/settings.hpp"
#include "core/optimal/standing.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"

namespace branchwork::optimal {

/// `costs[c * classes + k]` is the cost of predicting class k for a row of class c; if empty, every error costs 1. For
/// numbers, the cost is the squared error. `standing` is updated while the search runs.
Found search(const Prepared& prepared, const Target& target, std::span<const double> costs,
             const Settings& settings, const Pulse& pulse, Standing& standing);

}  // namespace branchwork::optimal
