#include "core/prune/error_based.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/route/route.hpp"

namespace branchwork {
namespace {

/// The rows of a node and the weight of each, which may be a share of a row.
struct Group {
    std::vector<Row> rows;
    std::vector<double> weights;

    void add(Row row, double weight) { rows.push_back(row), weights.push_back(weight); }
    void add(const Group& more) {
        rows.insert(rows.end(), more.rows.begin(), more.rows.end());
        weights.insert(weights.end(), more.weights.begin(), more.weights.end());
    }
    void reserve(std::size_t size) { rows.reserve(size), weights.reserve(size); }
};

/// A node of the new tree. At first it is the node of the same number in the given tree; raising gives it the split and
/// children of another node.
struct Node {
    std::int32_t origin;
    bool leaf;
    std::vector<std::int32_t> children;
};

class Pruner {
  public:
    Pruner(std::span<const Column> columns, const Target& target, const TreeView& tree,
           std::span<const std::int32_t> answer, const ErrorBound& bound, bool raising, const Pulse& pulse)
        : columns_(columns),
          target_(target),
          tree_(tree),
          bound_(bound),
          raising_(raising),
          pulse_(pulse),
          answer_(answer.begin(), answer.end()) {
        const std::size_t size = tree.feature.size();
        nodes_.resize(size);
        for (std::size_t id = 0; id < size; ++id) {
            nodes_[id] = {static_cast<std::int32_t>(id), tree.feature[id] < 0, {}};
            nodes_[id].children.resize(static_cast<std::size_t>(tree.n_children[id]));
            std::iota(nodes_[id].children.begin(), nodes_[id].children.end(), tree.first_child[id]);
        }
        weight_.assign(size, 0), n_rows_.assign(size, 0), estimate_.assign(size, 0);
        stats_.assign(size * target.classes, 0);
        shares_.assign(size, false);
        constexpr double never = std::numeric_limits<double>::quiet_NaN();
        of_subtree_.assign(size, never), of_leaf_ = of_subtree_;
    }

    PrunedTree run() {
        Group all;
        for (Row row = 0; row < target_.rows(); ++row)
            all.add(row, target_.weights.empty() ? 1.0 : target_.weights[row]);
        prune(std::move(all));
        return breadth_first();
    }

  private:
    /// A node whose branches are being pruned.
    struct Visit {
        std::size_t node;
        Group group;
        std::vector<Group> of_branch;
        std::vector<double> weights;  // weight of each branch
        Group elsewhere;              // rows that are not in the largest branch
        std::size_t next = 0;         // the branch to prune next
        double subtree = 0;           // sum of the expected errors of the branches pruned so far
    };

    /// Prunes the branches of a node before the node itself. This is a loop, because a tree may be thousands of nodes
    /// deep, too deep for recursion.
    void prune(Group all) {
        std::vector<Visit> open;
        open.push_back(arrive(0, std::move(all)));
        while (!open.empty()) {
            pulse_.check();
            Visit& here = open.back();
            const Node& node = nodes_[here.node];
            if (here.next < node.children.size()) {
                const auto child = static_cast<std::size_t>(node.children[here.next]);
                Group group = std::move(here.of_branch[here.next++]);
                if (bound_.j48) answer_[child] = answer_[here.node];  // stays if the branch has no rows
                open.push_back(arrive(child, std::move(group)));
                continue;
            }
            if (raise_or_end(here)) continue;  // the node has a new split, so its branches are pruned again
            const std::size_t id = here.node;
            open.pop_back();
            if (open.empty()) return;
            open.back().subtree += estimate_[id];
            shares_[open.back().node] = shares_[open.back().node] || shares_[id];
        }
    }

    Visit arrive(std::size_t id, Group group) {
        Visit visit{id, std::move(group), {}, {}, {}, 0, 0};
        count(visit);
        shares_[id] = false;
        if (nodes_[id].leaf) return visit;
        shares_[id] = part(nodes_[id], visit.group, visit.of_branch, visit.weights);
        if (!raising_ || shares_[id]) return visit;
        const std::size_t largest = largest_branch(visit.weights);
        for (std::size_t k = 0; k < visit.of_branch.size(); ++k)
            if (k != largest) visit.elsewhere.add(visit.of_branch[k]);
        return visit;
    }

    /// Stores the weight, class counts and predicted class of a node.
    void count(const Visit& visit) {
        const std::size_t id = visit.node;
        const std::span<double> counts(&stats_[id * target_.classes], target_.classes);
        weight_[id] = count(visit.group, counts);
        n_rows_[id] = static_cast<std::int64_t>(visit.group.rows.size());
        if (weight_[id] <= 0) return;
        // Sums of shares have rounding errors, so differences up to a millionth of a row are ties. At a tie, Release 8
        // keeps the class that the node had before.
        std::size_t answer = bound_.j48 ? 0 : static_cast<std::size_t>(answer_[id]);
        for (std::size_t c = 0; c < counts.size(); ++c)
            if (counts[c] > counts[answer] + 1e-6) answer = c;
        answer_[id] = static_cast<std::int32_t>(answer);
    }
    double count(const Group& group, std::span<double> counts) const {
        std::ranges::fill(counts, 0.0);
        double weight = 0;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            counts[static_cast<std::size_t>(target_.codes[group.rows[i]])] += group.weights[i];
            weight += group.weights[i];
        }
        return weight;
    }
    double expected(std::span<const double> counts, double weight) const {
        if (weight <= 0) return 0;
        const double errors = std::max(0.0, weight - *std::ranges::max_element(counts));
        return errors + bound_.extra(errors, weight);
    }

    /// Makes a group for each branch. A row with a missing value is shared among all branches in proportion to the
    /// weight of their other rows. Returns whether there is such a row.
    bool part(const Node& node, const Group& group, std::vector<Group>& groups,
              std::vector<double>& weights) {
        const auto origin = static_cast<std::size_t>(node.origin);
        groups.assign(node.children.size(), {});
        weights.assign(node.children.size(), 0.0);
        sizes_.assign(node.children.size(), 0);
        find_ways(origin, group.rows);
        double known = 0;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            if (way_[i] == every_child) continue;
            weights[static_cast<std::size_t>(way_[i])] += group.weights[i];
            ++sizes_[static_cast<std::size_t>(way_[i])];
            known += group.weights[i];
        }
        for (std::size_t k = 0; k < groups.size(); ++k) groups[k].reserve(sizes_[k]);
        double unknown = 0;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            if (way_[i] != every_child) {
                groups[static_cast<std::size_t>(way_[i])].add(group.rows[i], group.weights[i]);
                continue;
            }
            unknown += group.weights[i];
            for (std::size_t k = 0; k < groups.size(); ++k)
                if (weights[k] > 0) groups[k].add(group.rows[i], group.weights[i] * (weights[k] / known));
        }
        if (unknown > 0)
            for (double& weight : weights) weight += unknown * (weight / known);
        return unknown > 0;
    }

    /// Writes the child of each row to `way_`. For a simple threshold, the most frequent split, the split is looked up
    /// only once.
    void find_ways(std::size_t origin, std::span<const Row> rows) {
        way_.resize(rows.size());
        const Column& column = columns_[static_cast<std::size_t>(tree_.feature[origin])];
        if (column.nominal || tree_.lookup[origin] >= 0) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                way_[i] = child_of(columns_, tree_, origin, rows[i]);
            return;
        }
        with_cells(column, [&, cut = tree_.cut[origin]](auto cells) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const auto x = static_cast<double>(cells[rows[i]]);
                way_[i] =
                    std::isnan(x) ? child_of(columns_, tree_, origin, rows[i]) : child_of_number(x, cut);
            }
        });
    }

    /// Decides whether a node whose branches have been pruned stays, becomes a leaf or is replaced by its largest
    /// branch. Returns true if it was replaced.
    bool raise_or_end(Visit& here) {
        const std::size_t id = here.node;
        Node& node = nodes_[id];
        const std::span<const double> counts(&stats_[id * target_.classes], target_.classes);
        const double leaf = expected(counts, weight_[id]);
        if (node.leaf) {
            estimate_[id] = leaf;
            return false;
        }
        const std::size_t largest = largest_branch(here.weights);
        double branch = std::numeric_limits<double>::infinity();
        if (raising_) {
            const auto raised = static_cast<std::size_t>(node.children[largest]);
            const std::optional<double> found =
                shares_[id] ? std::nullopt
                            : expected_with_more(raised, here.elsewhere, here.subtree + 0.1 + 2e-6);
            branch = found ? *found : expected_below(raised, here.group);
        }
        const auto origin = static_cast<std::size_t>(node.origin);
        of_leaf_[origin] = leaf, of_subtree_[origin] = here.subtree;
        if (at_most(leaf, here.subtree + 0.1) && at_most(leaf, branch + 0.1)) {
            node.leaf = true;
            node.children.clear();
            estimate_[id] = leaf;
            return false;
        }
        if (at_most(branch, here.subtree + 0.1)) {
            const auto raised = static_cast<std::size_t>(node.children[largest]);
            answer_[id] = answer_[raised];
            node = Node(nodes_[raised]);
            here = arrive(id, std::move(here.group));
            return true;
        }
        estimate_[id] = here.subtree;
        return false;
    }
    bool at_most(double a, double b) const { return bound_.j48 ? a - b < 1e-6 : a <= b; }
    /// Returns the branch with the largest weight; of equal ones the last.
    std::size_t largest_branch(std::span<const double> weights) const {
        const double slack = bound_.j48 ? 1e-6 : 0;
        std::size_t largest = 0;
        for (std::size_t k = 1; k < weights.size(); ++k)
            if (weights[k] >= weights[largest] - slack) largest = k;
        return largest;
    }

    /// Returns the expected errors of a subtree if it had more rows. Its own rows stay where they are, so only the new
    /// rows are sent down. They come from the smaller branches of a node, so each row is sent down about log n times in
    /// all. Returns nothing if a new row has a missing value: such a row would change the weights by which rows are
    /// shared. If the sum exceeds `limit`, the branch will not be raised, and the sum so far is returned.
    ///
    ///     subtree           expected errors
    ///       A               those of B, which new rows reach, computed again
    ///      / \            + those of C, which no new row reaches, as they were
    ///     B   C
    std::optional<double> expected_with_more(std::size_t top, const Group& more, double limit) {
        struct Arriving {
            std::size_t node, begin, end;
        };
        const std::size_t size = more.rows.size();
        more_ = more;
        spare_.rows.resize(size), spare_.weights.resize(size);
        std::vector<double> counts(target_.classes);
        std::vector<Arriving> open{{top, 0, size}};
        double sum = 0;
        while (!open.empty() && sum <= limit) {
            pulse_.check();
            const Arriving here = open.back();
            open.pop_back();
            const Node& node = nodes_[here.node];
            const std::span<Row> rows = std::span(more_.rows).subspan(here.begin, here.end - here.begin);
            const std::span<double> weights = std::span(more_.weights).subspan(here.begin, rows.size());
            if (node.leaf) {
                std::copy_n(&stats_[here.node * target_.classes], target_.classes, counts.begin());
                double weight = weight_[here.node];
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    counts[static_cast<std::size_t>(target_.codes[rows[i]])] += weights[i];
                    weight += weights[i];
                }
                sum += expected(counts, weight);
                continue;
            }
            const auto origin = static_cast<std::size_t>(node.origin);
            find_ways(origin, rows);
            sizes_.assign(node.children.size() + 1, 0);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (way_[i] == every_child) return std::nullopt;
                ++sizes_[static_cast<std::size_t>(way_[i]) + 1];
            }
            std::partial_sum(sizes_.begin(), sizes_.end(), sizes_.begin());
            for (std::size_t k = 0; k < node.children.size(); ++k) {
                const auto child = static_cast<std::size_t>(node.children[k]);
                if (sizes_[k] == sizes_[k + 1])
                    sum += estimate_[child];
                else
                    open.push_back({child, here.begin + sizes_[k], here.begin + sizes_[k + 1]});
            }
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::size_t at = sizes_[static_cast<std::size_t>(way_[i])]++;
                spare_.rows[at] = rows[i], spare_.weights[at] = weights[i];
            }
            std::copy_n(spare_.rows.begin(), rows.size(), rows.begin());
            std::copy_n(spare_.weights.begin(), rows.size(), weights.begin());
        }
        return sum;
    }

    /// Returns the expected errors of a subtree if it had these rows.
    double expected_below(std::size_t top, const Group& group) {
        std::vector<double> counts(target_.classes);
        double sum = 0;
        std::vector<std::pair<std::size_t, Group>> open;
        open.emplace_back(top, group);
        while (!open.empty()) {
            pulse_.check();
            const auto [id, rows] = std::move(open.back());
            open.pop_back();
            if (nodes_[id].leaf) {
                const double weight = count(rows, counts);
                sum += expected(counts, weight);
                continue;
            }
            part(nodes_[id], rows, groups_, weights_);
            for (std::size_t k = 0; k < groups_.size(); ++k)
                if (!groups_[k].rows.empty())
                    open.emplace_back(static_cast<std::size_t>(nodes_[id].children[k]),
                                      std::move(groups_[k]));
        }
        return sum;
    }

    PrunedTree breadth_first() {
        PrunedTree out;
        std::vector<std::size_t> order{0};
        for (std::size_t at = 0; at < order.size(); ++at)
            for (const std::int32_t child : nodes_[order[at]].children)
                order.push_back(static_cast<std::size_t>(child));
        out.stats.reserve(order.size() * target_.classes);
        for (const std::size_t id : order) {
            out.origin.push_back(nodes_[id].origin);
            out.leaf.push_back(nodes_[id].leaf);
            out.weight.push_back(weight_[id]);
            out.n_rows.push_back(n_rows_[id]);
            const auto stats = stats_.begin() + static_cast<std::ptrdiff_t>(id * target_.classes);
            out.stats.insert(out.stats.end(), stats, stats + static_cast<std::ptrdiff_t>(target_.classes));
            out.answer.push_back(answer_[id]);
            out.estimate.push_back(estimate_[id]);
        }
        out.of_subtree = std::move(of_subtree_);
        out.of_leaf = std::move(of_leaf_);
        return out;
    }

    std::span<const Column> columns_;
    const Target& target_;
    const TreeView& tree_;
    const ErrorBound& bound_;
    bool raising_;
    const Pulse& pulse_;
    std::vector<Node> nodes_;
    std::vector<std::int32_t> answer_;
    std::vector<double> weight_, estimate_, stats_, of_subtree_, of_leaf_;
    std::vector<std::int64_t> n_rows_;
    std::vector<char> shares_;  // per node: whether a row is shared among branches in its subtree
    std::vector<std::int32_t> way_;
    std::vector<std::size_t> sizes_;
    Group more_, spare_;
    std::vector<Group> groups_;
    std::vector<double> weights_;
};

}  // namespace

PrunedTree prune_by_error(std::span<const Column> columns, const Target& target, const TreeView& tree,
                          std::span<const std::int32_t> answer, const ErrorBound& bound, bool raising,
                          const Pulse& pulse) {
    return Pruner(columns, target, tree, answer, bound, raising, pulse).run();
}

}  // namespace branchwork
