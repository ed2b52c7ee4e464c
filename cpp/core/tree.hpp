// A tree as the core hands it over: plain arrays, one entry per node, in breadth-first order, the children of a node
// side by side. src/branchwork/tree/tree.py says what each array means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/search/candidate.hpp"

namespace branchwork {

struct SearchCost {
    std::int64_t rules_scored = 0;
    std::int64_t rows_visited = 0;

    SearchCost& operator+=(const SearchCost& other) {
        rules_scored += other.rules_scored;
        rows_visited += other.rows_visited;
        return *this;
    }
};

/// The working of one node: every column's candidate.
struct LedgerPage {
    std::int32_t node = 0;
    std::vector<Candidate> candidates;
};

/// A column that stands in for the one a node is split by.
struct Surrogate {
    std::int32_t feature = -1;
    double cut = std::numeric_limits<double>::quiet_NaN();  // numeric columns
    std::int32_t low_child = -1;                            // where cells up to the cut go
    std::vector<std::int32_t> sides;                        // nominal: the child of each category; -1: absent
    double agreement = 0;                                   // share of samples sent the same way
    double adjusted = 0;  // agreement beyond that of sending all rows with the majority

    /// The child of a row of the table; -1: missing here too.
    std::int32_t child_of(const Column& column, std::size_t row) const {
        if (column.nominal) {
            const std::int32_t code = code_at(column, row);
            return code < 0 ? -1 : sides[static_cast<std::size_t>(code)];
        }
        const double x = number_at(column, row);
        return x != x ? -1 : x <= cut ? low_child : 1 - low_child;
    }
};
struct NodeSurrogates {
    std::int32_t node = 0;
    std::vector<Surrogate> found;  // the best first
};

/// Thrown when a tree would need more nodes than the caller has memory for. Its text is the number of nodes.
class TreeTooLarge : public std::exception {
  public:
    explicit TreeTooLarge(std::int64_t nodes) : nodes_(std::to_string(nodes)) {}
    const char* what() const noexcept override { return nodes_.c_str(); }

  private:
    std::string nodes_;
};

/// Thrown when cells have other values than a moment ago, because another thread writes into the table.
class TableChanged : public std::exception {
  public:
    const char* what() const noexcept override { return "the table changed"; }
};

/// The classes that occur in a node, rising, and the weight of each.
using FewClasses = std::vector<std::pair<std::int32_t, double>>;

/// Where the weights of a node's classes are written: to one number per class, or, with many classes, to a list.
struct CountsOut {
    std::span<double> all;
    FewClasses* few = nullptr;
};

struct GrownTree {
    std::vector<std::int32_t> feature;      // -1: leaf
    std::vector<double> cut;                // NaN: leaf or nominal
    std::vector<std::int32_t> first_child;  // -1: leaf
    std::vector<std::int32_t> n_children;
    std::vector<std::int32_t> lookup;  // offset into pool; -1: leaf or numeric
    std::vector<std::int32_t> pool;    // code + 1 -> child, counted from the first; [0]: missing or unseen
    std::vector<std::int32_t>
        default_child;  // for a missing cell, counted from the first; -1: leaf, or shared
    std::vector<double> weight;
    std::vector<std::int64_t> n_rows;
    std::vector<double> impurity;  // per row, in the units of the score
    std::vector<double> gain;      // per row
    std::vector<double> variance;  // numbers: of the target, with n - 1
    std::vector<double> stats;     // classes: weight of each class; values: the mean
    std::size_t width = 1;         // numbers per node in `stats`
    bool is_sparse = false;        // until `fill_in`, classes are kept in `few` and `stats` is empty
    std::vector<FewClasses> few;   // of each node
    std::vector<Stop> stop;
    std::vector<LedgerPage> ledger;
    std::vector<NodeSurrogates> surrogates;  // of nodes that have some
    bool has_ledger = true;
    SearchCost search_cost;

    std::size_t size() const { return feature.size(); }
    /// Makes room for this many nodes, so that the arrays are not copied while they grow.
    void reserve(std::size_t nodes);
    /// The number of nodes whose statistics take this many bytes.
    std::size_t nodes_in(std::size_t bytes) const { return bytes / (width * sizeof(double)); }
    std::int32_t add_node();
    /// Cuts off what lies below a node; order_breadth_first then drops it.
    void make_leaf(std::int32_t node, Stop reason);
    /// Puts a tree grown elsewhere in the place of a leaf.
    void graft(std::int32_t leaf, GrownTree&& part);
    /// The largest weight of a class in a node.
    double largest_count(std::size_t node) const;
    /// Writes the lists of classes into `stats`.
    void fill_in();
    /// Renumbers the nodes breadth first; `pool_size(node)` is the length of a nominal node's lookup.
    void order_breadth_first(const std::function<std::size_t(std::int32_t feature)>& pool_size);
};

}  // namespace branchwork
