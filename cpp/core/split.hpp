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
    lower_gain,  // another column gains more
    tie_lost,    // equal to the chosen one, which comes earlier
    no_gain,     // nothing gained, and the recipe does not split for nothing
    one_branch,  // all rows of the node would take one branch
    used_above,  // a nominal column that an ancestor has already used up
};

struct Candidate {
    std::int32_t feature = -1;
    Verdict verdict = Verdict::one_branch;
    double cut = std::numeric_limits<double>::quiet_NaN();   // numeric columns
    double cost = std::numeric_limits<double>::infinity();   // sum of node(child); infinite: no split here
    double gain = std::numeric_limits<double>::quiet_NaN();  // a row, in the units of the score
    double split_info = 0;                                   // bits: entropy of the branch sizes

    bool is_split() const { return cost < std::numeric_limits<double>::infinity(); }
};

/// Why a node is a leaf. The order is the one `_core.Stop` shows to Python.
enum class Stop : std::uint8_t { split, pure, max_depth, too_few_rows, no_candidate, no_gain, empty };

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

/// The index of the winner, or -1. A later column wins only if it is better by more than the slack, so ties
/// go to the earlier one. Writes every candidate's gain and verdict; a gain within the slack of zero is zero.
inline std::int64_t pick(std::span<Candidate> candidates, double parent, double slack, bool zero_gain,
                         double weight) {
    std::int64_t best = -1;
    for (std::size_t k = 0; k < candidates.size(); ++k)
        if (candidates[k].is_split() &&
            (best < 0 || candidates[k].cost < candidates[static_cast<std::size_t>(best)].cost - slack))
            best = static_cast<std::int64_t>(k);
    if (best < 0) return best;
    const double winner = candidates[static_cast<std::size_t>(best)].cost;
    const bool refused = !zero_gain && parent - winner <= slack;
    for (Candidate& c : candidates)
        if (c.is_split()) {
            c.gain = std::abs(parent - c.cost) <= slack ? 0 : (parent - c.cost) / weight;
            c.verdict = parent - c.cost <= slack && refused ? Verdict::no_gain
                        : c.cost <= winner + slack          ? Verdict::tie_lost
                                                            : Verdict::lower_gain;
        }
    if (refused) return -1;
    candidates[static_cast<std::size_t>(best)].verdict = Verdict::chosen;
    return best;
}

}  // namespace branchwork
