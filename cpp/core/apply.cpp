#include "core/apply.hpp"

#include <cmath>
#include <utility>

#include "core/route.hpp"

namespace branchwork {
namespace {

/// Rows that one thread takes at a time.
constexpr std::size_t chunk = std::size_t{1} << 14;

/// The child that a row goes to at an inner node, counted from the first; perhaps every_child.
std::int32_t child_of(std::span<const Column> columns, const TreeView& tree, std::size_t node,
                      std::size_t row) {
    const Column& column = columns[static_cast<std::size_t>(tree.feature[node])];
    if (column.nominal) {
        const std::int32_t code = code_at(column, row);
        if (code >= 0) return tree.pool[static_cast<std::size_t>(tree.lookup[node] + 1 + code)];
        return code == missing_code ? tree.default_child[node] : tree.unseen_child[node];
    }
    const double x = number_at(column, row);
    return std::isnan(x) ? tree.default_child[node] : child_of_number(x, tree.cut[node]);
}

std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row) {
    std::size_t node = 0;
    while (tree.feature[node] >= 0)
        node = static_cast<std::size_t>(tree.first_child[node] + child_of(columns, tree, node, row));
    return static_cast<std::int32_t>(node);
}

/// Appends the leaves of one row, from left to right.
class SharedWalk {
  public:
    SharedWalk(std::span<const Column> columns, const TreeView& tree,
               std::span<const std::int32_t> n_children, std::span<const double> weight)
        : columns_(columns), tree_(tree), n_children_(n_children), weight_(weight) {}

    void leaves_of(std::size_t row, Shares& out, const Pulse& pulse) {
        waiting_.assign(1, {0, 1.0});
        while (!waiting_.empty()) {
            const auto [node, share] = waiting_.back();
            waiting_.pop_back();
            if (tree_.feature[node] < 0) {
                out.leaf.push_back(static_cast<std::int32_t>(node));
                out.share.push_back(share);
                continue;
            }
            const std::int32_t child = child_of(columns_, tree_, node, row);
            const auto first = static_cast<std::size_t>(tree_.first_child[node]);
            if (child != every_child) {
                waiting_.push_back({first + static_cast<std::size_t>(child), share});
                continue;
            }
            pulse.check();
            const auto children = static_cast<std::size_t>(n_children_[node]);
            double whole = 0;
            for (std::size_t k = 0; k < children; ++k) whole += weight_[first + k];
            for (std::size_t k = children; k-- > 0;)  // the first child comes out first
                if (weight_[first + k] > 0)
                    waiting_.push_back({first + k, share * (weight_[first + k] / whole)});
        }
    }

  private:
    std::span<const Column> columns_;
    const TreeView& tree_;
    std::span<const std::int32_t> n_children_;
    std::span<const double> weight_;
    std::vector<std::pair<std::size_t, double>> waiting_;
};

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

Shares apply_shared(std::span<const Column> columns, const TreeView& tree,
                    std::span<const std::int32_t> n_children, std::span<const double> weight,
                    std::size_t rows, int threads, const Pulse& pulse) {
    const std::size_t chunks = (rows + chunk - 1) / chunk;
    std::vector<Shares> parts(chunks);
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(chunks, 1024))));
    team.run(chunks, [&](std::size_t k, int) {
        SharedWalk walk(columns, tree, n_children, weight);
        const std::size_t end = std::min(rows, (k + 1) * chunk);
        for (std::size_t row = k * chunk; row < end; ++row) {
            if (row % 64 == 0) pulse.check();
            walk.leaves_of(row, parts[k], pulse);
            parts[k].starts.push_back(static_cast<std::int64_t>(parts[k].leaf.size()));
        }
    });
    Shares all;
    all.starts.push_back(0);
    for (const Shares& part : parts) {
        const std::int64_t before = all.starts.back();
        for (const std::int64_t end : part.starts) all.starts.push_back(before + end);
        all.leaf.insert(all.leaf.end(), part.leaf.begin(), part.leaf.end());
        all.share.insert(all.share.end(), part.share.begin(), part.share.end());
    }
    return all;
}

}  // namespace branchwork
