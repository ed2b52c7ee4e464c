#include "core/predict/apply.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/route/route.hpp"

namespace branchwork {

namespace {

/// The interval of a known number: how many bounds lie below it. A node has one bound less than children.
std::int32_t interval_of(double x, const TreeView& tree, std::size_t node) {
    const auto bounds = tree.bounds.subspan(static_cast<std::size_t>(tree.lookup[node]),
                                            static_cast<std::size_t>(tree.n_children[node] - 1));
    return static_cast<std::int32_t>(std::ranges::lower_bound(bounds, x) - bounds.begin());
}

/// Where a row goes whose cell is not known: to the first surrogate that knows it, or to the last resort.
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

namespace {

/// Rows that one thread takes at a time.
constexpr std::size_t chunk = std::size_t{1} << 14;
/// Fewer rows are sent down the tree as it is.
constexpr std::size_t fewest_packed_rows = 1000;

std::int32_t leaf_of(std::span<const Column> columns, const TreeView& tree, std::size_t row) {
    std::size_t node = 0;
    while (tree.feature[node] >= 0)
        node = static_cast<std::size_t>(tree.first_child[node] + child_of(columns, tree, node, row));
    return static_cast<std::int32_t>(node);
}

/// A tree of numeric cuts, packed: what one step needs lies in one cache line. A leaf is a node that every
/// row stays in, so a step needs no branch, and several rows can be on their way at the same time:
///
///     row 0   node 0 -> 1 -> 4 -> 9 -> 9          while one waits for its node to come from memory,
///     row 1   node 0 -> 2 -> 5 -> 5               the others step on
class PackedTree {
    struct Node {
        double cut;
        std::int32_t first_child;
        std::uint32_t feature : 30, missing : 2;  // a cut has two or three children
    };
    static_assert(sizeof(Node) == 16);

  public:
    explicit PackedTree(const TreeView& tree) : nodes_(tree.feature.size()) {
        constexpr double always = std::numeric_limits<double>::infinity();
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            const bool leaf = tree.feature[id] < 0;
            nodes_[id] = {leaf ? always : tree.cut[id],
                          leaf ? static_cast<std::int32_t>(id) : tree.first_child[id],
                          static_cast<std::uint32_t>(leaf ? 0 : tree.feature[id]) & 0x3FFF'FFFFU,
                          static_cast<std::uint32_t>(leaf ? 0 : tree.default_child[id]) & 3U};
        }
    }

    /// Writes the leaves of some rows; all columns have cells of type T.
    template <class T>
    void apply(std::span<const Column> columns, std::size_t begin, std::span<std::int32_t> leaf,
               const Pulse& pulse) const {
        constexpr std::size_t lanes = 16;
        std::size_t row[lanes];       // on its way ...
        std::int32_t at[lanes] = {};  // ... and the node it has come to
        std::size_t started = std::min(lanes, leaf.size());
        std::iota(row, row + started, std::size_t{0});
        for (std::size_t busy = started, steps = 1; busy > 0; ++steps) {
            if (steps % 4096 == 0) pulse.check();
            for (std::size_t k = 0; k < busy; ++k) {
                const Node& node = nodes_[static_cast<std::size_t>(at[k])];
                const Column& column = columns[node.feature];
                const auto x = static_cast<double>(Cells<T>{column.data, column.stride}[begin + row[k]]);
                const std::int32_t child =
                    x != x ? static_cast<std::int32_t>(node.missing) : child_of_number(x, node.cut);
                const std::int32_t next = node.first_child + child;
                if (next != at[k]) {
                    at[k] = next;
                    continue;
                }
                leaf[row[k]] = next;  // arrived: another row sets out, or the last one takes this place
                if (started < leaf.size())
                    row[k] = started++, at[k] = 0;
                else
                    --busy, row[k] = row[busy], at[k] = at[busy], --k;
            }
        }
    }

  private:
    std::vector<Node> nodes_;
};

/// Numeric columns of one and the same type, and nothing but cuts: then a tree can be packed.
bool can_be_packed(std::span<const Column> columns, const TreeView& tree) {
    const auto alike = [&columns](const Column& column) {
        return !column.nominal && column.type == columns.front().type;
    };
    return !columns.empty() && tree.bounds.empty() && !tree.surrogates.in_use() &&
           std::ranges::all_of(columns, alike);
}

/// Appends the leaves of one row, from left to right.
class SharedWalk {
  public:
    SharedWalk(std::span<const Column> columns, const TreeView& tree, std::span<const double> weight)
        : columns_(columns), tree_(tree), weight_(weight) {}

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
            const auto children = static_cast<std::size_t>(tree_.n_children[node]);
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
    std::span<const double> weight_;
    std::vector<std::pair<std::size_t, double>> waiting_;
};

}  // namespace

void apply(std::span<const Column> columns, const TreeView& tree, std::span<std::int32_t> leaf, int threads,
           const Pulse& pulse) {
    const std::size_t chunks = (leaf.size() + chunk - 1) / chunk;
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(chunks, 1024))));
    if (leaf.size() >= fewest_packed_rows && can_be_packed(columns, tree)) {
        const PackedTree packed(tree);
        with_cells(columns.front(), [&]<class T>(Cells<T>) {
            team.run(chunks, [&](std::size_t k, int) {
                const std::size_t begin = k * chunk;
                packed.apply<T>(columns, begin, leaf.subspan(begin, std::min(chunk, leaf.size() - begin)),
                                pulse);
            });
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
