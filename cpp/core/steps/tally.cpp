#include "core/steps/tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/search/scorer.hpp"

namespace branchwork {
namespace {

/// Adds one row of the table to a row of statistics.
struct Adder {
    const Target& target;
    double centre;
    bool counts;  // the third number is for the Poisson deviance

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
                          const Adder& add) {
    ColumnTally out;
    out.nominal = true;
    out.stats.assign((static_cast<std::size_t>(column.levels) + 1) * width, 0.0);
    for (const Row row : rows)
        add(&out.stats[static_cast<std::size_t>(code_at(column, row) + 1) * width], row);
    return out;
}

ColumnTally tally_numeric(const Column& column, std::span<const Row> rows, std::size_t width,
                          const Adder& add) {
    std::vector<std::pair<double, Row>> known;
    std::vector<Row> missing;
    for (const Row row : rows) {
        const double x = number_at(column, row);
        if (std::isnan(x))
            missing.push_back(row);
        else
            known.emplace_back(x, row);
    }
    std::ranges::stable_sort(known, {}, &std::pair<double, Row>::first);
    ColumnTally out;
    out.stats.assign(width, 0.0);
    for (const Row row : missing) add(out.stats.data(), row);
    for (const auto& [x, row] : known) {
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

}  // namespace

double NodeTally::weight() const {
    return classes ? std::accumulate(total.begin(), total.end(), 0.0) : total[0];
}

double NodeTally::samples() const {
    return rows_per_weight.empty()
               ? weight()
               : std::inner_product(total.begin(), total.end(), rows_per_weight.begin(), 0.0);
}

NodeTally tally(std::span<const Column> columns, const Target& target, std::span<const Row> rows,
                const Options& options) {
    NodeTally out;
    out.width = target.width();
    out.classes = target.is_classes();
    out.unit_weights = out.classes && target.weights.empty();
    out.rows = rows.size();
    out.rows_per_weight.assign(target.rows_per_weight.begin(), target.rows_per_weight.end());
    if (out.classes) out.total.resize(out.width);
    const NodeFacts node = make_scorer(target, options, rows.size())->describe(0, rows, out.total);
    out.centre = node.centre;
    out.pure = node.pure;
    out.variance = node.variance;
    if (!out.classes) out.total = {node.moments.w, node.moments.s, node.moments.q};
    const Adder add{target, out.centre, options.criterion == Criterion::poisson};
    for (const Column& column : columns)
        out.columns.push_back(column.nominal ? tally_nominal(column, rows, out.width, add)
                                             : tally_numeric(column, rows, out.width, add));
    return out;
}

}  // namespace branchwork
