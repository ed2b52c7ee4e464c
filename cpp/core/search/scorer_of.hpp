// A scorer for one kind of target and one score: the searches, put together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/compiler.hpp"
#include "core/search/drawn_stats.hpp"
#include "core/search/least_cost.hpp"
#include "core/search/multiway_counters.hpp"
#include "core/search/node_facts.hpp"
#include "core/search/pair_search.hpp"
#include "core/search/quinlan.hpp"
#include "core/search/scan_bucketed.hpp"
#include "core/search/scan_classes.hpp"
#include "core/search/scan_naive.hpp"
#include "core/search/scan_nominal.hpp"
#include "core/search/scan_random.hpp"
#include "core/search/scan_ranks_of_classes.hpp"
#include "core/search/scan_ranks_of_numbers.hpp"
#include "core/search/scan_ranks_of_two.hpp"
#include "core/search/scan_sorted.hpp"
#include "core/search/scan_tally.hpp"
#include "core/search/scan_values.hpp"
#include "core/search/scan_weighted_ranks.hpp"
#include "core/search/scorer.hpp"
#include "core/search/value_costs.hpp"
#include "core/search/value_groups.hpp"
#include "core/tally/node_stats.hpp"

namespace branchwork {

template <TargetRows Labels, class Score>
class ScorerOf final : public Scorer {
    using Stats = typename Labels::Stats;
    static constexpr bool is_own = is_asked<Score> || std::same_as<Score, OwnScore<std::int64_t>> ||
                                   std::same_as<Score, OwnScore<double>>;
    static constexpr bool for_quinlan = is_classes<Labels> && !Labels::counts_rows && !is_own;
    static constexpr bool counts_whole_rows = is_classes<Labels> && Labels::counts_rows;
    static constexpr bool has_ranks = counts_whole_rows || std::same_as<Score, SquaredError>;

  public:
    ScorerOf(const Target& target, Score score, const Options& options, const Pulse& pulse)
        : target_(view_of<Labels>(target)),
          score_(std::move(score)),
          options_(options),
          pulse_(pulse),
          pairs_(target_, score_, options_, target.width()),
          nominal_(target_, score_, options_, pairs_, pulse_),
          sweep_(score_, target.width()),
          ranks_(score_, options_, target.width()),
          weighted_ranks_(score_) {}
    ScorerOf(const ScorerOf&) = delete;
    ScorerOf& operator=(const ScorerOf&) = delete;

    void look_at(const Target& target) override { target_ = view_of<Labels>(target); }

    // ---- a node

    NodeFacts describe(std::size_t slot, std::span<const Row> rows, std::span<double> counts) override {
        NodeStats<Stats>& node_stats = slot_of(slot);
        node_stats = stats_of(target_, rows);
        NodeFacts facts = facts_of(target_, score_, node_stats, counts);
        if constexpr (!is_classes<Labels>) {
            facts.moments = node_stats.stats;
            facts.variance = sample_variance(target_, rows, node_stats);
        }
        return facts;
    }
    NodeFacts describe(std::size_t slot, std::span<const std::int64_t> class_counts,
                       std::span<double> counts) override {
        if constexpr (counts_whole_rows) {
            read_counts(class_counts, slot_of(slot));
            return facts_of(target_, score_, slot_of(slot), counts);
        } else {
            throw_no_ranks();
        }
    }
    NodeFacts describe(std::size_t slot, const DrawnRange& drawn, std::span<double> counts) override {
        if constexpr (has_ranks && !is_classes<Labels>) {
            slot_of(slot) = stats_of(drawn);
            return facts_of_numbers(target_, score_, slot_of(slot), counts);
        } else {
            throw_no_ranks();
        }
    }
    void start(const Scorer& described, std::size_t slot, bool in_full) override {
        node_ = &static_cast<const ScorerOf&>(described).slots_[slot];
        slack_ = slack(score_, node_->stats);
        pairs_.start(node_->stats, slack_, in_full);
        costs_.start(node_->stats);
    }
    void must_beat(double cost) override { pairs_.must_beat(cost); }
    double least_possible(std::span<const Row> rows) const override {
        if constexpr (std::same_as<Score, SquaredError>)
            if (rows.size() <= most_rows_for_least_cost)
                return least_cost(target_, rows, node_->stats, node_->centre, score_);
        if constexpr (is_asked<Score>) return -std::numeric_limits<double>::infinity();
        return 0;
    }

    // ---- one numeric column

    BestPair best_cut(const SortedRows<Entry>& rows) override { return in_order(rows); }
    BestPair best_cut(const SortedRows<NarrowEntry>& rows) override { return in_order(rows); }
    void best_cuts(RankedColumns& columns, double most, std::span<RankCut> found) override {
        if constexpr (has_ranks) {
            spent.rows_visited += static_cast<std::int64_t>(columns.rows() * columns.count());
            ranks_.best(columns, node_->stats, node_->centre, most, slack_, pulse_, spent, found);
        } else {
            throw_no_ranks();
        }
    }
    double cost_of_sides(const DrawnRange& drawn, std::span<const std::uint32_t> side) override {
        if constexpr (has_ranks) {
            spent.rows_visited += static_cast<std::int64_t>(drawn.size());
            const Stats left = stats_of_drawn<Stats>(drawn, target_, node_->centre, [&](std::size_t i) {
                return drawn.rows[i].copies & (side[i] - 1);
            });
            pairs_.set_none_missing();
            ++spent.rules_scored;
            return pairs_.best_of_one(left).cost;
        } else {
            throw_no_ranks();
        }
    }
    const BranchTest& test() const override { return pairs_.test(); }
    Judged judged() const override { return pairs_.judged(); }

    std::optional<Candidate> best_in_buckets(Column& column) override {
        Candidate split;
        const auto scan = [&](auto side) {
            return buckets_.scan(target_, score_, std::move(side), node_->stats, column, slack_, pulse_,
                                 spent, split);
        };
        bool done = false;
        if constexpr (is_own)
            return std::nullopt;  // the bounds of buckets need more than is known of it
        else if constexpr (std::same_as<Stats, ClassCounts<std::int64_t, 2>>)
            done = scan(PairBuckets<Score>(score_));
        else if constexpr (std::same_as<Score, Accuracy<std::int64_t>>)
            done = scan(MajorityBuckets(score_, target_.classes));
        return done ? std::optional(split) : std::nullopt;
    }
    std::optional<Candidate> best_of_ranks(const Column& column, const PreparedColumn& ranked) override {
        if constexpr (has_weighted_ranks) {
            if (!is_plain()) return std::nullopt;
            pairs_.set_none_missing();
            const auto found = weighted_ranks_.best(ranked, target_, node_->stats, slack_, pulse_, spent);
            if (!found) return Candidate{};
            Candidate split = split_of(pairs_.best_of_one(found->left));
            split.cut = branchwork::cut_after(1, 2, options_, [&](std::size_t side) {
                return number_at(column, ranked.row_of_rank[found->left_rank + side]);
            });
            return split;
        } else {
            return std::nullopt;
        }
    }
    Candidate best_threshold(const Column& column, std::span<const Row> rows, CellRows cells) override {
        return scan_naive(target_, score_, *node_, column, rows, cells, options_, slack_, pulse_, spent);
    }

    Candidate random_threshold(const Column& column, std::span<const Row> rows,
                               std::span<const Row> cell_rows, std::uint64_t key) override {
        random_.left = random_.missing = node_->stats;
        draw_cut(target_, node_->centre, column, rows, cell_rows, key, random_);
        spent.rows_visited += static_cast<std::int64_t>(rows.size());
        if (random_.missing.weight() > 0)
            pairs_.set_missing(random_.missing);
        else
            pairs_.set_none_missing();
        const BestPair pair =
            pairs_.best(OnePartition<Stats>{random_.parts ? &random_.left : nullptr, 1, &spent.rules_scored});
        Candidate split;
        if (pair.too_few) split.verdict = Verdict::too_few_rows;
        if (!pair.found()) return split;
        split.cost = pair.cost;
        split.split_info = pair.split_info;
        split.missing_child = pair.missing_child;
        const bool between_values = pair.id != known_or_missing;
        const bool has_branch = options_.missing == Missing::branch;
        split.cut = between_values ? random_.cut
                    : has_branch   ? random_.high
                                   : std::numeric_limits<double>::infinity();
        if (pairs_.in_full()) {
            split.test = pairs_.test();
            split.judged = pairs_.judged();
        }
        return split;
    }

    // ---- one nominal column

    Candidate best_categories(const Column& column, std::span<const Row> rows,
                              std::span<const Row> cell_rows) override {
        spent.rows_visited += static_cast<std::int64_t>(rows.size());
        nominal_.categories().count(target_, node_->centre, node_->stats, column, rows, cell_rows);
        return nominal_.best(node_->stats, column.levels, slack_, spent);
    }
    Candidate best_categories(const Column& column, const Counters& counters) override {
        if constexpr (counts_whole_rows) {
            const Stats& all = node_->stats;
            spent.rows_visited += all.total;
            const bool plain = options_.nominal == Nominal::multiway && options_.missing == Missing::branch &&
                               !options_.limits_leaves();
            if (plain)
                return multiway_of_counters(score_, counters, all, target_.classes, pairs_.in_full(), branch_,
                                            spent);
            read(counters);
            return nominal_.best(all, column.levels, slack_, spent);
        } else {
            throw std::logic_error("only whole rows of classes are counted");
        }
    }

    // ---- one numeric column that is counted

    void start_all(const NumericCounters& numeric) override { costs_.start_all(numeric); }
    Candidate best_values(const Counters& counters, std::span<const double> values) override {
        if constexpr (counts_whole_rows) {
            spent.rows_visited += node_->stats.total;
            if (is_plain() && costs_.rows_at(counters, 0) == 0) return best_of_costs(counters, values);
            read(counters);
            return best_of_values(values);
        } else {
            throw std::logic_error("only whole rows of classes are counted");
        }
    }
    Candidate best_values(const RowSlots& slots, std::span<const double> values, std::span<const Row> rows,
                          std::span<const Row> slot_rows) override {
        spent.rows_visited += static_cast<std::int64_t>(rows.size());
        count(slots, rows, slot_rows);
        return best_of_values(values);
    }

    // ---- C4.5

    Candidate quinlan_values(const QuinlanRules& rules, const RowSlots& slots, std::span<const double> values,
                             std::span<const double> possible_cuts, std::span<const Row> rows,
                             std::span<const Row> slot_rows) override {
        if constexpr (for_quinlan) {
            count(slots, rows, slot_rows);
            const CategoryStats<Stats>& found = nominal_.categories();
            Candidate split = branchwork::quinlan_cut(
                rules, score_, sweep_, node_->stats, found.missing(), node(score_, node_->stats),
                found.size(), possible_cuts, pulse_,
                [&](std::size_t i) { return values[static_cast<std::size_t>(found.codes()[i])]; },
                [&](auto& sweep, std::size_t i) {
                    sweep.move(found[i]);
                    return found[i].weight();
                });
            if (split.is_split()) split.left_slot = slot_before(split.left_rows);
            return split;
        } else {
            throw std::invalid_argument("C4.5 needs a target of classes");
        }
    }
    Candidate quinlan_cut(const QuinlanRules& rules, const SortedRows<Entry>& rows,
                          std::span<const double> values, std::span<const double> possible_cuts) override {
        if constexpr (for_quinlan) {
            const std::size_t known = rows.known();
            missing_ = node_->stats;
            missing_.clear();
            for (const Entry& e : rows.entries.subspan(known)) target_.add(e.tag, 0, missing_);
            return branchwork::quinlan_cut(
                rules, score_, sweep_, node_->stats, missing_, node(score_, node_->stats), known,
                possible_cuts, pulse_, [&](std::size_t i) { return values[rows.entries[i].rank]; },
                [&](auto& sweep, std::size_t i) {
                    const Row place = rows.entries[i].tag;
                    sweep.move(target_.label(place), target_.weight(place));
                    return target_.weight(place);
                });
        } else {
            throw std::invalid_argument("C4.5 needs a target of classes");
        }
    }
    Candidate quinlan_categories(const QuinlanRules& rules, const Column& column, std::span<const Row> rows,
                                 std::span<const Row> cell_rows) override {
        if constexpr (for_quinlan) {
            spent.rows_visited += static_cast<std::int64_t>(rows.size());
            const Stats& all = node_->stats;
            nominal_.categories().count(target_, node_->centre, all, column, rows, cell_rows);
            const CategoryStats<Stats>& categories = nominal_.categories();
            const auto levels = static_cast<std::size_t>(column.levels);
            const double parent = node(score_, all);
            if (options_.nominal == Nominal::one_vs_rest)
                return quinlan_one_category(rules, score_, all, parent, categories, levels);
            if (options_.nominal == Nominal::groups && levels > 2)
                return ValueGroups<Score, Stats>(rules, score_, all, categories).best(parent, levels);
            return branchwork::quinlan_categories(rules, score_, all, parent, categories);
        } else {
            throw std::invalid_argument("C4.5 needs a target of classes");
        }
    }

    // ---- from a tally

    Choice choose(const NodeTally& tally, std::span<const bool> used, double least_gain) override {
        return TallySearch<Labels, Score>(tally, score_, options_, pairs_, nominal_, pulse_)
            .choose(used, least_gain);
    }
    std::vector<Cut> list_cuts(const NodeTally& tally, const ColumnTally& column) override {
        return TallySearch<Labels, Score>(tally, score_, options_, pairs_, nominal_, pulse_).cuts(column);
    }

  private:
    NodeStats<Stats>& slot_of(std::size_t slot) {
        if (slots_.size() <= slot) slots_.resize(slot + 1);
        return slots_[slot];
    }
    [[noreturn]] static void throw_no_ranks() {
        throw std::logic_error("drawn rows have classes or numbers, without weights");
    }
    template <class EntryT>
    BestPair in_order(const SortedRows<EntryT>& rows) {
        if (rows.entries.front().rank == rows.entries.back().rank) return {};  // one value, or none
        const std::size_t known = rows.known();
        if (known == rows.entries.size()) {
            pairs_.set_none_missing();
            if constexpr (std::same_as<Stats, ClassCounts<std::int64_t>> && HasRunningTerms<Score>)
                if (is_plain() && has_running_terms(score_)) return by_running_terms(rows);
        } else {
            missing_ = node_->stats;
            missing_.clear();
            for (const EntryT& e : rows.entries.subspan(known))
                target_.add(rows.tags.row(e.tag), node_->centre, missing_);
            pairs_.set_missing(missing_);
            if (options_.missing == Missing::branch || options_.missing == Missing::learn)
                ++spent.rules_scored;
        }
        return pairs_.best([&](auto& sweep, auto&& see) BRANCHWORK_ALWAYS_INLINE {
            EntryGroups<Labels, EntryT> groups(rows.entries.first(known), rows.tags, target_, node_->centre);
            spent.rules_scored += each_gap(groups, sweep, options_.only_changes, pulse_, see);
            spent.rows_visited += static_cast<std::int64_t>(rows.entries.size());
        });
    }

    /// Is the best cut simply the one that costs least, with no limits on branches and no ratio?
    bool is_plain() const {
        return !options_.by_ratio() && !options_.limits_leaves() && !options_.only_changes;
    }
    template <class EntryT>
    BestPair by_running_terms(const SortedRows<EntryT>& rows) {
        spent.rows_visited += static_cast<std::int64_t>(rows.entries.size());
        spent.rules_scored += static_cast<std::int64_t>(rows.entries.size()) - 1;
        const auto best = [&](const auto& label) {
            return best_position(score_, rows.entries, label, node_->stats, pairs_.limit(), pairs_.slack(),
                                 pulse_, counts_, missing_);
        };
        const std::size_t at = rows.tags.has_class()
                                   ? best([tags = rows.tags](auto tag) { return tags.label(tag); })
                                   : best([tags = rows.tags, codes = target_.codes.data()](auto tag) {
                                         return codes[tags.row(tag)];
                                     });
        if (at == 0) return {};
        return pairs_.best(OnePartition<Stats>{&missing_, at});
    }

    // ---- counted columns

    /// The statistics of each category or value, from counters ...
    void read(const Counters& counters) {
        nominal_.categories().read(counters.slots - 1, node_->stats, [&](std::size_t slot) {
            Stats of_slot(target_.classes);
            for (std::size_t c = 0; c < target_.classes; ++c)
                of_slot.add(static_cast<std::int32_t>(c), counters.at(slot, c));
            return of_slot;
        });
    }
    /// ... or from rows, in their order.
    void count(const RowSlots& slots, std::span<const Row> rows, std::span<const Row> slot_rows) {
        nominal_.categories().count(
            target_, node_->centre, node_->stats, slots.slots - 1, rows,
            [&](std::size_t i) { return static_cast<std::int32_t>(slots[slot_rows[i]]) - 1; });
    }
    /// The slot of the last of the first `values` values of the node.
    std::size_t slot_before(std::size_t values) {
        return static_cast<std::size_t>(nominal_.categories().codes()[values - 1]) + 1;
    }

    Candidate best_of_values(std::span<const double> values) {
        const CategoryStats<Stats>& found = nominal_.categories();
        if (found.size() == 0) return {};
        if (found.missing().weight() > 0) {
            pairs_.set_missing(found.missing());
            if (options_.missing == Missing::branch || options_.missing == Missing::learn)
                ++spent.rules_scored;
        } else {
            pairs_.set_none_missing();
        }
        const BestPair best = pairs_.best([&](auto& sweep, auto&& see) {
            spent.rules_scored +=
                each_gap(CountedGroups<Stats>(found), sweep, options_.only_changes, pulse_, see);
        });
        Candidate split = split_of(best);
        if (!split.is_split()) return split;
        const std::size_t left = best.id == known_or_missing ? found.size() : best.id;
        split.left_slot = slot_before(left);
        split.cut = cut_after(left, found.size(), options_, [&](std::size_t at) {
            return values[static_cast<std::size_t>(found.codes()[at])];
        });
        return split;
    }

    /// Nothing is missing, and nothing limits a branch: the costs of all cuts tell which is the best.
    Candidate best_of_costs(const Counters& counters, std::span<const double> values)
        requires(counts_whole_rows)
    {
        const auto costs = costs_.of(score_, counters);
        spent.rules_scored += static_cast<std::int64_t>(costs.size()) - 1;
        const std::size_t at = pairs_.best_of(costs);
        if (at == costs.size()) return {};
        Candidate split;
        split.cost = score_.real(costs[at]);
        if (pairs_.in_full()) {
            pairs_.set_none_missing();
            left_ = node_->stats;
            left_.clear();
            costs_.add_up_to(counters, at + 1, left_);
            pairs_.write_in_full(left_, split);
        }
        std::size_t next = at + 1;
        while (costs_.rows_at(counters, next + 1) == 0) ++next;
        split.left_slot = at + 1;
        split.cut =
            cut_after(1, 2, options_, [&](std::size_t side) { return values[side == 0 ? at : next]; });
        return split;
    }

    /// The candidate that a partition makes, without its cut.
    Candidate split_of(const BestPair& best) const {
        Candidate split;
        if (best.too_few) split.verdict = Verdict::too_few_rows;
        if (!best.found()) return split;
        split.cost = best.cost;
        split.split_info = best.split_info;
        split.missing_child = best.missing_child;
        if (pairs_.in_full()) {
            split.test = pairs_.test();
            split.judged = pairs_.judged();
        }
        return split;
    }

    Labels target_;
    const Score score_;
    const Options options_;
    const Pulse& pulse_;
    std::vector<NodeStats<Stats>> slots_;
    const NodeStats<Stats>* node_ = nullptr;  // the node in hand
    double slack_ = 0;
    PairSearch<Labels, Score> pairs_;
    NominalSearch<Labels, Score> nominal_;
    Sweep<Score, Stats> sweep_;
    BucketScan buckets_;
    RandomCut<Stats> random_;
    Stats missing_, left_;
    std::vector<std::uint32_t> branch_;
    std::vector<std::int64_t> counts_;
    struct NoRanks {
        NoRanks(const Score&, const Options&, std::size_t) {}
    };
    std::conditional_t<has_ranks, RankScan<Score, Stats>, NoRanks> ranks_;
    struct NoWeightedRanks {
        explicit NoWeightedRanks(const Score&) {}
    };
    static constexpr bool has_weighted_ranks =
        std::same_as<Stats, ClassCounts<double, 2>> && !is_asked<Score>;
    std::conditional_t<has_weighted_ranks, WeightedRankScan<Score>, NoWeightedRanks> weighted_ranks_;
    struct NoCosts {
        void start(const Stats&) {}
        void start_all(const NumericCounters&) {}
    };
    std::conditional_t<counts_whole_rows, ValueCosts<Score, Stats>, NoCosts> costs_;
};

}  // namespace branchwork
