// The layout of rows where a row whose cell is missing goes down every branch, with a share of its weight.
//
// Siblings then share rows, so a node cannot own a range of one common array: it owns lists of its own. Numeric columns
// are still sorted only once, because a child's list is its parent's, filtered:
//
//     parent   entries [ a  b  c  d  e ]      b is missing in the column that is cut, and goes both ways
//     left     entries [ a  b     d    ]      at weights 1, .6, 1
//     right    entries [    b  c     e ]      at weights .4, 1, 1
//
// An entry's tag is the place of its row in the node's own list, where weight and class lie side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/class_subset.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/training_table.hpp"
#include "core/parallel.hpp"
#include "core/search/quinlan.hpp"
#include "core/search/scorer.hpp"

namespace branchwork {

struct OwningNode : OpenNode {
    std::vector<Row> of_sample;       // its rows
    std::vector<double> weights;      // the weight that each of them has here
    std::vector<std::int32_t> codes;  // the class of each ...
    std::vector<double> values;       // ... or the number of each
    ClassSubset classes;              // the classes that codes stand for
    std::vector<std::vector<Entry>>
        entries;  // of each numeric column that is not counted; tags are places in these lists

    std::size_t rows() const { return of_sample.size(); }
    Target target(const Target& sample) const {
        Target here = sample;
        here.codes = codes, here.values = values, here.weights = weights, here.sample_row = of_sample;
        classes.apply(here);
        return here;
    }
};

/// What C4.5 knows about numeric columns: its cuts are values of the table.
struct DistinctValues {
    std::vector<std::vector<double>> of_sample;      // of each numeric column, rising
    std::vector<std::vector<double>> possible_cuts;  // the same of a table of more rows, if there is one
};

class OwnRows {
  public:
    using Node = OwningNode;
    static constexpr bool copies = false;

    OwnRows(TrainingTable& table, const Target& sample, const Options& options, const DistinctValues& values,
            double table_weight, Pulse& pulse, Team* team)
        : table_(table), sample_(sample), options_(options), values_(values), pulse_(pulse), team_(team) {
        rules_.j48 = options.rules == Rules::j48;
        rules_.by_ratio = options.by_ratio();
        rules_.penalty = options.cut_penalty;
        rules_.min_objects = options.min_leaf_samples;
        rules_.table_weight = table_weight;
        rules_.classes = sample.classes;
        find_scorers(sample);
    }
    OwnRows(OwnRows& team, Alone)
        : OwnRows(team.table_, team.sample_, team.options_, team.values_, team.rules_.table_weight,
                  team.pulse_, nullptr) {}
    OwnRows(const OwnRows&) = delete;
    OwnRows& operator=(const OwnRows&) = delete;

    /// The sorted columns of the whole sample, for the root.
    void take_sorted(std::vector<std::vector<Entry>> sorted) { sorted_ = std::move(sorted); }

    Node root() {
        Node root;
        root.of_sample.resize(sample_.rows());
        std::iota(root.of_sample.begin(), root.of_sample.end(), Row{0});
        root.weights.assign(sample_.weights.begin(), sample_.weights.end());
        root.codes.assign(sample_.codes.begin(), sample_.codes.end());
        root.values.assign(sample_.values.begin(), sample_.values.end());
        root.entries = std::move(sorted_);
        return root;
    }
    std::size_t size() const { return sample_.rows(); }
    bool is_classes() const { return sample_.is_classes(); }
    const Column& column(std::size_t j) const { return table_.columns[j]; }
    void know_whole(const NodeFacts& root) {
        if (!(rules_.table_weight > 0)) rules_.table_weight = root.weight;
    }
    SearchCost spent() const {
        SearchCost sum;
        for (const auto& [classes, scorers] : scorers_of_)
            for (const auto& scorer : scorers) sum += scorer->spent;
        return sum;
    }

    // ---- looking at a node

    NodeFacts describe(const Node& node, std::size_t slot, const CountsOut& counts) {
        look_at(node);
        if (!counts.few) return scorers()[0]->describe(slot, places_, counts.all);
        counts_.assign(node_target_.classes, 0.0);
        const NodeFacts facts = scorers()[0]->describe(slot, places_, counts_);
        node.classes.list(counts_, *counts.few);
        return facts;
    }
    bool is_too_light(const NodeFacts& facts) const {
        return options_.rules != Rules::plain && !rules_.enough(facts.weight, 2 * rules_.min_objects);
    }
    bool needs_all(bool has_ledger) const { return has_ledger || options_.by_ratio(); }

    std::span<Candidate> candidates(Node& open, std::size_t slot, const NodeFacts&, const UsedColumns& used,
                                    bool in_full, std::size_t) {
        look_at(open);
        if (table_.any_nominal) note_cells(open);
        for (const auto& scorer : scorers()) scorer->start(*scorers()[0], slot, in_full);
        rules_.in_full = in_full;
        candidates_.assign(table_.columns.size(), Candidate{});
        used.mark(open.used_nominal, candidates_);
        // On one thread, splits that are no better than those of earlier columns need not be found, unless the ledger
        // keeps them.
        const bool in_turn = !in_full && !shares_out(open.rows());
        double least = std::numeric_limits<double>::infinity();
        over_columns(open.rows(), [&](std::size_t j, int k) {
            Scorer& scorer = *scorers()[static_cast<std::size_t>(k)];
            if (candidates_[j].verdict != Verdict::used_above) {
                if (in_turn) scorer.must_beat(least);
                candidates_[j] = best_split_of(j, open, scorer);
                if (in_turn) least = std::min(least, candidates_[j].cost);
            }
            candidates_[j].feature = static_cast<std::int32_t>(j);
        });
        return candidates_;
    }
    std::int64_t pick(std::span<Candidate> candidates, const NodeFacts& facts, const PickRule& rule) const {
        return options_.rules == Rules::plain
                   ? branchwork::pick(candidates, facts.cost, facts.slack, rule, facts.weight)
                   : quinlan_pick(rules_, candidates, table_.columns);
    }
    void write_cut(Node&) const {}  // it was written at once

    // ---- splitting a node

    /// Sends the node's rows to its children.
    void part(Node& open, const Book& book, std::span<Node> made) {
        find_ways(open, book, made.size());
        pulse_.check();
        share_rows(open, made);
        for (Node& child : made)
            child.classes.take(open.classes, sample_, options_, child.codes, subset_space_);
    }
    void finish(Book&) const {}
    /// The children's sorted columns; the node's own lists are not needed any more.
    template <class IsOpen>
    void hand_down(Node& open, std::span<Node> made, const IsOpen&) {
        for (Node& child : made) child.entries.resize(table_.columns.size());
        over_columns(open.rows(), [&](std::size_t j, int) {
            pulse_.check();
            if (!table_.columns[j].nominal && !table_.coded.has(j)) share_entries(open, j, made);
        });
        open = {};
    }

  private:
    void look_at(const Node& node) {
        node_target_ = node.target(sample_);
        find_scorers(node_target_);
        for (const auto& scorer : scorers()) scorer->look_at(node_target_);
        places_.resize(node.rows());
        std::iota(places_.begin(), places_.end(), Row{0});
    }
    /// The scorers for a number of classes, one for each thread.
    ///
    /// A node without rows has no weights. Without any, make_scorer would make a scorer that counts whole rows, and later nodes of
    /// as many classes would get that one. So the weights are the sample's.
    void find_scorers(const Target& node) {
        Target target = node;
        target.weights = sample_.weights;
        scorers_ = &scorers_of_[target.classes];
        while (scorers_->size() < static_cast<std::size_t>(team_ ? team_->size() : 1))
            scorers_->push_back(make_scorer(target, options_, sample_.rows(), pulse_));
    }
    std::span<const std::unique_ptr<Scorer>> scorers() const { return *scorers_; }
    void note_cells(const Node& open) {
        node_cells_ = open.of_sample;
        if (table_.cell_row.empty()) return;
        cell_rows_.resize(open.rows());
        for (std::size_t i = 0; i < cell_rows_.size(); ++i)
            cell_rows_[i] = table_.cell_row[open.of_sample[i]];
        node_cells_ = cell_rows_;
    }
    bool shares_out(std::size_t rows) const {
        return team_ && rows * table_.columns.size() >= parallel_cells;
    }
    template <class F>
    void over_columns(std::size_t rows, const F& f) {
        if (shares_out(rows)) return team_->run(table_.columns.size(), f);
        for (std::size_t j = 0; j < table_.columns.size(); ++j) f(j, 0);
    }

    Candidate best_split_of(std::size_t j, const Node& open, Scorer& scorer) {
        const Column& column = table_.columns[j];
        const bool plain = options_.rules == Rules::plain;
        if (column.nominal)
            return plain ? scorer.best_categories(column, places_, node_cells_)
                         : scorer.quinlan_categories(rules_, column, places_, node_cells_);
        if (table_.coded.has(j)) {
            const RowSlots slots = table_.coded.row_slots(j);
            const std::span<const double> values = table_.coded.values(j);
            return plain ? scorer.best_values(slots, values, places_, open.of_sample)
                         : scorer.quinlan_values(rules_, slots, values, possible_cuts(j), places_,
                                                 open.of_sample);
        }
        const SortedRows<Entry> sorted{column, open.entries[j], tags_, {open.of_sample, table_.cell_row}};
        if (!plain) return scorer.quinlan_cut(rules_, sorted, values_.of_sample[j], possible_cuts(j));
        Candidate split = numeric_split(scorer.best_cut(sorted), sorted, options_, true);
        if (split.is_split() && rules_.in_full) {
            split.test = scorer.test();
            split.judged = scorer.judged();
        }
        return split;
    }
    std::span<const double> possible_cuts(std::size_t j) const {
        return values_.possible_cuts.empty() ? values_.of_sample[j] : values_.possible_cuts[j];
    }

    static constexpr std::size_t rows_between_checks = 65'536;
    static constexpr std::int32_t every = -1;  // the child of a row that is shared

    void find_ways(const Node& open, const Book& book, std::size_t children) {
        const std::size_t count = open.rows();
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        const Column& column = table_.columns[feature];
        child_.assign(count, every);
        place_.resize(count);
        known_.assign(children, 0);
        if (column.nominal) {
            note_cells(open);
            const std::span<const std::int32_t> lookup = book.lookup(open.id, column);
            const Cells<std::int32_t> cells{column.data, column.stride};
            for (std::size_t i = 0; i < count; ++i)
                if (const std::int32_t code = cells[node_cells_[i]]; code >= 0)
                    child_[i] = std::max(0, lookup[static_cast<std::size_t>(code)]);
        } else if (table_.coded.has(feature)) {
            const RowSlots slots = table_.coded.row_slots(feature);
            for (std::size_t i = 0; i < count; ++i)
                if (const std::size_t slot = slots[open.of_sample[i]]; slot > 0)
                    child_[i] = slot > open.chosen.left_slot;
        } else {
            const std::vector<Entry>& entries = open.entries[feature];
            for (std::size_t k = 0; k < count && !entries[k].is_missing(); ++k)
                child_[entries[k].tag] = k < open.chosen.left_rows ? 0 : 1;
        }
        for (std::size_t i = 0; i < count; ++i)
            if (child_[i] >= 0) known_[static_cast<std::size_t>(child_[i])] += open.weights[i];
        shared_.assign(children, {});
    }

    /// Lists of rows and weights. Children without rows of their own get none of the shared ones.
    void share_rows(const Node& open, std::span<Node> made) {
        const double known = std::accumulate(known_.begin(), known_.end(), 0.0);
        const bool classes = is_classes();
        std::uint32_t shared = 0;
        for (std::size_t i = 0; i < open.rows(); ++i) {
            if (i % rows_between_checks == 0) pulse_.check();
            const auto send = [&](Node& to, double weight) {
                to.of_sample.push_back(open.of_sample[i]);
                to.weights.push_back(weight);
                if (classes)
                    to.codes.push_back(open.codes[i]);
                else
                    to.values.push_back(open.values[i]);
                return static_cast<std::uint32_t>(to.rows() - 1);
            };
            if (child_[i] >= 0) {
                place_[i] = send(made[static_cast<std::size_t>(child_[i])], open.weights[i]);
                continue;
            }
            place_[i] = shared++;
            for (std::size_t k = 0; k < made.size(); ++k)
                shared_[k].push_back(known_[k] > 0 ? send(made[k], open.weights[i] * (known_[k] / known))
                                                   : 0);
        }
    }

    void share_entries(const Node& open, std::size_t j, std::span<Node> made) const {
        std::vector<Entry*> next(made.size());
        for (std::size_t k = 0; k < made.size(); ++k) {
            made[k].entries[j].resize(made[k].rows());
            next[k] = made[k].entries[j].data();
        }
        for (const Entry& e : open.entries[j]) {
            if (const std::int32_t child = child_[e.tag]; child >= 0) {
                *next[static_cast<std::size_t>(child)]++ = {place_[e.tag], e.rank};
                continue;
            }
            for (std::size_t k = 0; k < made.size(); ++k)
                if (known_[k] > 0) *next[k]++ = {shared_[k][place_[e.tag]], e.rank};
        }
    }

    TrainingTable& table_;
    const Target& sample_;
    const Options& options_;
    const DistinctValues& values_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    QuinlanRules rules_;
    std::map<std::size_t, std::vector<std::unique_ptr<Scorer>>> scorers_of_;  // of each number of classes
    std::vector<std::unique_ptr<Scorer>>* scorers_ = nullptr;                 // those of the node in hand
    std::vector<double> counts_;
    ClassSubsetSpace subset_space_;
    const Tags tags_;
    std::vector<std::vector<Entry>> sorted_;
    Target node_target_;
    std::vector<Row> places_;  // 0, 1, 2 ...: the rows of the node in hand
    std::vector<Row> cell_rows_;
    std::span<const Row> node_cells_;  // rows of the table that they have their cells in
    std::vector<Candidate> candidates_;

    // Where the rows of the node in hand go.
    std::vector<std::int32_t> child_;   // of each row; `every`: shared
    std::vector<std::uint32_t> place_;  // in the child's list; of a shared row: its number among those
    std::vector<std::vector<std::uint32_t>> shared_;  // of each child: the place of each shared row
    std::vector<double> known_;                       // weight of each child's own rows
};

}  // namespace branchwork
