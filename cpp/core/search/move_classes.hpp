// How a sweep takes rows of several classes across at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchwork {

/// Takes a group of rows across, class by class.
template <class SweepT, class Counts>
void move_classes(SweepT& sweep, const Counts& rows) {
    for (std::size_t c = 0; c < rows.of.size(); ++c)
        if (rows.of[c] != 0) sweep.move(static_cast<std::int32_t>(c), rows.of[c]);
}

}  // namespace branchwork
