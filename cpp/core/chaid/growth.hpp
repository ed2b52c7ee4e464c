// Grows a CHAID tree one level at a time. Python decides which feature splits which node; this class counts rows,
// merges categories and tests groups.
//
//     rows     | 0 3 4 8 9 | 1 2 7 | 5 6 |        the rows of each node of the level, ascending within the node
//     begins     0           5       8     10
//
//     describe    the target of every node
//     look        the best groups of every feature at every open node
//     part        splits nodes; their children are the next level
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/chaid/categories.hpp"
#include "core/chaid/merge.hpp"
#include "core/parallel.hpp"
#include "core/target.hpp"

namespace branchwork::chaid {

/// The targets of the nodes of a level. For classes, `value` has the weight of each class. For numbers, it has the
/// mean; (y − mean) / unit is between −1 and 1, and `spread` is its mean square. If all numbers are equal, `unit` is 0.
struct NodeTargets {
    std::vector<double> value;  // (nodes, classes), or one per node
    std::vector<double> weight, spread, unit;
    std::vector<std::int64_t> n_rows;
};

enum class Outcome : std::uint8_t { one_branch, too_few_rows, groups };

/// What splitting a node by a feature would give.
struct Look {
    Outcome outcome = Outcome::one_branch;
    std::uint16_t categories = 0;  // number of categories in the node; missing counts as one
    bool has_missing = false;
    Merged merged;
    std::vector<std::uint16_t> present;  // these categories, ascending
};

class Growth {
  public:
    /// `rows` are the rows of the root, ascending. `columns` and `target` must outlive this object.
    Growth(std::span<const Categories> columns, const Target& target, const Settings& settings,
           const SpecialFunctions& special, std::vector<Row> rows, int threads);

    std::size_t nodes() const { return begins_.size() - 1; }
    std::size_t columns() const { return columns_.size(); }
    std::int64_t tests() const { return tests_; }
    std::int64_t rows_visited() const { return rows_visited_; }

    NodeTargets describe(const Pulse& pulse);

    /// Looks at every feature of these nodes of the level.
    void look(std::span<const std::int32_t> open, const Pulse& pulse);
    /// The results of the last call of `look`, per open node and feature.
    std::span<const Look> looks() const { return looks_; }

    /// Appends the groups of a look in the form of the ledger. For a categorical feature: the group of each category,
    /// then that of missing values, with −1 for those that the node does not have. For a numeric feature: the bounds
    /// between groups, then infinity if missing values are a group of their own.
    void append_parts(std::size_t look, std::vector<double>& out) const;

    /// Splits each open node by the chosen feature; −1: do not split it. The children become the next level. Returns
    /// the heaviest child of each node that was split.
    std::vector<std::int32_t> part(std::span<const std::int32_t> chosen, const Pulse& pulse);

  private:
    struct Space;
    void describe_classes(std::size_t node, NodeTargets& out, std::vector<std::int32_t>& place);
    void describe_values(std::size_t node, NodeTargets& out);
    void look_at(std::size_t node, const Categories& column, Space& space, const Pulse& pulse,
                 Look& look) const;
    void count_classes(std::size_t node, Space& space, std::size_t categories) const;
    void count_values(std::size_t node, Space& space, std::size_t categories) const;
    std::span<const Row> rows_of(std::size_t node) const {
        return std::span(rows_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
    }
    Team team(std::size_t cells) const { return Team(cells < parallel_cells ? 1 : threads_); }

    std::span<const Categories> columns_;
    const Target& target_;
    Settings settings_;
    SpecialFunctions special_;
    int threads_;
    std::vector<Row> rows_;
    std::vector<std::size_t> begins_;
    std::vector<std::int32_t> label_;  // classes, per place in `rows_`: index among the classes of its node
    std::vector<double> scaled_;       // numbers, per place in `rows_`: (y − mean) / unit
    std::vector<std::vector<double>> per_weight_;  // per node: samples per weight of its classes, or empty
    std::vector<std::int32_t> classes_;            // per node: number of classes
    std::vector<std::int32_t> open_;
    std::vector<Look> looks_;
    std::int64_t tests_ = 0, rows_visited_ = 0;
};

}  // namespace branchwork::chaid
