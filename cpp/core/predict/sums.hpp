// Takes the leaves that the rows of a block have reached, tree after tree, and adds up their outputs or writes down
// their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/predict/ensemble.hpp"

namespace branchwork {

/// Number of trees whose outputs are added in one pass over the rows, with the sum of a row in a register.
inline constexpr std::size_t trees_together = 8;

class BlockSums {
  public:
    BlockSums(const Ensemble& ensemble, const Batch& batch, std::size_t begin, std::size_t n,
              const Pulse& pulse)
        : ensemble_(ensemble),
          batch_(batch),
          begin_(begin),
          n_(n),
          width_(ensemble.base().size()),
          pulse_(pulse) {
        if (!wants_sums()) return;
        // All trees add to the place of the last stage. Earlier stages are copied from there when they are complete.
        sums_ = batch.sums.data() + ((batch.stages.size() - 1) * batch.rows + begin) * width_;
        for (std::size_t r = 0; r < n; ++r) std::ranges::copy(ensemble.base(), sums_ + r * width_);
        copy_stages(0);
    }

    /// Names the rows that take the plain walk; null: none does.
    void set_delicate(const std::uint8_t* delicate) { delicate_ = delicate; }

    bool wants_sums() const { return batch_.leaves.empty(); }
    /// Whether tree t is not to be walked for row r: the row takes the plain walk, or was in the sample of the tree.
    bool leaves_out(std::size_t t, std::size_t r) const {
        return (delicate_ != nullptr && delicate_[r] != 0) ||
               (!batch_.copies.empty() && batch_.copies[t][begin_ + r] > 0);
    }
    bool leaves_out_none() const { return delicate_ == nullptr && batch_.copies.empty(); }
    /// How many trees from t on `take_together` may take: no stage may end between them.
    std::size_t together(std::size_t t, std::size_t last) const {
        if (!wants_sums() || width_ != 1 || !leaves_out_none()) return 1;
        const std::size_t stage = *std::ranges::upper_bound(batch_.stages, t);
        return std::min({trees_together, last - t, stage - t});
    }

    /// Takes the leaf of each row in tree t. `value` has the outputs of each leaf, and `id(leaf)` returns the number of
    /// its node.
    template <class Leaf, class Id>
    void take(std::size_t t, const Leaf* leaf, const double* value, const Id& id) {
        if (!wants_sums()) {
            const std::size_t trees = ensemble_.members().size();
            std::int32_t* const out = batch_.leaves.data() + begin_ * trees + t;
            for (std::size_t r = 0; r < n_; ++r) out[r * trees] = id(leaf[r]);
        } else if (ensemble_.members()[t].output >= 0) {
            add<1>(t, leaf, value, static_cast<std::size_t>(ensemble_.members()[t].output));
        } else if (width_ == 1) {
            add<1>(t, leaf, value, 0);
        } else if (width_ == 2) {
            add<2>(t, leaf, value, 0);
        } else {
            add<0>(t, leaf, value, 0);
        }
        if (delicate_ != nullptr)
            for (std::size_t r = 0; r < n_; ++r)
                if (delicate_[r] != 0) take_plainly(t, r);
        if (wants_sums()) copy_stages(t + 1);
    }

    /// Takes the leaves leaf[k * stride + r] of `count` trees with one output each.
    template <class Leaf>
    void take_together(std::size_t t, std::size_t count, const Leaf* leaf, std::size_t stride,
                       const double* const* value) {
        if (count == trees_together)
            add_together<trees_together>(leaf, stride, value, count);
        else
            add_together<0>(leaf, stride, value, count);
        copy_stages(t + count);
    }

    /// Sends one row down one tree by the plain walk.
    void take_plainly(std::size_t t, std::size_t r);

  private:
    /// Adds `Width` outputs per leaf; 0: as many as the ensemble has.
    template <std::size_t Width, class Leaf>
    void add(std::size_t t, const Leaf* leaf, const double* value, std::size_t output) {
        const std::size_t width = Width == 0 ? width_ : Width;
        const bool all = leaves_out_none();
        for (std::size_t r = 0; r < n_; ++r) {
            if (!all && leaves_out(t, r)) continue;
            double* const sum = sums_ + r * width_ + output;
            const double* const of_leaf = value + leaf[r] * width;
            for (std::size_t j = 0; j < width; ++j) sum[j] += of_leaf[j];
        }
    }

    template <std::size_t Count, class Leaf>
    void add_together(const Leaf* leaf, std::size_t stride, const double* const* value, std::size_t count) {
        for (std::size_t r = 0; r < n_; ++r) {
            double sum = sums_[r];
            for (std::size_t k = 0; k < (Count == 0 ? count : Count); ++k)
                sum += value[k][leaf[k * stride + r]];
            sums_[r] = sum;
        }
    }

    /// Copies the sums to the stages that end with this number of trees.
    void copy_stages(std::size_t trees) {
        for (std::size_t s = 0; s + 1 < batch_.stages.size(); ++s)
            if (batch_.stages[s] == trees)
                std::copy_n(sums_, n_ * width_, batch_.sums.data() + (s * batch_.rows + begin_) * width_);
    }

    const Ensemble& ensemble_;
    const Batch& batch_;
    std::size_t begin_, n_, width_;
    const Pulse& pulse_;
    double* sums_ = nullptr;
    const std::uint8_t* delicate_ = nullptr;
};

}  // namespace branchwork
