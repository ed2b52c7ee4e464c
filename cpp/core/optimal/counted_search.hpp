// The fast search for classification trees, by kernels. It takes any weights, costs and penalties, but no limit on the
// number of leaves and no minimum leaf size.
//
// TwoLevels solves trees of two levels without copying rows. A tree of three levels uses it for both sides of its root
// cuts. Deeper trees copy the rows of each side into a new view.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/optimal/context.hpp"
#include "core/optimal/counted_view.hpp"
#include "core/optimal/row_search.hpp"
#include "core/optimal/split_search.hpp"
#include "core/optimal/two_levels.hpp"

namespace branchwork::optimal {

class CountedSearch {
  public:
    using View = CountedView;
    /// What is known about one side of a cut: a lower bound per root test of the subtree there (for trees of three
    /// levels only), and the best root cut of the subtree at a neighbouring cut.
    struct Note {
        std::vector<Cost> bounds;
        RootCut hint;
    };
    struct Worker {
        TwoLevels two;
        Counters counters;
    };

    /// Whether this search can solve the problem and is faster than RowSearch. RowSearch sums up the values of a
    /// categorical feature once for all its tests, so it is faster if all features are categorical.
    static bool fits(const Context<ClassLoss>& context) {
        constexpr std::size_t most_rows = 1'000'000, most_ranks = 65'535, most_classes = 32,
                              most_tests = 4096;
        const bool all_nominal =
            std::ranges::all_of(context.tests, [](const Test& test) { return test.order.empty(); });
        if (context.has_multiway && all_nominal) return false;
        return context.rules.bounds.counted && context.rules.bounds.interval && context.rules.bounds.moved &&
               context.samples.empty() && !context.tests.empty() && context.tests.size() <= most_tests &&
               context.prepared.rows() <= most_rows && context.loss.classes() >= 2 &&
               context.loss.classes() <= most_classes && has_room(context) &&
               std::ranges::all_of(context.tests, [](const Test& test) { return test.ranks <= most_ranks; });
    }

    explicit CountedSearch(Context<ClassLoss>& context) : context_(context) {
        const std::size_t rows = context.prepared.rows(), tests = context.tests.size();
        charge_.add(context.meter, (2 * tests + 1) * rows);
        table_.loss = &context.loss;
        table_.rows = rows;
        table_.rank.assign(tests * (rows + 1), padding);
        for (std::size_t t = 0; t < tests; ++t) {
            context.watch.check();
            const Test& test = context.tests[t];
            for (Row row = 0; row < rows; ++row)
                table_.rank[t * (rows + 1) + row] = static_cast<std::uint16_t>(test.rank(row));
            table_.slots.push_back(test.multiway ? test.ranks : 0);
        }
        table_.label.resize(rows);
        for (Row row = 0; row < rows; ++row)
            table_.label[row] = static_cast<std::uint8_t>(context.loss.code(row));
        table_.penalty = context.penalty;
        table_.meter = &context.meter;
        table_.watch = &context.watch;
        table_.row_cost = context.most.empty() ? 1 : context.most[0];
        if (!context.loss.counts_rows()) table_.row_most = context.most;
        table_.bound_by_classes = context.settings.bounds.classes && !context.has_multiway;
    }

    bool takes(std::int32_t depth, std::int64_t leaves) const { return !context_.limited(leaves, depth); }

    /// Returns the view of some rows. The last view is kept, because all levels of a search ask for the same rows.
    const View& view_of(const RowView& rows) {
        if (last_ && last_->rows() == rows.rows.size() && last_->key() == rows.key) return *last_;
        std::vector<std::vector<Row>> order = rows.order;
        for (std::size_t t = 0; t < order.size(); ++t) {
            const Test& test = context_.tests[t];
            if (!test.order.empty()) continue;
            context_.watch.check();
            order[t] = rows.rows;
            std::ranges::stable_sort(order[t], {}, [&test](Row row) { return test.rank(row); });
        }
        last_ = std::make_unique<View>(table_, std::move(order));
        return *last_;
    }

    /// Finds the best root cut of trees with two levels. Of equally good cuts it takes the first.
    BestSplit two_levels(Worker& worker, const View& view, Cost limit, std::int32_t only_column) {
        worker.two.take(view);
        RootCut cut;
        BestSplit best;
        best.cost = worker.two.first_best(limit, only_column, context_.tests, cut);
        best.test = cut.test;
        best.rank = static_cast<std::uint32_t>(cut.rank);
        best.left_leaves = best.right_leaves = context_.settings.max_leaves;
        best.left = best.right = -1;  // not known; see Builder
        return best;
    }

    // ---- the interface that SplitSearch needs

    const std::vector<Test>& tests() const { return context_.tests; }
    std::int64_t most_leaves(std::int32_t depth) const { return context_.most_leaves(depth); }
    Meter& meter() const { return context_.meter; }
    void check() const { context_.watch.check(); }
    LineRules rules(std::int32_t) const { return context_.rules; }

    CutList cuts(const View& view, std::int32_t t) const {
        const auto test = static_cast<std::size_t>(t);
        const std::uint16_t* const rank = view.in_order(test, test);
        CutList cuts;
        cuts.rows = static_cast<std::uint32_t>(view.rows());
        cuts.each = table_.row_cost;
        const bool weighs = !context_.equivalent.empty(), differ = !table_.row_most.empty();
        Cost equivalent = 0, most = 0;
        for (std::uint32_t k = 0; k < cuts.rows; ++k) {
            const Row row = view.order(test)[k];
            if (weighs) equivalent += context_.equivalent[row];
            most += table_.most(row);
            if (k + 1 == cuts.rows || rank[k] == rank[k + 1]) continue;
            cuts.rank.push_back(rank[k]);
            cuts.position.push_back(k + 1);
            if (weighs) cuts.equivalent.push_back(equivalent);
            if (differ) cuts.most.push_back(most);
        }
        cuts.all_equivalent = equivalent;
        cuts.all_most = most;
        return cuts;
    }

    void inherit(Note& note, bool left, const Point<Note>& a, const Point<Note>& b, const CutList& cuts,
                 std::int32_t cut) const {
        // A side with more rows costs at least as much as one with fewer, and at most what the rows between can cost
        // more. So the neighbour with fewer rows bounds this side, and so does the one with more, minus that cost.
        const Note& more = left ? b.left_note : a.right_note;
        const Note& less = left ? a.left_note : b.right_note;
        const Cost between =
            left ? cuts.most_left(b.cut) - cuts.most_left(cut) : cuts.most_left(cut) - cuts.most_left(a.cut);
        note.hint = more.hint.test >= 0 ? more.hint : less.hint;
        note.bounds.assign(table_.tests(), 0);
        for (std::size_t g = 0; g < note.bounds.size(); ++g) {
            if (!more.bounds.empty()) note.bounds[g] = more.bounds[g] - between;
            if (!less.bounds.empty()) note.bounds[g] = std::max(note.bounds[g], less.bounds[g]);
        }
    }

    Cost side(Worker& worker, const View& view, std::int32_t t, const CutList& cuts, std::int32_t cut,
              bool left, std::int32_t depth, std::int64_t, Cost limit, Note& note) {
        const auto rank = static_cast<std::uint16_t>(cuts.rank[static_cast<std::size_t>(cut)]);
        RankRange range{t, 0, rank};
        if (!left) range = {t, static_cast<std::uint16_t>(rank + 1), padding - 1};
        if (depth > 2) note.bounds.clear();
        return solve_part(worker, view, range, depth, limit, note);
    }

    /// The least cost of a multiway split: exact if it is below the limit, otherwise a lower bound of at least the
    /// limit.
    Cost multiway(Worker& worker, const View& view, std::int32_t t, std::int32_t depth, std::int64_t,
                  Cost limit) {
        const auto test = static_cast<std::size_t>(t);
        Cost sum = 0;
        std::int32_t branches = 0;
        for (std::size_t slot = 0; slot < table_.slots[test]; ++slot) {
            const auto at = static_cast<std::uint16_t>(slot);
            const auto [begin, end] = view.places(test, at, at);
            if (begin == end) continue;
            if (branches++ > 0) sum += table_.penalty;
            if (sum >= limit) return sum;
            Note note;
            if (depth == 2) note.bounds.assign(table_.tests(), 0);
            sum += solve_part(worker, view, {t, at, at}, depth, limit - sum, note);
        }
        return branches < 2 ? unbounded : sum;
    }

    /// For trees of three levels: solves all rows of the view with two levels, which gives `base` and a bound per root
    /// test. A limit somewhat above the given one makes these bounds stronger, so that they rule out more tests on the
    /// sides of the root cuts.
    Note whole_note(Worker& worker, const View& view, std::int32_t depth, Cost limit, Cost& base) {
        Note note;
        if (depth != 3) return note;
        note.bounds.assign(table_.tests(), 0);
        worker.two.take(view);
        base = worker.two.solve(limit + limit / 4 + 4 * table_.row_cost, note.bounds.data(), note.hint);
        return note;
    }

    /// The least cost of a tree with three levels or more: exact if it is below the limit, otherwise a lower bound of
    /// at least the limit.
    Cost solve(Worker& worker, const View& view, std::int32_t depth, Cost limit, RootCut& best) {
        ++worker.counters.subproblems;
        check();
        Cost least = 0;
        if (!context_.equivalent.empty())
            for (const Row row : view.order(0)) least += context_.equivalent[row];
        if (least >= limit) {
            ++worker.counters.closed_rows;
            return least;
        }
        const bool cached = context_.settings.bounds.cache;
        if (cached) {
            if (const auto known = context_.cache.find(view.key(), depth, 0, limit)) {
                ++worker.counters.cache_hits;
                return *known;
            }
        }
        Cost base = 0;
        RootCut first = best;
        Note whole = whole_note(worker, view, depth, limit, base);
        if (depth > 3)
            base = solve(worker, view, depth - 1, limit, first);
        else if (whole.hint.test >= 0)
            first = whole.hint;
        SplitSearch<CountedSearch> search(*this, view, depth, context_.settings.max_leaves,
                                          std::min(limit, base), base, least, false, -1, whole);
        if (first.test >= 0) search.hint(first.test, static_cast<std::uint32_t>(first.rank));
        search.run(worker);
        best = search.best.test >= 0 ? RootCut{search.best.test, static_cast<std::int32_t>(search.best.rank)}
                                     : first;
        if (cached) context_.cache.store(view.key(), depth, 0, search.best.cost, limit);
        return search.best.cost;
    }

  private:
    /// Whether the tables of a view, and the signs of all pairs of classes, fit into the memory for them.
    static bool has_room(const Context<ClassLoss>& context) {
        const double limit = context.settings.memory_limit;
        const double most_bytes = limit < 0 ? 1e9 : std::min(1e9, limit / 2), most_signs = most_bytes * 0.4;
        const double tests = static_cast<double>(context.tests.size());
        const double rows = static_cast<double>(context.prepared.rows());
        const double classes = static_cast<double>(context.loss.classes());
        const double bytes_per_sign = context.loss.counts_rows() ? 1 : 8;
        return tests * tests * rows * 5 <= most_bytes * 5 / 3 &&
               classes * (classes - 1) / 2 * tests * rows * bytes_per_sign <= most_signs;
    }

    Cost solve_part(Worker& worker, const View& view, const RankRange& range, std::int32_t depth, Cost limit,
                    Note& note) {
        if (depth > 2) {
            const auto part = view.part(static_cast<std::size_t>(range.test), range.low, range.high);
            return solve(worker, *part, depth, limit, note.hint);
        }
        const Cost least = *std::ranges::min_element(note.bounds);
        if (least >= limit) return least;
        worker.two.take(view, range);
        return worker.two.solve(limit, note.bounds.data(), note.hint);
    }

    Context<ClassLoss>& context_;
    Charge charge_;
    CountedTable table_;
    std::unique_ptr<View> last_;
};

}  // namespace branchwork::optimal
