// The tree while it is grown: what is written down about each node, whatever its rows live in.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/columns.hpp"
#include "core/grow/frontier.hpp"
#include "core/options.hpp"
#include "core/search/candidate.hpp"
#include "core/search/scorer.hpp"
#include "core/tree.hpp"

namespace branchwork {

class Book {
  public:
    /// `nodes` counts the nodes of the whole tree, whose parts may be grown in books of their own.
    Book(const Options& options, std::size_t width, std::atomic<std::int64_t>& nodes)
        : options_(options), nodes_(nodes) {
        tree_.width = width;
    }

    GrownTree& tree() { return tree_; }
    std::atomic<std::int64_t>& nodes() { return nodes_; }
    void add_root() {
        tree_.add_node();
        ++nodes_;
        drop_ledger_if_large();
    }
    const GrownTree& tree() const { return tree_; }

    /// Where the class weights of a node go.
    CountsOut counts(std::int32_t node) {
        const auto at = static_cast<std::size_t>(node);
        if (tree_.is_sparse) return {{}, &tree_.few[at]};
        return {std::span(tree_.stats).subspan(at * tree_.width, tree_.width)};
    }
    /// Writes down what a node is, and whether it is a leaf already.
    void describe(std::int32_t node, std::int64_t depth, std::size_t rows, const NodeFacts& facts,
                  bool is_classes) {
        const auto id = static_cast<std::size_t>(node);
        tree_.weight[id] = facts.weight;
        tree_.n_rows[id] = static_cast<std::int64_t>(rows);
        tree_.impurity[id] = facts.weight > 0 ? std::max(0.0, facts.cost / facts.weight) : 0;
        if (!is_classes && facts.weight > 0) {
            tree_.stats[id * tree_.width] = facts.centre + facts.moments.s / facts.weight;
            tree_.variance[id] = facts.variance;
        }
        tree_.stop[id] = why_stop(rows, depth, facts.pure, facts.samples);
    }

    Stop why_stop(std::size_t rows, std::int64_t depth, bool pure, double samples) const {
        if (rows == 0 || !(samples > 0)) return Stop::empty;
        if (pure) return Stop::pure;
        if (options_.max_depth >= 0 && depth >= options_.max_depth) return Stop::max_depth;
        if (samples < options_.min_split_samples) return Stop::too_few_rows;
        return Stop::split;
    }
    static Stop why_unsplit(std::span<const Candidate> candidates) {
        Stop reason = Stop::no_candidate;
        for (const Candidate& c : candidates) {
            if (c.verdict == Verdict::small_gain) return Stop::small_gain;
            if (c.is_split()) reason = Stop::no_gain;
        }
        return reason;
    }
    void stop(std::int32_t node, Stop reason) { tree_.stop[static_cast<std::size_t>(node)] = reason; }
    Stop reason(std::int32_t node) const { return tree_.stop[static_cast<std::size_t>(node)]; }

    /// Minimum gain per row of a node's split; 0 disables the limit, because a split by variance may have a negative
    /// gain.
    PickRule rule(double weight, double whole) const {
        double least = -std::numeric_limits<double>::infinity();
        if (options_.min_gain > 0 || options_.min_decrease > 0)
            least = std::max(options_.min_gain, options_.min_decrease * whole / weight);
        return {options_.zero_gain, options_.by_ratio(), least, !options_.asked};
    }

    void keep(std::int32_t node, std::span<const Candidate> candidates) {
        if (tree_.has_ledger) tree_.ledger.push_back({node, {candidates.begin(), candidates.end()}});
    }
    void keep_surrogates(std::int32_t node, std::int32_t majority, std::vector<Surrogate> found) {
        tree_.default_child[static_cast<std::size_t>(node)] = majority;
        if (!found.empty()) tree_.surrogates.push_back({node, std::move(found)});
    }
    /// Drops the ledger of a tree that has outgrown it.
    void drop_ledger_if_large() {
        if (nodes_.load(std::memory_order_relaxed) > options_.ledger_nodes) give_up_ledger();
    }
    void give_up_ledger() {
        tree_.has_ledger = false;
        tree_.ledger = {};
    }

    std::int32_t children_of(const Column& column, const Candidate& chosen) const {
        const bool multiway = column.nominal && chosen.sides.empty();
        const bool own_branch = column.has_missing && options_.missing == Missing::branch;
        if (column.nominal && !multiway && options_.nominal == Nominal::groups)
            return static_cast<std::int32_t>(std::ranges::max(chosen.sides)) + 1;
        return (multiway ? column.levels : 2) + (own_branch ? 1 : 0);
    }
    /// Is there room for the leaves that a split makes? If so, they are counted.
    bool make_room(std::int32_t children) {
        if (options_.max_leaves >= 0 && leaves_ + children - 1 > options_.max_leaves) return false;
        leaves_ += children - 1;
        return true;
    }

    /// Writes the split and makes room for the children; the id of the first is returned.
    std::int32_t split(std::int32_t node, const Column& column, const Candidate& chosen,
                       std::int32_t children) {
        count_nodes(children);
        const auto id = static_cast<std::size_t>(node);
        const auto first = static_cast<std::int32_t>(tree_.size());
        tree_.feature[id] = chosen.feature;
        tree_.cut[id] = chosen.cut;
        tree_.gain[id] = chosen.gain;
        tree_.n_children[id] = children;
        tree_.default_child[id] = chosen.missing_child;
        tree_.first_child[id] = first;
        for (std::int32_t k = 0; k < children; ++k) tree_.add_node();
        drop_ledger_if_large();
        if (column.nominal) write_lookup(id, column, chosen);
        return first;
    }
    /// The cut of a node that was split before its cut was known.
    void write_cut(std::int32_t node, double cut) { tree_.cut[static_cast<std::size_t>(node)] = cut; }
    /// The child of each category of a node that was split by a nominal column.
    std::span<const std::int32_t> lookup(std::int32_t node, const Column& column) const {
        const auto offset = static_cast<std::size_t>(tree_.lookup[static_cast<std::size_t>(node)]) + 1;
        return std::span(tree_.pool).subspan(offset, static_cast<std::size_t>(column.levels));
    }

  private:
    /// Counts new nodes of the whole tree, before there is any memory for them.
    void count_nodes(std::int32_t added) {
        const std::int64_t nodes = added + nodes_.fetch_add(added, std::memory_order_relaxed);
        if (options_.most_nodes >= 0 && nodes > options_.most_nodes) throw TreeTooLarge(nodes);
    }
    /// A slot for missing cells, then the child of every category; -1: to be decided when all weights are
    /// known.
    void write_lookup(std::size_t id, const Column& column, const Candidate& chosen) {
        tree_.lookup[id] = static_cast<std::int32_t>(tree_.pool.size());
        tree_.pool.push_back(-1);
        for (std::int32_t code = 0; code < column.levels; ++code) {
            static_assert(static_cast<std::int32_t>(Side::absent) == -1);
            tree_.pool.push_back(chosen.sides.empty() ? code
                                                      : static_cast<std::int32_t>(
                                                            chosen.sides[static_cast<std::size_t>(code)]));
        }
        if (tree_.pool.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::length_error("the categories of all splits together are more than 2^31 - 1");
    }

    const Options& options_;
    std::atomic<std::int64_t>& nodes_;
    std::int64_t leaves_ = 1;
    GrownTree tree_;
};

/// The chain of nominal columns used on a path: each link knows the one before it.
class UsedColumns {
  public:
    static constexpr std::int32_t none = -1;

    std::int32_t add(std::int32_t column, std::int32_t before) {
        links_.push_back({column, before});
        return static_cast<std::int32_t>(links_.size()) - 1;
    }
    void mark(std::int32_t newest, std::span<Candidate> candidates) const {
        for (std::int32_t link = newest; link >= 0; link = links_[static_cast<std::size_t>(link)].before)
            candidates[static_cast<std::size_t>(links_[static_cast<std::size_t>(link)].column)].verdict =
                Verdict::used_above;
    }

    bool has(std::int32_t newest, std::int32_t column) const {
        for (std::int32_t link = newest; link >= 0; link = links_[static_cast<std::size_t>(link)].before)
            if (links_[static_cast<std::size_t>(link)].column == column) return true;
        return false;
    }

  private:
    struct Link {
        std::int32_t column, before;
    };
    std::vector<Link> links_;
};

}  // namespace branchwork
