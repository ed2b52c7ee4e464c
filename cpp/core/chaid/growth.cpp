#include "core/chaid/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/chaid/sums.hpp"
#include "core/chaid/value_table.hpp"

namespace branchwork::chaid {

/// The memory that one thread needs to look at features.
struct Growth::Space {
    std::vector<std::uint16_t> codes;    // per row: its category, later the index among those present
    std::vector<std::uint32_t> rows_in;  // per category: number of rows, later the index among those present
    std::vector<std::uint32_t> counts;
    std::vector<double> table;
    MergingSpace<ClassTable> of_classes;
    MergingSpace<ValueTable> of_values;
    std::int64_t tests = 0;
};

Growth::Growth(std::span<const Categories> columns, const Target& target, const Settings& settings,
               const SpecialFunctions& special, std::vector<Row> rows, int threads)
    : columns_(columns),
      target_(target),
      settings_(settings),
      special_(special),
      threads_(threads),
      rows_(std::move(rows)),
      begins_{0, rows_.size()} {}

// ---- the targets of nodes ----------------------------------------------------------------------------------

NodeTargets Growth::describe(const Pulse& pulse) {
    NodeTargets out;
    const std::size_t width = target_.is_classes() ? target_.classes : 1;
    out.value.resize(nodes() * width);
    for (auto* const numbers : {&out.weight, &out.spread, &out.unit}) numbers->resize(nodes());
    out.n_rows.resize(nodes());
    if (target_.is_classes()) {
        label_.resize(rows_.size());
        classes_.resize(nodes());
        per_weight_.assign(nodes(), {});
    } else {
        scaled_.resize(rows_.size());
    }
    Team threads = team(rows_.size());
    std::vector<std::vector<std::int32_t>> place(static_cast<std::size_t>(threads.size()));
    threads.run(nodes(), [&](std::size_t node, int worker) {
        pulse.check();
        out.n_rows[node] = static_cast<std::int64_t>(rows_of(node).size());
        if (target_.is_classes())
            describe_classes(node, out, place[static_cast<std::size_t>(worker)]);
        else
            describe_values(node, out);
    });
    return out;
}

void Growth::describe_classes(std::size_t node, NodeTargets& out, std::vector<std::int32_t>& place) {
    const std::span<double> counts = std::span(out.value).subspan(node * target_.classes, target_.classes);
    for (const Row row : rows_of(node))
        counts[static_cast<std::size_t>(target_.codes[row])] += target_.weight(row);
    out.weight[node] = sum_in_pairs(counts.size(), [&](std::size_t c) { return counts[c]; });
    place.resize(target_.classes);
    std::int32_t occur = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (!(counts[c] > 0)) continue;
        place[c] = occur++;
        if (!target_.rows_per_weight.empty()) per_weight_[node].push_back(target_.rows_per_weight[c]);
    }
    classes_[node] = occur;
    for (std::size_t i = begins_[node]; i < begins_[node + 1]; ++i)
        label_[i] = place[static_cast<std::size_t>(target_.codes[rows_[i]])];
}

/// Numbers are centred before they are summed, to lose fewer bits. The middle of the range does not depend on the order
/// of rows.
void Growth::describe_values(std::size_t node, NodeTargets& out) {
    const std::span<const Row> rows = rows_of(node);
    const std::span<double> y = std::span(scaled_).subspan(begins_[node], rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) y[i] = target_.values[rows[i]];
    const auto [least, most] = std::ranges::minmax(y);
    const double weight =
        target_.weights.empty()
            ? static_cast<double>(rows.size())
            : sum_in_pairs(rows.size(), [&](std::size_t i) { return target_.weights[rows[i]]; });
    out.weight[node] = weight;
    if (least == most) {
        out.value[node] = y[0];
        return;
    }
    const auto weighted_sum = [&](auto get) {
        if (target_.weights.empty()) return sum_in_pairs(rows.size(), get);
        return sum_in_pairs(rows.size(), [&](std::size_t i) { return target_.weights[rows[i]] * get(i); });
    };
    const double middle = least / 2 + most / 2;
    const double offset = weighted_sum([&](std::size_t i) { return y[i] - middle; }) / weight;
    double largest = 0;
    for (double& number : y) {
        number = number - middle - offset;
        largest = std::max(largest, std::abs(number));
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double unit = std::ldexp(1.0, exponent);
    for (double& number : y) number /= unit;
    out.value[node] = middle + offset;
    out.unit[node] = unit;
    out.spread[node] = weighted_sum([&](std::size_t i) { return y[i] * y[i]; }) / weight;
}

// ---- the groups of features --------------------------------------------------------------------------------

void Growth::look(std::span<const std::int32_t> open, const Pulse& pulse) {
    open_.assign(open.begin(), open.end());
    looks_.assign(open.size() * columns_.size(), {});
    std::size_t cells = 0;
    for (const std::int32_t node : open)
        cells += rows_of(static_cast<std::size_t>(node)).size() * columns_.size();
    rows_visited_ += static_cast<std::int64_t>(cells);
    Team threads = team(cells);
    std::vector<Space> spaces(static_cast<std::size_t>(threads.size()));
    threads.run(looks_.size(), [&](std::size_t k, int worker) {
        pulse.check();
        const auto node = static_cast<std::size_t>(open[k / columns_.size()]);
        look_at(node, columns_[k % columns_.size()], spaces[static_cast<std::size_t>(worker)], pulse,
                looks_[k]);
    });
    for (const Space& space : spaces) tests_ += space.tests;
}

void Growth::look_at(std::size_t node, const Categories& column, Space& space, const Pulse& pulse,
                     Look& look) const {
    const std::span<const Row> rows = rows_of(node);
    space.codes.resize(rows.size());
    space.rows_in.assign(column.count + 1, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) ++space.rows_in[space.codes[i] = column.codes[rows[i]]];
    for (std::size_t k = 0; k <= column.count; ++k) {
        if (space.rows_in[k] == 0) continue;
        space.rows_in[k] = static_cast<std::uint32_t>(look.present.size());  // from now on, an index
        look.present.push_back(static_cast<std::uint16_t>(k));
    }
    look.categories = static_cast<std::uint16_t>(look.present.size());
    look.has_missing = look.present.back() == column.count;
    if (look.present.size() < 2) return;
    for (std::uint16_t& code : space.codes) code = static_cast<std::uint16_t>(space.rows_in[code]);
    const Scale scale = !column.is_ordered ? Scale::nominal
                        : look.has_missing ? Scale::floating
                                           : Scale::ordinal;
    std::optional<Merged> merged;
    if (target_.is_classes()) {
        count_classes(node, space, look.present.size());
        const ClassTable table(space.table, static_cast<std::size_t>(classes_[node]), per_weight_[node],
                               settings_.statistic, special_);
        merged = merge(table, scale, settings_, space.of_classes, pulse, space.tests);
    } else {
        count_values(node, space, look.present.size());
        const ValueTable table(space.table, special_);
        merged = merge(table, scale, settings_, space.of_values, pulse, space.tests);
    }
    look.outcome = merged ? Outcome::groups : Outcome::too_few_rows;
    if (merged) look.merged = std::move(*merged);
}

void Growth::count_classes(std::size_t node, Space& space, std::size_t categories) const {
    const auto classes = static_cast<std::size_t>(classes_[node]);
    const std::span<const Row> rows = rows_of(node);
    const std::int32_t* const label = label_.data() + begins_[node];
    const auto width = classes + 1;  // the last column is for sums, which ClassTable fills in
    const auto cell = [&](std::size_t i) {
        return space.codes[i] * width + static_cast<std::size_t>(label[i]);
    };
    space.table.assign(categories * width, 0.0);
    if (target_.weights.empty()) {
        space.counts.assign(categories * width, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) ++space.counts[cell(i)];
        std::ranges::copy(space.counts, space.table.begin());
    } else {
        for (std::size_t i = 0; i < rows.size(); ++i) space.table[cell(i)] += target_.weights[rows[i]];
    }
}

void Growth::count_values(std::size_t node, Space& space, std::size_t categories) const {
    const std::span<const Row> rows = rows_of(node);
    const double* const y = scaled_.data() + begins_[node];
    const auto row_of = [&](std::size_t i) {
        return space.table.data() + space.codes[i] * ValueTable::columns;
    };
    const auto weight = [&](std::size_t i) { return target_.weight(rows[i]); };
    space.table.assign(categories * ValueTable::columns, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double* const own = row_of(i);
        own[0] += weight(i);
        own[1] += weight(i) * y[i];
    }
    for (std::size_t k = 0; k < categories; ++k)
        space.table[k * ValueTable::columns + 1] /= space.table[k * ValueTable::columns];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double* const own = row_of(i);
        const double apart = y[i] - own[1];
        own[2] += weight(i) * (apart * apart);
    }
}

// ---- the splits --------------------------------------------------------------------------------------------

void Growth::append_parts(std::size_t at, std::vector<double>& out) const {
    const Look& look = looks_[at];
    if (look.outcome != Outcome::groups) return;
    const Categories& column = columns_[at % columns_.size()];
    const std::vector<std::uint16_t>& group_of = look.merged.group_of;
    if (!column.is_numeric) {
        const std::size_t begin = out.size();
        out.resize(begin + column.count + 1, -1.0);
        for (std::size_t k = 0; k < look.present.size(); ++k) out[begin + look.present[k]] = group_of[k];
        return;
    }
    const std::size_t known = look.present.size() - (look.has_missing ? 1 : 0);
    for (std::size_t k = 1; k < known; ++k)
        if (group_of[k] > group_of[k - 1]) out.push_back(column.bounds[look.present[k - 1]]);
    if (look.has_missing &&
        std::ranges::find(group_of.begin(), group_of.end() - 1, group_of.back()) == group_of.end() - 1)
        out.push_back(std::numeric_limits<double>::infinity());
}

std::vector<std::int32_t> Growth::part(std::span<const std::int32_t> chosen, const Pulse& pulse) {
    std::vector<Row> next;
    next.reserve(rows_.size());
    std::vector<std::size_t> begins{0};
    std::vector<std::int32_t> heaviest;
    std::vector<std::uint16_t> group_of_code;
    std::vector<double> weight;
    for (std::size_t k = 0; k < open_.size(); ++k) {
        if (chosen[k] < 0) continue;
        pulse.check();
        const auto j = static_cast<std::size_t>(chosen[k]);
        const Look& look = looks_[k * columns_.size() + j];
        const std::span<const Row> rows = rows_of(static_cast<std::size_t>(open_[k]));
        group_of_code.assign(columns_[j].count + 1, 0);
        for (std::size_t i = 0; i < look.present.size(); ++i)
            group_of_code[look.present[i]] = look.merged.group_of[i];
        weight.assign(look.merged.groups, 0.0);
        std::vector<std::size_t> place(look.merged.groups + 1u, 0);
        for (const Row row : rows) {
            const std::uint16_t group = group_of_code[columns_[j].codes[row]];
            ++place[group + 1u];
            weight[group] += target_.weight(row);
        }
        place[0] = next.size();
        for (std::size_t g = 0; g < weight.size(); ++g) begins.push_back(place[g + 1] += place[g]);
        next.resize(next.size() + rows.size());
        for (const Row row : rows) next[place[group_of_code[columns_[j].codes[row]]]++] = row;
        heaviest.push_back(static_cast<std::int32_t>(std::ranges::max_element(weight) - weight.begin()));
    }
    rows_ = std::move(next);
    begins_ = std::move(begins);
    open_.clear();
    looks_.clear();
    return heaviest;
}

}  // namespace branchwork::chaid
