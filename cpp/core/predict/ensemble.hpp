// Prediction with many trees in one call: the sums of their outputs, or the leaf of each row in each tree.
//
// An ensemble is packed when it first predicts and never changes afterwards. The shape of its trees decides the form in
// which it is packed, and the number of rows decides the road (choose_form and choose_road in ensemble.cpp; decision 24
// has the measurements):
//
//     form      trees                                     road of many rows           road of a few rows
//     bytes     up to 256 leaves each                     ranks, then multiplexers    ranks, several trees interleaved
//     words     larger                                    ranks, then walks           the same
//     raw       too few to pay for ranking the cells      walks on the cells          the plain walk
//
// For each row, outputs are added in the order of the trees, so every road gives the same bits as the plain walk.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/predict/apply.hpp"
#include "core/predict/mux.hpp"
#include "core/predict/packed.hpp"
#include "core/predict/raw_tree.hpp"

namespace branchwork {

/// A tree of an ensemble and the outputs of its nodes.
struct Member {
    const TreeView* tree;
    std::span<const double> weight;  // training weight of each node, by which rows are shared
    std::span<const double> value;   // (nodes, outputs), or (nodes) if the tree adds to one output only
    std::int32_t output;             // the only output that the tree adds to; -1: all outputs
    bool shares;                     // whether a row may be shared among children
};

/// What to compute for which rows. Exactly one of `sums` and `leaves` is given; the other is empty.
struct Batch {
    std::span<const Column> columns;
    std::size_t rows = 0;

    std::span<double> sums;  // (stages, rows, outputs)
    // Stage s is the sum over the first stages[s] trees; ascending.
    std::span<const std::size_t> stages;
    // How often each tree was trained on each row (tree, row). A tree is left out for the rows that it was trained on,
    // which gives out-of-bag sums. Empty: no row is left out.
    std::span<const std::span<const std::uint32_t>> copies;
    std::span<std::int32_t> leaves;  // (rows, trees)
};

enum class Form { raw, bytes, words };
enum class Road { automatic, plain, few_rows, many_rows };

/// The distinct outputs of the leaves of a tree, if there are few of them. The leaves of a large classification tree
/// are often pure, so they have only as many distinct outputs as there are classes; such a table stays in the cache,
/// and an array with the outputs of all nodes does not. A packed leaf stores its place in the table in `column`, which
/// it does not need for a test.
struct OutputTable {
    std::vector<double> values;  // empty: there are too many distinct outputs

    /// Also writes the places into the leaves. A walk may read the cell in `column` of a leaf, too, so a place must be
    /// the number of a stored column: there may be at most `columns` distinct outputs.
    OutputTable(const Member& member, std::size_t width, const PackedTree& tree, std::span<PackedNode> nodes,
                std::size_t columns);
};

/// An ensemble in one of the three forms. Each form fills the members that name it.
struct PackedEnsemble {
    Form form = Form::raw;
    PackedTrees packed;                     // bytes, words
    Muxes muxes;                            // bytes
    std::vector<double> leaf_values;        // bytes: outputs of the leaves of each tree, from left to right
    std::vector<std::size_t> first_value;   // bytes: where the outputs of each tree begin
    std::vector<OutputTable> outputs;       // words
    std::vector<RawTree> raw;               // raw
    std::vector<DelicateFeature> delicate;  // raw

    /// Memory of nodes and tables in bytes, without outputs.
    std::size_t bytes() const;
};

class Ensemble {
  public:
    /// `levels` has the number of categories of each feature, or -1 if it is numeric. Every sum starts from `base`.
    /// Without a `form`, choose_form decides. Form::bytes becomes Form::words if something does not fit into bytes.
    Ensemble(std::vector<Member> members, std::vector<double> base, std::vector<std::int32_t> levels,
             std::optional<Form> form = std::nullopt);
    ~Ensemble();
    Ensemble(const Ensemble&) = delete;
    Ensemble& operator=(const Ensemble&) = delete;

    std::span<const Member> members() const { return members_; }
    std::span<const double> base() const { return base_; }
    std::size_t n_nodes() const { return n_nodes_; }
    /// Whether this many rows are predicted so quickly that nobody needs to interrupt it.
    bool is_small(std::size_t rows) const;

    void predict(const Batch& batch, Road road, int threads, const Pulse& pulse) const;

    /// Packs the trees on the first call. Threads that come at the same time all pack them, and the first result is kept:
    /// nobody waits, so a process that is forked meanwhile does not wait for a thread that it does not have.
    const PackedEnsemble& packed(const Pulse& pulse) const;

  private:
    PackedEnsemble pack_all(const Pulse& pulse) const;

    std::vector<Member> members_;
    std::vector<double> base_;
    std::vector<std::int32_t> levels_;
    std::optional<Form> form_;
    std::size_t n_nodes_ = 0;
    mutable std::atomic<const PackedEnsemble*> packed_{nullptr};  // owned
};

}  // namespace branchwork
