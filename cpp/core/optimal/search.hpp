// The best tree of a table: the door to the search.
#pragma once

#include <span>

#include "core/optimal/settings.hpp"
#include "core/optimal/standing.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"

namespace branchwork::optimal {

/// `standing` is written while the search runs.
/// `costs`: of taking class c for class k, at c * classes + k; empty: 1 for each error. Numbers cost squared errors.
Found search(const Prepared& prepared, const Target& target, std::span<const double> costs,
             const Settings& settings, const Pulse& pulse, Standing& standing);

}  // namespace branchwork::optimal
