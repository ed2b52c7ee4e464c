// The search by counting: classes without weights, errors that cost 1, tests in two branches, and no limit but depth.
//
// Trees of two levels are solved by TwoLevels on the rows of a view without copying them; a tree of three levels asks for
// them on both sides of its root cuts. Deeper trees copy the rows of a side into a view of their own.
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
    /// What is known about one side of a cut: lower bounds for each root test below it (three levels only), and the best
    /// root cut of a neighbour.
    struct Note {
        std::vector<std::int32_t> bounds;
        RootCut hint;
    };
    struct Worker {
        TwoLevels two;
        Counters counters;
    };

    /// Whether this search can solve a problem.
    static bool fits(const Context<ClassLoss>& context) {
        constexpr std::size_t most_rows = 1'000'000, most_ranks = 65'535, most_classes = 32,
                              most_tests = 4096;
        constexpr double most_bytes = 1e9;  // of the tables of one view
        const double tests = static_cast<double>(context.tests.size());
        const double rows = static_cast<double>(context.prepared.rows());
        const double classes = static_cast<double>(context.loss.classes());
        constexpr double most_signs = 4e8;  // bytes: one for each row, test and pair of classes
        return context.settings.bounds.counted && context.loss.counts_rows() && context.penalty == 0 &&
               context.samples.empty() && !context.has_multiway && !context.tests.empty() &&
               context.tests.size() <= most_tests && context.prepared.rows() <= most_rows &&
               context.loss.classes() >= 2 && context.loss.classes() <= most_classes &&
               context.settings.bounds.interval && context.settings.bounds.moved &&
               tests * tests * rows * 3 <= most_bytes &&
               classes * (classes - 1) / 2 * tests * rows <= most_signs &&
               std::ranges::all_of(context.tests, [](const Test& test) { return test.ranks <= most_ranks; });
    }

    explicit CountedSearch(Context<ClassLoss>& context) : context_(context) {
        const std::size_t rows = context.prepared.rows();
        table_.rows = rows;
        table_.tests = context.tests.size();
        table_.classes = context.loss.classes();
        table_.rank.assign(table_.tests * (rows + 1), padding);
        for (std::size_t t = 0; t < table_.tests; ++t)
            for (Row row = 0; row < rows; ++row)
                table_.rank[t * (rows + 1) + row] = static_cast<std::uint16_t>(context.tests[t].rank(row));
        table_.label.resize(rows);
        for (Row row = 0; row < rows; ++row)
            table_.label[row] = static_cast<std::uint8_t>(context.loss.code(row));
    }

    bool takes(std::int32_t depth, std::int64_t leaves) const {
        return leaves >= context_.most_leaves(depth);
    }

    /// The rows of a list, ready for counting. The last view is kept: the levels of a search ask for the same rows.
    const View& view_of(const RowView& rows) {
        if (last_ && last_->rows() == rows.rows.size() && last_->key() == rows.key) return *last_;
        std::vector<std::vector<Row>> order = rows.order;
        for (std::size_t t = 0; t < order.size(); ++t) {
            if (!context_.tests[t].is_binary()) continue;
            order[t] = rows.rows;
            std::ranges::stable_partition(order[t],
                                          [&](Row row) { return context_.tests[t].rank(row) == 0; });
        }
        last_ = std::make_unique<View>(table_, std::move(order));
        return *last_;
    }

    /// The best root cut of trees with two levels; of equal ones the first.
    BestSplit two_levels(Worker& worker, const View& view, Cost limit, std::int32_t only_column) {
        worker.two.watch = &context_.watch;
        worker.two.take(view);
        RootCut cut;
        const Cost cost = worker.two.first_best(narrow(view, limit), only_column, context_.tests, cut);
        BestSplit best;
        best.cost = cost;
        best.test = cut.test;
        best.rank = static_cast<std::uint32_t>(cut.rank);
        best.left_leaves = best.right_leaves = context_.settings.max_leaves;
        best.left = best.right = -1;  // not told
        return best;
    }

    // ---- what the search for a split asks for

    const std::vector<Test>& tests() const { return context_.tests; }
    std::int64_t most_leaves(std::int32_t depth) const { return context_.most_leaves(depth); }
    Cost gap() const { return context_.gap; }
    void check() const { context_.watch.check(); }
    LineRules rules(std::int32_t) const { return context_.rules; }

    CutList cuts(const View& view, std::int32_t t) const {
        const auto test = static_cast<std::size_t>(t);
        const std::uint16_t* const rank = view.in_order(test, test);
        CutList cuts;
        cuts.rows = static_cast<std::uint32_t>(view.rows());
        cuts.all_most = static_cast<Cost>(view.rows());
        const bool weighs = !context_.equivalent.empty();
        Cost equivalent = 0;
        for (std::uint32_t k = 0; k < cuts.rows; ++k) {
            if (weighs) equivalent += context_.equivalent[view.order(test)[k]];
            if (k + 1 == cuts.rows || rank[k] == rank[k + 1]) continue;
            cuts.rank.push_back(rank[k]);
            cuts.position.push_back(k + 1);
            if (weighs) cuts.equivalent.push_back(equivalent);
        }
        cuts.all_equivalent = equivalent;
        return cuts;
    }

    void inherit(Note& note, bool left, const Point<Note>& a, const Point<Note>& b, const CutList& cuts,
                 std::int32_t cut) const {
        const Note& more = left ? b.left_note : a.right_note;  // of more rows: bounds less the rows between
        const Note& less = left ? a.left_note : b.right_note;  // of fewer rows
        const Cost between =
            left ? cuts.most_left(b.cut) - cuts.most_left(cut) : cuts.most_left(cut) - cuts.most_left(a.cut);
        note.hint = more.hint.test >= 0 ? more.hint : less.hint;
        note.bounds.assign(table_.tests, 0);
        for (std::size_t g = 0; g < note.bounds.size(); ++g) {
            if (!more.bounds.empty()) note.bounds[g] = more.bounds[g] - static_cast<std::int32_t>(between);
            if (!less.bounds.empty()) note.bounds[g] = std::max(note.bounds[g], less.bounds[g]);
        }
    }

    Cost side(Worker& worker, const View& view, std::int32_t t, const CutList& cuts, std::int32_t cut,
              bool left, std::int32_t depth, std::int64_t, Cost limit, Note& note) {
        const auto at = static_cast<std::size_t>(cut);
        const auto test = static_cast<std::size_t>(t);
        const auto rank = static_cast<std::uint16_t>(cuts.rank[at]);
        if (depth > 2) {
            const std::unique_ptr<View> part = view.side(test, rank, left);
            note.bounds.clear();
            return solve(worker, *part, depth, limit, note.hint);
        }
        const std::int32_t least = *std::ranges::min_element(note.bounds);
        if (least >= limit) return least;
        worker.two.watch = &context_.watch;
        worker.two.take_side(view, test, rank, cuts.position[at], left);
        return worker.two.solve(narrow(view, limit), note.bounds.data(), note.hint);
    }

    Cost multiway(Worker&, const View&, std::int32_t, std::int32_t, std::int64_t, Cost) { return unbounded; }

    /// What is known about all rows of a view before its splits are searched, and their least cost with one level less:
    /// with three levels, bounds somewhat beyond the limit, which rule out many tests below.
    Note whole_note(Worker& worker, const View& view, std::int32_t depth, Cost limit, Cost& base) {
        Note note;
        if (depth != 3) return note;
        note.bounds.assign(table_.tests, 0);
        worker.two.watch = &context_.watch;
        worker.two.take(view);
        base = worker.two.solve(narrow(view, limit + limit / 4 + 4), note.bounds.data(), note.hint);
        return note;
    }

    /// The fewest errors of a tree with three levels or more: exact if below the limit, otherwise a lower bound that is not.
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
    static std::int32_t narrow(const View& view, Cost limit) {
        return static_cast<std::int32_t>(std::min<Cost>(limit, static_cast<Cost>(view.rows()) + 1));
    }

    Context<ClassLoss>& context_;
    CountedTable table_;
    std::unique_ptr<View> last_;
};

}  // namespace branchwork::optimal
