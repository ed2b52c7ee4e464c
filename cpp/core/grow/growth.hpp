// Growth of one tree: tally the node, choose a split, route its rows; repeat until nothing is open.
//
// Frontier, stopping, ties and bookkeeping are the same for every tree. Where rows live is a layout: InPlace where
// each row goes one way (in_place.hpp), OwnRows where rows are shared among branches (own_rows.hpp). With several
// threads, large nodes share out their columns, and a smaller node is a task of its own. The tree does not depend on
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/book.hpp"
#include "core/grow/frontier.hpp"
#include "core/grow/small_tree_of_classes.hpp"
#include "core/grow/small_tree_of_numbers.hpp"
#include "core/options.hpp"
#include "core/order.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/search/scorer.hpp"

namespace branchwork {

template <class Layout>
class Growth {
    using Node = typename Layout::Node;
    static constexpr bool can_be_small = requires(const Layout& l, const Node& n) { l.is_small(n); };

  public:
    Growth(Layout& layout, const Options& options, Pulse& pulse, Team* team, Book& book, UsedColumns& used)
        : layout_(layout),
          options_(options),
          pulse_(pulse),
          team_(team),
          book_(book),
          used_(used),
          frontier_(options.max_leaves < 0 ? Order::depth : options.order) {}
    Growth(const Growth&) = delete;
    Growth& operator=(const Growth&) = delete;

    /// The whole tree. `may_guess`: the ledger may be given up as soon as the tree looks too large for it. That guess
    /// may be wrong, and then a small tree is left without its ledger.
    void grow_all(std::uint64_t key, bool may_guess = false) {
        book_.add_root();
        made_.push_back(layout_.root());
        made_[0].key = key;
        facts_.push_back(describe(made_[0], 0));
        layout_.know_whole(facts_[0]);
        whole_weight_ = facts_[0].weight;
        keep_those_to_split(0);
        take_up(made_);
        if (may_guess && book_.tree().has_ledger && nothing_keeps_it_small()) look_ahead();
        grow_open();
        layout_.finish(book_);
        grow_tasks();
    }

    /// The subtree of a node whose split has been chosen, in a tree of this weight.
    void grow_below(Node open, double whole_weight) {
        whole_weight_ = whole_weight;
        split(std::move(open));
        grow_open();
        layout_.finish(book_);
    }

    SearchCost spent() const {
        SearchCost sum = layout_.spent();
        if constexpr (Layout::copies)
            if (below_) sum += below_->growth.spent();
        if (small_classes_) sum += small_classes_->spent;
        if (small_numbers_) sum += small_numbers_->spent;
        return sum;
    }

  private:
    void grow_open() {
        while (!frontier_.empty()) split(frontier_.pop());
    }

    // ---- guessing the size of the tree
    //
    // The ledger is kept for small trees only. Writing it takes time, because every column's best split is found in
    // full, and that is for nothing if the tree turns out to be large. So the first splits are those that gain most, and
    // the rows that are still in the wrong class say how much is left to do.

    static constexpr int fewest_splits = 3, most_splits = 31;  // before the guess
    static constexpr double wrong_rows_per_node = 4;  // trees of real tables have a node for one to four

    bool nothing_keeps_it_small() const {
        return options_.max_depth < 0 && options_.max_leaves < 0 && options_.min_gain <= 0 &&
               options_.min_decrease <= 0 && !options_.by_ratio() && !options_.asked;
    }
    void look_ahead() {
        frontier_.set(Order::best);
        for (int splits = 1; splits <= most_splits && !frontier_.empty(); ++splits) {
            split(frontier_.pop(), false);
            if (splits >= fewest_splits && looks_large(splits)) {
                book_.give_up_ledger();
                break;
            }
        }
        frontier_.set(Order::depth);
    }
    /// The fewer splits there are, the more rows must be wrong.
    bool looks_large(int splits) const {
        double wrong = 0;
        for (const Node& open : frontier_.open()) wrong += wrong_rows(open);
        for (const Node& open : tasks_) wrong += wrong_rows(open);
        const double of_a_leaf = std::max({1.0, options_.min_leaf_samples, options_.min_split_samples / 2});
        const double nodes = wrong / (wrong_rows_per_node * of_a_leaf) * (splits + 1) / (most_splits + 1);
        return nodes > static_cast<double>(options_.ledger_nodes);
    }
    /// The rows of a node that are not of its largest class, or all of them if the target is a number.
    double wrong_rows(const Node& open) const {
        const GrownTree& tree = book_.tree();
        const auto id = static_cast<std::size_t>(open.id);
        const auto rows = static_cast<double>(open.rows());
        return layout_.is_classes() ? rows * (1 - tree.largest_count(id) / tree.weight[id]) : rows;
    }

    /// Nodes that are to be split wait in the frontier, or for a thread of their own.
    void take_up(std::vector<Node>& made) {
        if (team_ && team_->size() > 1 && options_.max_leaves < 0) {
            const std::size_t largest = layout_.size() / static_cast<std::size_t>(4 * team_->size());
            std::vector<Node> large;
            for (Node& open : made) (open.rows() > largest ? large : tasks_).push_back(std::move(open));
            made = std::move(large);
        }
        frontier_.push(made);
    }

    void grow_tasks() {
        if (tasks_.empty()) return;
        GrownTree& tree = book_.tree();
        std::vector<std::int32_t> leaf(tasks_.size());
        std::vector<std::size_t> rows(tasks_.size());
        for (std::size_t k = 0; k < tasks_.size(); ++k) leaf[k] = tasks_[k].id, rows[k] = tasks_[k].rows();
        const std::vector<std::size_t> order = largest_first(rows);
        std::vector<std::optional<GrownTree>> parts(tasks_.size());
        team_->run(tasks_.size(), [&](std::size_t k, int) {
            Node& open = tasks_[order[k]];
            Book book(options_, tree.width, book_.nodes());
            book.tree().has_ledger = tree.has_ledger;
            book.tree().is_sparse = tree.is_sparse;
            book.tree().add_node();
            book.stop(0, Stop::split);
            open.id = 0;
            UsedColumns used = used_;
            Layout layout(layout_, Alone{});
            Growth growth(layout, options_, pulse_, nullptr, book, used);
            growth.grow_below(std::move(open), whole_weight_);
            book.tree().search_cost += growth.spent();
            parts[order[k]] = std::move(book.tree());
        });
        std::size_t nodes = tree.size();
        for (const std::optional<GrownTree>& part : parts) nodes += part->size() - 1;
        tree.reserve(nodes);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            // What is known about the task's own node was written before the task began.
            const auto at = static_cast<std::size_t>(leaf[k]);
            GrownTree& part = *parts[k];
            part.weight[0] = tree.weight[at], part.n_rows[0] = tree.n_rows[at];
            part.impurity[0] = tree.impurity[at], part.variance[0] = tree.variance[at];
            if (tree.is_sparse)
                part.few[0] = std::move(tree.few[at]);
            else
                std::copy_n(tree.stats.begin() + static_cast<std::ptrdiff_t>(at * tree.width), tree.width,
                            part.stats.begin());
            tree.graft(leaf[k], std::move(part));
            parts[k].reset();  // its memory is needed for the next
            book_.drop_ledger_if_large();
        }
    }

    // ---- looking at a node

    NodeFacts describe(const Node& node, std::size_t slot) {
        const NodeFacts facts = layout_.describe(node, slot, book_.counts(node.id));
        book_.describe(node.id, node.depth, node.rows(), facts, layout_.is_classes());
        if (is_open(node) && layout_.is_too_light(facts)) book_.stop(node.id, Stop::too_few_rows);
        return facts;
    }
    bool is_open(const Node& described) const { return book_.reason(described.id) == Stop::split; }

    /// Keeps those of the new nodes that are to be split. `likely` is a column that may be good.
    void keep_those_to_split(std::size_t likely) {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < made_.size(); ++k) {
            if (!is_open(made_[k]) || !choose(made_[k], k, likely)) {
                pulse_.advance(made_[k].rows());
                continue;
            }
            if (kept < k) made_[kept] = std::move(made_[k]);
            ++kept;
        }
        made_.resize(kept);
    }

    /// Chooses the split of a node; false: there is none, it is a leaf.
    bool choose(Node& open, std::size_t slot, std::size_t likely) {
        if constexpr (can_be_small) {
            open.is_small = is_small(open) && !layout_.has_missing(open);
            if (open.is_small) return true;
        }
        pulse_.check();
        const NodeFacts& facts = facts_[slot];
        const bool in_full = layout_.needs_all(book_.tree().has_ledger);
        const std::span<Candidate> candidates = layout_.candidates(open, slot, facts, used_, in_full, likely);
        const std::int64_t best = layout_.pick(candidates, facts, book_.rule(facts.weight, whole_weight_));
        book_.keep(open.id, candidates);
        if (best < 0) {
            book_.stop(open.id, Book::why_unsplit(candidates));
            return false;
        }
        open.chosen = std::move(candidates[static_cast<std::size_t>(best)]);
        if (!in_full) layout_.write_cut(open);
        open.worth = open.chosen.gain * facts.weight;
        return true;
    }

    // ---- splitting a node

    /// Splits a node, or grows its whole subtree in a copy if that is worth while and allowed.
    void split(Node open, bool may_copy = true) {
        if constexpr (can_be_small)
            if (open.is_small) return grow_small(open);
        if constexpr (Layout::copies)
            if (may_copy && (!team_ || team_->size() == 1) && layout_.is_worth_copying(open))
                return split_in_copy(std::move(open));
        const auto feature = static_cast<std::size_t>(open.chosen.feature);
        const Column& column = layout_.column(feature);
        const std::int32_t children = book_.children_of(column, open.chosen);
        if (!book_.make_room(children)) {
            book_.stop(open.id, Stop::max_leaves);
            pulse_.advance(open.rows());
            return;
        }
        const std::int32_t first = book_.split(open.id, column, open.chosen, children);
        std::int32_t used = open.used_nominal;
        if (column.nominal && open.chosen.sides.empty()) used = used_.add(open.chosen.feature, used);
        made_.clear();
        made_.resize(static_cast<std::size_t>(children));
        for (std::int32_t k = 0; k < children; ++k) {
            Node& child = made_[static_cast<std::size_t>(k)];
            child.id = first + k;
            child.depth = open.depth + 1;
            child.used_nominal = used;
            child.key = key_of(open.key, static_cast<std::uint64_t>(k));
        }
        layout_.part(open, book_, made_);
        pulse_.check();
        facts_.clear();
        for (std::size_t k = 0; k < made_.size(); ++k) facts_.push_back(describe(made_[k], k));
        pulse_.check();
        if (std::ranges::any_of(made_, [this](const Node& child) { return is_open(child); }))
            layout_.hand_down(open, made_,
                              [this](const Node& child) { return is_open(child) && !is_small(child); });
        keep_those_to_split(feature);
        take_up(made_);
    }

    /// Can the subtree of a node be grown on its own, as small_tree.hpp says, if missing cells do not forbid it?
    bool is_small(const Node& node) const {
        if constexpr (can_be_small)
            return !book_.tree().has_ledger && node.depth > 0 && layout_.is_small(node);
        else
            return false;
    }
    void grow_small(const Node& open) {
        layout_.is_classes() ? grow_small(open, small_classes_) : grow_small(open, small_numbers_);
    }
    template <class SmallTree>
    void grow_small(const Node& open, std::unique_ptr<SmallTree>& tree) {
        pulse_.check();
        if (!tree) tree = std::make_unique<SmallTree>(layout_.table(), options_);
        layout_.copy_small(open, *tree);
        tree->grow(book_, open.id, open.depth, whole_weight_);
        pulse_.advance(open.rows());
    }

    /// A grower for copies of small nodes.
    template <class L>
    struct BelowOf {
        explicit BelowOf(L&, const Options&, Pulse&, Book&, UsedColumns&) {}
    };
    template <class L>
        requires(L::copies)
    struct BelowOf<L> {
        typename L::CopyLayout layout;
        Growth<typename L::CopyLayout> growth;

        BelowOf(L& above, const Options& options, Pulse& pulse, Book& book, UsedColumns& used)
            : layout(above), growth(layout, options, pulse, nullptr, book, used) {}
    };

    void split_in_copy(Node open) {
        if (!below_) below_ = std::make_unique<BelowOf<Layout>>(layout_, options_, pulse_, book_, used_);
        below_->layout.copy(layout_, open);
        below_->growth.grow_below(std::move(open), whole_weight_);
    }

    Layout& layout_;
    const Options& options_;
    Pulse& pulse_;
    Team* team_;  // none: one thread
    Book& book_;
    UsedColumns& used_;
    Frontier<Node> frontier_;
    double whole_weight_ = 0;
    std::vector<Node> made_;        // by the split in hand,
    std::vector<NodeFacts> facts_;  // and what they are
    std::vector<Node> tasks_;       // small enough for one thread
    std::unique_ptr<BelowOf<Layout>> below_;
    std::unique_ptr<SmallTreeOfClasses> small_classes_;
    std::unique_ptr<SmallTreeOfNumbers> small_numbers_;
};

}  // namespace branchwork
