// The best cut of sorted rows of many classes, when nothing is missing and nothing limits a branch: the most frequent scan
// of all, so it keeps its running sums in registers.
//
//     rows     a  c  a | b  b  c  a  b          left   a 2  b 0  c 1       moving one row to the left changes one
//              '------'                         all    a 3  b 3  c 2       count and two sums
//
// The costs are those of a TermSweep, bit for bit; see sweep.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/own_score.hpp"
#include "core/parallel.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/score.hpp"
#include "core/search/scan_sorted.hpp"
#include "core/stats.hpp"

namespace branchwork {

/// Sums of terms on both sides while rows of known classes move from right to left.
template <class Score>
class RunningTerms;

/// With l of n rows of a class on the left, l^2 is kept, and 2 n l: (n - l)^2 on the right follows.
template <>
class RunningTerms<Gini<std::int64_t>> {
  public:
    RunningTerms(const Gini<std::int64_t>&, std::span<const std::int64_t> all) {
        for (const std::int64_t n : all) squares_ += n * n;
    }
    void move(std::size_t, std::int64_t before, std::int64_t all) {
        left_ += 2 * before + 1;
        crossed_ += 2 * all;
    }
    std::int64_t left() const { return left_; }
    std::int64_t right() const { return squares_ - crossed_ + left_; }

  private:
    std::int64_t squares_ = 0, left_ = 0, crossed_ = 0;
};

template <>
class RunningTerms<Entropy<std::int64_t>> {
  public:
    RunningTerms(const Entropy<std::int64_t>& score, std::span<const std::int64_t> all) : score_(score) {
        for (const std::int64_t n : all) right_ += score.term(n);
    }
    void move(std::size_t, std::int64_t before, std::int64_t all) {
        left_ += score_.term(before + 1) - score_.term(before);
        right_ += score_.term(all - before - 1) - score_.term(all - before);
    }
    std::int64_t left() const { return left_; }
    std::int64_t right() const { return right_; }

  private:
    const Entropy<std::int64_t>& score_;
    std::int64_t left_ = 0, right_ = 0;
};

/// A user's own score, if its terms are integers.
template <>
class RunningTerms<OwnScore<std::int64_t>> {
  public:
    RunningTerms(const OwnScore<std::int64_t>& score, std::span<const std::int64_t> all) : score_(score) {
        for (std::size_t c = 0; c < all.size(); ++c) right_ += score.fixed_term(c, all[c]);
    }
    void move(std::size_t c, std::int64_t before, std::int64_t all) {
        left_ += score_.fixed_term(c, before + 1) - score_.fixed_term(c, before);
        right_ += score_.fixed_term(c, all - before - 1) - score_.fixed_term(c, all - before);
    }
    std::int64_t left() const { return left_; }
    std::int64_t right() const { return right_; }

  private:
    const OwnScore<std::int64_t>& score_;
    std::int64_t left_ = 0, right_ = 0;
};

template <class Score>
concept HasRunningTerms = requires { sizeof(RunningTerms<Score>); };

/// Can this one keep its sums up to date? A user's own score may have terms that no integer holds.
template <HasRunningTerms Score>
bool has_running_terms(const Score& score) {
    if constexpr (requires { score.has_running_terms(); })
        return score.has_running_terms();
    else
        return true;
}

/// Returns the best position, or 0 if no cut is below the limit. `left` becomes the counts before that position.
/// `label(tag)` is the class of a row.
template <HasRunningTerms Score, class Entry, class LabelOf>
std::size_t best_position(const Score& score, std::span<const Entry> rows, const LabelOf& label,
                          const ClassCounts<std::int64_t>& all, typename Score::Cost limit,
                          typename Score::Cost slack, const Pulse& pulse, std::vector<std::int64_t>& counts,
                          ClassCounts<std::int64_t>& left) {
    RunningTerms<Score> terms(score, all.of);
    counts.assign(all.of.size(), 0);
    std::int64_t* const before = counts.data();
    const std::int64_t* const of_class = all.of.data();
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        if (i % rows_a_check == 0) pulse.check();
        const auto c = static_cast<std::size_t>(label(rows[i].tag));
        terms.move(c, before[c], of_class[c]);
        ++before[c];
        if (rows[i].rank == rows[i + 1].rank) continue;
        const auto m = static_cast<std::int64_t>(i + 1), n = all.total - m;
        if constexpr (requires { Score::cut_at_least(0.0, 0.0, 0.0, 0.0, limit); })
            if (Score::cut_at_least(static_cast<double>(m), static_cast<double>(terms.left()),
                                    static_cast<double>(n), static_cast<double>(terms.right()), limit))
                continue;
        const auto cost = score.combine(m, terms.left()) + score.combine(n, terms.right());
        if (!(cost < limit)) continue;
        limit = cost - slack;
        best = i + 1;
        left.of.assign(counts.begin(), counts.end());
        left.total = m;
    }
    return best;
}

}  // namespace branchwork
