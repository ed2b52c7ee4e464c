// Where the rows go that training said nothing about.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Where missing cells and categories that training did not decide go: missing cells to the branch made for
/// them, everything else to the heaviest child (ties: the first). Where surrogates decide, a category that is
/// absent from a node is as a missing cell there: -1.
inline void write_defaults(GrownTree& tree, std::span<const Column> columns, const Options& options) {
    for (std::size_t id = 0; id < tree.size(); ++id) {
        if (tree.feature[id] < 0) continue;
        const Column& column = columns[static_cast<std::size_t>(tree.feature[id])];
        const auto first = tree.weight.begin() + tree.first_child[id];
        const auto heaviest =
            static_cast<std::int32_t>(std::max_element(first, first + tree.n_children[id]) - first);
        const std::int32_t heavier = first[1] > first[0] ? 1 : 0;  // of the two branches of known cells
        std::int32_t& missing = tree.default_child[id];
        if (options.missing == Missing::branch && column.has_missing)
            missing = tree.n_children[id] - 1;
        else if (missing < 0 && options.missing != Missing::share)
            missing = heaviest;
        if (!column.nominal) continue;
        std::int32_t* const lookup = &tree.pool[static_cast<std::size_t>(tree.lookup[id])];
        lookup[0] = missing;
        for (std::int32_t code = 1; code <= column.levels; ++code)
            if (lookup[code] < 0 && options.missing != Missing::surrogate) lookup[code] = heavier;
    }
}

}  // namespace branchwork
