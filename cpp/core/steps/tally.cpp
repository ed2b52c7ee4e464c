#include "core/steps/tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/search/scorer.hpp"

namespace branchwork {
namespace {

/// Adds a row of the table to a row of statistics.
struct Adder {
    const Target& target;
    double centre;
    bool counts;  // Poisson deviance: the third number is the sum of w t ln t instead of w t²

    void operator()(double* stats, Row row) const {
        const double w = target.weights.empty() ? 1.0 : target.weights[row];
        if (target.is_classes()) {
            stats[target.codes[row]] += w;
            return;
        }
        const double t = target.values[row] - centre;
        stats[0] += w;
        stats[1] += w * t;
        stats[2] += w * (counts ? (t > 0 ? t * std::log(t) : 0) : t * t);
    }
};

ColumnTally tally_nominal(const Column& column, std::span<const Row> rows, std::size_t width,
                          const Adder& add, const Pulse& pulse) {
    ColumnTally out;
    out.nominal = true;
    out.stats.assign((static_cast<std::size_t>(column.levels) + 1) * width, 0.0);
    in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
        for (const Row row : rows.subspan(begin, end - begin))
            add(&out.stats[static_cast<std::size_t>(code_at(column, row) + 1) * width], row);
    });
    return out;
}

using KnownCell = std::pair<double, Row>;

ColumnTally tally_numeric(const Column& column, std::span<const Row> rows, std::size_t width,
                          const Adder& add, const Pulse& pulse) {
    std::vector<KnownCell> known;
    std::vector<Row> missing;
    in_blocks(rows.size(), pulse, [&](std::size_t begin, std::size_t end) {
        for (const Row row : rows.subspan(begin, end - begin)) {
            const double x = number_at(column, row);
            if (std::isnan(x))
                missing.push_back(row);
            else
                known.emplace_back(x, row);
        }
    });
    sort_in_blocks(std::span(known), pulse,
                   [](const KnownCell& a, const KnownCell& b) { return a.first < b.first; });
    ColumnTally out;
    out.stats.assign(width, 0.0);
    for (const Row row : missing) add(out.stats.data(), row);
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (i % 65'536 == 0) pulse.check();
        const auto [x, row] = known[i];
        const bool fresh = out.values.empty() || out.values.back() != x;
        if (fresh) {
            out.values.push_back(x);
            out.stats.insert(out.stats.end(), width, 0.0);
        }
        add(&out.stats[out.values.size() * width], row);
        if (add.target.is_classes()) continue;
        if (fresh)
            out.labels.push_back(add.target.values[row]);
        else if (out.labels.back() != add.target.values[row])
            out.labels.back() = std::numeric_limits<double>::quiet_NaN();
    }
    return out;
}

/// Adds two tallies of the same categorical feature.
ColumnTally sum_of_categories(ColumnTally a, const ColumnTally& b) {
    if (a.stats.size() != b.stats.size())
        throw std::invalid_argument("tallies of different tables do not add up");
    for (std::size_t k = 0; k < a.stats.size(); ++k) a.stats[k] += b.stats[k];
    return a;
}

/// Adds two tallies of the same numeric feature by merging their sorted values. Row 0 is for missing values.
ColumnTally sum_of_values(const ColumnTally& a, const ColumnTally& b, std::size_t width) {
    ColumnTally out;
    out.stats.assign(width, 0.0);
    const auto add = [&](const ColumnTally& from, std::size_t row, double* to) {
        for (std::size_t k = 0; k < width; ++k) to[k] += from.stats[row * width + k];
    };
    add(a, 0, out.stats.data()), add(b, 0, out.stats.data());
    std::size_t i = 0, j = 0;
    while (i < a.values.size() || j < b.values.size()) {
        const bool of_a = j == b.values.size() || (i < a.values.size() && a.values[i] <= b.values[j]);
        const bool of_b = i == a.values.size() || (j < b.values.size() && b.values[j] <= a.values[i]);
        out.values.push_back(of_a ? a.values[i] : b.values[j]);
        out.stats.insert(out.stats.end(), width, 0.0);
        double* const last = &out.stats[out.values.size() * width];
        if (!a.labels.empty() || !b.labels.empty()) {
            const double label_a = of_a ? a.labels[i] : b.labels[j], label_b = of_b ? b.labels[j] : label_a;
            out.labels.push_back(label_a == label_b ? label_a : std::numeric_limits<double>::quiet_NaN());
        }
        if (of_a) add(a, ++i, last);
        if (of_b) add(b, ++j, last);
    }
    return out;
}

}  // namespace

double NodeTally::weight() const {
    return classes ? std::accumulate(total.begin(), total.end(), 0.0) : total[0];
}

double NodeTally::samples() const {
    return rows_per_weight.empty()
               ? weight()
               : std::inner_product(total.begin(), total.end(), rows_per_weight.begin(), 0.0);
}

bool NodeTally::pure() const {
    if (!classes) return !std::isnan(label);
    return std::ranges::count_if(total, [](double weight_of_class) { return weight_of_class > 0; }) <= 1;
}

double NodeTally::variance() const {
    const double w = weight();
    return !classes && w > 1 ? deviations / (w - 1) : 0;
}

double NodeTally::mean() const { return classes || !(weight() > 0) ? 0 : centre + total[1] / total[0]; }

NodeTally& NodeTally::operator+=(const NodeTally& other) {
    if (other.rows == 0) return *this;
    if (rows == 0) return *this = other;
    if (width != other.width || classes != other.classes || columns.size() != other.columns.size())
        throw std::invalid_argument("tallies of different tables do not add up");
    if (centre != other.centre) throw std::invalid_argument("tallies about different centres do not add up");
    if (!classes) {
        if (label != other.label) label = std::numeric_limits<double>::quiet_NaN();
        const double apart = other.mean() - mean(), w = weight(), more = other.weight();
        deviations += other.deviations + apart * apart * (w * more / (w + more));
    }
    unit_weights &= other.unit_weights;
    rows += other.rows;
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += other.total[k];
    for (std::size_t j = 0; j < columns.size(); ++j)
        columns[j] = columns[j].nominal ? sum_of_categories(columns[j], other.columns[j])
                                        : sum_of_values(columns[j], other.columns[j], width);
    return *this;
}

NodeTally tally(std::span<const Column> columns, const Target& target, std::span<const Row> rows,
                const Options& options, std::optional<double> centre, const Pulse& pulse) {
    NodeTally out;
    out.width = target.width();
    out.classes = target.is_classes();
    out.unit_weights = out.classes && target.weights.empty();
    out.rows = rows.size();
    out.rows_per_weight.assign(target.rows_per_weight.begin(), target.rows_per_weight.end());
    if (out.classes) out.total.resize(out.width);
    Options counting = options;  // counting classes needs no score, so do not call a user-defined one
    if (options.criterion == Criterion::own) counting.criterion = Criterion::accuracy;
    const NodeFacts node = make_scorer(target, counting, rows.size(), pulse)->describe(0, rows, out.total);
    out.centre = centre.value_or(node.centre);
    if (!out.classes) {
        out.label =
            node.pure && !rows.empty() ? target.values[rows[0]] : std::numeric_limits<double>::quiet_NaN();
        const bool about_mean = options.criterion != Criterion::poisson;
        out.deviations = about_mean ? node.moments.squared_deviations() : node.variance * (node.weight - 1);
        out.total = {node.moments.w, node.moments.s, node.moments.q};
        if (out.centre != node.centre && about_mean) {
            const double shift = node.centre - out.centre;
            out.total[2] += shift * (2 * node.moments.s + shift * node.moments.w);
            out.total[1] += shift * node.moments.w;
        }
    }
    const Adder add{target, out.centre, options.criterion == Criterion::poisson};
    for (const Column& column : columns)
        out.columns.push_back(column.nominal ? tally_nominal(column, rows, out.width, add, pulse)
                                             : tally_numeric(column, rows, out.width, add, pulse));
    return out;
}

}  // namespace branchwork
