// The search on lists of rows: any loss, any test, any limit.
//
// A subproblem is a set of rows with a depth and a number of leaves. Its rows are kept in the order of every numeric
// test, so a split with one level below it (a stump) is one pass over each list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/split_search.hpp"

namespace branchwork::optimal {

struct RowView {
    std::vector<Row> rows;
    std::vector<std::vector<Row>> order;  // of each test with more than two ranks
    std::vector<Cost> stats;
    Cost equivalent = 0;
    RowKey key;
    Charge charge;
};

template <class Loss>
class RowSearch {
  public:
    using View = RowView;
    struct Note {};
    struct Worker {
        Counters counters;
        std::vector<std::unique_ptr<View>> views;  // two of each depth, whose memory is used again and again
        std::vector<Cost> stats, side, space, left_cost, samples;
        std::vector<std::uint32_t> rows;

        View& view(std::int32_t depth, bool left) {
            const std::size_t at = 2 * static_cast<std::size_t>(depth) + (left ? 0 : 1);
            if (views.size() <= at) views.resize(at + 1);
            if (!views[at]) views[at] = std::make_unique<View>();
            return *views[at];
        }
    };

    explicit RowSearch(Context<Loss>& context) : context_(context) {}

    // ---- what the search for a split asks for

    const std::vector<Test>& tests() const { return context_.tests; }
    std::int64_t most_leaves(std::int32_t depth) const { return context_.most_leaves(depth); }
    Cost gap() const { return context_.gap; }
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
        bool any_missing = !test.missing_left;
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
        // Without a missing cell here, both forms of the test part the rows in the same way.
        if (!any_missing && !has_missing(view, test)) return CutList{};
        return cuts;
    }

    Cost side(Worker& worker, const View& view, std::int32_t t, const CutList& cuts, std::int32_t cut,
              bool left, std::int32_t depth, std::int64_t leaves, Cost limit, Note&) {
        View& part = worker.view(depth, left);
        take_side(view, t, cuts.rank[static_cast<std::size_t>(cut)], left, part);
        return solve(worker, part, depth, leaves, limit);
    }

    /// The least cost of a split with a branch for each value. Leaves are shared out in the best way.
    Cost multiway(Worker& worker, const View& view, std::int32_t t, std::int32_t depth, std::int64_t leaves,
                  Cost limit) {
        std::vector<View> parts = take_branches(view, t);
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

    /// How many leaves each branch gets in the best tree. Of equal ones the earlier branches get fewer.
    std::vector<std::int64_t> share_leaves(Worker& worker, const View& view, std::vector<View>& parts,
                                           std::int32_t depth, std::int64_t leaves) {
        std::vector<std::int64_t> share(parts.size(), leaves);
        if (leaves < static_cast<std::int64_t>(view.rows.size()))
            share_out(worker, parts, depth, leaves, &share);
        return share;
    }

    // ---- subproblems

    View whole() const {
        View view;
        view.rows.resize(context_.prepared.rows());
        for (Row row = 0; row < view.rows.size(); ++row) view.rows[row] = row;
        for (const Test& test : context_.tests) view.order.push_back(test.order);
        summarise(view);
        return view;
    }

    Cost leaf(const View& view) const { return context_.loss.leaf(view.stats.data()); }

    /// What any tree of these rows costs at least.
    Cost least_cost(Worker& worker, const View& view, std::int32_t depth, std::int64_t leaves) const {
        Cost least = view.equivalent;
        if (context_.settings.bounds.classes)
            least = std::max(
                least, context_.loss.with_answers(
                           view.stats.data(), std::min(leaves, context_.most_leaves(depth)), worker.space));
        return least;
    }

    /// The least cost of a tree: exact if it is below the limit, otherwise a lower bound that is not.
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

    /// The best split into leaves. Of equal ones the first.
    BestSplit stump(Worker& worker, const View& view, std::int64_t leaves, std::int32_t only_column) {
        BestSplit best;
        const auto count = static_cast<std::int32_t>(context_.tests.size());
        for (std::int32_t t = 0; t < count;) {
            const Test& test = context_.tests[static_cast<std::size_t>(t)];
            std::int32_t end = t + 1;
            const auto shares = [&](std::int32_t other) {
                return context_.tests[static_cast<std::size_t>(other)].of == test.of;
            };
            while (end < count && shares(end)) ++end;
            if (from_many(view)) context_.watch.check();
            if (only_column < 0 || test.column == only_column) {
                if (test.order.empty())
                    slot_stumps(worker, view, t, end, leaves, best);
                else
                    cut_stump(worker, view, t, best);
            }
            t = end;
        }
        return best;
    }

    /// The rows on one side of a cut, in the same orders.
    void take_side(const View& view, std::int32_t t, std::uint32_t rank, bool left, View& part) const {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const auto copy = [&](const std::vector<Row>& from, std::vector<Row>& to) {
            to.resize(from.size());
            std::size_t n = 0;
            const auto keep = [&](auto goes_left) {
                for (const Row row : from) {
                    to[n] = row;
                    n += goes_left(row) == left;
                }
            };
            if (test.left.empty())
                keep([&ranks = *test.of, rank](Row row) { return ranks[row] <= rank; });
            else
                keep([&test](Row row) { return test.rank(row) == 0; });
            to.resize(n);
        };
        part.charge.grow_to(context_.meter, bytes_of(view));
        copy(view.rows, part.rows);
        part.order.resize(view.order.size());
        for (std::size_t k = 0; k < view.order.size(); ++k) {
            if (from_many(view)) context_.watch.check();
            copy(view.order[k], part.order[k]);
        }
        summarise(part);
    }

    /// The rows of each branch that has some, in the order of values, missing cells last.
    std::vector<View> take_branches(const View& view, std::int32_t t) const {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const auto branch_of = [&test](Row row) {  // missing cells come last
            const std::uint32_t slot = (*test.of)[row];
            return (slot == missing_slot ? test.ranks : slot) - 1;
        };
        std::vector<std::int32_t> place(test.ranks, -1);
        for (const Row row : view.rows) place[branch_of(row)] = 0;
        std::int32_t count = 0;
        for (std::int32_t& one : place)
            if (one == 0) one = count++;
        std::vector<View> parts(static_cast<std::size_t>(count));
        const auto part_of = [&](Row row) -> View& {
            return parts[static_cast<std::size_t>(place[branch_of(row)])];
        };
        for (View& part : parts) part.order.resize(view.order.size());
        for (const Row row : view.rows) part_of(row).rows.push_back(row);
        for (std::size_t k = 0; k < view.order.size(); ++k)
            for (const Row row : view.order[k]) part_of(row).order[k].push_back(row);
        for (View& part : parts) {
            part.charge.grow_to(context_.meter, bytes_of(part));
            summarise(part);
        }
        return parts;
    }

    bool large_enough(const std::vector<View>& parts) const {
        if (context_.samples.empty()) return true;
        return std::ranges::all_of(parts, [this](const View& part) {
            Cost sum = 0;
            for (const Row row : part.rows) sum += context_.samples[row];
            return sum >= context_.min_samples;
        });
    }

  private:
    static std::size_t bytes_of(const View& view) {
        std::size_t rows = view.rows.size();
        for (const std::vector<Row>& order : view.order) rows += order.size();
        return rows * sizeof(Row);
    }
    /// Whether a pass over these rows takes so long that somebody may want to stop in between.
    static bool from_many(const View& view) { return view.rows.size() > 10'000; }

    /// The least cost of all branches together: best[k][m] is that of the branches from k on with m leaves beyond one each.
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

    void summarise(View& view) const {
        view.stats.assign(context_.loss.width(), 0);
        view.equivalent = 0;
        view.key = {};
        for (const Row row : view.rows) {
            context_.loss.add(view.stats.data(), row);
            view.key.add(row);
        }
        if (context_.equivalent.empty()) return;
        for (const Row row : view.rows) view.equivalent += context_.equivalent[row];
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

    /// One pass from each end: rows are only ever added, to the left leaf and then to the right one.
    void cut_stump(Worker& worker, const View& view, std::int32_t t, BestSplit& best) {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const Loss& loss = context_.loss;
        const std::vector<Row>& order = view.order[static_cast<std::size_t>(t)];
        const std::vector<std::uint32_t>& ranks = *test.of;
        worker.left_cost.resize(order.size());
        worker.stats.assign(loss.width(), 0);
        typename Loss::Running left(loss, worker.stats.data());
        for (std::size_t k = 0; k < order.size(); ++k) worker.left_cost[k] = left.add(order[k]);
        worker.stats.assign(loss.width(), 0);
        typename Loss::Running right(loss, worker.stats.data());
        const bool limited = !context_.samples.empty();
        Cost samples = 0, all_samples = 0;
        if (limited)
            for (const Row row : view.rows) all_samples += context_.samples[row];
        const Cost room = best.cost;
        Cost least = room;
        std::uint32_t rank = 0;
        for (std::size_t k = order.size() - 1; k > 0; --k) {
            const Cost on_right = right.add(order[k]);
            if (limited) samples += context_.samples[order[k]];
            if (ranks[order[k]] == ranks[order[k - 1]]) continue;
            if (limited && (samples < context_.min_samples || all_samples - samples < context_.min_samples))
                continue;
            const Cost cost = worker.left_cost[k - 1] + on_right + context_.penalty;
            if (cost < room && cost <= least) {  // of equal cuts the smallest
                least = cost;
                rank = ranks[order[k - 1]];
            }
        }
        if (least < room) best = {least, t, 0, rank, 1, 1, 0, 0};
    }

    /// The tests from `begin` to `end`, all of one column with few values: its slots are summed up once for all of them.
    void slot_stumps(Worker& worker, const View& view, std::int32_t begin, std::int32_t end,
                     std::int64_t leaves, BestSplit& best) {
        const Test& first = context_.tests[static_cast<std::size_t>(begin)];
        const Column& column = context_.prepared.columns()[static_cast<std::size_t>(first.column)];
        const std::size_t width = context_.loss.width();
        const std::size_t slots = column.nominal ? static_cast<std::size_t>(column.levels) + 1 : first.ranks;
        worker.stats.assign(width * slots, 0);
        worker.rows.assign(slots, 0);
        worker.samples.assign(slots, 0);
        for (const Row row : view.rows) {
            const std::size_t slot = (*first.of)[row];
            context_.loss.add(&worker.stats[slot * width], row);
            ++worker.rows[slot];
            if (!context_.samples.empty()) worker.samples[slot] += context_.samples[row];
        }
        const Cost all_samples = std::reduce(worker.samples.begin(), worker.samples.end());
        for (std::int32_t t = begin; t < end; ++t) {
            const Test& test = context_.tests[static_cast<std::size_t>(t)];
            if (test.multiway)
                multiway_stump(worker, t, leaves, best);
            else
                two_slots_stump(worker, view, t, all_samples, best);
        }
    }

    void two_slots_stump(Worker& worker, const View& view, std::int32_t t, Cost all_samples,
                         BestSplit& best) {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const std::size_t width = context_.loss.width();
        constexpr std::uint32_t lowest[] = {0};  // a numeric column of two values: the smaller one goes left
        const std::span<const std::uint32_t> left =
            test.left.empty() ? std::span(lowest) : std::span(test.left);
        worker.side.assign(width, 0);
        std::size_t rows = 0;
        Cost samples = 0;
        for (const std::uint32_t slot : left) {
            for (std::size_t k = 0; k < width; ++k) worker.side[k] += worker.stats[slot * width + k];
            rows += worker.rows[slot];
            samples += worker.samples[slot];
        }
        if (rows == 0 || rows == view.rows.size()) return;
        if (std::min(samples, all_samples - samples) < context_.min_samples) return;
        Cost cost = context_.loss.leaf(worker.side.data()) + context_.penalty;
        for (std::size_t k = 0; k < width; ++k) worker.side[k] = view.stats[k] - worker.side[k];
        cost += context_.loss.leaf(worker.side.data());
        if (cost < best.cost) best = {cost, t, 0, 0, 1, 1, 0, 0};
    }

    void multiway_stump(Worker& worker, std::int32_t t, std::int64_t leaves, BestSplit& best) {
        const std::size_t width = context_.loss.width();
        std::int64_t branches = 0;
        Cost cost = 0;
        for (std::size_t k = 0; k < worker.rows.size(); ++k) {
            if (worker.rows[k] == 0) continue;
            if (worker.samples[k] < context_.min_samples) return;
            ++branches;
            cost += context_.loss.leaf(&worker.stats[k * width]);
        }
        if (branches < 2 || branches > leaves || context_.penalty > unbounded / branches) return;
        cost += context_.penalty * (branches - 1);
        if (cost < best.cost) best = {cost, t, 0, 0, leaves, 0, 0, 0};
    }

    Context<Loss>& context_;
};

}  // namespace branchwork::optimal
