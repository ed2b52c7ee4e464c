#include "core/route/route.hpp"

#include <concepts>

namespace branchwork {

void mark_missing(Column& column, std::size_t rows, std::span<const Row> cell_row) {
    const std::size_t count = cell_row.empty() ? rows : cell_row.size();
    column.has_missing = with_cells(column, [&column, count, cell_row]<class T>(Cells<T> cells) {
        if (!column.nominal && std::integral<T>) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const T cell = cells[cell_row.empty() ? i : cell_row[i]];
            if (column.nominal ? cell < 0 : cell != cell) return true;
        }
        return false;
    });
}

void route(const Column& column, double cut, std::span<const std::int32_t> lookup, std::int32_t missing,
           std::span<const Row> rows, std::span<std::int32_t> child) {
    if (column.nominal) {
        const Cells<std::int32_t> codes{column.data, column.stride};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = codes[rows[i]];
            child[i] = code < 0 ? missing : lookup[static_cast<std::size_t>(code)];
        }
        return;
    }
    with_cells(column, [&](auto cells) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto x = static_cast<double>(cells[rows[i]]);
            child[i] = std::isnan(x) ? missing : child_of_number(x, cut);
        }
    });
}

}  // namespace branchwork
