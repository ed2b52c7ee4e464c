#include "core/grow/small_tree_of_classes.hpp"

#include <algorithm>
#include <limits>

#include "core/kernels/kernels.hpp"
#include "core/score.hpp"

namespace branchwork {
namespace {

/// Up to this many rows, cuts whose scores are equal as floats have equal scores. Two different fractions
/// (inside * right + outside * left) / (left * right) differ by at least 1 / 16^4, and floats up to 32 by 1 / 2^19.
constexpr std::size_t rows_for_floats = 32;

}  // namespace

// ---- the copy

void SmallTreeOfClasses::take_labels(const Target& target, std::span<const Row> rows) {
    is_pair_ = target.classes == 2;
    row_count_ = rows.size();
    place_of_label_.resize(target.classes, -1);
    label_.clear();
    // Of each class: how many rows it has, and then where its next row goes.
    std::array<std::uint8_t, most_rows> next{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int32_t label = target.codes[rows[i]];
        std::int32_t& place = place_of_label_[static_cast<std::size_t>(label)];
        if (place < 0) {
            place = static_cast<std::int32_t>(label_.size());
            label_.push_back(label);
        }
        class_of_[i] = static_cast<std::uint8_t>(place);
        ++next[class_of_[i]];
    }
    for (const std::int32_t label : label_) place_of_label_[static_cast<std::size_t>(label)] = -1;
    std::uint8_t begin = 0;
    for (std::size_t c = 0; c < label_.size(); ++c) {
        const std::uint8_t count = next[c];
        next[c] = begin;
        begin = static_cast<std::uint8_t>(begin + count);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows_[next[class_of_[i]]++] = static_cast<std::uint8_t>(i);
}

/// The code of a new feature in the first row.
std::uint8_t* SmallTreeOfClasses::add_feature(const Feature& feature) {
    const std::size_t at = features_.size();
    features_.push_back(feature);
    if (codes_.size() < (at / lanes + 1) * block_size) codes_.resize((at / lanes + 1) * block_size);
    return cells_of(at);
}

/// Adds a feature with the codes of `code_`, once or twice, unless all are the same.
void SmallTreeOfClasses::take_codes(std::size_t column) {
    const std::span<std::int16_t> codes = std::span(code_).first(row_count_);
    std::int16_t smallest = codes[0], largest = codes[0];
    for (const std::int16_t code : codes)
        smallest = std::min(smallest, code), largest = std::max(largest, code);
    if (smallest == largest) return;
    if (smallest != missing) {
        std::uint8_t* next = add_feature({column});
        for (const std::int16_t code : codes) *next = static_cast<std::uint8_t>(code), next += lanes;
        return;
    }
    // One of at most 255 rows has none, so that after renumbering there are at most 254 codes, and two are free.
    std::array<std::uint8_t, 256> place{};
    for (const std::int16_t code : codes)
        if (code != missing) place[static_cast<std::size_t>(code)] = 1;
    std::uint8_t count = 0;
    for (std::uint8_t& here : place)
        if (here) here = count++;
    const auto add = [&](const Feature& feature, int first) {
        std::uint8_t* next = add_feature(feature);
        for (const std::int16_t code : codes) {
            *next = code == missing
                        ? feature.missing_code
                        : static_cast<std::uint8_t>(first + place[static_cast<std::size_t>(code)]);
            next += lanes;
        }
    };
    add({column, MissingTo::right, count}, 0);
    add({column, MissingTo::left, 0}, 1);
}

/// The codes of a nominal feature are written when a node is searched.
void SmallTreeOfClasses::take_nominal(std::size_t column) {
    if (nominal_.size() == nominal_count_) nominal_.emplace_back();
    NominalFeature& nominal = nominal_[nominal_count_];
    const Cells<std::int32_t> cells{table_.columns[column].data, table_.columns[column].stride};
    bool varies = false, any_missing = false;
    for (std::size_t i = 0; i < row_count_; ++i) {
        const std::int32_t code = cells[cell_row_[i]];
        nominal.category[i] = code < 0 ? missing_category : static_cast<std::uint8_t>(code);
        varies |= nominal.category[i] != nominal.category[0];
        any_missing |= code < 0;
    }
    if (!varies) return;
    nominal.feature = features_.size();
    add_feature({column, any_missing ? MissingTo::right : MissingTo::nowhere});
    if (any_missing) add_feature({column, MissingTo::left});
    ++nominal_count_;
}

/// Features that are not there have the same code in every row.
void SmallTreeOfClasses::clear_unused_lanes() {
    if (features_.size() % lanes == 0) return;
    std::uint8_t* const block = &codes_[features_.size() / lanes * block_size];
    for (std::size_t row = 0; row < row_count_; ++row)
        std::fill(block + lanes * row + features_.size() % lanes, block + lanes * (row + 1), std::uint8_t{0});
}

// ---- growth

SmallTreeOfClasses::Classes SmallTreeOfClasses::classes_of(const Range& node) const {
    Classes classes;
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::uint8_t cls = class_of_[rows_[i]];
        if (classes.size == 0 || classes.cls[classes.size - 1] != cls) {
            classes.cls[classes.size] = cls;
            classes.rows[classes.size++] = 0;
        }
        ++classes.rows[classes.size - 1];
    }
    return classes;
}

NodeFacts SmallTreeOfClasses::describe(const Classes& classes, std::size_t rows) const {
    const Gini<std::int64_t> score(rows);
    std::int64_t terms = 0;
    for (std::size_t k = 0; k < classes.size; ++k) terms += score.term(classes.rows[k]);
    NodeFacts facts;
    facts.weight = facts.samples = static_cast<double>(rows);
    facts.cost = score.combine(static_cast<std::int64_t>(rows), terms);
    facts.slack = relative_slack * facts.cost + rounding_slack * facts.weight;
    facts.pure = classes.size <= 1;
    return facts;
}

void SmallTreeOfClasses::grow(Book& book, std::int32_t node, std::int64_t depth, double whole_weight) {
    whole_weight_ = whole_weight;
    const Range range{node, depth, 0, row_count_};
    const Classes classes = classes_of(range);
    grow_node(book, range, classes, describe(classes, row_count_));
}

/// Splits a node that has been described and is open, and grows what is below it.
void SmallTreeOfClasses::grow_node(Book& book, const Range& node, const Classes& classes,
                                   const NodeFacts& facts) {
    ByteCut cut;
    candidate_.cost = std::numeric_limits<double>::infinity();
    candidate_.verdict = Verdict::one_branch;
    if (find_best(node, classes, cut)) {
        candidate_.cost = cost_of(node, classes, cut);
        candidate_.feature = static_cast<std::int32_t>(features_[cut.feature].column);
    }
    const std::span<Candidate> candidates(&candidate_, 1);
    if (pick(candidates, facts.cost, facts.slack, book.rule(facts.weight, whole_weight_), facts.weight) < 0) {
        book.stop(node.id, Book::why_unsplit(candidates));
        return;
    }
    const std::size_t middle = part(node, classes, cut);
    const std::int32_t first =
        book.split(node.id, table_.columns[features_[cut.feature].column], candidate_, 2);
    const std::array<Range, 2> children{Range{first, node.depth + 1, node.begin, middle},
                                        Range{first + 1, node.depth + 1, middle, node.end}};
    for (const Range& child : children) {
        const Classes of_child = classes_of(child);
        const NodeFacts child_facts = describe(of_child, child.rows());
        const std::span<double> counts = book.counts(child.id).all;
        for (std::size_t k = 0; k < of_child.size; ++k)
            counts[static_cast<std::size_t>(label_[of_child.cls[k]])] = of_child.rows[k];
        book.describe(child.id, child.depth, child.rows(), child_facts, true);
        if (book.reason(child.id) == Stop::split) grow_node(book, child, of_child, child_facts);
    }
}

/// Writes the thresholds of one block of features that can part a node's rows: all codes between the smallest and the
/// largest, or, where those are many, the codes of the rows. Returns how many thresholds there are for each feature.
std::size_t SmallTreeOfClasses::list_thresholds(const Range& node, const std::uint8_t* codes) {
    std::array<std::uint8_t, lanes> smallest, largest;
    const std::uint8_t* const rows = &rows_[node.begin];
    kernels().small_ends(codes, rows, node.rows(), smallest.data(), largest.data());
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        count = std::max<std::size_t>(count, largest[lane] - smallest[lane]);
    if (count == 0) return 0;
    std::uint8_t* next = thresholds_.data();
    if (count < node.rows()) {
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                *next++ = static_cast<std::uint8_t>(std::min<std::size_t>(smallest[lane] + k, 255));
    } else {
        count = node.rows();
        for (std::size_t i = 0; i < count; ++i) next = std::copy_n(codes + lanes * rows[i], lanes, next);
    }
    for (std::size_t k = 0; k < 8; ++k) next = std::copy_n(next - lanes, lanes, next);  // the kernel reads on
    return count;
}

/// Finds the best cut: of equal ones that of the first column, and there the one at the smallest value; if that is the
/// same, the one that sends missing cells to the right.
bool SmallTreeOfClasses::find_best(const Range& node, const Classes& classes, ByteCut& best) {
    for (std::size_t k = 0; k < nominal_count_; ++k) {
        order_categories(node, classes, nominal_[k]);
        write_codes(node, nominal_[k]);
    }
    float most = 0;
    for (std::size_t first = 0; first < features_.size(); first += lanes) {
        const std::uint8_t* const codes = cells_of(first);
        const std::size_t count = list_thresholds(node, codes);
        if (count == 0) continue;
        const std::size_t used = std::min(lanes, features_.size() - first);
        spent.rows_visited += static_cast<std::int64_t>(node.rows() * used);
        spent.rules_scored += static_cast<std::int64_t>(count * used);
        std::array<float, lanes> best_of;
        kernels().small_gini({codes, &rows_[node.begin], node.rows(), fewest_rows_, classes.rows.data(),
                              classes.size, thresholds_.data(), count},
                             scores_.data(), best_of.data());
        for (std::size_t lane = 0; lane < used; ++lane) {
            if (best_of[lane] == 0 || best_of[lane] < most) continue;
            const bool may_be_equal = best_of[lane] == most;
            const bool is_same_column =
                features_[first + lane].to == MissingTo::left && best.feature == first + lane - 1;
            if (may_be_equal && node.rows() <= rows_for_floats && !is_same_column) continue;
            const ByteCut cut = best_in_lane(node, classes, first + lane, count, best_of[lane]);
            if (cut.feature == ByteCut::none || (may_be_equal && !wins(node, classes, cut, best))) continue;
            best = cut;
            most = best_of[lane];
        }
    }
    return most > 0;
}

/// Puts the categories of a node in order of the share of class 1.
void SmallTreeOfClasses::order_categories(const Range& node, const Classes& classes,
                                          const NominalFeature& nominal) {
    const std::array<std::uint8_t, most_rows>& category = nominal.category;
    std::size_t i = node.begin;
    for (std::size_t k = 0; k < classes.size; ++k) {
        const std::uint8_t one = label_[classes.cls[k]] == 1;
        for (const std::size_t end = i + classes.rows[k]; i < end; ++i) {
            const std::uint8_t c = category[rows_[i]];
            ++in_category_[c];
            ones_[c] = static_cast<std::uint8_t>(ones_[c] + one);
        }
    }
    order_.clear();
    in_category_[missing_category] = ones_[missing_category] = 0;
    for (i = node.begin; i < node.end; ++i) {
        const std::uint8_t c = category[rows_[i]];
        if (in_category_[c] == 0) continue;
        order_.add(c, static_cast<double>(ones_[c]) / static_cast<double>(in_category_[c]));
        in_category_[c] = ones_[c] = 0;
    }
}

/// Gives each category of a node its place in the order as its code.
void SmallTreeOfClasses::write_codes(const Range& node, const NominalFeature& nominal) {
    std::array<std::uint8_t, 256> place;
    std::uint8_t next = 0;
    for (const std::uint8_t c : order_.categories()) place[c] = next++;
    const auto write = [&](std::size_t feature, int first) {
        std::uint8_t* const codes = cells_of(feature);
        for (std::size_t i = node.begin; i < node.end; ++i)
            codes[lanes * rows_[i]] = static_cast<std::uint8_t>(first + place[nominal.category[rows_[i]]]);
    };
    if (features_[nominal.feature].to != MissingTo::nowhere) {
        place[missing_category] = features_[nominal.feature].missing_code = next;
        write(nominal.feature, 0);
        place[missing_category] = 255;  // one more is 0
        write(nominal.feature + 1, 1);
    } else {
        write(nominal.feature, 0);
    }
}

/// Does a cut win against the best one, which has the same score as a float?
bool SmallTreeOfClasses::wins(const Range& node, const Classes& classes, const ByteCut& cut,
                              const ByteCut& best) const {
    if (is_better(node, classes, cut, best)) return true;
    const bool is_same_column =
        features_[cut.feature].to == MissingTo::left && best.feature == cut.feature - 1;
    if (!is_same_column || is_better(node, classes, best, cut)) return false;
    return cut.code - 1 < best.code || is_known_or_missing(node, best);  // its codes are one larger
}

/// Does a cut part the known cells from the missing ones? It counts as the last of all cuts.
bool SmallTreeOfClasses::is_known_or_missing(const Range& node, const ByteCut& cut) const {
    if (features_[cut.feature].to != MissingTo::right) return false;
    const std::uint8_t* const codes = cells_of(cut.feature);
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::uint8_t code = codes[lanes * rows_[i]];
        if (code > cut.code && !is_missing(cut.feature, code)) return false;
    }
    return true;
}

/// The best cut of a feature among those with its largest score. If missing cells go to the left, there may be none: a cut
/// that has nothing else on the left is the one between known and missing cells, with the sides exchanged.
SmallTreeOfClasses::ByteCut SmallTreeOfClasses::best_in_lane(const Range& node, const Classes& classes,
                                                             std::size_t feature, std::size_t count,
                                                             float score) const {
    ByteCut best;
    std::uint8_t smallest = 0;
    if (features_[feature].to == MissingTo::left) {
        const std::uint8_t* const codes = cells_of(feature);
        smallest = 255;
        for (std::size_t i = node.begin; i < node.end; ++i)
            if (const std::uint8_t code = codes[lanes * rows_[i]]; !is_missing(feature, code))
                smallest = std::min(smallest, code);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t at = lanes * k + feature % lanes;
        if (scores_[at] != score || thresholds_[at] < smallest) continue;
        const ByteCut cut{feature, thresholds_[at]};
        const bool is_first = best.feature == ByteCut::none;
        if (is_first || (cut.code != best.code && is_better(node, classes, cut, best)) ||
            (cut.code < best.code && !is_better(node, classes, best, cut)))
            best = cut;
    }
    return best;
}

/// Is a cut better than another with the same score as a float?
bool SmallTreeOfClasses::is_better(const Range& node, const Classes& classes, const ByteCut& cut,
                                   const ByteCut& than) const {
    if (node.rows() <= rows_for_floats) return false;
    const Sides a = sides_of(node, classes, cut), b = sides_of(node, classes, than);
    return a.numerator() * b.denominator() > b.numerator() * a.denominator();
}

SmallTreeOfClasses::Sides SmallTreeOfClasses::sides_of(const Range& node, const Classes& classes,
                                                       const ByteCut& cut) const {
    Sides sides;
    const std::uint8_t* const codes = cells_of(cut.feature);
    const std::uint8_t* row = &rows_[node.begin];
    for (std::size_t k = 0; k < classes.size; ++k) {
        std::int64_t below = 0;
        for (const std::uint8_t* const end = row + classes.rows[k]; row < end; ++row)
            below += codes[lanes * *row] <= cut.code;
        if (k == 0) sides.left_of_first = below;
        sides.left += below;
        sides.inside += below * below;
        sides.outside += (classes.rows[k] - below) * (classes.rows[k] - below);
    }
    sides.right = static_cast<std::int64_t>(node.rows()) - sides.left;
    return sides;
}

/// What the general search says the cut costs, with the same bits.
double SmallTreeOfClasses::cost_of(const Range& node, const Classes& classes, const ByteCut& cut) const {
    using Score = Gini<std::int64_t>;
    const Score score(0);
    const Sides sides = sides_of(node, classes, cut);
    if (!is_pair_ || is_known_or_missing(node, cut))
        return score.combine(sides.left, sides.inside) + score.combine(sides.right, sides.outside);
    const std::int64_t a = sides.left_of_first, c = classes.rows[0] - a;
    return Score::of_two(a, sides.left - a) + Score::of_two(c, sides.right - c);
}

/// Sends the rows of a node to the left or to the right, each side in order of class, and writes the cut. Returns where
/// the right side begins.
std::size_t SmallTreeOfClasses::part(const Range& node, const Classes& classes, const ByteCut& cut) {
    const Feature& feature = features_[cut.feature];
    const Column& column = table_.columns[feature.column];
    bool swap = false;
    candidate_.sides.clear();
    if (column.nominal) {
        const bool is_second = feature.to == MissingTo::left;
        const auto nominal = std::ranges::find(nominal_, cut.feature - is_second, &NominalFeature::feature);
        order_categories(node, classes, *nominal);
        const std::size_t left = std::size_t{cut.code} + 1 - is_second;
        swap = write_sides(order_.categories(), left, column.levels, candidate_);
    }
    const std::uint8_t* const codes = cells_of(cut.feature);
    std::size_t left = node.begin, right = 0;
    std::uint8_t last_left = 0,
                 first_right = 255;  // the rows next to the cut, in order of value and then of rows
    int above = 256;
    bool any_missing = false;
    for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::uint8_t row = rows_[i], code = codes[lanes * row];
        const bool is_known = !is_missing(cut.feature, code);
        any_missing |= !is_known;
        if (code == cut.code) last_left = std::max(last_left, row);
        if (is_known && code > cut.code && (code < above || (code == above && row < first_right)))
            above = code, first_right = row;
        const bool to_right = (code > cut.code) != swap;
        rows_[left] = spare_[right] = row;
        left += !to_right;
        right += to_right;
    }
    std::copy_n(spare_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
    candidate_.missing_child = any_missing ? (feature.to == MissingTo::right) != swap : -1;
    if (column.nominal) return left;
    const std::size_t known = above < 256 ? 2 : 1;  // one: the cut is between known and missing cells
    candidate_.cut = cut_after(1, known, options_, [&](std::size_t side) {
        return value_at_cut(table_, feature.column, cell_row_[side == 0 ? last_left : first_right]);
    });
    return left;
}

}  // namespace branchwork
