// The search on lists of rows. It handles every loss, test and limit.
//
// A subproblem is a set of rows with a depth and a number of leaves. It is first solved with one level less. That cost
// is an upper bound for the subproblem. It also bounds each side of a cut from below: a side has one level less, too,
// and costs at least this much minus what the rows on the other side can cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/row_stumps.hpp"
#include "core/optimal/row_view.hpp"
#include "core/optimal/split_search.hpp"

namespace branchwork::optimal {

template <class Loss>
class RowSearch {
  public:
    using View = RowView;
    struct Note {};
    struct Worker {
        Counters counters;
        std::vector<std::unique_ptr<View>> views;  // two per depth, to reuse their memory
        RowStumpSpace stumps;
        std::vector<Cost> space;

        View& view(std::int32_t depth, bool left) {
            const std::size_t at = 2 * static_cast<std::size_t>(depth) + (left ? 0 : 1);
            if (views.size() <= at) views.resize(at + 1);
            if (!views[at]) views[at] = std::make_unique<View>();
            return *views[at];
        }
    };

    explicit RowSearch(Context<Loss>& context) : context_(context), parts_(context), stumps_(context) {}

    // ---- the interface that SplitSearch needs

    const std::vector<Test>& tests() const { return context_.tests; }
    std::int64_t most_leaves(std::int32_t depth) const { return context_.most_leaves(depth); }
    Meter& meter() const { return context_.meter; }
    void check() const { context_.watch.check(); }
    void inherit(Note&, bool, const Point<Note>&, const Point<Note>&, const CutList&, std::int32_t) const {}

    LineRules rules(std::int32_t depth) const {
        LineRules rules = context_.rules;
        if (context_.slack_per_leaf == 0) return rules;
        const bool known = context_.slack_per_leaf < unbounded && depth <= 12;
        rules.slack = known ? context_.slack_per_leaf * ((Cost{1} << depth) - 1) : unbounded;
        return rules;
    }

    CutList cuts(const View& view, std::int32_t t) const {
        context_.watch.check();
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        CutList cuts;
        cuts.rows = static_cast<std::uint32_t>(view.rows.size());
        cuts.all_equivalent = view.equivalent;
        Cost most = 0, equivalent = 0, samples = 0, all_samples = 0;
        for (const Row row : view.rows) {
            add_most(most, row);
            if (!context_.samples.empty()) all_samples += context_.samples[row];
        }
        cuts.all_most = most;
        const std::uint32_t last = cuts.rows;
        most = 0;
        const auto walk = [&](std::uint32_t k, Row row, bool ends) {
            add_most(most, row);
            if (!context_.equivalent.empty()) equivalent += context_.equivalent[row];
            if (!context_.samples.empty()) samples += context_.samples[row];
            if (!ends || k + 1 == last) return;
            if (samples < context_.min_samples || all_samples - samples < context_.min_samples) return;
            cuts.rank.push_back(test.is_binary() ? 0 : (*test.of)[row]);
            cuts.position.push_back(k + 1);
            if (!context_.most.empty()) cuts.most.push_back(most);
            if (!context_.equivalent.empty()) cuts.equivalent.push_back(equivalent);
        };
        if (test.is_binary()) {
            std::uint32_t left = 0, k = 0;
            for (const Row row : view.rows) left += test.rank(row) == 0;
            for (const Row row : view.rows)
                if (test.rank(row) == 0) walk(k, row, k + 1 == left), ++k;
        } else {
            const std::vector<Row>& order = view.order[static_cast<std::size_t>(t)];
            const std::vector<std::uint32_t>& rank = *test.of;
            for (std::uint32_t k = 0; k < last; ++k)
                walk(k, order[k], k + 1 < last && rank[order[k]] != rank[order[k + 1]]);
        }
        // Without missing values in the view, the test with missing values on the left splits like the other one.
        if (test.missing_left && !has_missing(view, test)) return CutList{};
        return cuts;
    }

    Cost side(Worker& worker, const View& view, std::int32_t t, const CutList& cuts, std::int32_t cut,
              bool left, std::int32_t depth, std::int64_t leaves, Cost limit, Note&) {
        View& part = worker.view(depth, left);
        parts_.take_side(view, t, cuts.rank[static_cast<std::size_t>(cut)], left, part);
        return solve(worker, part, depth, leaves, limit);
    }

    /// The least cost of a multiway split, with the leaves distributed among the branches in the best way.
    Cost multiway(Worker& worker, const View& view, std::int32_t t, std::int32_t depth, std::int64_t leaves,
                  Cost limit) {
        std::vector<View> parts = parts_.take_branches(view, t);
        const auto count = static_cast<std::int64_t>(parts.size());
        if (count < 2 || count > leaves || !large_enough(parts) || context_.penalty >= limit)
            return unbounded;
        if (context_.penalty > unbounded / count) return unbounded;
        const Cost split = context_.penalty * (count - 1);
        Cost rest = 0;
        for (const View& part : parts) rest += part.equivalent;
        const auto rows = static_cast<std::int64_t>(view.rows.size());
        if (leaves >= rows) {
            Cost sum = split;
            for (View& part : parts) {
                rest -= part.equivalent;
                if (sum + part.equivalent + rest >= limit) return limit;
                sum += solve(worker, part, depth, leaves, limit - sum - rest);
            }
            return sum;
        }
        return share_out(worker, parts, depth, leaves, nullptr) + split;
    }

    /// Returns how many leaves each branch gets in the best tree. Of equally good distributions it takes the one that
    /// gives fewer leaves to earlier branches.
    std::vector<std::int64_t> share_leaves(Worker& worker, const View& view, std::vector<View>& parts,
                                           std::int32_t depth, std::int64_t leaves) {
        std::vector<std::int64_t> share(parts.size(), leaves);
        if (leaves < static_cast<std::int64_t>(view.rows.size()))
            share_out(worker, parts, depth, leaves, &share);
        return share;
    }
    // ---- subproblems

    RowParts<Loss>& parts() { return parts_; }

    Cost leaf(const View& view) const { return context_.loss.leaf(view.stats.data()); }

    /// A lower bound of the cost of any tree of these rows.
    Cost least_cost(Worker& worker, const View& view, std::int32_t depth, std::int64_t leaves) const {
        Cost least = view.equivalent;
        if (context_.settings.bounds.classes)
            least = std::max(
                least, context_.loss.with_answers(
                           view.stats.data(), std::min(leaves, context_.most_leaves(depth)), worker.space));
        return least;
    }

    /// The least cost of a tree: exact if it is below the limit, otherwise a lower bound of at least the limit.
    Cost solve(Worker& worker, const View& view, std::int32_t depth, std::int64_t leaves, Cost limit) {
        ++worker.counters.subproblems;
        const Cost as_leaf = leaf(view);
        if (depth == 0 || leaves < 2 || view.rows.size() < 2) return as_leaf;
        const Cost least = least_cost(worker, view, depth, leaves);
        if (as_leaf <= least + context_.penalty) return as_leaf;
        if (least >= limit) {
            ++worker.counters.closed_rows;
            return least;
        }
        if (depth == 1 || leaves == 2) return std::min(as_leaf, stump(worker, view, leaves, -1).cost);
        context_.watch.check();
        const bool cached = context_.settings.bounds.cache;
        if (cached) {
            if (const auto known = context_.cache.find(view.key, depth, leaves, limit)) {
                ++worker.counters.cache_hits;
                return *known;
            }
        }
        const Cost cost = split(worker, view, depth, leaves, limit, as_leaf, least);
        if (cached) context_.cache.store(view.key, depth, leaves, cost, limit);
        return cost;
    }
    /// The best split into leaves. Of equally good splits it takes the first.
    BestSplit stump(Worker& worker, const View& view, std::int64_t leaves, std::int32_t only_column) {
        return stumps_.find(worker.stumps, view, leaves, only_column);
    }

  private:
    bool large_enough(const std::vector<View>& parts) const {
        if (context_.samples.empty()) return true;
        return std::ranges::all_of(parts, [this](const View& part) {
            Cost sum = 0;
            for (const Row row : part.rows) sum += context_.samples[row];
            return sum >= context_.min_samples;
        });
    }
    /// The least cost of all branches together, by dynamic programming: best[k][m] is the least cost of the branches
    /// from k on with m leaves in addition to one per branch.
    Cost share_out(Worker& worker, std::vector<View>& parts, std::int32_t depth, std::int64_t leaves,
                   std::vector<std::int64_t>* share) {
        const std::size_t count = parts.size(), spare = static_cast<std::size_t>(leaves) - count;
        std::vector<std::vector<Cost>> own(count, std::vector<Cost>(spare + 1));
        std::vector<std::vector<Cost>> best(count + 1, std::vector<Cost>(spare + 1, unbounded));
        std::ranges::fill(best[count], 0);
        for (std::size_t k = count; k-- > 0;) {
            for (std::size_t m = 0; m <= spare; ++m)
                own[k][m] = solve(worker, parts[k], depth, static_cast<std::int64_t>(m) + 1, unbounded);
            for (std::size_t m = 0; m <= spare; ++m)
                for (std::size_t given = 0; given <= m; ++given)
                    best[k][m] = std::min(best[k][m], own[k][given] + best[k + 1][m - given]);
        }
        if (share) {
            std::size_t left = spare;
            for (std::size_t k = 0; k < count; ++k) {
                std::size_t given = 0;
                while (own[k][given] + best[k + 1][left - given] > best[k][left]) ++given;
                (*share)[k] = static_cast<std::int64_t>(given) + 1;
                left -= given;
            }
        }
        return best[0][spare];
    }
    void add_most(Cost& sum, Row row) const {
        sum = std::min(unbounded, sum + (context_.most.empty() ? 1 : context_.most[row]));
    }
    bool has_missing(const View& view, const Test& test) const {
        const Column& column = context_.prepared.columns()[static_cast<std::size_t>(test.column)];
        return std::ranges::any_of(view.rows, [&column](Row row) {
            if (column.nominal) return code_at(column, row) < 0;
            const double x = number_at(column, row);
            return x != x;
        });
    }
    Cost split(Worker& worker, const View& view, std::int32_t depth, std::int64_t leaves, Cost limit,
               Cost as_leaf, Cost least) {
        Cost base = 0, best = std::min(limit, as_leaf);
        if (context_.settings.bounds.shallow) {
            base = solve(worker, view, depth - 1, leaves, limit);
            best = std::min(best, base);
        }
        SplitSearch<RowSearch> search(*this, view, depth, leaves, best, base, least, false);
        search.run(worker);
        return std::min(as_leaf, search.best.cost);
    }
    Context<Loss>& context_;
    RowParts<Loss> parts_;
    RowStumps<Loss> stumps_;
};

}  // namespace branchwork::optimal
