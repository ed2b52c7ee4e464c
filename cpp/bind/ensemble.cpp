// Prediction with many trees.
#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include "bind/bind.hpp"
#include "bind/walker.hpp"
#include "core/predict/ensemble.hpp"

namespace branchwork {
namespace {

/// Memory for a result that is not set to zero first.
template <class T, std::size_t Axes>
class Result {
  public:
    explicit Result(const std::array<std::size_t, Axes>& shape) : shape_(shape) {
        for (const std::size_t length : shape) size_ *= length;
        data_ = std::make_unique_for_overwrite<T[]>(size_);
    }

    std::span<T> span() { return {data_.get(), size_}; }
    auto hand_over() {
        T* const data = data_.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        return nb::ndarray<nb::numpy, T, nb::ndim<Axes>>(data, Axes, shape_.data(), owner);
    }

  private:
    std::array<std::size_t, Axes> shape_;
    std::size_t size_ = 1;
    std::unique_ptr<T[]> data_;
};

Road road_called(const std::string& name) {
    if (name == "automatic") return Road::automatic;
    if (name == "plain") return Road::plain;
    if (name == "few_rows") return Road::few_rows;
    if (name == "many_rows") return Road::many_rows;
    throw std::invalid_argument("a road is automatic, plain, few_rows or many_rows");
}

std::optional<Form> form_called(const std::string& name) {
    if (name == "automatic") return std::nullopt;
    if (name == "raw") return Form::raw;
    if (name == "bytes") return Form::bytes;
    if (name == "words") return Form::words;
    throw std::invalid_argument("a form is automatic, raw, bytes or words");
}

/// An ensemble. It keeps its trees and outputs alive as Python objects, for the same reason as Walker.
class EnsembleView {
  public:
    EnsembleView(const nb::sequence& walkers, const nb::sequence& values, const nb::sequence& outputs,
                 const nb::sequence& shares, const nb::sequence& base, const nb::sequence& levels,
                 const std::string& form)
        : ensemble_(members(vector_of<nb::object>(walkers), vector_of<nb::object>(values),
                            vector_of<std::int32_t>(outputs), vector_of<bool>(shares)),
                    vector_of<double>(base), vector_of<std::int32_t>(levels), form_called(form)) {}

    const Ensemble& ensemble() const { return ensemble_; }

    auto sums(const TableView& table, int threads, const std::optional<nb::sequence>& stages,
              const std::optional<nb::sequence>& copies, const std::string& road) const {
        const auto ends = stages ? vector_of<std::size_t>(*stages) : std::vector{ensemble_.members().size()};
        if (ends.empty() || !std::ranges::is_sorted(ends) || ends.back() > ensemble_.members().size())
            throw std::invalid_argument("stages must be ascending numbers of trees");
        std::vector<ArrayIn<std::uint32_t>> arrays;
        std::vector<std::span<const std::uint32_t>> of_trees;
        if (copies) {
            arrays = vector_of<ArrayIn<std::uint32_t>>(*copies, false);
            for (const auto& one : arrays) {
                if (one.size() != table.rows)
                    throw std::invalid_argument("one number of copies for each row");
                of_trees.push_back(span_of(one));
            }
            if (of_trees.size() != ensemble_.members().size())
                throw std::invalid_argument("one array of copies for each tree");
        }
        Result<double, 3> result({ends.size(), table.rows, ensemble_.base().size()});
        Batch batch;
        batch.sums = result.span();
        batch.stages = ends;
        batch.copies = of_trees;
        predict(table, batch, threads, road);
        return result.hand_over();
    }

    auto leaves(const TableView& table, int threads, const std::string& road) const {
        Result<std::int32_t, 2> result({table.rows, ensemble_.members().size()});
        Batch batch;
        batch.leaves = result.span();
        predict(table, batch, threads, road);
        return result.hand_over();
    }

    std::string form() const { return called(packed().form); }
    const PackedEnsemble& packed() const {
        const PackedEnsemble* all = nullptr;
        run_interruptible(false, [&](Pulse& pulse) { all = &ensemble_.packed(pulse); });
        return *all;
    }

  private:
    static std::string called(Form form) {
        return form == Form::raw ? "raw" : form == Form::bytes ? "bytes" : "words";
    }

    std::vector<Member> members(const std::vector<nb::object>& walkers, const std::vector<nb::object>& values,
                                const std::vector<std::int32_t>& outputs, const std::vector<bool>& shares) {
        if (values.size() != walkers.size() || outputs.size() != walkers.size() ||
            shares.size() != walkers.size())
            throw std::invalid_argument("one array of values, one output and one flag for every tree");
        std::vector<Member> all;
        for (std::size_t t = 0; t < walkers.size(); ++t) {
            owners_.push_back(walkers[t]);
            owners_.push_back(values[t]);
            const auto& walker = nb::cast<const Walker&>(walkers[t]);
            const auto value =
                nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(values[t],
                                                                                                false);
            all.push_back(
                {&walker.view(), walker.weight(), {value.data(), value.size()}, outputs[t], shares[t]});
        }
        return all;
    }

    void predict(const TableView& table, Batch& batch, int threads, const std::string& road) const {
        batch.columns = table.columns;
        batch.rows = table.rows;
        const Road asked = road_called(road);
        run_interruptible(ensemble_.is_small(table.rows),
                          [&](Pulse& pulse) { ensemble_.predict(batch, asked, threads, pulse); });
    }

    std::vector<nb::object> owners_;
    Ensemble ensemble_;
};

}  // namespace

void bind_ensemble(nb::module_& m) {
    nb::class_<EnsembleView>(m, "Ensemble", "Trees that predict together. They are packed on first use.")
        .def(nb::init<const nb::sequence&, const nb::sequence&, const nb::sequence&, const nb::sequence&,
                      const nb::sequence&, const nb::sequence&, const std::string&>(),
             nb::arg("walkers"), nb::arg("values"), nb::arg("outputs"), nb::arg("shares"), nb::arg("base"),
             nb::arg("levels"), nb::arg("form") = "automatic")
        .def(
            "sums", &EnsembleView::sums, nb::arg("columns"), nb::arg("threads"),
            nb::arg("stages").none() = nb::none(), nb::arg("copies").none() = nb::none(),
            nb::arg("road") = "automatic",
            "Return the base plus the outputs of the trees, added in their order, as an array (stages, rows, "
            "outputs). Stage s is the sum over the first stages[s] trees. `copies` has one array of numbers "
            "per tree, and a tree is added only for rows where its number is 0.")
        .def("leaves", &EnsembleView::leaves, nb::arg("columns"), nb::arg("threads"),
             nb::arg("road") = "automatic",
             "Return the leaf of every row in every tree, as an array (rows, trees).")
        .def_prop_ro("form", &EnsembleView::form, "How it is packed: raw, bytes or words.")
        .def_prop_ro(
            "packed_bytes", [](const EnsembleView& view) { return view.packed().bytes(); },
            "Memory of the packed nodes and tables in bytes, without the outputs of leaves.");
}

}  // namespace branchwork
