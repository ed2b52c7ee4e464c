// CHAID's rows, a level of the tree at a time. Python decides which columns split which nodes; here rows are counted, categories
// are merged and groups are tested.
//
//     rows     | 0 3 4 8 9 | 1 2 7 | 5 6 |        those of each node of the level side by side, rising in each
//     begins     0           5       8     10
//
//     describe    what every node answers
//     look        what every column could do at every node that is open
//     part        the children of nodes that were split are the next level
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

/// The targets of a level's nodes. Classes: the weight of each class. Numbers: `value` is the mean; numbers less the mean, divided
/// by `unit`, are between −1 and 1, and `spread` is their mean square. A unit of 0: all are equal.
struct NodeTargets {
    std::vector<double> value;  // nodes × classes, or one per node
    std::vector<double> weight, spread, unit;
    std::vector<std::int64_t> n_rows;
};

/// What a column could do at a node.
enum class Outcome : std::uint8_t { one_branch, too_few_rows, groups };

struct Look {
    Outcome outcome = Outcome::one_branch;
    std::uint16_t categories = 0;  // that have rows here, missing cells among them
    bool has_missing = false;
    Merged merged;
    std::vector<std::uint16_t> present;  // the categories, in order
};

class Growth {
  public:
    /// `rows`: those of the root, rising. What is borrowed must outlive this.
    Growth(std::span<const Categories> columns, const Target& target, const Settings& settings,
           const SpecialFunctions& special, std::vector<Row> rows, int threads);

    std::size_t nodes() const { return begins_.size() - 1; }
    std::size_t columns() const { return columns_.size(); }
    std::int64_t tests() const { return tests_; }
    std::int64_t rows_visited() const { return rows_visited_; }

    NodeTargets describe(const Pulse& pulse);

    /// Looks at every column of the nodes with these places in the level.
    void look(std::span<const std::int32_t> open, const Pulse& pulse);
    /// The looks of the last call: of each open node, of each column.
    std::span<const Look> looks() const { return looks_; }

    /// The groups of a look as a ledger has them: of a nominal column the group of each category, then of missing cells, −1 where
    /// there are none; of a numeric one the bounds between groups, and infinity if missing cells are a group of their own.
    void append_parts(std::size_t look, std::vector<double>& out) const;

    /// Splits open nodes by the columns chosen, −1: by none; only the children stay. Returns the heaviest child of each node that
    /// was split.
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
    std::vector<std::int32_t> label_;  // classes: of each place in `rows_`, among the classes of its node
    std::vector<double> scaled_;       // numbers: of each place, (y − mean) / unit
    std::vector<std::vector<double>>
        per_weight_;                     // of each node: samples per weight of its classes; or empty
    std::vector<std::int32_t> classes_;  // of each node: number of classes
    std::vector<std::int32_t> open_;
    std::vector<Look> looks_;
    std::int64_t tests_ = 0, rows_visited_ = 0;
};

}  // namespace branchwork::chaid
