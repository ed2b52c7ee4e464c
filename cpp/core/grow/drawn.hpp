// The layout of rows for trees that ask only a few columns in each node: forests and extra trees of rows that count as
// often as they were drawn.
//
// Most columns are not asked in most nodes, so keeping all of them in order (in_place.hpp) would be most of the work.
// Here only the rows are parted, and a column is searched by the ranks of the node's rows (rank_bins.hpp). What that
// search cannot do (missing cells, nominal columns) is left to the scorer, as in the other layouts: a numeric column is
// sorted for this one node, with the copies of each row side by side.
//
// The same trees come out as from rows that are kept in order: for classes bit for bit; for numbers up to the last
// digits of gains, because sums are added up in another order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/column_draws.hpp"
#include "core/grow/drawn_parting.hpp"
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

/// Nodes of at most this many rows are copied: the ranks of 2^12 rows fit in the L2 cache, those of 2^9 in L1.
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
               sample.weights.empty() && fit_in_rows(table, sample) && !options.by_ratio() &&
               !options.only_changes &&
               (options.search == NumericSearch::sorted || options.search == NumericSearch::random) &&
               options.missing != Missing::share && options.missing != Missing::surrogate &&
               !options.sorts_once();
    }

    /// Do copies and classes fit in a DrawnRow?
    static bool fit_in_rows(const TrainingTable& table, const Target& sample) {
        return sample.classes <= DrawnRow::most_classes &&
               (!table.sample || table.sample->most_copies() <= DrawnRow::most_copies);
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
        parting_.count(rows_.rows);
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

    /// Classes were counted when the rows were parted.
    NodeFacts describe(const Node& node, std::size_t slot, const CountsOut& counts) {
        if (!is_classes()) return scorer_->describe(slot, range_of(node), counts.all);
        return scorer_->describe(slot, parting_.class_counts(slot), counts.all);
    }
    static bool is_too_light(const NodeFacts&) { return false; }
    static bool needs_all(bool) { return false; }

    /// Columns in the order of their draws; the first that have a split compete. Only the winner is given back.
    std::span<Candidate> candidates(Node& open, std::size_t slot, const NodeFacts& facts,
                                    const UsedColumns& used, bool, std::size_t) {
        scorer_->start(*scorer_, slot, false);
        range_ = range_of(open);
        contenders_.clear();
        kept_.clear();
        expanded_ = false;
        draws_.start(open.key, table_.columns.size());
        double most = std::numeric_limits<double>::infinity();
        // Whatever costs more than a split that was found loses to it, whichever comes first.
        const auto take = [&](const Contender& split) {
            if (!(split.cost <= most)) return;
            most = std::min(most, split.cost + 2 * facts.slack);
            contenders_.push_back(split);
        };
        std::int64_t found = 0;
        while (!draws_.all_asked() && found < options_.max_features) {
            // All of these would be asked, whatever comes of the others, so those that can be are asked together.
            std::int64_t wanted = options_.max_features - found;
            together_.start(open);
            while (wanted > 0 && !draws_.all_asked() && !together_.is_full()) {
                const std::size_t j = draws_.next();
                if (table_.is_left_out(j) || used.has(open.used_nominal, static_cast<std::int32_t>(j)))
                    continue;
                --wanted;
                if (is_ranked(j, open)) {
                    together_.add(j);
                    continue;
                }
                const Contender split = best_split_of(j, open);
                found += split.is_split();
                if (split.is_split()) take(split);
            }
            scorer_->best_cuts(together_, most, cuts_);
            for (std::size_t k = 0; k < together_.count(); ++k) {
                found += cuts_[k].exists;
                if (cuts_[k].found()) take({together_.column(k), cuts_[k].cost, cuts_[k].left_rank});
            }
        }
        if (contenders_.empty()) return {};
        candidate_ = as_candidate(winner(most, facts.slack));
        return {&candidate_, 1};
    }
    std::int64_t pick(std::span<Candidate> candidates, const NodeFacts& facts, const PickRule& rule) const {
        return branchwork::pick(candidates, facts.cost, facts.slack, rule, facts.weight);
    }
    /// Cuts are written later: parting the rows finds the ranks beside a cut, and finish() fetches the values of many
    /// cuts together.
    void write_cut(const Node&) const {}

    // ---- splitting a node

    /// Sends the node's rows to its children, in their order.
    void part(Node& open, Book& book, std::span<Node> made) {
        const auto children = static_cast<std::int32_t>(made.size());
        // There is no such child where no cell was missing. A cell that another thread changes meanwhile may be.
        const std::int32_t missing =
            std::max(0, options_.missing == Missing::branch ? children - 1 : open.chosen.missing_child);
        const auto j = static_cast<std::size_t>(open.chosen.feature);
        const Column& column = table_.columns[j];
        if (!column.nominal && !is_random()) {
            const Beside beside =
                column.has_missing ? mark_by_rank(open, j, missing) : part_by_rank(open, j, made);
            if (column.has_missing) part_marked(open, made);
            if (std::isnan(open.chosen.cut)) {
                waiting_.push_back({open.id, j, beside.below, beside.above});
                if (waiting_.size() == most_waiting) finish(book);
            }
            return;
        }
        if (column.nominal)
            mark_by_code(open, column, book.lookup(open.id, column), missing);
        else
            mark_by_value(open, j, missing);
        part_marked(open, made);
        if (!column.nominal) check_parted(open, made);
    }
    /// Writes the cuts that wait. The values beside a cut are scattered over the table, and fetching many together
    /// takes no longer than fetching one.
    void finish(Book& book) {
        for (Waiting& cut : waiting_) {
            const std::vector<Row>& row_of_rank = table_.prepared->numeric(cut.column).row_of_rank;
            cut.below = row_of_rank[cut.below];
            cut.above = row_of_rank[cut.above];
        }
        for (const Waiting& cut : waiting_)
            book.write_cut(cut.node, branchwork::cut_after(1, 2, options_, [&](std::size_t side) {
                               return number_at(table_.columns[cut.column],
                                                side == 0 ? cut.below : cut.above);
                           }));
        waiting_.clear();
    }
    template <class IsOpen>
    void hand_down(Node&, std::span<Node>, const IsOpen&) {}

  private:
    /// A cut that lies between two ranks; then, between the values of two rows.
    struct Waiting {
        std::int32_t node;
        std::size_t column;
        std::uint32_t below, above;
    };
    static constexpr std::size_t most_waiting = 64;

    bool is_random() const { return options_.search == NumericSearch::random; }

    /// A node's rows, with what stands beside them; valid until the next call.
    DrawnRange range_of(const Node& node) {
        if (!is_classes()) rows_.gather(rows_.of(node), targets_, places_);
        return {rows_.of(node), targets_, places_};
    }

    // ---- columns that are searched by ranks

    class Together final : public RankedColumns {
      public:
        explicit Together(Drawn& layout) : layout_(layout) {}
        void start(const Node& open) {
            open_ = &open;
            count_ = 0;
        }
        void add(std::size_t j) { columns_[count_++] = j; }
        bool is_full() const { return count_ == columns_.size(); }
        std::size_t column(std::size_t k) const { return columns_[k]; }

        std::size_t count() const override { return count_; }
        std::size_t rows() const override { return open_->distinct(); }
        RankedRows ranked(std::size_t k) override {
            return {layout_.gather(columns_[k], *open_), layout_.range_.rows, layout_.range_.targets};
        }

      private:
        Drawn& layout_;
        const Node* open_ = nullptr;
        std::array<std::size_t, most_together> columns_{};
        std::size_t count_ = 0;
    };
    /// Is a column numeric, its cuts not drawn, and no cell of the node missing in it?
    bool is_ranked(std::size_t j, const Node& open) {
        const Column& column = table_.columns[j];
        if (column.nominal || is_random()) return false;
        if (!column.has_missing) return true;
        const std::span<const std::uint32_t> ranks = gather(j, open);
        return std::ranges::find(ranks, missing_rank) == ranks.end();
    }

    // ---- one column

    /// What is needed of a column's best split to compare it with others.
    struct Contender {
        std::size_t column = 0;
        double cost = std::numeric_limits<double>::infinity();
        std::uint32_t left_rank = 0;
        double cut = std::numeric_limits<double>::quiet_NaN();
        std::ptrdiff_t kept = -1;  // its place in `kept_`, where there is more to know about it

        bool is_split() const { return cost < std::numeric_limits<double>::infinity(); }
    };
    /// The one that costs least; ties go by the order of the table, as everywhere (see pick).
    const Contender& winner(double most, double slack) {
        std::erase_if(contenders_, [most](const Contender& c) { return c.cost > most; });
        std::ranges::sort(contenders_, {}, &Contender::column);
        const Contender* best = contenders_.data();
        for (const Contender& c : contenders_)
            if (c.cost < best->cost - slack) best = &c;
        return *best;
    }
    Candidate as_candidate(const Contender& chosen) {
        Candidate split;
        if (chosen.kept >= 0)
            split = std::move(kept_[static_cast<std::size_t>(chosen.kept)]);
        else
            split.cut = chosen.cut;
        split.feature = static_cast<std::int32_t>(chosen.column);
        split.cost = chosen.cost;
        if (chosen.kept < 0) split.left_slot = chosen.left_rank;
        return split;
    }
    Contender keep(std::size_t j, Candidate&& split) {
        if (!split.is_split()) return {};
        kept_.push_back(std::move(split));
        Contender contender{j, kept_.back().cost};
        contender.kept = std::ssize(kept_) - 1;
        return contender;
    }

    Contender best_split_of(std::size_t j, const Node& open) {
        const Column& column = table_.columns[j];
        if (!column.nominal) return is_random() ? random_split(j, open) : keep(j, with_missing(j, open));
        expand(open);
        return keep(j, scorer_->best_categories(column, sample_rows_, cell_rows_));
    }
    /// The one cut that is drawn; see scan_random.hpp.
    Contender random_split(std::size_t j, const Node& open) {
        const std::span<const double> values = gather_values(j, open);
        double low, high;
        std::size_t known;
        kernels().value_ends(values.data(), values.size(), &low, &high, &known);
        if (known < values.size()) {
            expand(open);
            return keep(j, scorer_->random_threshold(table_.columns[j], sample_rows_, cell_rows_,
                                                     cut_key(open.key, j)));
        }
        if (!(low < high)) return {};
        Contender split{j};
        split.cut = between(low, high, cut_key(open.key, j));
        const std::span<std::uint32_t> above = room_for(child_, values.size());
        kernels().values_above(values.data(), values.size(), split.cut, above.data());
        split.cost = scorer_->cost_of_sides(range_, above);
        return split;
    }
    /// Missing cells: what each policy makes of them is known to the scorer.
    Candidate with_missing(std::size_t j, const Node& open) {
        const Column& column = table_.columns[j];
        sort(open, gather(j, open));
        const SortedRows<Entry> sorted{column, entries_, tags_, {{}, table_.cell_row}};
        Candidate split = numeric_split(scorer_->best_cut(sorted), sorted, options_, true);
        if (split.is_split()) split.left_slot = entries_[split.left_rows - 1].rank;
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

    /// The ranks of a node on both sides of a cut and nearest to it.
    struct Beside {
        std::uint32_t below = 0, above = missing_rank;

        void see(std::uint32_t rank, std::uint32_t is_above) {
            below = std::max(below, rank & (is_above - 1));
            above = std::min(above, rank | (is_above - 1));
        }
    };
    /// Parts the rows by a column without missing cells.
    Beside part_by_rank(const Node& open, std::size_t j, std::span<Node> made) {
        const std::span<const std::uint32_t> ranks = gather(j, open);
        const auto left = static_cast<std::uint32_t>(open.chosen.left_slot);
        Beside beside;
        parting_.part_in_two(rows_.rows, open, made, [&](std::size_t i) {
            const std::uint32_t is_above = ranks[i] > left;
            beside.see(ranks[i], is_above);
            return is_above;
        });
        return beside;
    }
    Beside mark_by_rank(const Node& open, std::size_t j, std::int32_t missing) {
        const std::span<const std::uint32_t> ranks = gather(j, open);
        const std::span<std::uint32_t> child = room_for(child_, ranks.size());
        const auto left = static_cast<std::uint32_t>(open.chosen.left_slot);
        Beside beside;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            child[i] = ranks[i] > left;
            beside.see(ranks[i], child[i]);
            if (ranks[i] == missing_rank) child[i] = static_cast<std::uint32_t>(missing);
        }
        return beside;
    }
    void mark_by_value(const Node& open, std::size_t j, std::int32_t missing) {
        const std::span<const double> values = gather_values(j, open);
        const std::span<std::uint32_t> child = room_for(child_, values.size());
        const double cut = open.chosen.cut;
        for (std::size_t i = 0; i < values.size(); ++i)
            child[i] =
                static_cast<std::uint32_t>(std::isnan(values[i]) ? missing : child_of_number(values[i], cut));
    }
    void mark_by_code(const Node& open, const Column& column, std::span<const std::int32_t> lookup,
                      std::int32_t missing) {
        const std::span<const DrawnRow> rows = rows_.of(open);
        const std::span<std::uint32_t> child = room_for(child_, rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = code_at(column, rows_.row_of(rows[i].row));
            child[i] =
                static_cast<std::uint32_t>(code < 0 ? missing : lookup[static_cast<std::size_t>(code)]);
        }
    }
    void part_marked(const Node& open, std::span<Node> made) {
        parting_.part(rows_.rows, open, made, child_);
    }

    TrainingTable& table_;
    const Target& sample_;
    const Options& options_;
    Pulse& pulse_;
    std::unique_ptr<DrawnRows> own_;
    DrawnRows& rows_;
    const std::size_t* copied_ = copied_drawn_rows;
    std::unique_ptr<Scorer> scorer_;
    DrawnParting parting_{sample_.classes};
    ColumnDraws draws_;
    std::vector<Contender> contenders_;
    std::vector<Candidate> kept_;
    Candidate candidate_;  // the winner
    Together together_{*this};
    std::array<RankCut, most_together> cuts_;
    std::vector<std::uint32_t> ranks_, child_;
    std::vector<double> cells_;
    DrawnRange range_;  // the node in hand
    std::vector<double> targets_;
    std::vector<Row> places_;
    std::vector<Waiting> waiting_;
    // Of rows with missing cells, and of nominal columns:
    bool expanded_ = false;
    std::vector<Row> sample_rows_, cell_rows_;
    std::vector<std::uint64_t> sort_keys_, spare_keys_;
    std::vector<Entry> entries_;
    Tags tags_;
};

}  // namespace branchwork
