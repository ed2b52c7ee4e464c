// From costs to a tree: the search level by level, and the tree that has the least cost.
//
// Trees of one level are searched first, then of two, and so on: the search can be stopped at any time, and of trees with
// the same cost the one with fewer levels is taken. The solver knows costs only, so the tree is made from the root down:
// each branch of the best split is a problem of its own, whose cost is already known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/row_search.hpp"
#include "core/optimal/split_search.hpp"

namespace branchwork::optimal {

/// `Fast` is the solver that is asked for costs, where there is one for the problem; otherwise RowSearch.
template <class Loss, class Fast>
class Driver {
  public:
    Driver(Context<Loss>& context, RowSearch<Loss>& rows, Fast* fast)
        : context_(context),
          rows_(rows),
          fast_(fast),
          team_(threads_for(context)),
          workers_(static_cast<std::size_t>(team_.size())),
          fast_workers_(workers_.size()) {}

    Found run() {
        Found found;
        const RowView whole = rows_.whole();
        const Settings& settings = context_.settings;
        lower_bound_ = rows_.least_cost(workers_[0], whole, settings.max_depth, settings.max_leaves);
        try {
            if (settings.lookahead > 0) {
                Nodes nodes;
                cost_ = settings.try_roots ? try_roots(whole, settings.max_depth, nodes)
                                           : look_ahead(whole, settings.max_depth, nodes);
                tree_ = std::move(nodes);
                has_tree_ = true;
            } else if (settings.target_cost >= 0)
                fewest_leaves(whole);
            else
                least_cost(whole);
            found.ending = context_.gap > 0 ? Ending::gap : Ending::proven;
        } catch (const Halt& halt) {
            found.ending = halt.why;
            finish_in_haste(whole);
        }
        found.has_tree = has_tree_;
        found.nodes = std::move(tree_);
        found.cost = static_cast<double>(cost_) / context_.loss.unit();
        found.lower_bound = static_cast<double>(std::min(lower_bound_, cost_)) / context_.loss.unit();
        found.depth_proven = depth_proven_;
        found.leaves_needed = leaves_needed_;
        found.seconds = context_.watch.seconds();
        for (const auto& worker : workers_) found.counters += worker.counters;
        for (const auto& worker : fast_workers_) {
            found.counters += worker.counters;
            if constexpr (has_fast) found.counters += worker.two.counters;
        }
        found.counters.cache_entries = context_.cache.entries();
        return found;
    }

  private:
    using Nodes = std::vector<FoundNode>;

    /// With a gap, the tree would depend on who is first. Few tests keep few threads busy.
    static int threads_for(const Context<Loss>& context) {
        constexpr std::size_t most = 64;
        const auto useful = static_cast<int>(std::min(most, 4 * context.tests.size() + 1));
        return context.gap > 0 ? 1 : std::min(context.settings.threads, useful);
    }

    struct Level {
        BestSplit split;
        std::int32_t depth = 0;  // levels of the tree that the split begins
    };

    void least_cost(const RowView& whole) {
        const Settings& settings = context_.settings;
        Cost limit = unbounded;
        if (settings.start >= 0)  // a sum of doubles: a billionth more is rounding
            limit = static_cast<Cost>(std::llround(settings.start * context_.loss.unit() * (1 + 1e-9))) + 1;
        const std::int64_t leaves = settings.max_leaves;
        const Cost as_leaf = rows_.leaf(whole);
        if (as_leaf < limit) keep(whole, {}, 0, leaves, as_leaf);
        limit = std::min(limit, as_leaf);
        for (std::int32_t depth = 1; depth <= settings.max_depth; ++depth) {
            at_last_level_ = depth == settings.max_depth;
            const std::optional<Level> level =
                search_level(whole, depth, leaves, limit, settings.only_column);
            if (level) {
                limit = level->split.cost;
                keep(whole, *level, depth, leaves, limit);
            }
            depth_proven_ = depth;
            if (limit <= lower_bound_ + context_.penalty && has_tree_) break;  // no tree can be better
        }
        lower_bound_ = std::max(lower_bound_, limit - context_.gap);
    }

    void fewest_leaves(const RowView& whole) {
        const Settings& settings = context_.settings;
        const Cost wanted =
            static_cast<Cost>(std::floor(settings.target_cost * context_.loss.unit() * (1 + 1e-9))) + 1;
        leaves_needed_ = 1;
        const Cost as_leaf = rows_.leaf(whole);
        if (as_leaf < wanted) return keep(whole, {}, 0, 1, as_leaf);
        for (std::int64_t leaves = 2; leaves <= settings.max_leaves; ++leaves) {
            leaves_needed_ = leaves;
            for (std::int32_t depth = 1; depth <= settings.max_depth && depth < leaves; ++depth) {
                if (const auto level = search_level(whole, depth, leaves, wanted, -1))
                    return keep(whole, *level, depth, leaves, level->split.cost);
            }
        }
        leaves_needed_ = 0;
    }

    /// The best split of trees with up to `depth` levels that cost less than the limit; nothing if there is none.
    /// Those with fewer levels are known not to.
    std::optional<Level> search_level(const RowView& view, std::int32_t depth, std::int64_t leaves,
                                      Cost limit, std::int32_t only_column) {
        if (view.rows.size() < 2 || leaves < 2) return {};
        running_ = {};
        const Cost least = rows_.least_cost(workers_[0], view, depth, leaves);
        if (least + context_.penalty >= limit) return {};
        if (depth == 1 || leaves == 2) {
            if (depth > 1) return {};
            const BestSplit split = rows_.stump(workers_[0], view, leaves, only_column);
            if (split.test < 0 || split.cost >= limit) return {};
            return Level{split, 1};
        }
        if constexpr (has_fast) {
            if (fast_ && fast_->takes(depth, leaves)) {
                const auto& counted = fast_->view_of(view);
                if (depth == 2) {
                    const BestSplit split = fast_->two_levels(fast_workers_[0], counted, limit, only_column);
                    return split.test < 0 ? std::optional<Level>() : Level{split, depth};
                }
                return run_search(*fast_, counted, fast_workers_, depth, leaves, limit, least, only_column);
            }
        }
        return run_search(rows_, view, workers_, depth, leaves, limit, least, only_column);
    }

    template <class Solver>
    std::optional<Level> run_search(Solver& solver, const typename Solver::View& view,
                                    std::vector<typename Solver::Worker>& workers, std::int32_t depth,
                                    std::int64_t leaves, Cost limit, Cost least, std::int32_t only_column) {
        const Cost base =
            only_column < 0 && context_.settings.bounds.shallow ? std::min(limit, unbounded / 2) : 0;
        typename Solver::Note whole{};
        if constexpr (!std::is_same_v<Solver, RowSearch<Loss>>) {
            Cost unused = 0;
            whole = solver.whole_note(workers[0], view, depth, limit, unused);
        }
        SplitSearch<Solver> search(solver, view, depth, leaves, limit, base, least, true, only_column, whole);
        try {
            search.run(team_, workers);
        } catch (const Halt&) {
            if (at_last_level_) lower_bound_ = std::max(lower_bound_, search.lower_bound());
            if (search.best.test >= 0) running_ = Level{search.best, depth};
            throw;
        }
        if (search.best.test < 0) return {};
        return Level{search.best, depth};
    }

    /// Makes the tree that a split begins, and keeps it.
    void keep(const RowView& view, const Level& level, std::int32_t depth, std::int64_t leaves, Cost cost) {
        Nodes nodes;
        if (level.split.test < 0)
            nodes.emplace_back();
        else
            build_below(view, level.split, depth, leaves, nodes);
        tree_ = std::move(nodes);
        cost_ = cost;
        has_tree_ = true;
    }

    /// The tree of some rows whose least cost with this depth and number of leaves is known.
    void build(const RowView& view, std::int32_t depth, std::int64_t leaves, Cost cost, Nodes& nodes) {
        if (rows_.leaf(view) <= cost) {
            nodes.emplace_back();
            return;
        }
        for (std::int32_t d = 1; d <= depth; ++d) {
            if (const auto level = search_level(view, d, leaves, cost + 1, -1))
                return build_below(view, level->split, d, leaves, nodes);
        }
        throw std::logic_error("the cost of a subtree is not found again");
    }

    void build_below(const RowView& view, const BestSplit& split, std::int32_t depth, std::int64_t leaves,
                     Nodes& nodes) {
        const Test& test = context_.tests[static_cast<std::size_t>(split.test)];
        nodes.push_back(told(test, split.rank, view.rows, context_.prepared));
        if (test.multiway) {
            std::vector<RowView> parts = rows_.take_branches(view, split.test);
            const std::vector<std::int64_t> share =
                rows_.share_leaves(workers_[0], view, parts, depth - 1, leaves);
            for (std::size_t k = 0; k < parts.size(); ++k) build_part(parts[k], depth - 1, share[k], nodes);
            return;
        }
        for (const bool left : {true, false}) {
            RowView part;
            rows_.take_side(view, split.test, split.rank, left, part);
            const std::int64_t own = left ? split.left_leaves : split.right_leaves;
            if (depth == 1)
                nodes.emplace_back();
            else
                build_side(part, depth - 1, own, left ? split.left : split.right, nodes);
        }
    }

    void build_side(const RowView& part, std::int32_t depth, std::int64_t leaves, Cost cost, Nodes& nodes) {
        if (cost < 0) return build_part(part, depth, leaves, nodes);  // not told
        build(part, depth, leaves, cost, nodes);
    }

    void build_part(const RowView& part, std::int32_t depth, std::int64_t leaves, Nodes& nodes) {
        build(part, depth, leaves, rows_.solve(workers_[0], part, depth, leaves, unbounded), nodes);
    }

    /// The roots of the best trees of one level, two levels and so on, each better than the one before.
    std::vector<BestSplit> roots(const RowView& view, std::int32_t depth) {
        std::vector<BestSplit> found;
        Cost limit = rows_.leaf(view);
        const std::int32_t ahead = std::min(depth, context_.settings.lookahead);
        for (std::int32_t d = 1; d <= ahead && limit > view.equivalent + context_.penalty; ++d) {
            if (const auto level = search_level(view, d, context_.settings.max_leaves, limit, -1)) {
                found.push_back(level->split);
                limit = level->split.cost;
            }
        }
        return found;
    }

    /// A tree whose every split begins the best tree of a few levels; what lies below is decided again.
    Cost look_ahead(const RowView& view, std::int32_t depth, Nodes& nodes) {
        const std::vector<BestSplit> found = roots(view, depth);
        if (found.empty()) return as_leaf(view, nodes);
        return complete(view, found.back(), depth, nodes, &Driver::look_ahead);
    }

    /// The same, but every root that `roots` finds is completed by looking ahead, and the best complete tree decides.
    Cost try_roots(const RowView& view, std::int32_t depth, Nodes& nodes) {
        const std::vector<BestSplit> found = roots(view, depth);
        if (found.empty()) return as_leaf(view, nodes);
        std::size_t best = 0;
        Cost least = unbounded;
        for (std::size_t k = found.size(); found.size() > 1 && k-- > 0;) {
            Nodes unused;
            const Cost cost = complete(view, found[k], depth, unused, &Driver::look_ahead);
            if (cost < least) least = cost, best = k;
        }
        return complete(view, found[best], depth, nodes, &Driver::try_roots);
    }

    Cost as_leaf(const RowView& view, Nodes& nodes) {
        nodes.emplace_back();
        return rows_.leaf(view);
    }

    /// The tree that begins with a split and goes on in some way; returns its cost.
    Cost complete(const RowView& view, const BestSplit& split, std::int32_t depth, Nodes& nodes,
                  Cost (Driver::*grow)(const RowView&, std::int32_t, Nodes&)) {
        const Test& test = context_.tests[static_cast<std::size_t>(split.test)];
        nodes.push_back(told(test, split.rank, view.rows, context_.prepared));
        if (test.multiway) {
            const std::vector<RowView> parts = rows_.take_branches(view, split.test);
            Cost cost = context_.penalty * static_cast<Cost>(parts.size() - 1);
            for (const RowView& part : parts) cost += (this->*grow)(part, depth - 1, nodes);
            return cost;
        }
        Cost cost = context_.penalty;
        for (const bool left : {true, false}) {
            RowView part;
            rows_.take_side(view, split.test, split.rank, left, part);
            cost += (this->*grow)(part, depth - 1, nodes);
        }
        return cost;
    }

    /// The search was stopped. The best split so far gets a little time for the tree below it; if that is not enough, the
    /// tree of the last complete level stays.
    void finish_in_haste(const RowView& whole) {
        if (context_.settings.lookahead > 0) return;  // half a tree is none
        if (running_.split.test < 0 || context_.settings.target_cost >= 0) return;
        const Level level = running_;
        context_.watch.grant_extra_time();
        try {
            keep(whole, level, level.depth, context_.settings.max_leaves, level.split.cost);
        } catch (const Halt&) {
        }
    }

    static constexpr bool has_fast = !std::is_same_v<Fast, RowSearch<Loss>>;

    Context<Loss>& context_;
    RowSearch<Loss>& rows_;
    Fast* fast_;
    Team team_;
    std::vector<typename RowSearch<Loss>::Worker> workers_;
    std::vector<typename Fast::Worker> fast_workers_;
    Nodes tree_;
    bool has_tree_ = false;
    Cost cost_ = 0, lower_bound_ = 0;
    std::int32_t depth_proven_ = 0;
    std::int64_t leaves_needed_ = 0;
    bool at_last_level_ = false;
    Level running_;
};

}  // namespace branchwork::optimal
