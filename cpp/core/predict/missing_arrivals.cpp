#include "core/predict/missing_arrivals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/route/route.hpp"

namespace branchwork {

namespace {

/// Marks the rows in which a cell of the column is missing.
void mark_rows(const Column& column, std::span<std::uint8_t> marked, const Pulse& pulse) {
    constexpr std::size_t block = std::size_t{1} << 16;  // rows between two looks at the pulse
    const auto mark = [&](const auto& is_missing_at) {
        for (std::size_t begin = 0; begin < marked.size(); begin += block) {
            pulse.check();
            const std::size_t end = std::min(marked.size(), begin + block);
            for (std::size_t row = begin; row < end; ++row)
                marked[row] |= static_cast<std::uint8_t>(is_missing_at(row));
        }
    };
    if (column.nominal)
        mark([&](std::size_t row) { return code_at(column, row) == missing_code; });
    else
        with_cells(column,
                   [&](auto cells) { mark([&](std::size_t row) { return is_missing(cells[row]); }); });
}

bool is_missing_at(const Column& column, std::size_t row) {
    return column.nominal ? code_at(column, row) == missing_code : is_missing(number_at(column, row));
}

}  // namespace

std::vector<double> missing_arrivals(std::span<const Column> columns, const TreeView& tree,
                                     std::span<const double> weight, std::size_t rows,
                                     std::span<const double> row_weight, const Pulse& pulse) {
    std::vector<double> arrived(tree.feature.size(), 0.0);
    std::vector<bool> tested(columns.size(), false), has_missing(columns.size(), false);
    for (const std::int32_t feature : tree.feature)
        if (feature >= 0) tested[static_cast<std::size_t>(feature)] = true;
    std::vector<std::uint8_t> marked;  // rows that can arrive somewhere with a missing cell; empty: none can
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (!tested[j]) continue;
        Column column = columns[j];
        mark_missing(column, rows);
        has_missing[j] = column.has_missing;
        if (!has_missing[j]) continue;
        marked.resize(rows, 0);
        mark_rows(column, marked, pulse);
    }

    std::vector<std::pair<std::size_t, double>> waiting;  // nodes that the row comes to, and its weight there
    for (std::size_t row = 0; row < marked.size(); ++row) {
        if (!marked[row]) continue;
        pulse.check();
        waiting.assign(1, {0, row_weight.empty() ? 1.0 : row_weight[row]});
        while (!waiting.empty()) {
            auto [node, here] = waiting.back();
            waiting.pop_back();
            while (tree.feature[node] >= 0) {
                const auto feature = static_cast<std::size_t>(tree.feature[node]);
                const bool counts = has_missing[feature] && is_missing_at(columns[feature], row);
                const auto first = static_cast<std::size_t>(tree.first_child[node]);
                const std::int32_t child = child_of(columns, tree, node, row);
                if (child != every_child) {
                    node = first + static_cast<std::size_t>(child);
                    if (counts) arrived[node] += here;
                    continue;
                }
                const auto children = static_cast<std::size_t>(tree.n_children[node]);
                double whole = 0;
                for (std::size_t k = first; k < first + children; ++k) whole += weight[k];
                for (std::size_t k = first; k < first + children; ++k) {
                    if (!(weight[k] > 0)) continue;
                    const double part = here * (weight[k] / whole);
                    if (counts) arrived[k] += part;
                    waiting.push_back({k, part});
                }
                break;
            }
        }
    }
    return arrived;
}

}  // namespace branchwork
