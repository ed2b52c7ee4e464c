// A set of rows in the order of every numeric test, and how it is split.
//
// The rows of a side are copied in the orders of the larger set, so nothing has to be sorted:
//
//     order of x     r3 r0 r2 r1        left side of a cut of y: r0 r1     ->     order of x     r0 r1
//     order of y     r1 r0 r3 r2                                                  order of y     r1 r0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/optimal/context.hpp"

namespace branchwork::optimal {

struct RowView {
    std::vector<Row> rows;
    std::vector<std::vector<Row>> order;  // per test; empty for tests with two ranks and multiway tests
    std::vector<Cost> stats;
    Cost equivalent = 0;
    RowKey key;
    Charge charge;
};

/// Whether a pass over the rows takes so long that limits must be checked in between.
inline bool are_many(const RowView& view) { return view.rows.size() > 10'000; }

template <class Loss>
class RowParts {
  public:
    explicit RowParts(Context<Loss>& context) : context_(context) {}

    RowView whole() const {
        RowView view;
        view.rows.resize(context_.prepared.rows());
        for (Row row = 0; row < view.rows.size(); ++row) view.rows[row] = row;
        for (const Test& test : context_.tests) view.order.push_back(test.order);
        summarise(view);
        return view;
    }
    /// Writes the rows on one side of a cut to `part`.
    void take_side(const RowView& view, std::int32_t t, std::uint32_t rank, bool left, RowView& part) const {
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
            if (are_many(view)) context_.watch.check();
            copy(view.order[k], part.order[k]);
        }
        summarise(part);
    }

    /// Returns the rows of each branch that is not empty, in the order of categories, with missing values last.
    std::vector<RowView> take_branches(const RowView& view, std::int32_t t) const {
        const Test& test = context_.tests[static_cast<std::size_t>(t)];
        const auto branch_of = [&test](Row row) {
            const std::uint32_t slot = (*test.of)[row];
            return (slot == missing_slot ? test.ranks : slot) - 1;
        };
        std::vector<std::int32_t> place(test.ranks, -1);
        for (const Row row : view.rows) place[branch_of(row)] = 0;
        std::int32_t count = 0;
        for (std::int32_t& one : place)
            if (one == 0) one = count++;
        std::vector<RowView> parts(static_cast<std::size_t>(count));
        const auto part_of = [&](Row row) -> RowView& {
            return parts[static_cast<std::size_t>(place[branch_of(row)])];
        };
        for (RowView& part : parts) part.order.resize(view.order.size());
        for (const Row row : view.rows) part_of(row).rows.push_back(row);
        for (std::size_t k = 0; k < view.order.size(); ++k)
            for (const Row row : view.order[k]) part_of(row).order[k].push_back(row);
        for (RowView& part : parts) {
            part.charge.grow_to(context_.meter, bytes_of(part));
            summarise(part);
        }
        return parts;
    }

  private:
    static std::size_t bytes_of(const RowView& view) {
        std::size_t rows = view.rows.size();
        for (const std::vector<Row>& order : view.order) rows += order.size();
        return rows * sizeof(Row);
    }
    void summarise(RowView& view) const {
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
    Context<Loss>& context_;
};

}  // namespace branchwork::optimal
