// A tree that Python passes to the core for prediction.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/bind.hpp"
#include "core/predict/apply.hpp"

namespace branchwork {

/// The arrays of a tree, ready for prediction. A Walker may live until the interpreter shuts down, when NumPy no longer
/// releases buffers that it has exported. So it keeps the arrays alive as Python objects, not as buffers.
class Walker {
  public:
    Walker(nb::object feature, nb::object cut, nb::object first_child, nb::object lookup, nb::object pool,
           nb::object bounds, nb::object default_child, nb::object unseen_child, nb::object n_children,
           nb::object weight, const std::optional<nb::sequence>& surrogates)
        : view_{keep<std::int32_t>(feature),
                keep<std::int32_t>(first_child),
                keep<std::int32_t>(lookup),
                keep<std::int32_t>(pool),
                keep<std::int32_t>(default_child),
                keep<std::int32_t>(unseen_child),
                keep<double>(cut),
                keep<std::int32_t>(n_children),
                keep<double>(bounds),
                {}},
          weight_(keep<double>(weight)) {
        if (!surrogates) return;
        const auto s = vector_of<nb::object>(*surrogates);
        if (s.size() != 7) throw std::invalid_argument("surrogates have seven arrays");
        view_.surrogates = {keep<std::int32_t>(s[0]), keep<std::int32_t>(s[1]), keep<std::int32_t>(s[2]),
                            keep<std::int32_t>(s[3]), keep<std::int32_t>(s[4]), keep<std::int32_t>(s[5]),
                            keep<double>(s[6])};
    }

    const TreeView& view() const { return view_; }
    std::span<const double> weight() const { return weight_; }
    /// Whether a thread that watches for Ctrl-C would cost more than the walk itself.
    bool is_small(std::size_t rows) const { return rows * view_.feature.size() < std::size_t{1} << 24; }

  private:
    template <class T>
    std::span<const T> keep(const nb::object& array) {
        owners_.push_back(array);
        return span_of(nb::cast<ArrayIn<T>>(array, false));
    }

    std::vector<nb::object> owners_;
    TreeView view_;
    std::span<const double> weight_;
};

}  // namespace branchwork
