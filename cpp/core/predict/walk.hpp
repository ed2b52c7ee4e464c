// Walks many rows down one tree at the same time.
//
// Rows stay in a leaf once they are there, so a step needs no branch. Eight rows step in turn: while one waits for its
// node to come from memory, the others go on. Nearly all rows take the first levels, so these are taken without
// checking which rows have arrived. After that, every few levels, rows that have arrived are removed from the list:
//
//     rows      0 1 2 3 4 5 6 7 8 9 ...      levels 1 ... `blind`: all rows
//     list      1 2 5 7 ...                  then three levels at a time with the rows that have not arrived
//     list      2 7                          when fewer than eight are left, each walks alone
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchwork {

/// How a row takes one step. `place` is what finds the cells of a row: a pointer or a row number.
template <class T>
concept StepOf = requires(const T& step, std::uint32_t row, std::uint32_t node) {
    { step(step.place(row), node) } -> std::convertible_to<std::uint32_t>;
    { step.is_leaf(node) } -> std::convertible_to<bool>;
};

/// The list of rows that have not arrived yet. It is reused for all trees to save allocations.
struct UnderWay {
    std::vector<std::uint32_t> row, node;

    explicit UnderWay(std::size_t rows) : row(rows), node(rows) {}
};

/// Writes leaf[row] for each of the rows. `between` is called before every group of eight rows.
template <StepOf Step, class Between>
void walk(const Step& step, std::uint32_t root, std::size_t blind, std::span<const std::uint32_t> rows,
          std::uint32_t* leaf, UnderWay& list, const Between& between) {
    constexpr std::size_t lanes = 8, levels_between = 3;
    using Place = decltype(step.place(0));
    std::size_t live = 0;
    const auto walk_some = [&](const std::uint32_t* row, std::uint32_t* node, std::size_t levels) {
        Place place[lanes];
        std::uint32_t at[lanes];
        for (std::size_t k = 0; k < lanes; ++k) place[k] = step.place(row[k]), at[k] = node[k];
        for (std::size_t d = 0; d < levels; ++d)
            for (std::size_t k = 0; k < lanes; ++k) at[k] = step(place[k], at[k]);
        for (std::size_t k = 0; k < lanes; ++k) {
            const std::uint32_t same = row[k];  // a copy: writing to the list below may overwrite row[k]
            leaf[same] = at[k];
            list.row[live] = same, list.node[live] = at[k];
            live += step.is_leaf(at[k]) ? 0 : 1;
        }
    };
    const auto walk_alone = [&](std::uint32_t row, std::uint32_t node) {
        const Place place = step.place(row);
        while (!step.is_leaf(node)) node = step(place, node);
        leaf[row] = node;
    };

    std::uint32_t roots[lanes];
    std::fill(roots, roots + lanes, root);
    std::size_t q = 0;
    for (; q + lanes <= rows.size(); q += lanes) {
        between();
        walk_some(rows.data() + q, roots, blind);
    }
    for (; q < rows.size(); ++q) walk_alone(rows[q], root);
    while (live >= lanes) {
        const std::size_t listed = live;
        live = 0;
        for (q = 0; q + lanes <= listed; q += lanes) {
            between();
            walk_some(&list.row[q], &list.node[q], levels_between);
        }
        for (; q < listed; ++q, ++live) list.row[live] = list.row[q], list.node[live] = list.node[q];
    }
    for (q = 0; q < live; ++q) walk_alone(list.row[q], list.node[q]);
}

}  // namespace branchwork
