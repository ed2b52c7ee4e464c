// The whole search: level by level, until the best tree is found and proven, or a limit is reached.
//
// Trees of one level are searched first, then trees of two, and so on. So the search has a tree whenever it is stopped,
// and of trees with the same cost, one with the fewest levels is found.
//
//     a leaf ──► best of 1 level ──► best of 2 levels ──► ... ──► best of max_depth levels: proven
//       └─ keep ─────┴─ keep ────────────┴─ keep
//
// When a limit ends the search of a level, the tree of the best split so far is built in a short extra time. If that
// does not suffice, the tree of the last complete level stays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/optimal/builder.hpp"
#include "core/optimal/context.hpp"
#include "core/optimal/level_search.hpp"
#include "core/optimal/lookahead.hpp"
#include "core/optimal/standing.hpp"

namespace branchwork::optimal {

template <class Loss, class Fast>
class Driver {
  public:
    Driver(Context<Loss>& context, RowSearch<Loss>& rows, Fast* fast, Standing& standing)
        : context_(context),
          rows_(rows),
          search_(context, rows, fast),
          builder_(context, search_),
          standing_(standing) {}

    Found run() {
        Found found;
        const RowView whole = rows_.parts().whole();
        const Settings& settings = context_.settings;
        raise_bound(rows_.least_cost(search_.worker(), whole, settings.max_depth, settings.max_leaves));
        if (settings.start >= 0) standing_.cost = settings.start;
        try {
            if (settings.lookahead > 0)
                look_ahead(whole);
            else if (settings.target_cost >= 0)
                fewest_leaves(whole);
            else
                least_cost(whole);
            found.ending = context_.gap > 0 ? Ending::gap : Ending::proven;
        } catch (const Halt& halt) {
            found.ending = halt.why;
            finish_in_haste(whole, halt.why);
        }
        found.has_tree = has_tree_;
        found.nodes = std::move(tree_);
        found.levels = std::move(levels_);
        found.cost = in_units(cost_);
        found.lower_bound = in_units(has_tree_ ? std::min(lower_bound_, cost_) : lower_bound_);
        found.depth_proven = depth_proven_;
        found.leaves_needed = leaves_needed_;
        found.seconds = context_.watch.seconds();
        found.counters = search_.counters();
        return found;
    }

  private:
    double in_units(Cost cost) const { return static_cast<double>(cost) / context_.loss.unit(); }

    void look_ahead(const RowView& whole) {
        Nodes nodes;
        cost_ = Lookahead<Loss, Fast>(context_, search_).grow(whole, context_.settings.max_depth, nodes);
        tree_ = std::move(nodes);
        has_tree_ = true;
    }

    void least_cost(const RowView& whole) {
        const Settings& settings = context_.settings;
        Cost limit = unbounded;
        if (settings.start >= 0)  // `start` was summed up in doubles, so allow for its rounding error
            limit = static_cast<Cost>(std::llround(settings.start * context_.loss.unit() * (1 + 1e-9))) + 1;
        const Cost as_leaf = rows_.leaf(whole);
        if (as_leaf < limit) keep(whole, {}, settings.max_leaves, as_leaf);
        limit = std::min(limit, as_leaf);
        for (std::int32_t depth = 1; depth <= settings.max_depth; ++depth) {
            standing_.depth = depth;
            const bool is_last = depth == settings.max_depth;
            const std::optional<Level> level = search_.find(
                whole, depth, settings.max_leaves, limit, settings.only_column,
                [this, depth, is_last](const BestSplit& best, const auto& bound, bool is_end) {
                    if (best.test >= 0) follow({best, depth});
                    // A bound for trees of fewer levels says nothing about deeper ones.
                    if (is_last && (is_end || standing_.asked.exchange(false))) raise_bound(bound());
                },
                context_.gap);
            if (level) limit = level->split.cost;
            if (is_last) raise_bound(limit - context_.gap);
            depth_proven_ = depth;
            if (level) keep(whole, *level, settings.max_leaves, limit);
            if (limit <= lower_bound_ + context_.penalty && has_tree_) break;  // no tree can be better
        }
        raise_bound(limit - context_.gap);
    }

    void fewest_leaves(const RowView& whole) {
        const Settings& settings = context_.settings;
        const Cost wanted =
            static_cast<Cost>(std::floor(settings.target_cost * context_.loss.unit() * (1 + 1e-9))) + 1;
        leaves_needed_ = 1;
        const Cost as_leaf = rows_.leaf(whole);
        if (as_leaf < wanted) return keep(whole, {}, 1, as_leaf);
        for (std::int64_t leaves = 2; leaves <= settings.max_leaves; ++leaves) {
            leaves_needed_ = leaves;
            standing_.lower_bound = static_cast<double>(leaves);
            for (std::int32_t depth = 1; depth <= settings.max_depth && depth < leaves; ++depth) {
                standing_.depth = depth;
                if (const auto level = search_.find(whole, depth, leaves, wanted))
                    return keep(whole, *level, leaves, level->split.cost);
            }
        }
        leaves_needed_ = 0;
    }

    /// Remembers the best split so far of the level that is being searched.
    void follow(const Level& best) {
        unfinished_ = best;
        standing_.cost = in_units(best.split.cost);
    }

    void raise_bound(Cost bound) {
        lower_bound_ = std::max(lower_bound_, bound);
        standing_.lower_bound = in_units(lower_bound_);
    }

    /// Builds the tree of a split and keeps it as the best one so far.
    void keep(const RowView& view, const Level& level, std::int64_t leaves, Cost cost) {
        unfinished_ = level;
        Nodes nodes;
        if (level.split.test < 0)
            nodes.emplace_back();
        else
            builder_.build_below(view, level.split, level.depth, leaves, nodes);
        unfinished_ = {};
        levels_.push_back({level.depth, nodes});
        tree_ = std::move(nodes);
        cost_ = cost;
        has_tree_ = true;
        if (context_.settings.target_cost < 0) standing_.cost = in_units(cost);
    }

    /// After the search was stopped, builds the tree of the best split so far within a short extra time. If that does
    /// not suffice, the tree of the last complete level stays.
    void finish_in_haste(const RowView& whole, Ending why) {
        if (context_.settings.lookahead > 0) return;  // its tree is incomplete, and there is no other
        if (unfinished_.split.test < 0 || context_.settings.target_cost >= 0) return;
        const Level level = unfinished_;
        context_.watch.grant_extra_time(why);
        try {
            keep(whole, level, context_.settings.max_leaves, level.split.cost);
        } catch (const Halt&) {
        }
    }

    Context<Loss>& context_;
    RowSearch<Loss>& rows_;
    LevelSearch<Loss, Fast> search_;
    Builder<Loss, Fast> builder_;
    Standing& standing_;
    Nodes tree_;
    std::vector<FoundLevel> levels_;
    bool has_tree_ = false;
    Cost cost_ = 0, lower_bound_ = 0;
    std::int32_t depth_proven_ = 0;
    std::int64_t leaves_needed_ = 0;
    Level unfinished_;  // the best split whose tree is not built yet; test -1: none
};

}  // namespace branchwork::optimal
