// The rows of a node with the rank of one column beside each, in no order, for searches that do not need sorted rows. A
// row of the table that was drawn several times is here once, and counts as often as it was drawn.
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

    std::size_t size() const { return ranks.size(); }
};

/// Columns of one node that are searched together: only the best of all their cuts is looked for.
class RankedColumns {
  public:
    virtual std::size_t count() const = 0;
    /// Rows of the node, each counted once.
    virtual std::size_t rows() const = 0;
    /// The ranks of the k-th column; they stay until the next call.
    virtual RankedRows ranked(std::size_t k) = 0;

  protected:
    ~RankedColumns() = default;
};
/// At most this many columns are searched together.
inline constexpr std::size_t most_together = 8;

/// The best cut of ranked rows: those up to `left_rank` lie on the left.
struct RankCut {
    bool exists = false;                                    // is there an admissible cut at all?
    double cost = std::numeric_limits<double>::infinity();  // infinite: no cut is below the limit
    std::uint32_t left_rank = 0;

    bool found() const { return cost < std::numeric_limits<double>::infinity(); }
};

}  // namespace branchwork
