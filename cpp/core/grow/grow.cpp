#include "core/grow/grow.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/grow/book.hpp"
#include "core/grow/drawn.hpp"
#include "core/grow/growth.hpp"
#include "core/grow/in_place.hpp"
#include "core/grow/own_rows.hpp"
#include "core/grow/training_table.hpp"
#include "core/random.hpp"
#include "core/route/data_cuts.hpp"
#include "core/route/defaults.hpp"
#include "core/route/route.hpp"

namespace branchwork {
namespace {

/// The number of nodes to reserve memory for. A tree may have two nodes per row, but seldom does, and with many classes
/// a node is large. So the statistics get at most 64 MB, or a small part of the memory that is known to be free; beyond
/// that, arrays grow and are copied.
std::size_t reserved_nodes(const GrownTree& tree, std::size_t rows, const Options& options) {
    constexpr std::size_t most_nodes = std::size_t{1} << 19, most_bytes = std::size_t{1} << 26;
    constexpr std::int64_t small_part = 8;
    const auto free = static_cast<std::size_t>(std::max<std::int64_t>(0, options.most_nodes / small_part));
    return std::min({2 * rows, most_nodes, std::max(tree.nodes_in(most_bytes), free)});
}

/// The same rows, each of which has a weight. `ones` is memory for weights that the target does not have.
Target with_weights(const Target& sample, std::vector<double>& ones) {
    Target weighted = sample;
    if (sample.weights.empty()) {
        ones.assign(sample.rows(), 1.0);
        weighted.weights = ones;
    }
    return weighted;
}

/// Tables of a user's own score have numbers for whole counts only, up to the largest that they were made for.
void check_whole_weights(const Target& sample, const Options& options) {
    double sum = 0;
    bool are_whole = options.missing != Missing::share;
    for (const double weight : sample.weights) {
        are_whole &= weight == std::floor(weight);
        sum += weight;
    }
    if (!are_whole || sum >= static_cast<double>(options.own->stride))
        throw std::invalid_argument("tables of a score are for whole counts, up to the weight of all rows");
}

bool has_every_row(const TrainingTable& table) {
    if (!table.sample) return true;
    if (table.cell_row.size() != table.rows) return false;
    for (std::size_t row = 0; row < table.rows; ++row)
        if (table.cell_row[row] != row) return false;
    return true;
}

TrainingTable table_for(const Training& training) {
    TrainingTable table;
    table.columns.assign(training.columns.begin(), training.columns.end());
    table.rows = training.rows;
    table.prepared = training.prepared;
    table.sample = training.sample;
    if (training.sample) table.cell_row = training.sample->cell_row();
    table.has_every_row = training.prepared && has_every_row(table);
    table.any_numeric = !std::ranges::all_of(table.columns, &Column::nominal);
    table.any_nominal = std::ranges::any_of(table.columns, &Column::nominal);
    return table;
}

/// Columns that are not used by a tree: all but the first ones in the order of their draws.
std::vector<bool> left_out(std::size_t columns, const Options& options, std::uint64_t key) {
    if (options.tree_features < 0) return {};
    std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
    for (std::size_t j = 0; j < columns; ++j)
        drawn.emplace_back(key_of(key_of(key, Purpose::features), j), j);
    std::ranges::sort(drawn);
    std::vector<bool> out(columns, true);
    for (std::size_t k = 0; k < std::min(columns, static_cast<std::size_t>(options.tree_features)); ++k)
        out[drawn[k].second] = false;
    return out;
}

/// Nominal columns, and those that are neither sorted nor ranked, have missing cells if the rows of the sample have some.
void note_missing(TrainingTable& table, bool ranked, const Options& options, Team& team) {
    team.run(table.columns.size(), [&](std::size_t j, int) {
        Column& column = table.columns[j];
        if (column.nominal ? table.sample != nullptr : !ranked && options.search != NumericSearch::sorted)
            mark_missing(column, table.rows, table.cell_row);
    });
}

void finish(GrownTree& tree, const TrainingTable& table, const Options& options) {
    tree.order_breadth_first([&](std::int32_t feature) {
        return static_cast<std::size_t>(table.columns[static_cast<std::size_t>(feature)].levels) + 1;
    });
    write_defaults(tree, table.columns, options);
}

std::size_t sample_rows(const TrainingTable& table) {
    return table.sample ? table.sample->size() : table.rows;
}

/// Columns of few values are coded, to be counted instead of sorted. Where only gaps between different numbers of the
/// target are looked at, sums are not enough.
void code_columns(TrainingTable& table, const Target& sample, const Options& options, Team& team,
                  const Pulse& pulse) {
    const bool whole_rows = sample.is_classes() && sample.weights.empty();
    const bool numeric =
        options.search == NumericSearch::sorted && (sample.is_classes() || !options.only_changes);
    const auto most = static_cast<std::size_t>(numeric ? options.counted_values : 0);
    std::vector<FewValues> few(table.columns.size());
    team.run(table.columns.size(), [&](std::size_t j, int) {
        Column& column = table.columns[j];
        if (column.nominal || table.is_left_out(j)) return;
        std::optional<FewValues> found =
            table.prepared ? few_values(column, table.prepared->numeric(j), table.cell_row, most, pulse)
                           : few_values(column, table.rows, table.cell_row, most, pulse);
        if (!found) return;
        few[j] = std::move(*found);
        column.has_missing = few[j].has_missing;
    });
    for (const FewValues& found : few) table.coding_visits += static_cast<std::int64_t>(found.codes.size());
    table.coded.take(table.columns, whole_rows && options.missing != Missing::share, table.cell_row,
                     sample.rows(), sample.width(), std::move(few), pulse);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
        table.any_sorted |= !table.columns[j].nominal && !table.coded.has(j) && !table.is_left_out(j);
}

GrownTree grow_once(TrainingTable& table, const Target& sample, const Options& options, std::uint64_t key,
                    Team& team, Pulse& pulse, bool may_guess) {
    std::atomic<std::int64_t> nodes{0};
    Book book(options, sample.is_classes() ? sample.classes : 1, nodes);
    book.tree().search_cost.rows_visited += table.coding_visits;
    book.tree().reserve(reserved_nodes(book.tree(), sample.rows(), options));
    UsedColumns used;
    InPlace<Entry> rows(table, sample, options, pulse, &team);
    Growth<InPlace<Entry>> growth(rows, options, pulse, &team, book, used);
    growth.grow_all(key, may_guess);
    GrownTree tree = std::move(book.tree());
    tree.search_cost += growth.spent();
    return tree;
}

GrownTree grow_in_place(TrainingTable& table, const Target& sample, const Options& options, std::uint64_t key,
                        Team& team, Pulse& pulse) {
    GrownTree tree = grow_once(table, sample, options, key, team, pulse, true);
    if (!tree.has_ledger && static_cast<std::int64_t>(tree.size()) <= options.ledger_nodes) {
        pulse.retreat(sample.rows());  // the tree looked larger than it is
        tree = grow_once(table, sample, options, key, team, pulse, false);
    }
    finish(tree, table, options);
    if (options.data_cuts) move_to_data(tree, table.columns, sample_rows(table), table.cell_row, pulse);
    return tree;
}

/// Trees that ask only a few columns in each node.
GrownTree grow_drawn(TrainingTable& table, const Target& sample, const Options& options, std::uint64_t key,
                     Team& team, Pulse& pulse) {
    std::atomic<std::int64_t> nodes{0};
    Book book(options, sample.is_classes() ? sample.classes : 1, nodes);
    book.tree().reserve(reserved_nodes(book.tree(), sample.rows(), options));
    UsedColumns used;
    Drawn rows(table, sample, options, pulse);
    Growth<Drawn> growth(rows, options, pulse, &team, book, used);
    growth.grow_all(key);
    GrownTree tree = std::move(book.tree());
    tree.search_cost += growth.spent();
    finish(tree, table, options);
    if (options.data_cuts) move_to_data(tree, table.columns, sample_rows(table), table.cell_row, pulse);
    return tree;
}

// ---- rows that are shared among branches

/// Distinct values of a sorted column, rising.
void list_values(const Column& column, std::span<const Entry> sorted, std::span<const Row> cell_row,
                 std::vector<double>& values) {
    for (const Entry& e : sorted)
        if (!e.is_missing() && e.rank == values.size())
            values.push_back(number_at(column, cell_row.empty() ? e.tag : cell_row[e.tag]));
}

std::vector<std::vector<Entry>> sort_columns(TrainingTable& table, const WholeTable& whole,
                                             const Options& options, DistinctValues& values, Team& team,
                                             const Pulse& pulse, SearchCost& spent) {
    const std::size_t columns = table.columns.size();
    std::vector<std::vector<Entry>> sorted(columns);
    std::vector<std::int64_t> visits(columns);
    const bool of_more_rows = !whole.columns.empty();
    values.of_sample.resize(columns);
    if (of_more_rows) values.possible_cuts.resize(columns);
    std::vector<SortSpace> spaces(static_cast<std::size_t>(team.size()));
    table.use_tags(Tags());
    team.run(columns, [&](std::size_t j, int worker) {
        const Column& column = table.columns[j];
        if (column.nominal) return;
        SortSpace& space = spaces[static_cast<std::size_t>(worker)];
        const bool counted = table.coded.has(j);
        if (!counted) table.sort(j, Tags(), sorted[j], space, pulse, visits[j]);
        if (options.rules == Rules::plain) return;
        if (counted)
            values.of_sample[j].assign(table.coded.values(j).begin(), table.coded.values(j).end());
        else
            list_values(column, sorted[j], table.cell_row, values.of_sample[j]);
        if (!of_more_rows) return;
        std::vector<Entry> entries;
        sort_column(whole.columns[j], whole.rows, Tags(), entries, space, pulse, visits[j]);
        list_values(whole.columns[j], entries, {}, values.possible_cuts[j]);
    });
    for (const std::int64_t count : visits) spent.rows_visited += count;
    return sorted;
}

/// C4.5 removes subtrees that make no fewer errors on the training rows than a leaf would. It goes from the leaves up;
/// J48 goes from the root down, so that it counts the errors of the tree as it was grown.
void collapse(GrownTree& tree, bool top_down) {
    std::vector<double> errors(tree.size());
    for (std::size_t id = tree.size(); id-- > 0;) {  // children come after their parents
        const double as_leaf = tree.weight[id] - tree.largest_count(id);
        errors[id] = as_leaf;
        if (tree.feature[id] < 0) continue;
        double below = 0;
        for (std::int32_t k = 0; k < tree.n_children[id]; ++k)
            below += errors[static_cast<std::size_t>(tree.first_child[id] + k)];
        const bool pointless = below >= as_leaf - 1e-3;
        if (pointless) tree.make_leaf(static_cast<std::int32_t>(id), Stop::collapsed);
        if (!pointless || top_down) errors[id] = below;
    }
}

GrownTree grow_shared(TrainingTable& table, const Target& sample, const Options& options,
                      const WholeTable& whole, std::uint64_t key, Team& team, Pulse& pulse) {
    std::vector<double> ones;
    const Target weighted = with_weights(sample, ones);
    std::atomic<std::int64_t> nodes{0};
    Book book(options, sample.is_classes() ? sample.classes : 1, nodes);
    book.tree().search_cost.rows_visited += table.coding_visits;
    UsedColumns used;
    DistinctValues values;
    std::vector<std::vector<Entry>> sorted =
        sort_columns(table, whole, options, values, team, pulse, book.tree().search_cost);
    book.tree().is_sparse = ClassSubset::pays(sample, options);
    OwnRows rows(table, weighted, options, values, whole.columns.empty() ? 0 : whole.weight, pulse, &team);
    rows.take_sorted(std::move(sorted));
    Growth<OwnRows> growth(rows, options, pulse, &team, book, used);
    growth.grow_all(key);
    GrownTree tree = std::move(book.tree());
    tree.search_cost += growth.spent();
    if (options.collapse) collapse(tree, options.rules == Rules::j48);
    finish(tree, table, options);
    tree.fill_in();
    if (options.data_cuts && options.rules == Rules::plain)
        move_to_data(tree, table.columns, sample_rows(table), table.cell_row, pulse);
    return tree;
}

}  // namespace

GrownTree grow(const Training& training, const Target& sample, const Options& options,
               const WholeTable& whole, Pulse& pulse) {
    std::vector<double> ones;
    const Target target = options.asked ? with_weights(sample, ones) : sample;
    if (options.own && !target.weights.empty()) check_whole_weights(target, options);
    TrainingTable table = table_for(training);
    table.left_out = left_out(table.columns.size(), options, training.key);
    Team team(std::min(options.threads, static_cast<int>(std::min<std::size_t>(table.columns.size(), 256))));
    const bool drawn = Drawn::fits(table, target, options);
    note_missing(table, drawn, options, team);
    if (drawn) return grow_drawn(table, target, options, training.key, team, pulse);
    code_columns(table, target, options, team, pulse);
    if (options.missing == Missing::share)
        return grow_shared(table, target, options, whole, training.key, team, pulse);
    return grow_in_place(table, target, options, training.key, team, pulse);
}

std::vector<GrownTree> grow_many(const Prepared& prepared, const Target& target, const Options& options,
                                 std::span<const std::span<const std::uint32_t>> copies, std::uint64_t seed,
                                 std::uint64_t first_tree, Pulse& pulse) {
    std::vector<GrownTree> trees(copies.size());
    const int many = static_cast<int>(std::min<std::size_t>(copies.size(), 1024));
    Options each = options;
    each.threads = many > 1 ? 1 : options.threads;
    Team team(std::min(options.threads, many));
    team.run(copies.size(), [&](std::size_t k, int) {
        const Sample sample(copies[k]);
        TargetCopy drawn;
        const Training training{prepared.columns(), prepared.rows(), &prepared, &sample,
                                key_of(mixed(seed), first_tree + k)};
        trees[k] = grow(training, drawn.draw(target, sample.cell_row()), each, {}, pulse);
    });
    return trees;
}

}  // namespace branchwork
