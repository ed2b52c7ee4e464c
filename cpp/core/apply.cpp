#include "core/apply.hpp"

#include <cmath>

#include "core/route.hpp"

namespace branchwork {
namespace {

/// Rows that one thread takes at a time.
constexpr std::size_t chunk = std::size_t{1} << 14;

std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row) {
    std::size_t node = 0;
    while (tree.feature[node] >= 0) {
        const Column& column = columns[static_cast<std::size_t>(tree.feature[node])];
        std::int32_t child;
        if (column.nominal) {
            const std::int32_t code = code_at(column, row);
            if (code >= 0)
                child = tree.pool[static_cast<std::size_t>(tree.lookup[node] + 1 + code)];
            else
                child = code == missing_code ? tree.default_child[node] : tree.unseen_child[node];
        } else {
            const double x = number_at(column, row);
            child = std::isnan(x) ? tree.default_child[node] : child_of_number(x, tree.cut[node]);
        }
        node = static_cast<std::size_t>(tree.first_child[node] + child);
    }
    return static_cast<std::int32_t>(node);
}

}  // namespace

void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse) {
    const std::size_t chunks = (leaf.size() + chunk - 1) / chunk;
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(chunks, 1024))));
    team.run(chunks, [&](std::size_t k, int) {
        const std::size_t end = std::min(leaf.size(), (k + 1) * chunk);
        for (std::size_t row = k * chunk; row < end; ++row) {
            if (row % 64 == 0) pulse.check();  // a path may be thousands of nodes long
            leaf[row] = leaf_of(columns, tree, row);
        }
    });
}

}  // namespace branchwork
