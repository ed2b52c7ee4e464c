// Finds the best root split of trees with a given number of levels: by CountedSearch if it can, otherwise by RowSearch.
//
// All threads search together, and ties are decided by the place of the split, so the result does not depend on timing.
// Of the trees below the root, only the costs are known; Builder finds their splits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/row_search.hpp"
#include "core/optimal/split_search.hpp"

namespace branchwork::optimal {

/// The root split of the best trees with up to `depth` levels.
struct Level {
    BestSplit split;
    std::int32_t depth = 0;
};

/// `Fast` is CountedSearch if it fits the problem, otherwise RowSearch.
template <class Loss, class Fast>
class LevelSearch {
  public:
    LevelSearch(Context<Loss>& context, RowSearch<Loss>& rows, Fast* fast)
        : context_(context),
          rows_(rows),
          fast_(fast),
          team_(threads_for(context)),
          workers_(static_cast<std::size_t>(team_.size())),
          fast_workers_(workers_.size()) {}

    RowSearch<Loss>& rows() { return rows_; }
    typename RowSearch<Loss>::Worker& worker() { return workers_[0]; }

    /// Reports the progress of a level: the best split so far (test -1: none), a function that computes a lower bound
    /// of all splits, which takes a while, and whether a limit of time or memory has ended the search.
    using LowerBound = std::function<Cost()>;
    using Told = std::function<void(const BestSplit& best, const LowerBound& lower_bound, bool is_end)>;

    /// Returns the root split of the best tree with `depth` levels, or nothing if none costs less than `limit`. The
    /// caller knows that no tree with fewer levels does. `told` is called after every cut of the root, and once more if
    /// a limit of time or memory ends the search. With a gap, a tree is found whose cost is at most that much above the
    /// least one, and the caller knows only that no tree with fewer levels costs less than `limit` minus the gap.
    std::optional<Level> find(const RowView& view, std::int32_t depth, std::int64_t leaves, Cost limit,
                              std::int32_t only_column = -1, const Told& told = {}, Cost gap = 0) {
        if (view.rows.size() < 2 || leaves < 2) return {};
        const Cost least = rows_.least_cost(workers_[0], view, depth, leaves);
        if (least + context_.penalty >= limit) return {};
        if (depth == 1 || leaves == 2) {
            if (depth > 1) return {};
            ++workers_[0].counters.subproblems;
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
                return run(*fast_, counted, fast_workers_, depth, leaves, limit, least, only_column, told,
                           gap);
            }
        }
        return run(rows_, view, workers_, depth, leaves, limit, least, only_column, told, gap);
    }

    Counters counters() const {
        Counters sum;
        for (const auto& worker : workers_) sum += worker.counters;
        for (const auto& worker : fast_workers_) {
            sum += worker.counters;
            if constexpr (has_fast) sum += worker.two.counters();
        }
        sum.cache_entries = context_.cache.entries();
        return sum;
    }

  private:
    static constexpr bool has_fast = !std::is_same_v<Fast, RowSearch<Loss>>;

    /// With a gap, the tree would depend on which thread comes first, so only one searches. With few tests, only a few
    /// threads have work.
    static int threads_for(const Context<Loss>& context) {
        constexpr std::size_t most = 64;
        const auto useful = static_cast<int>(std::min(most, 4 * context.tests.size() + 1));
        return context.gap > 0 ? 1 : std::min(context.settings.threads, useful);
    }

    template <class Solver>
    std::optional<Level> run(Solver& solver, const typename Solver::View& view,
                             std::vector<typename Solver::Worker>& workers, std::int32_t depth,
                             std::int64_t leaves, Cost limit, Cost least, std::int32_t only_column,
                             const Told& told, Cost gap) {
        const Cost base = only_column < 0 && context_.settings.bounds.shallow
                              ? std::max<Cost>(0, std::min(limit, unbounded / 2) - gap)
                              : 0;
        typename Solver::Note whole{};
        if constexpr (!std::is_same_v<Solver, RowSearch<Loss>>) {
            Cost unused = 0;
            whole = solver.whole_note(workers[0], view, depth, limit, unused);
        }
        SplitSearch<Solver> search(solver, view, depth, leaves, limit, base, least, true, only_column, whole);
        search.gap = gap;
        const LowerBound lower_bound = [&search] { return search.lower_bound(); };
        if (told)
            search.after_cut = [&told, &search, &lower_bound] { told(search.best, lower_bound, false); };
        try {
            search.run(team_, workers);
        } catch (const Halt&) {
            if (told) told(search.best, lower_bound, true);
            throw;
        }
        if (search.best.test < 0) return {};
        return Level{search.best, depth};
    }

    Context<Loss>& context_;
    RowSearch<Loss>& rows_;
    Fast* fast_;
    Team team_;
    std::vector<typename RowSearch<Loss>::Worker> workers_;
    std::vector<typename Fast::Worker> fast_workers_;
};

}  // namespace branchwork::optimal
