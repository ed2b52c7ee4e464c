// Prediction by many trees in one call: the sums of their outputs, or the leaf of each row in each of them.
//
// An ensemble is packed on first use, whoever comes first, and never changes after that. Its shape chooses the form, and
// the batch chooses the road (choose_form and choose_road in ensemble.cpp; decision 24 has the measurements):
//
//     form      trees                                            road of many rows             of a few rows
//     bytes     up to 256 leaves                                 ranks, then multiplexers      ranks, several trees in flight
//     words     larger                                           ranks, then the walk          the same
//     raw       too few to pay for ranking the cells of a row    the walk on the cells         the plain walk
//
// Outputs are added in the order of the trees for each row, so every road gives the same bits as the plain walk.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "core/predict/apply.hpp"
#include "core/predict/mux.hpp"
#include "core/predict/packed.hpp"
#include "core/predict/raw_tree.hpp"

namespace branchwork {

/// A tree of an ensemble and what it adds.
struct Member {
    const TreeView* tree;
    std::span<const double> weight;  // of its nodes: how rows are shared
    std::span<const double> value;   // nodes × outputs, or one number for each node
    std::int32_t output;             // the one output that it adds to; -1: all of them
    bool shares;                     // whether a missing cell may go to every child
};

/// What is asked of some rows. Either `sums` or `leaves` is wanted.
struct Batch {
    std::span<const Column> columns;
    std::size_t rows = 0;

    std::span<double> sums;  // (stages, rows, outputs)
    std::span<const std::size_t>
        stages;  // the sums of the first 10, 20, ... trees; ascending, the last is the largest
    std::span<const std::span<const std::uint32_t>>
        copies;                      // for each tree: rows that have any are left out; or empty
    std::span<std::int32_t> leaves;  // (rows, trees)
};

enum class Form { raw, bytes, words };
enum class Road { automatic, plain, few_rows, many_rows };

/// The distinct outputs of a tree's leaves, where there are few: those of a large tree for classes are often only "all
/// of one class", and a table of a few of them stays in the cache when an array of all nodes does not. The packed leaf
/// has the place in the table: a leaf compares no column, so there is room where other nodes have theirs.
struct OutputTable {
    std::vector<double> values;  // empty: there are too many

    /// Writes the places into the leaves.
    OutputTable(const Member& member, std::size_t width, const PackedTree& tree, std::span<PackedNode> nodes,
                std::size_t columns);
};

/// An ensemble in the form in which it predicts.
struct PackedEnsemble {
    Form form = Form::raw;
    PackedTrees packed;                     // of bytes and words
    Muxes muxes;                            // of bytes ...
    std::vector<double> leaf_values;        // ... and the outputs of their leaves, from left to right
    std::vector<std::size_t> first_value;   // where those of each tree begin
    std::vector<OutputTable> outputs;       // of words
    std::vector<RawTree> raw;               // of raw
    std::vector<DelicateFeature> delicate;  // of raw

    /// Bytes of nodes and tables, without outputs.
    std::size_t bytes() const;
};

class Ensemble {
  public:
    /// `levels` has the number of categories of each feature, -1 for a number; `base` is what each sum starts from.
    /// Without a form, the shape chooses it; bytes become words where something does not fit into bytes.
    Ensemble(std::vector<Member> members, std::vector<double> base, std::vector<std::int32_t> levels,
             std::optional<Form> form = std::nullopt);

    std::span<const Member> members() const { return members_; }
    std::span<const double> base() const { return base_; }
    std::size_t n_nodes() const { return n_nodes_; }
    /// Are this many rows predicted before anybody could want to interrupt it?
    bool is_small(std::size_t rows) const;

    void predict(const Batch& batch, Road road, int threads, const Pulse& pulse) const;

    /// Packs if that was not done yet.
    const PackedEnsemble& packed(const Pulse& pulse) const;

  private:
    PackedEnsemble pack_all(const Pulse& pulse) const;

    std::vector<Member> members_;
    std::vector<double> base_;
    std::vector<std::int32_t> levels_;
    std::optional<Form> form_;
    std::size_t n_nodes_ = 0;
    mutable std::once_flag once_;
    mutable std::atomic<bool> is_packed_{false};
    mutable PackedEnsemble packed_;
};

}  // namespace branchwork
