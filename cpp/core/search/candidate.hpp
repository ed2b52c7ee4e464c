// A candidate: one column's best split in one node, and the rule by which one of them is chosen.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace branchwork {

/// What became of a candidate. The order is the one `_core.Verdict` shows to Python.
enum class Verdict : std::uint8_t {
    chosen,
    lower_gain,     // another column is better
    tie_lost,       // equal to the chosen one, which comes earlier
    no_gain,        // no gain, and the recipe takes no split without gain
    one_branch,     // all rows of the node would take one branch
    used_above,     // a nominal column that an ancestor has already used up
    too_few_rows,   // every split of the column has a branch below the limit
    small_gain,     // the best of all, but below the limit
    below_average,  // C4.5: gains less than the columns do on average
    not_drawn = 11  // not among the columns that were drawn; 9 and 10 are CHAID's, which only Python knows
};

/// The branch of a category where categories are grouped; groups of values may be more than two.
enum class Side : std::int32_t { absent = -1, first, second };

/// A statistic of branches against the target, and its degrees of freedom; see branch_test.hpp.
struct BranchTest {
    double statistic = std::numeric_limits<double>::quiet_NaN();  // NaN: there is no test
    double freedom = 0;
    double rest = 0;  // F only: degrees of freedom within branches
};

/// The rows that a candidate's gain was computed from, and what C4.5 deducts from it:
///
///     gain = known * (before - remainder) - price
///
/// Policies that leave missing cells out of the gain have `known` below 1, and `before` is then the impurity of
/// the remaining rows. The other policies judge by all rows and leave these numbers as they are here.
struct Judged {
    double known = 1;                                          // share of the node's weight
    double before = std::numeric_limits<double>::quiet_NaN();  // per row; NaN: the impurity of the node
    double price = 0;                                          // C4.5: log2(cuts tried) / rows
};

struct Candidate {
    std::int32_t feature = -1;
    Verdict verdict = Verdict::one_branch;
    double cut = std::numeric_limits<double>::quiet_NaN();   // numeric columns
    double cost = std::numeric_limits<double>::infinity();   // sum of node(child); infinite: no split here
    double gain = std::numeric_limits<double>::quiet_NaN();  // per row, in the units of the score
    double split_info = 0;                                   // bits: entropy of the branch sizes
    BranchTest test;                                         // filled in only where the ledger is kept
    Judged judged;                                           // likewise
    std::size_t left_rows = 0;        // sorted columns: rows of the node with a known value not above the cut
    std::size_t left_slot = 0;        // counted columns: the last slot of a value not above the cut
    std::int32_t missing_child = -1;  // child that missing cells go to; -1: none learned
    std::vector<Side> sides;          // nominal columns whose categories are grouped: of each category

    bool is_split() const { return cost < std::numeric_limits<double>::infinity(); }
};

/// Why a node is a leaf. The order is the one `_core.Stop` shows to Python.
enum class Stop : std::uint8_t {
    split,
    pure,
    max_depth,
    too_few_rows,
    no_candidate,
    no_gain,
    empty,
    small_gain,
    max_leaves,
    collapsed
};

/// Split information of a node's branches, one by one: the entropy in bits of their shares.
class BranchShares {
  public:
    explicit BranchShares(double node_weight) : whole_(node_weight) {}
    void add(double weight) {
        ++branches_;
        bits_ -= weight / whole_ * std::log2(weight / whole_);
    }
    std::size_t branches() const { return branches_; }
    double information() const { return bits_ > 0 ? bits_ : 0; }

  private:
    double whole_;
    std::size_t branches_ = 0;
    double bits_ = 0;
};

/// Entropy in bits of branch sizes.
inline double split_information(std::span<const double> weights) {
    double total = 0;
    for (const double w : weights) total += w;
    double bits = 0;
    for (const double w : weights)
        if (w > 0) bits -= w / total * std::log2(w / total);
    return bits > 0 ? bits : 0;
}

/// How a winner is found among candidates.
struct PickRule {
    bool zero_gain = true;  // may a split without gain be taken?
    bool by_ratio = false;  // gain / split information decides, not gain
    double least_gain = 0;  // per row
    bool may_lose = true;   // may a split be taken whose gain is below 0?
};

/// Gain over split information, 0 where there is none of either.
inline double gain_ratio(double gain, double split_info) {
    return gain > 0 && split_info > 0 ? gain / split_info : 0;
}

/// Ratios closer than this are equal.
inline constexpr double ratio_slack = 1e-12;

/// The index of the winner, or -1. A later column wins only if it is better by more than the slack, so ties
/// go to the earlier one. Writes every candidate's gain and verdict; a gain within the slack of zero is zero.
inline std::int64_t pick(std::span<Candidate> candidates, double parent, double slack, const PickRule& rule,
                         double weight) {
    const auto badness = [&](const Candidate& c) {
        return rule.by_ratio ? -gain_ratio(c.gain, c.split_info) : c.cost;
    };
    const double enough = rule.by_ratio ? ratio_slack : slack;
    std::int64_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        Candidate& c = candidates[k];
        if (!c.is_split()) continue;
        c.gain = std::abs(parent - c.cost) <= slack ? 0 : (parent - c.cost) / weight;
        if (best >= 0 && !(badness(c) < least - enough)) continue;
        best = static_cast<std::int64_t>(k);
        least = badness(c);
    }
    if (best < 0) return best;
    const Candidate& winner = candidates[static_cast<std::size_t>(best)];
    const bool gains_nothing =
        (!rule.zero_gain && parent - winner.cost <= slack) || (!rule.may_lose && winner.gain < 0);
    const bool gains_little = winner.gain < rule.least_gain;
    for (Candidate& c : candidates)
        if (c.is_split())
            c.verdict = gains_nothing && parent - c.cost <= slack ? Verdict::no_gain
                        : gains_little                            ? Verdict::small_gain
                        : badness(c) <= least + enough            ? Verdict::tie_lost
                                                                  : Verdict::lower_gain;
    if (gains_nothing || gains_little) return -1;
    candidates[static_cast<std::size_t>(best)].verdict = Verdict::chosen;
    return best;
}

}  // namespace branchwork
