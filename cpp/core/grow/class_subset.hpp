// The classes of a small node, where the sample has very many: the work per node and class should cost no more than the
// work per row.
//
//     sample    100 000 classes
//     node      rows of the classes  7, 7, 90 210, 344
//     subset    7, 344, 90 210                          in order
//     codes     0, 0, 2, 1                              places in the subset
//
// Classes that do not occur add nothing to any sum, so every score is the same number as before. The number of classes is rounded
// up, so that a few scorers serve all nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/options.hpp"
#include "core/search/quinlan.hpp"
#include "core/target.hpp"
#include "core/tree.hpp"

namespace branchwork {

/// Memory that one subset after another reuses.
struct ClassSubsetSpace {
    std::vector<std::int32_t> place;  // of each class; -1 between calls
};

class ClassSubset {
  public:
    /// Are there so many classes that nodes should list theirs? A user's own score may treat each class in its own way, so
    /// its classes keep their places.
    static bool pays(const Target& sample, const Options& options) {
        return sample.classes >= many_classes && options.criterion != Criterion::own;
    }

    /// Takes the classes that occur among `codes`, which stand for those of `above` and are changed.
    void take(const ClassSubset& above, const Target& sample, const Options& options,
              std::span<std::int32_t> codes, ClassSubsetSpace& space) {
        if (!pays(sample, options)) return;
        const std::size_t before = above.is_all_ ? sample.classes : above.classes_.size();
        space.place.resize(sample.classes, -1);
        std::vector<std::int32_t> present;
        for (const std::int32_t code : codes)
            if (std::int32_t& place = space.place[static_cast<std::size_t>(code)]; place < 0)
                place = 0, present.push_back(code);
        std::ranges::sort(present);
        if (width_of(present.size()) < before) {
            for (std::size_t k = 0; k < present.size(); ++k)
                space.place[static_cast<std::size_t>(present[k])] = static_cast<std::int32_t>(k);
            is_all_ = false;
            classes_.resize(present.size());
            for (std::size_t k = 0; k < present.size(); ++k)
                classes_[k] = above.class_of(static_cast<std::size_t>(present[k]));
            for (std::int32_t& code : codes) code = space.place[static_cast<std::size_t>(code)];
        } else {
            is_all_ = above.is_all_;
            classes_ = above.classes_;
        }
        for (const std::int32_t code : present) space.place[static_cast<std::size_t>(code)] = -1;
        rows_per_weight_.clear();
        if (is_all_ || sample.rows_per_weight.empty()) return;
        rows_per_weight_.assign(width_of(classes_.size()), 1.0);
        for (std::size_t k = 0; k < classes_.size(); ++k)
            rows_per_weight_[k] = sample.rows_per_weight[static_cast<std::size_t>(classes_[k])];
    }

    /// Makes the target of a node's rows count these classes only.
    void apply(Target& target) const {
        if (is_all_) return;
        target.classes = width_of(classes_.size());
        if (!target.rows_per_weight.empty()) target.rows_per_weight = rows_per_weight_;
    }

    /// Lists the classes that occur, from the weight of each.
    void list(std::span<const double> counts, FewClasses& out) const {
        out.clear();
        for (std::size_t k = 0; k < counts.size(); ++k)
            if (counts[k] != 0) out.emplace_back(class_of(k), counts[k]);
    }

  private:
    std::int32_t class_of(std::size_t code) const {
        return is_all_ ? static_cast<std::int32_t>(code) : classes_[code];
    }
    /// A power of two above the number of classes, so that one class does not occur, as in the sample.
    static std::size_t width_of(std::size_t classes) {
        return std::max<std::size_t>(4, std::bit_ceil(classes + 1));
    }

    bool is_all_ = true;                 // all classes of the sample
    std::vector<std::int32_t> classes_;  // otherwise: these, in order
    std::vector<double> rows_per_weight_;
};

}  // namespace branchwork
