// Decides where rows go whose value was not decided by the training data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Writes where missing values and absent categories go. Missing values go to their own branch if there is one, and
/// otherwise, unless training or the policy decided it, to the heaviest child (ties: the first). Categories that a node
/// did not have in training go to the heavier of the first two children. With surrogates they stay -1, which treats
/// them like missing values.
inline void write_defaults(GrownTree& tree, std::span<const Column> columns, const Options& options) {
    for (std::size_t id = 0; id < tree.size(); ++id) {
        if (tree.feature[id] < 0) continue;
        const Column& column = columns[static_cast<std::size_t>(tree.feature[id])];
        const auto first = tree.weight.begin() + tree.first_child[id];
        const auto heaviest =
            static_cast<std::int32_t>(std::max_element(first, first + tree.n_children[id]) - first);
        const std::int32_t heavier = first[1] > first[0] ? 1 : 0;  // of the two branches for known values
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
