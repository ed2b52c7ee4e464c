// Helpers that all binding files share: arrays of exactly the expected type, vectors that are moved to NumPy, and calls
// that Ctrl-C can interrupt.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/columns.hpp"
#include "core/parallel.hpp"
#include "core/prepare/prepared.hpp"
#include "core/target.hpp"

namespace nb = nanobind;

namespace branchwork {

/// A read-only contiguous vector from Python. It is bound with .noconvert(), so that it is never silently copied.
template <class T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const ArrayIn<T>& array) {
    return {array.data(), array.size()};
}

/// Moves a vector to NumPy without a copy.
template <class T>
auto array_out(std::vector<T>&& vector) {
    auto owned = std::make_unique<std::vector<T>>(std::move(vector));
    T* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

/// Defines a property that is a read-only view of a vector inside a bound object. The view keeps the object alive.
template <auto Member, class Class>
void array_property(Class& cls, const char* name) {
    using Object = typename Class::Type;
    using T = typename std::remove_cvref_t<decltype(std::declval<Object>().*Member)>::value_type;
    cls.def_prop_ro(
        name,
        [](const Object& object) {
            const std::vector<T>& vector = object.*Member;
            return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(vector.data(), {vector.size()});
        },
        nb::rv_policy::reference_internal);
}

/// The columns of a table. It keeps alive the arrays that it refers to.
struct TableView {
    std::vector<nb::ndarray<nb::ro, nb::device::cpu>> arrays;
    std::vector<Column> columns;
    std::size_t rows = 0;
};

/// A target. It keeps its arrays alive.
struct TargetView {
    std::optional<ArrayIn<std::int32_t>> codes;
    std::optional<ArrayIn<double>> values, weights, rows_per_weight;
    Target target;
};

/// Prepared columns. It keeps alive the arrays that they refer to.
struct PreparedView {
    TableView table;
    Prepared prepared;
};

inline void same_rows(const TableView& table, const TargetView& target) {
    if (table.rows != target.target.rows())
        throw std::invalid_argument("table and target differ in their rows");
}

/// Lists and functions come from Python as such, and the bodies of bound functions convert them: nanobind's own
/// conversions to std::vector and std::function may not throw, so the process would end where memory does.
template <class T>
std::vector<T> vector_of(const nb::sequence& list, bool convert = true) {
    std::vector<T> all;
    all.reserve(nb::len(list));
    for (const nb::handle one : list) all.push_back(nb::cast<T>(one, convert));
    return all;
}

/// Called from time to time during a long call, with the number of rows that are finished.
using Progress = std::optional<nb::callable>;

/// Runs work of the core without the GIL and watches for Ctrl-C. An exception that Python raised in the meantime is
/// raised again, even if the work was completed before it noticed. With `keeps`, it is raised only if the work threw
/// Stopped. `advanced` is called with the GIL.
void run_interruptible(bool small, const std::function<void(Pulse&)>& work,
                       const std::function<void(std::int64_t)>& advanced = {}, bool keeps = false);
inline std::function<void(std::int64_t)> told_to(const Progress& progress) {
    if (!progress) return {};
    return [&progress](std::int64_t done) { (*progress)(done); };
}

void bind_columns(nb::module_& m);
void bind_prepared(nb::module_& m);
void bind_grown_tree(nb::module_& m);
void bind_growth(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_chaid(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_pruning(nb::module_& m);
void bind_prediction(nb::module_& m);
void bind_ensemble(nb::module_& m);

}  // namespace branchwork
