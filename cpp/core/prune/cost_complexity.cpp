#include "core/prune/cost_complexity.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace branchwork {
namespace {

/// When a node is pruned: its complexity, and by how much pruning it raises the risk and lowers the number of leaves.
struct Turn {
    double alpha;
    double risk;
    std::int64_t leaves;
};

/// Orders the heap so that the turn with the largest complexity is on top.
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

/// A node is pruned at the latest together with its parent.
void keep_below_parents(const TreeShape& tree, std::vector<double>& alpha) {
    for (std::size_t node = 0; node < alpha.size(); ++node)
        for (std::int32_t k = 0; k < tree.n_children[node]; ++k) {
            double& child = alpha[static_cast<std::size_t>(tree.first_child[node] + k)];
            child = std::min(child, alpha[node]);
        }
}

}  // namespace

// Children are computed before their parents. Let the complexity fall from infinity: at first everything below a node
// is pruned to its children, and then nodes below come back, one by one, when the complexity falls below their own. The
// complexity of the node is where the subtree that has come back so far costs as much as the node as a leaf. Turns that
// come earlier than this are merged into the turn of the node, so each turn is pushed once and popped at most once.
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

// A node considers only its children. A child whose complexity is below that of the node is already a leaf when the
// node is pruned. The remaining risk and number of splits below the node are passed on to its parent as they are at
// that moment.
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
            if (own <= alpha[first + k] + slack) break;  // at a tie, the node is pruned with the child
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
