// The rows of a sample and the ranks of their cells, for trees that ask only a few columns in each node.
//
// A node owns a range of one array of rows, in the order of the table; a row that was drawn twice is there once, with
// its number of copies. Nothing is kept in the order of a column: the ranks of a column are read when it is asked.
//
//     rows       [ 0 2 3 5 | 1 7 9 ]          of the table; each with its copies and its class
//     ranks      of each row of the table in each column, as Prepared has them ...
//                ... or of each row of a copy: rows of a small node, renumbered, so that their ranks lie close together
//
// Cuts drawn at random need values instead of ranks, so a copy holds values then.
#pragma once

#include <algorithm>
#include <concepts>
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

    explicit DrawnRows(const TrainingTable& table, bool has_values)
        : columns_(table.columns), prepared_(table.prepared), has_values_(has_values) {}

    /// All rows of a sample.
    void take_all(const TrainingTable& table, const Target& sample) {
        const auto copies_of = [&](std::size_t row) {
            return table.sample ? table.sample->copies(static_cast<Row>(row)) : 1;
        };
        std::size_t drawn = 0;
        for (std::size_t row = 0; row < table.rows; ++row) drawn += copies_of(row) > 0;
        rows.clear();
        rows.reserve(drawn);
        for (std::size_t row = 0; row < table.rows; ++row) {
            const std::uint32_t copies = copies_of(row);
            if (copies == 0) continue;
            const std::size_t place = table.sample ? table.sample->first(static_cast<Row>(row)) : row;
            rows.push_back({static_cast<Row>(row), static_cast<std::uint16_t>(copies),
                            static_cast<std::uint16_t>(sample.is_classes() ? sample.codes[place] : 0)});
        }
        sample_ = table.sample;
        numbers_ = sample.values;
    }
    /// The rows of a node of other rows, renumbered in their order.
    void copy(const DrawnRows& from, const DrawnNode& node) {
        const std::span<const DrawnRow> taken = from.of(node);
        rows.assign(taken.begin(), taken.end());
        table_row.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            table_row[i] = from.row_of(rows[i].row);
            rows[i].row = static_cast<Row>(i);
        }
        sample_ = from.sample_;
        numbers_ = from.numbers_;
        if (!numbers_.empty()) from.gather(taken, targets_, places_);
        ranks_.resize(columns_.size());
        values_.resize(columns_.size());
        for (std::size_t j = 0; j < columns_.size(); ++j)
            if (!columns_[j].nominal) has_values_ ? copy_values(from, j, taken) : copy_ranks(from, j, taken);
    }

    std::span<const DrawnRow> of(const DrawnNode& node) const {
        return std::span(rows).subspan(node.begin, node.distinct());
    }
    /// The row of the table.
    Row row_of(Row row) const { return table_row.empty() ? row : table_row[row]; }

    /// The numbers to be predicted of some rows, and their places in the sample.
    void gather(std::span<const DrawnRow> some, std::vector<double>& targets,
                std::vector<Row>& places) const {
        targets.resize(some.size());
        places.resize(some.size());
        if (!table_row.empty()) {
            for (std::size_t i = 0; i < some.size(); ++i) {
                targets[i] = targets_[some[i].row];
                places[i] = places_[some[i].row];
            }
            return;
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            places[i] = sample_ ? sample_->first(some[i].row) : some[i].row;
            targets[i] = numbers_[places[i]];
        }
    }
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
                // The rows of a node are scattered over the table; without prefetching, the loop would wait for each of
                // them.
                const std::size_t near_end = some.size() - std::min(some.size(), prefetched);
                std::size_t i = 0;
                for (; i < near_end; ++i) {
                    prefetch(rank + some[i + prefetched].row);
                    ranks[i] = rank[some[i].row];
                }
                for (; i < some.size(); ++i) ranks[i] = rank[some[i].row];
                if constexpr (!std::same_as<Rank, std::uint32_t>)
                    if (prepared_->numeric(j).known < prepared_->rows())
                        for (std::uint32_t& one : ranks)
                            if (one == std::numeric_limits<Rank>::max()) one = missing_rank;
            },
            prepared_->numeric(j).rank);
    }

    /// The values of some rows in a numeric column; NaN: missing.
    template <class Value>
    void gather(std::size_t j, std::span<const DrawnRow> some, std::span<Value> values) const
        requires std::floating_point<Value>
    {
        const auto take = [&](const auto& of) {
            for (std::size_t i = 0; i < some.size(); ++i) values[i] = static_cast<Value>(of[some[i].row]);
        };
        if (table_row.empty())
            with_cells(columns_[j], take);
        else
            std::visit([&](const auto& of) { take(of.data()); }, values_[j]);
    }

  private:
    void copy_ranks(const DrawnRows& from, std::size_t j, std::span<const DrawnRow> taken) {
        ranks_[j].resize(taken.size());
        from.gather(j, taken, ranks_[j]);
    }
    void copy_values(const DrawnRows& from, std::size_t j, std::span<const DrawnRow> taken) {
        const auto gather = [&]<class Value>(std::vector<Value>& values) {
            values.resize(taken.size());
            from.gather(j, taken, std::span<Value>(values));
        };
        if (fits_in_float(columns_[j].type))
            gather(emplaced<std::vector<float>>(values_[j]));
        else
            gather(emplaced<std::vector<double>>(values_[j]));
    }
    /// Can the cells be kept as floats, in half the memory, without loss?
    static bool fits_in_float(CellType type) {
        return type == CellType::f32 || type == CellType::i8 || type == CellType::i16 ||
               type == CellType::u8 || type == CellType::u16;
    }
    /// The alternative of a variant, made if it is not there: what is there keeps its memory.
    template <class T, class Variant>
    static T& emplaced(Variant& variant) {
        return std::holds_alternative<T>(variant) ? std::get<T>(variant) : variant.template emplace<T>();
    }

    static constexpr std::size_t prefetched = 24;

    std::span<const Column> columns_;
    const Prepared* prepared_;
    bool has_values_;
    const Sample* sample_ = nullptr;
    std::span<const double> numbers_;  // to be predicted, of the rows of the sample; empty: there are classes
    std::vector<double> targets_;      // of a copy: the same,
    std::vector<Row> places_;          // and the place of each row in the sample
    std::vector<std::vector<std::uint32_t>> ranks_;                              // of a copy ...
    std::vector<std::variant<std::vector<float>, std::vector<double>>> values_;  // ... one of the two
};

}  // namespace branchwork
