// The statistics of each category of one feature among the rows of a node, for the categories that occur there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/stats.hpp"
#include "core/tally/node_stats.hpp"

namespace branchwork {

template <class Stats>
class CategoryStats {
  public:
    std::size_t size() const { return codes_.size(); }
    std::span<const std::int32_t> codes() const { return codes_; }  // ascending
    const Stats& operator[](std::size_t k) const { return of_[k]; }
    const Stats& missing() const { return missing_; }

    /// Counts the rows of a node. `code_at(i)` is the category of `rows[i]`, negative if it is missing. If there are
    /// few rows and many categories, the rows are sorted, so that the time does not depend on the number of categories.
    template <TargetRows Labels, class CodeAt>
    void count(const Labels& target, double centre, const Stats& like, std::size_t levels,
               std::span<const Row> rows, const CodeAt& code_at) {
        clear(like);
        if (rows.size() < levels / 8) {
            sorted_.clear();
            for (std::size_t i = 0; i < rows.size(); ++i) sorted_.emplace_back(code_at(i), rows[i]);
            std::ranges::sort(sorted_);
            for (const auto& [code, row] : sorted_) target.add(row, centre, at(code, like));
            return drop_weightless();
        }
        place_.assign(levels + 1, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) place_[static_cast<std::size_t>(code_at(i) + 1)] = 1;
        for (std::size_t slot = 1; slot <= levels; ++slot)
            if (place_[slot]) {
                at(static_cast<std::int32_t>(slot) - 1, like);
                place_[slot] = static_cast<std::uint32_t>(size());
            }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = code_at(i);
            target.add(rows[i], centre,
                       code < 0 ? missing_ : of_[place_[static_cast<std::size_t>(code + 1)] - 1]);
        }
        drop_weightless();
    }
    /// The same for a column; `cell_rows[i]` is the table row of `rows[i]`.
    template <TargetRows Labels>
    void count(const Labels& target, double centre, const Stats& like, const Column& column,
               std::span<const Row> rows, std::span<const Row> cell_rows) {
        const Cells<std::int32_t> cells{column.data, column.stride};
        count(target, centre, like, static_cast<std::size_t>(column.levels), rows,
              [&](std::size_t i) { return cells[cell_rows[i]]; });
    }

    /// Reads a tally: stats_at(0) has the statistics of missing values, stats_at(1 + code) those of a category.
    template <class StatsAt>
    void read(std::size_t levels, const Stats& like, StatsAt stats_at) {
        clear(like);
        missing_ = stats_at(std::size_t{0});
        for (std::size_t slot = 1; slot <= levels; ++slot) {
            const Stats stats = stats_at(slot);
            if (stats.weight() > 0) at(static_cast<std::int32_t>(slot) - 1, like) = stats;
        }
    }

  private:
    void clear(const Stats& like) {
        codes_.clear();
        missing_ = like;
        missing_.clear();
    }
    /// Drops categories without weight. The share of a row may be so small that it is 0 as a double; a category with
    /// only such rows counts as absent.
    void drop_weightless() {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < codes_.size(); ++k) {
            if (!(of_[k].weight() > 0)) continue;
            if (kept < k) codes_[kept] = codes_[k], std::swap(of_[kept], of_[k]);
            ++kept;
        }
        codes_.resize(kept);
    }
    /// Returns the statistics of a category. Calls must be in ascending order of codes; a new code adds empty
    /// statistics.
    Stats& at(std::int32_t code, const Stats& like) {
        if (code < 0) return missing_;
        if (codes_.empty() || codes_.back() != code) {
            codes_.push_back(code);
            if (of_.size() < codes_.size()) of_.push_back(like);
            of_[codes_.size() - 1] = like;
            of_[codes_.size() - 1].clear();
        }
        return of_[codes_.size() - 1];
    }

    std::vector<std::int32_t> codes_;
    std::vector<Stats> of_;  // per code; may be longer, to reuse memory
    Stats missing_;
    std::vector<std::pair<std::int32_t, Row>> sorted_;
    std::vector<std::uint32_t> place_;  // per slot: 1 + index among the codes
};

}  // namespace branchwork
