#include "core/grow/small_tree_of_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/search/least_cost.hpp"
#include "core/search/node_facts.hpp"

namespace branchwork {

// ---- the copy

SmallTreeOfNumbers::ByteEntry* SmallTreeOfNumbers::add_feature(std::size_t column, Kind kind) {
    features_.push_back({column, kind});
    if (entries_.size() < features_.size() * most_rows) entries_.resize(features_.size() * most_rows);
    return &entries_[(features_.size() - 1) * most_rows];
}

/// Sorts the rows by their slots, unless all have the same.
void SmallTreeOfNumbers::take_counted(std::size_t column, const RowSlots& slots, std::span<const Row> rows) {
    const std::size_t first = slots[rows[0]];
    if (std::ranges::all_of(rows, [&](Row row) { return slots[row] == first; })) return;
    std::array<std::uint16_t, most_rows> slot;
    next_.assign(slots.slots, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        slot[i] = static_cast<std::uint16_t>(slots[rows[i]]);
        ++next_[slot[i]];
    }
    std::uint8_t begin = 0;
    for (std::uint8_t& next : next_) {
        const std::uint8_t count = next;
        next = begin;
        begin = static_cast<std::uint8_t>(begin + count);
    }
    ByteEntry* const entries = add_feature(column, Kind::counted);
    for (std::size_t i = 0; i < rows.size(); ++i)
        entries[next_[slot[i]]++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(slot[i] - 1)};
}

/// The rows of a nominal feature are put in order when a node is searched.
void SmallTreeOfNumbers::take_nominal(std::size_t column) {
    const Column& cells = table_.columns[column];
    const std::int32_t first = code_at(cells, cell_row_[0]);
    if (std::all_of(cell_row_.begin(), cell_row_.begin() + static_cast<std::ptrdiff_t>(row_count_),
                    [&](Row row) { return code_at(cells, row) == first; }))
        return;
    add_feature(column, Kind::nominal);
    const auto nominal =
        static_cast<std::size_t>(std::ranges::count(features_, Kind::nominal, &Feature::kind) - 1);
    features_.back().nominal = nominal;
    if (category_.size() == nominal) category_.emplace_back();
    for (std::size_t i = 0; i < row_count_; ++i)
        category_[nominal][i] = static_cast<std::uint8_t>(code_at(cells, cell_row_[i]));
}

// ---- growth

SmallTreeOfNumbers::Described SmallTreeOfNumbers::describe(const Range& node) const {
    Described described;
    if (node.rows() == 1)  // half of all nodes
        described.stats = {Moments{1, 0, 0}, values_[rows_[node.begin]], true};
    else
        described.stats = stats_of(target(), rows_of(node));
    described.facts = facts_of_numbers(target(), score_, described.stats, {});
    return described;
}

void SmallTreeOfNumbers::grow(Book& book, std::int32_t node, std::int64_t depth, double whole_weight) {
    whole_weight_ = whole_weight;
    const Range range{node, depth, 0, row_count_};
    grow_node(book, range, describe(range));
}

/// Splits a node that has been described and is open, and grows what is below it.
void SmallTreeOfNumbers::grow_node(Book& book, const Range& node, const Described& described) {
    const NodeFacts& facts = described.facts;
    const ListCut cut = find_best(node, described);
    candidate_.cost = cut.cost;
    candidate_.verdict = Verdict::one_branch;
    if (candidate_.is_split()) candidate_.feature = static_cast<std::int32_t>(features_[cut.feature].column);
    const std::span<Candidate> candidates(&candidate_, 1);
    if (pick(candidates, facts.cost, facts.slack, book.rule(facts.weight, whole_weight_), facts.weight) < 0) {
        book.stop(node.id, Book::why_unsplit(candidates));
        return;
    }
    write_cut(node, cut);
    const std::size_t middle = part_rows(node, cut);
    const std::int32_t first =
        book.split(node.id, table_.columns[features_[cut.feature].column], candidate_, 2);
    const std::array<Range, 2> children{Range{first, node.depth + 1, node.begin, middle},
                                        Range{first + 1, node.depth + 1, middle, node.end}};
    std::array<Described, 2> of_child;
    bool any_open = false;
    for (std::size_t k = 0; k < 2; ++k) {
        of_child[k] = describe(children[k]);
        book.describe(children[k].id, children[k].depth, children[k].rows(), of_child[k].facts, false);
        any_open |= book.reason(children[k].id) == Stop::split;
    }
    if (!any_open) return;
    part_entries(node, cut.feature);
    for (std::size_t k = 0; k < 2; ++k)
        if (book.reason(children[k].id) == Stop::split) grow_node(book, children[k], of_child[k]);
}

/// Finds the best cut. A later feature wins only if it is better by more than the slack, so the search ends once the
/// cost is within the slack of the least possible one.
SmallTreeOfNumbers::ListCut SmallTreeOfNumbers::find_best(const Range& node, const Described& described) {
    const Moments& all = described.stats.stats;
    const double slack = described.facts.slack, centre = described.stats.centre;
    const std::span<const Row> rows = rows_of(node);
    const double least =
        rows.size() <= most_rows_for_least_cost ? least_cost(target(), rows, all, centre, score_) : 0;
    for (const Row row : rows) deviation_[row] = values_[row] - centre;
    ListCut best;
    for (std::size_t f = 0; f < features_.size() && best.cost > least + slack / 2; ++f) {
        if (features_[f].kind == Kind::nominal) order_categories(node, f);
        const ByteEntry* const entries = entries_of(node, f);
        if (entries[0].code == entries[node.rows() - 1].code) continue;
        const ListCut cut = features_[f].kind == Kind::sorted ? best_of<false>(node, f, all, slack, best.cost)
                                                              : best_of<true>(node, f, all, slack, best.cost);
        if (cut.cost < best.cost - slack || (std::isinf(best.cost) && cut.cost < best.cost)) best = cut;
    }
    return best;
}

/// Puts the rows of a node in order of their categories, and these in order of their mean.
void SmallTreeOfNumbers::order_categories(const Range& node, std::size_t feature) {
    const std::array<std::uint8_t, most_rows>& category = category_[features_[feature].nominal];
    ByteEntry* const entries = &entries_[feature * most_rows + node.begin];
    const std::span<const Row> rows = rows_of(node);
    for (const Row row : rows) {
        sum_[category[row]] += deviation_[row];
        ++in_category_[category[row]];
    }
    std::array<std::uint8_t, 256> next, place;
    order_.clear();
    for (const Row row : rows) {
        const std::uint8_t c = category[row];
        if (in_category_[c] == 0) continue;
        order_.add(c, sum_[c] / static_cast<double>(in_category_[c]));
        next[c] = in_category_[c];
        sum_[c] = 0, in_category_[c] = 0;
    }
    std::uint8_t begin = 0, placed = 0;
    for (const std::uint8_t c : order_.categories()) {
        const std::uint8_t count = next[c];
        next[c] = begin;
        begin = static_cast<std::uint8_t>(begin + count);
        place[c] = placed++;
    }
    for (const Row row : rows)
        entries[next[category[row]]++] = {static_cast<std::uint8_t>(row), place[category[row]]};
}

/// The first of the best cuts of a feature, if it costs less than `must_beat`.
template <bool by_value>
SmallTreeOfNumbers::ListCut SmallTreeOfNumbers::best_of(const Range& node, std::size_t feature,
                                                        const Moments& all, double slack, double must_beat) {
    const ByteEntry* const entries = entries_of(node, feature);
    const double offset = score_.offset(all);
    double limit = must_beat - offset;
    double sum = 0, of_value = 0;
    ListCut best{feature};
    std::int64_t gaps = 0;
    for (std::size_t i = 0; i + 1 < node.rows(); ++i) {
        (by_value ? of_value : sum) += deviation_[entries[i].row];
        if (entries[i].code == entries[i + 1].code) continue;
        if constexpr (by_value) {
            sum += of_value;
            of_value = 0;
        }
        ++gaps;
        const auto left = static_cast<double>(i + 1);
        const double right = all.w - left;
        if (SquaredError::pair_at_least(std::abs(sum), left * right, all, limit)) continue;
        const double cost = score_.pair({left, sum, 0}, {right, all.s - sum, 0});
        if (!(cost < limit) || std::min(left, right) < fewest_rows_) continue;
        limit = cost - slack;
        best.left = i + 1;
        best.cost = std::max(0.0, cost + offset);
    }
    spent.rows_visited += static_cast<std::int64_t>(node.rows());
    spent.rules_scored += gaps;
    return best;
}

/// Writes the cut, or the two groups of categories.
void SmallTreeOfNumbers::write_cut(const Range& node, const ListCut& cut) {
    const Column& column = table_.columns[features_[cut.feature].column];
    is_swapped_ = false;
    candidate_.sides.clear();
    if (features_[cut.feature].kind == Kind::nominal) {
        order_categories(node, cut.feature);
        const std::size_t left = entries_of(node, cut.feature)[cut.left].code;
        is_swapped_ = write_sides(order_.categories(), left, column.levels, candidate_);
        return;
    }
    const ByteEntry* const entries = entries_of(node, cut.feature);
    candidate_.cut = cut_after(cut.left, node.rows(), options_, [&](std::size_t i) {
        return value_at_cut(table_, features_[cut.feature].column, cell_row_[entries[i].row]);
    });
}

/// Sends the rows of a node to the left or to the right. Returns where the right side begins.
std::size_t SmallTreeOfNumbers::part_rows(const Range& node, const ListCut& cut) {
    const ByteEntry* const entries = entries_of(node, cut.feature);
    for (std::size_t i = 0; i < node.rows(); ++i) side_[entries[i].row] = (i >= cut.left) != is_swapped_;
    std::size_t left = node.begin, right = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const Row row = rows_[i];
        rows_[left] = spare_rows_[right] = row;
        left += !side_[row];
        right += side_[row];
    }
    std::copy_n(spare_rows_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
}

/// The same for the list of each feature but the one that was cut, which is in this order already.
void SmallTreeOfNumbers::part_entries(const Range& node, std::size_t chosen) {
    for (std::size_t f = 0; f < features_.size(); ++f) {
        if (f == chosen || features_[f].kind == Kind::nominal) continue;
        ByteEntry* const entries = &entries_[f * most_rows + node.begin];
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < node.rows(); ++i) {
            const ByteEntry entry = entries[i];
            entries[left] = spare_[right] = entry;
            left += !side_[entry.row];
            right += side_[entry.row];
        }
        std::copy_n(spare_.begin(), right, entries + left);
    }
}

}  // namespace branchwork
