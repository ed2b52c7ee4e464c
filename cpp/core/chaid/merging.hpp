// The groups of categories of one feature while they are merged. At first every category is a group of its own.
//
// A group is stored in the slot of its first category, so slots are in the order of categories:
//
//     category   0  1  2  3  4  5
//     slot       0  1  0  1  4  0          groups {0, 2, 5}, {1, 3}, {4}; `living` = 0, 1, 4
//
// Of an unordered feature, any two groups may be merged. The tests of all pairs are kept in a matrix, and for each slot
// the later slot that it differs least from; after a merge, only the new group is compared again. Of an ordered
// feature, only neighbours may be merged, so each slot needs only the test against the next.
//
// p-values are expensive, so tests are compared without them if possible: for class tables, the smaller statistic with
// at least as many degrees of freedom has the larger p-value. Most pairs never need their p-value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/chaid/class_table.hpp"
#include "core/parallel.hpp"

namespace branchwork::chaid {

/// Which groups may be merged: any two (nominal), neighbours (ordinal), or neighbours and the last category, which has
/// the missing values, with any other (floating).
enum class Scale : std::uint8_t { nominal, ordinal, floating };

/// Logarithms of p-values are a tie if they differ by at most this much, relative to their size if that is above 1.
inline constexpr double tie = 1e-9;
inline double tie_of(double log_p) { return tie * std::max(1.0, std::abs(log_p)); }

using Slot = std::uint16_t;
inline constexpr Slot no_slot = std::numeric_limits<Slot>::max();

/// Memory that is reused for one feature after another.
template <class Table>
struct MergingSpace {
    std::vector<typename Table::Test> tests;
    std::vector<double> rows, groups;
};

template <class Table>
class Merging {
  public:
    using Test = typename Table::Test;
    struct Pair {
        Slot a, b;
        double log_p;
    };

    Merging(const Table& table, Scale scale, MergingSpace<Table>& space, const Pulse& pulse)
        : table_(table),
          ordered_(scale != Scale::nominal),
          floating_(scale == Scale::floating ? static_cast<Slot>(table.categories() - 1) : no_slot),
          space_(space),
          pulse_(pulse) {
        separate();
        compare_all();
    }

    /// The number of tests made so far.
    std::int64_t tests() const { return tests_; }
    std::size_t count() const { return living_.size(); }
    bool is_ordered() const { return ordered_; }
    Slot floating() const { return floating_; }
    std::span<const Slot> living() const { return living_; }
    /// The slot of each category.
    std::span<const Slot> slots() const { return slot_of_; }
    const Table& table() const { return table_; }

    std::vector<Slot> members(Slot slot) const {
        std::vector<Slot> found;
        for (std::size_t k = 0; k < slot_of_.size(); ++k)
            if (slot_of_[k] == slot) found.push_back(static_cast<Slot>(k));
        return found;
    }

    /// Makes every category a group of its own, without comparing them.
    void separate() {
        const std::size_t count = table_.categories();
        slot_of_.resize(count);
        std::iota(slot_of_.begin(), slot_of_.end(), Slot{0});
        living_ = slot_of_;
        if (floating_ != no_slot) living_.pop_back();  // add_missing() adds it at the end
        space_.rows.resize(count * table_.width());
        for (std::size_t k = 0; k < count; ++k)
            std::ranges::copy(table_.row(k), row(static_cast<Slot>(k)).begin());
    }

    /// The rows of all groups, one after the other.
    std::span<const double> groups() {
        space_.groups.clear();
        for (const Slot slot : living_) {
            const auto own = row(slot);
            space_.groups.insert(space_.groups.end(), own.begin(), own.end());
        }
        return space_.groups;
    }
    Evidence test() {
        ++tests_;
        return table_.test(groups());
    }

    /// Returns the two groups that differ least: the first of all pairs that have the largest p-value up to a tie.
    Pair most_similar() const {
        Slot at = no_slot;
        double log_best = unknown;
        for (const Slot slot : living_)
            if (best_[slot] != no_slot &&
                (at == no_slot || likelier(best_test(slot), best_test(at), log_best)))
                at = slot;
        Bar bar(table_, best_test(at), log_best);
        for (std::size_t i = 0; i < living_.size(); ++i) {
            const Slot slot = living_[i];
            if (best_[slot] == no_slot || !bar.reached_by(best_test(slot))) continue;
            if (ordered_) return {slot, best_[slot], bar.log_p_of(best_test(slot))};
            for (const Slot other : std::span(living_).subspan(i + 1))
                if (bar.reached_by(test_of(slot, other)))
                    return {slot, other, bar.log_p_of(test_of(slot, other))};
        }
        return {at, best_[at], bar.log_p_of(best_test(at))};
    }

    /// Returns the group that differs least from a given one.
    Slot most_similar_to(Slot slot) {
        const std::vector<Slot> others = partners(slot);
        std::vector<double> log_p;
        for (const Slot other : others) log_p.push_back(table_.log_p(table_.compare(row(slot), row(other))));
        tests_ += static_cast<std::int64_t>(others.size());
        const double largest = *std::ranges::max_element(log_p);
        const auto first =
            std::ranges::find_if(log_p, [&](double one) { return one >= largest - tie_of(largest); });
        return others[static_cast<std::size_t>(first - log_p.begin())];
    }

    /// Merges two groups and compares the new one with the others. Returns its slot.
    Slot merge(Slot a, Slot b) {
        const Slot keep = join(a, b);
        compare(keep);
        return keep;
    }
    /// Merges two groups without comparing the new one. After that, most_similar() must not be called.
    Slot join(Slot a, Slot b) {
        const Slot keep = std::min(a, b), gone = std::max(a, b);
        gone_ = gone;
        living_.erase(std::ranges::lower_bound(living_, gone));
        std::ranges::replace(slot_of_, gone, keep);
        table_.combine(members(keep), row(keep));
        return keep;
    }

    /// Makes missing values a group of their own, which may be merged with any other. After that, most_similar() must
    /// not be called.
    void add_missing() { living_.push_back(floating_); }

    /// Tests the groups as if missing values had joined one of them.
    Evidence test_joined(Slot with_missing) {
        ++tests_;
        std::vector<Slot> both = members(with_missing);
        both.push_back(floating_);
        std::vector<double> joined(table_.width());
        table_.combine(both, joined);
        space_.groups.clear();
        for (const Slot slot : living_) {
            if (slot == floating_) continue;
            const std::span<const double> own =
                slot == with_missing ? std::span<const double>(joined) : row(slot);
            space_.groups.insert(space_.groups.end(), own.begin(), own.end());
        }
        return table_.test(space_.groups);
    }

    /// Splits a group in two. Its first category stays.
    void part(Slot slot, std::span<const Slot> apart) {
        const Slot fresh = apart[0];
        for (const Slot category : apart) slot_of_[category] = fresh;
        living_.insert(std::ranges::lower_bound(living_, fresh), fresh);
        gone_ = no_slot;
        for (const Slot one : {slot, fresh}) table_.combine(members(one), row(one));
        compare(slot);
        compare(fresh);
    }

    /// Compares two parts into which a group could be split.
    double log_p_of_parts(std::span<const Slot> stay, std::span<const Slot> leave) {
        ++tests_;
        parts_.resize(2 * table_.width());
        const std::span<double> a(parts_.data(), table_.width()),
            b(parts_.data() + table_.width(), table_.width());
        table_.combine(stay, a);
        table_.combine(leave, b);
        return table_.log_p(table_.compare(a, b));
    }

    double size(Slot slot) const {
        double samples = 0;
        for (std::size_t k = 0; k < slot_of_.size(); ++k)
            if (slot_of_[k] == slot) samples += table_.size(k);
        return samples;
    }
    void check() const { pulse_.check(); }

  private:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    /// The largest p-value, and which tests tie with it. Most tests are decided by Table::surely_below. For the others,
    /// `beyond_` is a test whose p-value is already too small for a tie, so tests that are surely no likelier than it
    /// need no p-value of their own.
    class Bar {
      public:
        Bar(const Table& table, const Test& best, double log_best)
            : table_(table),
              best_(best),
              log_best_(std::isnan(log_best) ? table.log_p(best) : log_best),
              least_(log_best_ - tie_of(log_best_)) {}

        double log_p_of(const Test& test) const {
            return test.statistic == best_.statistic && test.freedom == best_.freedom ? log_best_
                                                                                      : table_.log_p(test);
        }
        bool reached_by(const Test& test) {
            if (Table::surely_no_likelier(best_, test)) return true;
            if (Table::surely_below(test, best_)) return false;
            if (!has_beyond_) find_beyond();
            return !Table::surely_no_likelier(test, beyond_) && table_.log_p(test) >= least_;
        }

      private:
        /// Tries larger and larger statistics until the p-value is too small for a tie.
        void find_beyond() {
            has_beyond_ = true;
            double share = 1e-6, least = 1e-9;
            do {
                beyond_ = Test::of(best_.statistic * (1 + share) + least, std::max(best_.freedom, 1.0));
                share *= 16, least *= 16;
            } while (table_.log_p(beyond_) >= least_ && std::isfinite(beyond_.statistic));
        }

        const Table& table_;
        Test best_, beyond_{};
        double log_best_, least_;
        bool has_beyond_ = false;
    };

    /// Whether the p-value of `a` is above that of `b`. `log_b` is the logarithm of the p-value of `b` if it is known,
    /// otherwise NaN. If `a` is likelier, it becomes that of `a`, or NaN.
    bool likelier(const Test& a, const Test& b, double& log_b) const {
        if (Table::surely_no_likelier(a, b)) return false;
        if (Table::surely_no_likelier(b, a)) {
            log_b = unknown;
            return true;
        }
        if (std::isnan(log_b)) log_b = table_.log_p(b);
        const double log_a = table_.log_p(a);
        if (!(log_a > log_b)) return false;
        log_b = log_a;
        return true;
    }

    std::span<double> row(Slot slot) const {
        return std::span(space_.rows).subspan(slot * table_.width(), table_.width());
    }
    /// The test of two slots, a < b. An ordered feature has one test per slot, against the next one.
    Test& test_of(Slot a, Slot b) const { return space_.tests[ordered_ ? a : a * slot_of_.size() + b]; }
    const Test& best_test(Slot slot) const { return test_of(slot, best_[slot]); }

    void compare_all() {
        const std::size_t count = slot_of_.size();
        space_.tests.resize(ordered_ ? count : count * count);
        best_.assign(count, no_slot);
        for (std::size_t i = 0; i < living_.size(); ++i) {
            pulse_.check();
            const std::size_t end = ordered_ ? std::min(i + 2, living_.size()) : living_.size();
            for (std::size_t j = i + 1; j < end; ++j)
                test_of(living_[i], living_[j]) = table_.compare(row(living_[i]), row(living_[j]));
            tests_ += static_cast<std::int64_t>(end - std::min(end, i + 1));
            find_best(i);
        }
    }

    /// Compares a new group with those that it may be merged with, and updates the best partners of all groups.
    void compare(Slot slot) {
        pulse_.check();
        for (const Slot other : partners(slot)) {
            test_of(std::min(slot, other), std::max(slot, other)) = table_.compare(row(slot), row(other));
            ++tests_;
        }
        for (std::size_t i = 0; i < living_.size(); ++i) {
            const Slot one = living_[i];
            if (ordered_ || one == slot || best_[one] == gone_ || best_[one] == slot ||
                best_[one] == no_slot) {
                find_best(i);
            } else if (one < slot) {
                double log_best = unknown;
                if (likelier(test_of(one, slot), best_test(one), log_best)) best_[one] = slot;
            }
        }
    }

    /// Finds the later slot that the i-th living group differs least from.
    void find_best(std::size_t i) {
        const Slot slot = living_[i];
        Slot best = i + 1 < living_.size() ? living_[i + 1] : no_slot;
        if (!ordered_) {
            double log_best = unknown;
            for (std::size_t j = i + 2; j < living_.size(); ++j)
                if (likelier(test_of(slot, living_[j]), test_of(slot, best), log_best)) best = living_[j];
        }
        best_[slot] = best;
    }

    /// The groups that a group may be merged with, ascending.
    std::vector<Slot> partners(Slot slot) const {
        std::vector<Slot> found;
        if (!ordered_ || slot == floating_) {
            std::ranges::copy_if(living_, std::back_inserter(found),
                                 [&](Slot other) { return other != slot; });
            return found;
        }
        const auto at = static_cast<std::size_t>(std::ranges::lower_bound(living_, slot) - living_.begin());
        if (at > 0) found.push_back(living_[at - 1]);
        if (at + 1 < living_.size()) found.push_back(living_[at + 1]);
        const Slot last = living_.back();
        if (last == floating_ && (found.empty() || found.back() != last)) found.push_back(last);
        return found;
    }

    const Table& table_;
    const bool ordered_;
    const Slot floating_;
    MergingSpace<Table>& space_;
    const Pulse& pulse_;
    std::int64_t tests_ = 0;
    Slot gone_ = no_slot;  // the slot that the last merge freed
    std::vector<Slot> slot_of_, living_, best_;
    std::vector<double> parts_;
};

}  // namespace branchwork::chaid
