// The rows of a node with the rank of one column beside each, in no order: what a search takes that does not want them
// sorted. A row of the table that was drawn several times is here once, and counts as often as it was drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "core/columns.hpp"

namespace branchwork {

/// A row of a sample: which row it is, and how often it was drawn. Eight bytes, because rows are moved at every split.
struct DrawnRow {
    Row row = 0;
    std::uint16_t copies = 0;
    std::uint16_t label = 0;  // its class, if there are classes

    static constexpr std::size_t most_copies = std::numeric_limits<std::uint16_t>::max();
    static constexpr std::size_t most_classes = std::size_t{1} + std::numeric_limits<std::uint16_t>::max();
};

/// The rows of a node. Numbers to be predicted stand beside them, and the place of each row in the sample.
struct DrawnRange {
    std::span<const DrawnRow> rows;
    std::span<const double> targets;    // numbers only
    std::span<const Row> first_places;  // likewise: the copies of a row have this place and the next ones

    std::size_t size() const { return rows.size(); }
};

inline constexpr std::uint32_t missing_rank = std::numeric_limits<std::uint32_t>::max();

/// `ranks[i]` is that of the i-th row. No rank is missing.
struct RankedRows {
    std::span<const std::uint32_t> ranks;
    std::span<const DrawnRow> rows;
    std::span<const double> targets;  // numbers only
    std::uint32_t low = 0, high = 0;  // the smallest and the largest rank

    std::size_t size() const { return ranks.size(); }
};

/// The best cut of ranked rows: those up to `left_rank` lie on the left.
struct RankCut {
    bool exists = false;                                    // is there an admissible cut at all?
    double cost = std::numeric_limits<double>::infinity();  // infinite: none is as good as was asked for
    std::uint32_t left_rank = 0;

    bool found() const { return cost < std::numeric_limits<double>::infinity(); }
};

}  // namespace branchwork
