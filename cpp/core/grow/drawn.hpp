// The layout of rows for trees that ask only a few columns in each node: forests and extra trees of rows that count as
// often as they were drawn.
//
// Most columns are not asked in most nodes, so keeping all of them in order (in_place.hpp) would be most of the work.
// Here only the rows are parted, and a column is searched by the ranks of the node's rows (rank_bins.hpp). What that
// search does not know (missing cells, nominal columns) is handed to the scorer as the other layouts do: a numeric
// column is sorted for this one node, with the copies of each row side by side.
//
// The same trees come out as from rows that are kept in order: of classes bit for bit; of numbers but for the last digits
// of gains, because sums are added up in another order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/drawn_rows.hpp"
#include "core/grow/training_table.hpp"
#include "core/kernels/kernels.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/route/route.hpp"
#include "core/search/scan_random.hpp"
#include "core/search/scorer.hpp"
#include "core/search/sort_ranks.hpp"

namespace branchwork {

/// Nodes of at most so many rows are copied: the ranks of 2^12 rows fit in the L2 cache, those of 2^9 in L1.
inline constexpr std::size_t copied_drawn_rows[] = {std::size_t{1} << 12, 0};

class Drawn {
  public:
    using Node = DrawnNode;
    using CopyLayout = Drawn;
    static constexpr bool copies = true;

    /// Does this layout grow such trees?
    static bool fits(const TrainingTable& table, const Target& sample, const Options& options) {
        return options.max_features >= 0 && options.ledger_nodes <= 0 && table.prepared &&
               table.any_numeric && (sample.is_classes() || options.criterion == Criterion::squared_error) &&
               sample.weights.empty() && !options.by_ratio() && !options.only_changes &&
               (options.search == NumericSearch::sorted || options.search == NumericSearch::random) &&
               options.missing != Missing::share && options.missing != Missing::surrogate &&
               !options.sorts_once();
    }

    Drawn(TrainingTable& table, const Target& sample, const Options& options, Pulse& pulse)
        : table_(table),
          sample_(sample),
          options_(options),
          pulse_(pulse),
          own_(std::make_unique<DrawnRows>(table, is_random())),
          rows_(*own_),
          scorer_(make_scorer(sample, options, sample.rows(), pulse)) {
        rows_.take_all(table, sample);
        note_missing();
    }
    /// The same rows, for a thread of its own.
    Drawn(Drawn& team, Alone)
        : table_(team.table_),
          sample_(team.sample_),
          options_(team.options_),
          pulse_(team.pulse_),
          rows_(team.rows_),
          copied_(team.copied_),
          scorer_(make_scorer(sample_, options_, sample_.rows(), pulse_)) {}
    /// For copies of nodes that lie in another layout. The first copy brings the rows.
    explicit Drawn(Drawn& above)
        : table_(above.table_),
          sample_(above.sample_),
          options_(above.options_),
          pulse_(above.pulse_),
          own_(std::make_unique<DrawnRows>(table_, is_random())),
          rows_(*own_),
          copied_(above.copied_ + 1),
          scorer_(make_scorer(sample_, options_, sample_.rows(), pulse_)) {}
    Drawn(const Drawn&) = delete;
    Drawn& operator=(const Drawn&) = delete;

    /// Takes the rows of a node over, which from then on lies here.
    void copy(Drawn& above, Node& open) {
        rows_.copy(above.rows_, open);
        open.end -= std::exchange(open.begin, 0);
    }

    Node root() const {
        Node root;
        root.end = rows_.rows.size();
        root.samples = sample_.rows();
        return root;
    }
    std::size_t size() const { return rows_.rows.size(); }
    bool is_classes() const { return sample_.is_classes(); }
    const Column& column(std::size_t j) const { return table_.columns[j]; }
    void know_whole(const NodeFacts&) {}
    SearchCost spent() const { return scorer_->spent; }
    bool is_worth_copying(const Node& open) const {
        return options_.max_leaves < 0 && open.distinct() <= *copied_;
    }

    // ---- looking at a node

    NodeFacts describe(const Node& node, std::size_t slot, const CountsOut& counts) {
        return scorer_->describe(slot, range_of(node), counts.all);
    }
    static bool is_too_light(const NodeFacts&) { return false; }
    static bool needs_all(bool) { return false; }

    /// Columns in the order of their draws; the first that have a split compete. Of these, only those that can win are
    /// given back, in the order of the table, by which ties go.
    std::span<Candidate> candidates(Node& open, std::size_t slot, const NodeFacts& facts,
                                    const UsedColumns& used, bool, std::size_t) {
        scorer_->start(*scorer_, slot, false);
        range_ = range_of(open);
        candidates_.clear();
        expanded_ = false;
        draw(open.key);
        double most = std::numeric_limits<double>::infinity();
        std::int64_t found = 0;
        for (std::size_t k = 0; k < keys_.size() && found < options_.max_features; ++k) {
            const std::size_t j = next_drawn();
            if (table_.is_left_out(j) || used.has(open.used_nominal, static_cast<std::int32_t>(j))) continue;
            bool exists = false;
            Candidate split = best_split_of(j, open, most, exists);
            found += exists;
            if (!split.is_split()) continue;
            split.feature = static_cast<std::int32_t>(j);
            // Whatever costs more than this loses to it, whichever comes first.
            most = std::min(most, split.cost + 2 * facts.slack);
            candidates_.push_back(std::move(split));
        }
        std::ranges::sort(candidates_, {}, &Candidate::feature);
        return candidates_;
    }
    std::int64_t pick(std::span<Candidate> candidates, const NodeFacts& facts, const PickRule& rule) const {
        return branchwork::pick(candidates, facts.cost, facts.slack, rule, facts.weight);
    }
    /// Cuts wait until the rows are parted, which finds the values beside them; see part_by_rank.
    void write_cut(const Node&) const {}

    // ---- splitting a node

    /// Sends the node's rows to its children, in their order.
    void part(Node& open, Book& book, std::span<Node> made) {
        const auto children = static_cast<std::int32_t>(made.size());
        const std::int32_t missing =
            options_.missing == Missing::branch ? children - 1 : open.chosen.missing_child;
        const std::span<DrawnRow> rows = std::span(rows_.rows).subspan(open.begin, open.distinct());
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        room_for(child_, rows.size());
        if (table_.columns[j].nominal) {
            mark_by_code(rows, table_.columns[j], book.lookup(open.id, table_.columns[j]), missing);
            return part_marked(open, rows, made);
        }
        if (is_random()) {
            mark_by_value(open, j, missing);
            return part_marked(open, rows, made);
        }
        const Beside beside = mark_by_rank(open, j, missing);
        const std::vector<Row>& row_of_rank = table_.prepared->numeric(j).row_of_rank;
        if (beside.is_asked) {  // their values will be far away
            prefetch(&row_of_rank[beside.below]);
            prefetch(&row_of_rank[beside.above]);
        }
        part_marked(open, rows, made);
        if (beside.is_asked)
            book.write_cut(open.id, branchwork::cut_after(1, 2, options_, [&](std::size_t side) {
                               return value_of(j, side == 0 ? beside.below : beside.above);
                           }));
    }
    template <class IsOpen>
    void hand_down(Node&, std::span<Node>, const IsOpen&) {}

  private:
    bool is_random() const { return options_.search == NumericSearch::random; }

    /// A node's rows, with what stands beside them; valid until the next call.
    DrawnRange range_of(const Node& node) {
        if (!is_classes()) rows_.gather(rows_.of(node), targets_, places_);
        return {rows_.of(node), targets_, places_};
    }

    // ---- which columns are asked

    /// A number for each column; they are asked from the smallest on.
    void draw(std::uint64_t node_key) {
        const std::uint64_t key = key_of(node_key, Purpose::features);
        keys_.resize(table_.columns.size());
        for (std::size_t j = 0; j < keys_.size(); ++j) keys_[j] = key_of(key, j);
    }
    std::size_t next_drawn() {
        std::size_t next = 0;
        for (std::size_t j = 1; j < keys_.size(); ++j) next = keys_[j] < keys_[next] ? j : next;
        keys_[next] = std::numeric_limits<std::uint64_t>::max();  // it has been asked
        return next;
    }

    // ---- one column

    Candidate best_split_of(std::size_t j, const Node& open, double most, bool& exists) {
        const Column& column = table_.columns[j];
        Candidate split;
        if (column.nominal) {
            expand(open);
            split = scorer_->best_categories(column, sample_rows_, cell_rows_);
            exists = split.is_split();
            return split;
        }
        if (is_random()) return random_split(j, open, exists);
        const std::span<const std::uint32_t> ranks = gather(j, open);
        std::uint32_t low, high;
        kernels().rank_ends(ranks.data(), ranks.size(), &low, &high);
        if (low == high) return split;  // one value, or none
        if (high == missing_rank) return with_missing(j, open, ranks, exists);
        const RankCut found =
            scorer_->best_cut(RankedRows{ranks, range_.rows, range_.targets, low, high}, most);
        exists = found.exists;
        split.cost = found.cost;
        split.left_slot = found.left_rank;
        return split;
    }
    /// The one cut that is drawn; see scan_random.hpp.
    Candidate random_split(std::size_t j, const Node& open, bool& exists) {
        Candidate split;
        const std::span<const double> values = gather_values(j, open);
        double low, high;
        std::size_t known;
        kernels().value_ends(values.data(), values.size(), &low, &high, &known);
        if (known < values.size()) {
            expand(open);
            split =
                scorer_->random_threshold(table_.columns[j], sample_rows_, cell_rows_, cut_key(open.key, j));
        } else if (low < high) {
            split.cut = between(low, high, cut_key(open.key, j));
            const std::span<std::uint32_t> above = room_for(child_, values.size());
            kernels().values_above(values.data(), values.size(), split.cut, above.data());
            split.cost = scorer_->cost_of_sides(range_, above);
        }
        exists = split.is_split();
        return split;
    }
    /// Missing cells: what each policy makes of them is known to the scorer.
    Candidate with_missing(std::size_t j, const Node& open, std::span<const std::uint32_t> ranks,
                           bool& exists) {
        const Column& column = table_.columns[j];
        sort(open, ranks);
        const SortedRows<Entry> sorted{column, entries_, tags_, {{}, table_.cell_row}};
        Candidate split = numeric_split(scorer_->best_cut(sorted), sorted, options_, true);
        exists = split.is_split();
        if (exists) split.left_slot = entries_[split.left_rows - 1].rank;
        return split;
    }
    /// The node's rows in the order of their ranks, each as often as it was drawn; missing cells last.
    void sort(const Node& open, std::span<const std::uint32_t> ranks) {
        const std::span<const DrawnRow> rows = rows_.of(open);
        sort_keys_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) sort_keys_[i] = rank_key(ranks[i], i);
        sort_ranks(sort_keys_, spare_keys_);
        entries_.clear();
        for (const std::uint64_t key : sort_keys_) {
            const DrawnRow& row = rows[place_of(key)];
            for (std::uint32_t copy = 0; copy < row.copies; ++copy)
                entries_.push_back({first_place(row) + copy, rank_of(key)});
        }
    }
    /// The node's rows as rows of the sample, and as rows of the table.
    void expand(const Node& open) {
        if (std::exchange(expanded_, true)) return;
        sample_rows_.clear();
        cell_rows_.clear();
        for (const DrawnRow& row : rows_.of(open)) {
            for (std::uint32_t copy = 0; copy < row.copies; ++copy) {
                sample_rows_.push_back(first_place(row) + copy);
                cell_rows_.push_back(rows_.row_of(row.row));
            }
        }
    }
    Row first_place(const DrawnRow& row) const {
        const Row of_table = rows_.row_of(row.row);
        return table_.sample ? table_.sample->first(of_table) : of_table;
    }

    // ---- ranks and values

    /// The first places of memory that only grows: what is there need not be cleared.
    template <class T>
    static std::span<T> room_for(std::vector<T>& space, std::size_t count) {
        if (space.size() < count) space.resize(count);
        return std::span(space).first(count);
    }
    std::span<const std::uint32_t> gather(std::size_t j, const Node& open) {
        const std::span<std::uint32_t> ranks = room_for(ranks_, open.distinct());
        rows_.gather(j, rows_.of(open), ranks);
        return ranks;
    }
    std::span<const double> gather_values(std::size_t j, const Node& open) {
        const std::span<double> cells = room_for(cells_, open.distinct());
        rows_.gather(j, rows_.of(open), cells);
        return cells;
    }
    double value_of(std::size_t j, std::uint32_t rank) const {
        return number_at(table_.columns[j], table_.prepared->numeric(j).row_of_rank[rank]);
    }
    /// Numeric columns have missing cells if rows of the sample do; nominal ones were marked before.
    void note_missing() {
        for (std::size_t j = 0; j < table_.columns.size(); ++j) {
            Column& column = table_.columns[j];
            if (column.nominal) continue;
            column.has_missing = false;
            if (table_.prepared->numeric(j).known == table_.rows) continue;
            pulse_.check();
            const std::span<const std::uint32_t> ranks =
                gather(j, root());  // of the table: there is no copy yet
            column.has_missing = std::ranges::find(ranks, missing_rank) != ranks.end();
        }
    }

    // ---- parting rows

    /// The ranks of a node on both sides of a cut and nearest to it; not asked for where the cut is known.
    struct Beside {
        bool is_asked;
        std::uint32_t below = 0, above = missing_rank;
    };
    Beside mark_by_rank(const Node& open, std::size_t j, std::int32_t missing) {
        const std::span<const std::uint32_t> ranks = gather(j, open);
        const auto left = static_cast<std::uint32_t>(open.chosen.left_slot);
        std::uint32_t below = 0, above = missing_rank;
        std::uint32_t* const child = child_.data();
        for (std::size_t i = 0; i < ranks.size(); ++i) {  // without a branch: sides cannot be predicted
            const std::uint32_t rank = ranks[i], is_above = rank > left;
            child[i] = is_above;
            below = std::max(below, rank & (is_above - 1));
            above = std::min(above, rank | (is_above - 1));
        }
        if (table_.columns[j].has_missing)
            for (std::size_t i = 0; i < ranks.size(); ++i)
                if (ranks[i] == missing_rank) child[i] = static_cast<std::uint32_t>(missing);
        return {std::isnan(open.chosen.cut), below, above};
    }
    void mark_by_value(const Node& open, std::size_t j, std::int32_t missing) {
        const std::span<const double> values = gather_values(j, open);
        const double cut = open.chosen.cut;
        for (std::size_t i = 0; i < values.size(); ++i)
            child_[i] =
                static_cast<std::uint32_t>(std::isnan(values[i]) ? missing : child_of_number(values[i], cut));
    }
    void mark_by_code(std::span<const DrawnRow> rows, const Column& column,
                      std::span<const std::int32_t> lookup, std::int32_t missing) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = code_at(column, rows_.row_of(rows[i].row));
            child_[i] =
                static_cast<std::uint32_t>(code < 0 ? missing : lookup[static_cast<std::size_t>(code)]);
        }
    }
    void part_marked(const Node& open, std::span<DrawnRow> rows, std::span<Node> made) {
        made.size() == 2 ? part_in_two(open, rows, made) : part_in_many(open, rows, made);
    }
    void part_in_two(const Node& open, std::span<DrawnRow> rows, std::span<Node> made) {
        if (spare_.size() < rows.size()) spare_.resize(rows.size());
        std::size_t first = 0, second = 0, samples = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {  // without a branch: sides cannot be predicted
            const DrawnRow row = rows[i];
            const std::size_t side = child_[i];
            rows[first] = row;
            spare_[second] = row;
            first += 1 - side;
            second += side;
            samples += row.copies * (1 - side);
        }
        std::copy_n(spare_.begin(), second, rows.begin() + static_cast<std::ptrdiff_t>(first));
        made[0].begin = open.begin;
        made[0].end = made[1].begin = open.begin + first;
        made[1].end = open.end;
        made[0].samples = samples;
        made[1].samples = open.samples - samples;
    }
    void part_in_many(const Node& open, std::span<DrawnRow> rows, std::span<Node> made) {
        for (Node& child : made) child.samples = child.end = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ++made[child_[i]].end;
            made[child_[i]].samples += rows[i].copies;
        }
        std::size_t begin = open.begin;
        next_.clear();
        for (Node& child : made) {
            child.begin = std::exchange(begin, begin + child.end);
            child.end = begin;
            next_.push_back(child.begin - open.begin);
        }
        spare_.resize(std::max(spare_.size(), rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) spare_[next_[child_[i]]++] = rows[i];
        std::copy_n(spare_.begin(), rows.size(), rows.begin());
    }

    TrainingTable& table_;
    const Target& sample_;
    const Options& options_;
    Pulse& pulse_;
    std::unique_ptr<DrawnRows> own_;
    DrawnRows& rows_;
    const std::size_t* copied_ = copied_drawn_rows;
    std::unique_ptr<Scorer> scorer_;
    std::vector<std::uint64_t> keys_;  // of each column
    std::vector<Candidate> candidates_;
    std::vector<std::uint32_t> ranks_, child_;
    std::vector<double> cells_;
    DrawnRange range_;  // the node in hand
    std::vector<double> targets_;
    std::vector<Row> places_;
    std::vector<DrawnRow> spare_;
    std::vector<std::size_t> next_;
    // Of rows with missing cells, and of nominal columns:
    bool expanded_ = false;
    std::vector<Row> sample_rows_, cell_rows_;
    std::vector<std::uint64_t> sort_keys_, spare_keys_;
    std::vector<Entry> entries_;
    Tags tags_;
};

}  // namespace branchwork
