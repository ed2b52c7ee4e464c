#include "core/prune/cost_complexity.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace branchwork {
namespace {

/// When a node's turn comes: what cutting it adds to the risk, and takes from the leaves.
struct Turn {
    double alpha;
    double risk;
    std::int64_t leaves;
};

/// The heap's top is the turn that comes first from large complexities downwards.
bool comes_later(const Turn& a, const Turn& b) {
    return std::tuple(-a.alpha, a.risk, a.leaves) > std::tuple(-b.alpha, b.risk, b.leaves);
}

void push(std::vector<Turn>& heap, const Turn& turn) {
    heap.push_back(turn);
    std::ranges::push_heap(heap, comes_later);
}

Turn pop(std::vector<Turn>& heap) {
    std::ranges::pop_heap(heap, comes_later);
    const Turn first = heap.back();
    heap.pop_back();
    return first;
}

constexpr double none = -std::numeric_limits<double>::infinity();

/// A node vanishes with its parent at the latest.
void keep_below_parents(const TreeShape& tree, std::vector<double>& alpha) {
    for (std::size_t node = 0; node < alpha.size(); ++node)
        for (std::int32_t k = 0; k < tree.n_children[node]; ++k) {
            double& child = alpha[static_cast<std::size_t>(tree.first_child[node] + k)];
            child = std::min(child, alpha[node]);
        }
}

}  // namespace

// Children first. Seen from large complexities downwards, every child is a leaf at first, and nodes below come back
// when their turn is passed. The complexity of a node is where it costs the same as what has come back below it; what
// would come back later than the node itself never does. So each turn is kept once and dropped at most once.
std::vector<double> weakest_links(const TreeShape& tree, std::span<const double> risk,
                                  std::span<const double> below) {
    std::vector<double> alpha(risk.size(), none);
    std::vector<std::vector<Turn>> turns(risk.size());
    for (std::size_t node = risk.size(); node-- > 0;) {
        if (tree.first_child[node] < 0) continue;
        const std::span children = std::span(turns).subspan(static_cast<std::size_t>(tree.first_child[node]),
                                                            static_cast<std::size_t>(tree.n_children[node]));
        auto longest = std::ranges::max_element(children, {}, [](const auto& of) { return of.size(); });
        std::vector<Turn> ahead = std::move(*longest);
        longest->clear();
        for (std::vector<Turn>& child : children) {
            for (const Turn& turn : child) push(ahead, turn);
            child = {};
        }
        double risk_below = below[node];
        auto leaves = static_cast<std::int64_t>(children.size());
        double own = (risk[node] - risk_below) / static_cast<double>(leaves - 1);
        while (!ahead.empty() && own < ahead.front().alpha) {
            const Turn back = pop(ahead);
            risk_below -= back.risk, leaves += back.leaves;
            own = (risk[node] - risk_below) / static_cast<double>(leaves - 1);
        }
        alpha[node] = own;
        push(ahead, {own, risk[node] - risk_below, leaves - 1});
        turns[node] = std::move(ahead);
    }
    keep_below_parents(tree, alpha);
    return alpha;
}

// Of what lies below, a node looks at its children only. A child whose turn comes before the node's is a leaf by then;
// what is left below is handed up as it is when the node's own turn comes.
std::vector<double> links_as_rpart(const TreeShape& tree, std::span<const double> risk, double slack) {
    std::vector<double> alpha(risk.size(), none), below(risk.begin(), risk.end());
    std::vector<std::int64_t> splits(risk.size(), 0);
    std::vector<std::pair<double, std::int64_t>> left;
    std::vector<std::size_t> order;
    const auto sum = [&left] {
        std::pair<double, std::int64_t> total{0, 0};
        for (const auto& [part, count] : left) total.first += part, total.second += count;
        return total;
    };
    for (std::size_t node = risk.size(); node-- > 0;) {
        if (tree.first_child[node] < 0) continue;
        const auto first = static_cast<std::size_t>(tree.first_child[node]);
        const auto count = static_cast<std::size_t>(tree.n_children[node]);
        left.clear(), order.clear();
        for (std::size_t k = 0; k < count; ++k)
            left.emplace_back(below[first + k], splits[first + k]), order.push_back(k);
        const auto worth = [&] {
            const auto [part, split] = sum();
            return (risk[node] - part) / static_cast<double>(1 + split);
        };
        std::ranges::stable_sort(order, {}, [&](std::size_t k) { return alpha[first + k]; });
        double own = worth();
        for (const std::size_t k : order) {
            if (own <= alpha[first + k] + slack) break;  // at a tie it is the node's turn
            left[k] = {risk[first + k], 0};
            own = worth();
        }
        alpha[node] = own;
        std::tie(below[node], splits[node]) = sum();
        ++splits[node];
    }
    keep_below_parents(tree, alpha);
    return alpha;
}

}  // namespace branchwork
