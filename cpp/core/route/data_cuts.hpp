// Moves the thresholds of a tree to values of the training data: each midpoint is replaced by the largest value that is
// not above it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Replaces the thresholds of the tree and of its ledger, in one pass over each feature that has any. Values are taken
/// from the rows in `cell_row`; empty: from the first `rows` rows.
inline void move_to_data(GrownTree& tree, std::span<const Column> columns, std::size_t rows,
                         std::span<const Row> cell_row, const Pulse& pulse) {
    std::map<std::int32_t, std::vector<double*>> cuts_of;  // per feature: where its thresholds are stored
    for (std::size_t id = 0; id < tree.size(); ++id)
        if (tree.feature[id] >= 0 && !columns[static_cast<std::size_t>(tree.feature[id])].nominal)
            cuts_of[tree.feature[id]].push_back(&tree.cut[id]);
    for (LedgerPage& page : tree.ledger)
        for (Candidate& c : page.candidates)
            if (c.is_split() && !columns[static_cast<std::size_t>(c.feature)].nominal)
                cuts_of[c.feature].push_back(&c.cut);
    for (auto& [feature, cuts] : cuts_of) {
        std::ranges::sort(cuts, {}, [](const double* cut) { return *cut; });
        std::vector<double> below(cuts.size(), -std::numeric_limits<double>::infinity());
        with_cells(columns[static_cast<std::size_t>(feature)], [&](auto cells) {
            for (std::size_t row = 0; row < rows; ++row) {
                if (row % 65'536 == 0) pulse.check();
                const auto x = static_cast<double>(cells[cell_row.empty() ? row : cell_row[row]]);
                if (std::isnan(x)) continue;
                // The smallest cut that is not below x.
                const auto at = std::ranges::lower_bound(cuts, x, {}, [](const double* cut) { return *cut; });
                if (at == cuts.end()) continue;
                double& largest = below[static_cast<std::size_t>(at - cuts.begin())];
                largest = std::max(largest, x);
            }
        });
        for (std::size_t k = 0; k < cuts.size(); ++k) {
            if (k > 0) below[k] = std::max(below[k], below[k - 1]);
            if (std::isfinite(*cuts[k])) *cuts[k] = below[k];  // an infinite cut separates known from missing
        }
    }
}

}  // namespace branchwork
