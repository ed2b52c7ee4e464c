#include "core/predict/apply.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/predict/raw_tree.hpp"
#include "core/route/route.hpp"

namespace branchwork {

namespace {

/// Returns the interval of a known number: how many bounds lie below it. A node has one bound fewer than children.
std::int32_t interval_of(double x, const TreeView& tree, std::size_t node) {
    const auto bounds = tree.bounds.subspan(static_cast<std::size_t>(tree.lookup[node]),
                                            static_cast<std::size_t>(tree.n_children[node] - 1));
    return static_cast<std::int32_t>(std::ranges::lower_bound(bounds, x) - bounds.begin());
}

/// Returns the child of a row whose value is missing or unknown to the node: the first surrogate with a known value
/// decides, and the default child if there is none.
std::int32_t child_of_unknown(std::span<const Column> columns, const TreeView& tree, std::size_t node,
                              std::size_t row) {
    const SurrogateView& surrogates = tree.surrogates;
    if (!surrogates.in_use()) return tree.default_child[node];
    const auto first = static_cast<std::size_t>(surrogates.first[node]);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(surrogates.count[node]); ++k) {
        const Column& column = columns[static_cast<std::size_t>(surrogates.feature[k])];
        if (column.nominal) {
            const std::int32_t code = code_at(column, row);
            const std::int32_t child =
                code < 0 ? -1 : surrogates.pool[static_cast<std::size_t>(surrogates.lookup[k] + code)];
            if (child >= 0) return child;
        } else if (const double x = number_at(column, row); !std::isnan(x)) {
            return x <= surrogates.cut[k] ? surrogates.low_child[k] : 1 - surrogates.low_child[k];
        }
    }
    return tree.default_child[node];
}

}  // namespace

std::int32_t child_of(std::span<const Column> columns, const TreeView& tree, std::size_t node,
                      std::size_t row) {
    const Column& column = columns[static_cast<std::size_t>(tree.feature[node])];
    if (column.nominal) {
        const std::int32_t code = code_at(column, row);
        if (code >= 0) {
            const std::int32_t child = tree.pool[static_cast<std::size_t>(tree.lookup[node] + 1 + code)];
            if (child >= 0) return child;
        } else if (code == unseen_code && !(tree.surrogates.in_use() && tree.unseen_child[node] < 0)) {
            return tree.unseen_child[node];
        }
        return child_of_unknown(columns, tree, node, row);
    }
    const double x = number_at(column, row);
    if (std::isnan(x)) return child_of_unknown(columns, tree, node, row);
    return tree.lookup[node] >= 0 ? interval_of(x, tree, node) : child_of_number(x, tree.cut[node]);
}

std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row) {
    std::size_t node = 0;
    while (tree.feature[node] >= 0)
        node = static_cast<std::size_t>(tree.first_child[node] + child_of(columns, tree, node, row));
    return static_cast<std::int32_t>(node);
}

void SharedWalk::leaves_of(std::size_t row, Shares& out, const Pulse& pulse) {
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
        const auto children = static_cast<std::size_t>(tree_.n_children[node]);
        double whole = 0;
        for (std::size_t k = 0; k < children; ++k) whole += weight_[first + k];
        for (std::size_t k = children; k-- > 0;)  // backwards, so that the first child is popped first
            if (weight_[first + k] > 0) waiting_.push_back({first + k, share * (weight_[first + k] / whole)});
    }
}

namespace {

/// Number of rows that a thread takes at a time.
constexpr std::size_t chunk = std::size_t{1} << 12;
/// For fewer rows than this, building a RawTree costs more than it saves.
constexpr std::size_t fewest_packed_rows = 1000;

}  // namespace

void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse) {
    const std::size_t chunks = (leaf.size() + chunk - 1) / chunk;
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(chunks, 1024))));
    if (leaf.size() >= fewest_packed_rows && !tree.surrogates.in_use()) {
        std::vector<std::int32_t> levels;
        for (const Column& column : columns) levels.push_back(column.nominal ? column.levels : -1);
        const RawTree raw(tree, levels);
        team.run(chunks, [&](std::size_t k, int) {
            const std::size_t begin = k * chunk, n = std::min(chunk, leaf.size() - begin);
            std::vector<std::uint32_t> rows(n), found(n);
            std::iota(rows.begin(), rows.end(), 0U);
            UnderWay list(n);
            raw.leaves(columns, tree, begin, rows, found.data(), list, pulse);
            for (std::size_t r = 0; r < n; ++r) leaf[begin + r] = static_cast<std::int32_t>(found[r]);
        });
        return;
    }
    team.run(chunks, [&](std::size_t k, int) {
        const std::size_t end = std::min(leaf.size(), (k + 1) * chunk);
        for (std::size_t row = k * chunk; row < end; ++row) {
            if (row % 64 == 0) pulse.check();  // a path may be thousands of nodes long
            leaf[row] = leaf_of(columns, tree, row);
        }
    });
}

Shares apply_shared(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight,
                    std::size_t rows, int threads, const Pulse& pulse) {
    const std::size_t chunks = (rows + chunk - 1) / chunk;
    std::vector<Shares> parts(chunks);
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(chunks, 1024))));
    team.run(chunks, [&](std::size_t k, int) {
        SharedWalk walk(columns, tree, weight);
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
