// The rows of a sample and the ranks of their cells, for trees that ask only a few columns in each node.
//
// A node owns a range of one array of rows, in the order of the table; a row that was drawn twice is there once, with
// its number of copies. Nothing is kept in the order of a column: the ranks of a column are read when it is asked.
//
//     rows       [ 0 2 3 5 | 1 7 9 ]          of the table; each with its copies and its class
//     ranks(j)   rank of each row of the table in column j, as Prepared has them ...
//                ... or of each row of a copy: rows of a small node, renumbered, so that their ranks lie close together
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "core/columns.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/training_table.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/search/ranked_rows.hpp"
#include "core/target.hpp"

namespace branchwork {

struct DrawnNode : OpenNode {
    std::size_t begin = 0, end = 0;
    std::size_t samples = 0;  // rows with their copies

    std::size_t rows() const { return samples; }
    std::size_t distinct() const { return end - begin; }
};

class DrawnRows {
  public:
    std::vector<DrawnRow> rows;
    std::vector<Row> table_row;  // of each row of a copy; empty: rows are those of the table

    /// All rows of a sample.
    void take_all(const TrainingTable& table, const Target& sample) {
        prepared_ = table.prepared;
        rows.clear();
        for (std::size_t row = 0; row < table.rows; ++row) {
            const std::uint32_t copies = table.sample ? table.sample->copies(static_cast<Row>(row)) : 1;
            if (copies == 0) continue;
            const std::size_t place = table.sample ? table.sample->first(static_cast<Row>(row)) : row;
            rows.push_back({static_cast<Row>(row), copies, sample.codes[place]});
        }
    }
    /// The rows of a node of other rows, renumbered in their order.
    void copy(const TrainingTable& table, const DrawnRows& from, const DrawnNode& node) {
        const std::span<const DrawnRow> taken = from.of(node);
        rows.assign(taken.begin(), taken.end());
        table_row.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            table_row[i] = from.row_of(rows[i].row);
            rows[i].row = static_cast<Row>(i);
        }
        ranks_.resize(table.columns.size());
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            if (table.columns[j].nominal) continue;
            ranks_[j].resize(rows.size());
            from.gather(j, taken, ranks_[j]);
        }
    }

    std::span<const DrawnRow> of(const DrawnNode& node) const {
        return std::span(rows).subspan(node.begin, node.distinct());
    }
    /// The row of the table.
    Row row_of(Row row) const { return table_row.empty() ? row : table_row[row]; }

    /// The ranks of some rows in a numeric column.
    void gather(std::size_t j, std::span<const DrawnRow> some, std::span<std::uint32_t> ranks) const {
        if (!table_row.empty()) {
            const std::uint32_t* const of = ranks_[j].data();
            for (std::size_t i = 0; i < some.size(); ++i) ranks[i] = of[some[i].row];
            return;
        }
        std::visit(
            [&]<class Rank>(const std::vector<Rank>& of) {
                const Rank* const rank = of.data();
                for (std::size_t i = 0; i < some.size(); ++i) ranks[i] = rank[some[i].row];
                if constexpr (!std::same_as<Rank, std::uint32_t>)
                    if (prepared_->numeric(j).known < prepared_->rows())
                        for (std::uint32_t& one : ranks)
                            if (one == std::numeric_limits<Rank>::max()) one = missing_rank;
            },
            prepared_->numeric(j).rank);
    }

  private:
    const Prepared* prepared_ = nullptr;
    std::vector<std::vector<std::uint32_t>> ranks_;  // of a copy
};

}  // namespace branchwork
