// One whole tree in one call.
#pragma once

#include <span>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

GrownTree grow(std::span<const Column> columns, const Target& target, const Options& options, Pulse& pulse);

}  // namespace branchwork
