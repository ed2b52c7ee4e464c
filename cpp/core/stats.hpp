// Statistics of rows add up: that one fact gives the running scan, the tally of categories and values, and the
// sums of a cluster. The kinds of target:
//
//   ClassRows<Count>   rows of classes; their statistics are ClassCounts<Count>, with Count = int64 for unit
//                      weights (exact) and double for real ones
//   ValueRows          rows of numbers; their statistics are Moments about a centre near the node's mean, so
//                      that sums of squares keep their digits
//   CountRows          rows of counts for the Poisson deviance; Moments about 0, with t log t for the squares
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/columns.hpp"
#include "core/compiler.hpp"

namespace branchwork {

/// What a target is. Code that differs between kinds asks for this constant, so a kind of statistics that it does
/// not know does not compile.
enum class TargetKind : std::uint8_t { classes, values, counts };

template <class S>
concept Stats = requires(S s, const S c) {
    { s += c } -> std::same_as<S&>;
    { s -= c } -> std::same_as<S&>;
    { c.weight() } -> std::convertible_to<double>;
    { s.clear() };
    { S::of_classes } -> std::convertible_to<bool>;
};

/// The target of some rows, as scans read it: a light view of a Target for one kind.
template <class T>
concept TargetRows = Stats<typename T::Stats> && requires(const T t, Row row, typename T::Stats stats) {
    { T::kind } -> std::convertible_to<TargetKind>;
    { T::counts_rows } -> std::convertible_to<bool>;  // statistics are whole numbers
    { t.size() } -> std::convertible_to<std::size_t>;
    { t.samples(stats) } -> std::convertible_to<double>;
    { t.label(row) };
    { t.add(row, double{}, stats) };
    { t.prefetch_row(row) };
};

/// Rows of the table's own order are summed in blocks of this many, whatever the threads or partitions do.
inline constexpr Row block_shift = 12;  // 4 096 rows

/// Two classes are common enough for counts that live in registers: `Classes` is 2 for them, 0 for any
/// number.
template <class C, std::size_t Classes = 0>
struct ClassCounts {
    using Count = C;
    static constexpr bool of_classes = true;
    std::conditional_t<Classes == 0, std::vector<Count>, std::array<Count, Classes>>
        of{};  // one per declared class
    Count total = 0;

    explicit ClassCounts(std::size_t classes = Classes) {
        if constexpr (Classes == 0) of.resize(classes);
    }
    void clear() {
        std::ranges::fill(of, Count{0});
        total = 0;
    }
    double weight() const { return static_cast<double>(total); }
    void add(std::int32_t cls, Count w) {
        of[static_cast<std::size_t>(cls)] += w;
        total += w;
    }
    ClassCounts& operator+=(const ClassCounts& other) {
        for (std::size_t c = 0; c < of.size(); ++c) of[c] += other.of[c];
        total += other.total;
        return *this;
    }
    ClassCounts& operator-=(const ClassCounts& other) {
        for (std::size_t c = 0; c < of.size(); ++c) of[c] -= other.of[c];
        total -= other.total;
        return *this;
    }
    bool is_pure() const {
        std::size_t present = 0;
        for (const Count n : of) present += n > 0;
        return present <= 1;
    }
};

struct Moments {
    static constexpr bool of_classes = false;
    double w = 0;  // sum of weights
    double s = 0;  // sum of w * (t - centre)
    double q = 0;  // sum of w * (t - centre)^2

    double weight() const { return w; }
    void clear() { *this = {}; }
    Moments& operator+=(const Moments& other) {
        w += other.w, s += other.s, q += other.q;
        return *this;
    }
    Moments& operator-=(const Moments& other) {
        w -= other.w, s -= other.s, q -= other.q;
        return *this;
    }
    /// Sum of squared deviations from the mean; rounding must not make it negative.
    double squared_deviations() const {
        if (w <= 0) return 0;
        const double deviations = q - s * s / w;
        return deviations > 0 ? deviations : 0;
    }
};

static_assert(Stats<ClassCounts<std::int64_t>> && Stats<ClassCounts<double, 2>> && Stats<Moments>);

/// Asks the processor to fetch memory that will be read soon; a hint, where the compiler has one.
inline void prefetch(const void* address) { BRANCHWORK_PREFETCH(address); }

/// A target of classes: one code per row, weights or none.
template <class Count, std::size_t Classes = 0>
struct ClassRows {
    using Stats = ClassCounts<Count, Classes>;
    std::span<const std::int32_t> codes;
    std::span<const double> weights;  // empty for unit weights
    std::size_t classes = 0;
    std::span<const double> rows_per_weight;  // of each class: 1 / its class weight; empty: no class weights
    std::span<const Row> sample_row = {};     // of each row; empty: these are the sample's rows

    static constexpr TargetKind kind = TargetKind::classes;
    static constexpr bool has_weights = !std::integral<Count>;
    static constexpr bool counts_rows = !has_weights;  // statistics are whole numbers

    std::size_t size() const { return codes.size(); }
    Count weight(Row row) const {
        if constexpr (std::integral<Count>)
            return 1;
        else
            return weights[row];
    }
    /// What limits on samples are compared with: the weight without class weights.
    double samples(const Stats& counts) const {
        if (rows_per_weight.empty()) return counts.weight();
        double sum = 0;
        for (std::size_t c = 0; c < counts.of.size(); ++c)
            sum += static_cast<double>(counts.of[c]) * rows_per_weight[c];
        return sum;
    }
    std::int32_t label(Row row) const { return codes[row]; }
    void add(Row row, double, Stats& to) const { to.add(codes[row], weight(row)); }
    void prefetch_row(Row row) const {
        prefetch(&codes[row]);
        if constexpr (!std::integral<Count>) prefetch(&weights[row]);
    }
};

/// A target of numbers.
struct ValueRows {
    using Stats = Moments;
    static constexpr TargetKind kind = TargetKind::values;
    static constexpr bool counts_rows = false;
    static constexpr bool centred = true;  // moments are about a point near the node's mean
    std::span<const double> values;
    std::span<const double> weights;       // empty for unit weights
    std::span<const Row> sample_row = {};  // of each row; empty: these are the sample's rows

    std::size_t size() const { return values.size(); }
    double weight(Row row) const { return weights.empty() ? 1.0 : weights[row]; }
    double label(Row row) const { return values[row]; }
    static double samples(const Moments& moments) { return moments.w; }
    Moments moments(Row row, double centre) const {
        const double t = values[row] - centre;
        if (weights.empty()) return {1.0, t, t * t};
        const double w = weights[row];
        return {w, w * t, w * t * t};
    }
    void add(Row row, double centre, Moments& to) const { to += moments(row, centre); }
    void prefetch_row(Row row) const {
        prefetch(&values[row]);
        if (!weights.empty()) prefetch(&weights[row]);
    }
};

/// A target of counts, for the Poisson deviance: moments are about 0, and `q` sums t log t.
struct CountRows : ValueRows {
    static constexpr TargetKind kind = TargetKind::counts;
    static constexpr bool centred = false;
    Moments moments(Row row, double) const {
        const double t = values[row];
        const double w = weight(row);
        return {w, w * t, t > 0 ? w * t * std::log(t) : 0.0};
    }
    void add(Row row, double centre, Moments& to) const { to += moments(row, centre); }
};

static_assert(TargetRows<ClassRows<std::int64_t>> && TargetRows<ClassRows<double, 2>>);
static_assert(TargetRows<ValueRows> && TargetRows<CountRows>);

template <class T>
inline constexpr bool is_classes = T::kind == TargetKind::classes;

/// The place in the sample of a row that may have been copied.
template <TargetRows T>
Row in_sample(const T& target, Row row) {
    return target.sample_row.empty() ? row : target.sample_row[row];
}

/// What a group of rows has in common: one label, or a mixture. A gap between two groups that hold one and
/// the same label is no candidate for recipes that cut only where the class changes.
template <class Label>
struct Sameness {
    Label label{};
    enum State : std::uint8_t { empty, pure, mixed } state = empty;

    void see(Label other) {
        if (state == empty)
            label = other, state = pure;
        else if (label != other)
            state = mixed;
    }
    bool same_pure_label_as(const Sameness& other) const {
        return state == pure && other.state == pure && label == other.label;
    }
};

}  // namespace branchwork
