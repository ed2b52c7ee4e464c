// One whole tree in one call, and many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "core/options.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// What a tree is learned from: columns of a table, sorted already or not, and a sample of its rows.
struct Training {
    std::span<const Column> columns;
    std::size_t rows = 0;                // of the table
    const Prepared* prepared = nullptr;  // none: columns are sorted on the way
    const Sample* sample = nullptr;      // none: all rows, once each. A sample needs prepared columns
    std::uint64_t key = 0;               // of random draws; see random.hpp
};

/// What C4.5 knows about a table of more rows: cuts are values of it, and its weight says which columns have many
/// values. No columns: the rows are the whole table.
struct WholeTable {
    std::span<const Column> columns;
    std::size_t rows = 0;
    double weight = 0;
};

/// `target` has a label for each row of the sample.
GrownTree grow(const Training& training, const Target& target, const Options& options,
               const WholeTable& whole, Pulse& pulse);

/// One tree for each sample; `target` has a label for each row of the table. On as many threads as the options say: over trees where there are several, inside the tree
/// where there is one. The keys of trees come from the seed and the tree's number, counted from `first_tree`.
std::vector<GrownTree> grow_many(const Prepared& prepared, const Target& target, const Options& options,
                                 std::span<const std::span<const std::uint32_t>> copies, std::uint64_t seed,
                                 std::uint64_t first_tree, Pulse& pulse);

}  // namespace branchwork
