#include "core/chaid/categories.hpp"

#include <algorithm>
#include <cmath>

#include "core/chaid/sums.hpp"
#include "core/prepare/sorted_column.hpp"

namespace branchwork::chaid {
namespace {

Categories of_nominal(const Column& column, std::size_t rows, bool is_ordinal) {
    Categories found{{}, static_cast<std::size_t>(column.levels), is_ordinal, false, {}};
    if (found.count > most_codes) return found;
    found.codes.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int32_t code = code_at(column, row);
        found.codes[row] =
            static_cast<std::uint16_t>(code < 0 ? found.count : static_cast<std::size_t>(code));
    }
    return found;
}

/// Returns the interval of each distinct value, in ascending order, from the weights of the values. Intervals without
/// any value are skipped, so that the numbers are consecutive.
std::vector<std::uint32_t> intervals(std::span<const double> weight, std::size_t bins) {
    const double all = sum_in_pairs(weight.size(), [&](std::size_t k) { return weight[k]; });
    std::vector<std::uint32_t> found(weight.size());
    double before = 0, wanted = 0;
    for (std::size_t k = 0; k < weight.size(); ++k) {
        const double own = std::floor((before + (weight[k] + 1) / 2) * static_cast<double>(bins) / (all + 1));
        if (k > 0) found[k] = found[k - 1] + (own > wanted ? 1 : 0);
        wanted = own;
        before += weight[k];
    }
    return found;
}

Categories of_numeric(const Column& column, std::size_t rows, std::size_t bins,
                      std::span<const double> weights, std::vector<Entry>& entries, SortSpace& space,
                      const Pulse& pulse) {
    std::int64_t visits = 0;
    sort_column(column, rows, Tags(), entries, space, pulse, visits);
    std::vector<double> weight;  // of each distinct value
    std::vector<Row> row_of;     // a row that holds it
    for (const Entry& entry : entries) {
        if (entry.is_missing()) break;
        if (entry.rank == weight.size()) {
            weight.push_back(0);
            row_of.push_back(entry.tag);
        }
        weight[entry.rank] += weights.empty() ? 1.0 : weights[entry.tag];
    }
    Categories found{{}, weight.size(), true, true, {}};
    std::vector<std::uint32_t> interval;
    if (weight.size() > bins) {
        interval = intervals(weight, bins);
        found.count = interval.back() + 1u;
    }
    if (found.count > most_codes) return found;
    for (std::size_t k = 1; k < weight.size(); ++k)
        if (interval.empty() || interval[k] > interval[k - 1])
            found.bounds.push_back(
                cut_between(number_at(column, row_of[k - 1]), number_at(column, row_of[k])) +
                0.0);  // turns -0.0 into 0.0
    found.codes.resize(rows);
    for (const Entry& entry : entries)
        found.codes[entry.tag] = static_cast<std::uint16_t>(entry.is_missing() ? found.count
                                                            : interval.empty() ? entry.rank
                                                                               : interval[entry.rank]);
    return found;
}

}  // namespace

std::vector<Categories> categories_of(std::span<const Column> columns, std::size_t rows,
                                      std::span<const std::uint8_t> ordinal, std::size_t bins,
                                      std::span<const double> weights, int threads, const Pulse& pulse) {
    std::vector<Categories> found(columns.size());
    Team team(rows * columns.size() < parallel_cells ? 1 : threads);
    std::vector<std::vector<Entry>> entries(static_cast<std::size_t>(team.size()));
    std::vector<SortSpace> space(entries.size());
    team.run(columns.size(), [&](std::size_t j, int worker) {
        pulse.check();
        const auto at = static_cast<std::size_t>(worker);
        const bool keeps_all = ordinal[j] != 0;
        found[j] = columns[j].nominal ? of_nominal(columns[j], rows, keeps_all)
                                      : of_numeric(columns[j], rows, keeps_all ? rows : bins, weights,
                                                   entries[at], space[at], pulse);
    });
    return found;
}

}  // namespace branchwork::chaid
