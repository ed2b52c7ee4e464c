"""Places in the core that rule out rows, runs, buckets or columns, each with a change that rules out too much.

`must_fail` names the tests that have to notice: a file of tests/cpp, or one for pytest. A bound that is added to the
core gets a line here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """A change of one file of cpp/core; `old` must be there exactly once."""

    file: str
    old: str
    new: str
    must_fail: str


SWEEP = "tests/cpp/test_sweeps.cpp"
SCORE = "tests/cpp/test_score.cpp"
SEARCH = "tests/cpp/test_pair_search.cpp"
BUCKET = "tests/cpp/test_buckets.cpp"
BOUNDS = "tests/grow/test_bounds.py"
CLASSES = "tests/cpp/test_scan_classes.cpp"
COUNTED = "tests/grow/test_counted.py"
RANKS = "tests/cpp/test_scan_ranks.cpp"
DRAWN_ROWS = "tests/grow/test_drawn.py"
OWN_SCORE = "tests/cpp/test_own_score.cpp"
OWN_TREES = "tests/grow/test_own_score.py"
SMALL_TREES = "tests/grow/test_small_trees.py"

SWEEPS = [
    # One cut, without its cost.
    Broken(
        "search/sweep.hpp",
        "return at_least(left_zeros_, left_ones_) >= limit;",
        "return at_least(left_zeros_, left_ones_) * 1.01 >= limit;",
        SWEEP,
    ),
    Broken(
        "search/sweep.hpp",
        "return Score::pair_at_least(std::abs(s_), w_ * (all_.w - w_), all_, limit);",
        "return Score::pair_at_least(std::abs(s_), 1.01 * w_ * (all_.w - w_), all_, limit);",
        SWEEP,
    ),
    # A run of rows of two classes: one of two corners is forgotten, or rounding goes the wrong way.
    Broken(
        "search/sweep.hpp",
        "std::min(at_least(ahead.zeros, left_ones_), at_least(left_zeros_, ahead.ones))",
        "at_least(ahead.zeros, left_ones_)",
        SWEEP,
    ),
    Broken(
        "search/sweep.hpp",
        "std::min(at_least(ahead.zeros, left_ones_), at_least(left_zeros_, ahead.ones))",
        "at_least(left_zeros_, ahead.ones)",
        SWEEP,
    ),
    Broken("search/sweep.hpp", "least -= Score::rounding;", "least += Score::rounding;", SWEEP),
    Broken("search/sweep.hpp", "least *= 1 - 1e-12;", "least *= 1 + 1e-9;", SWEEP),
    Broken(
        "search/sweep.hpp",
        "std::max(std::abs(zeros * from_ones - ones * to_zeros),",
        "std::min(std::abs(zeros * from_ones - ones * to_zeros),",
        SWEEP,
    ),
    Broken(
        "search/sweep.hpp",
        "std::min(product(from_zeros + from_ones), product(to_zeros + to_ones))",
        "std::max(product(from_zeros + from_ones), product(to_zeros + to_ones))",
        SWEEP,
    ),
    # A run of numbers.
    Broken(
        "search/sweep.hpp", "farthest = std::max(farthest, std::abs(s));", "farthest = std::abs(s);", SWEEP
    ),
    Broken(
        "search/sweep.hpp",
        "std::min(product(w_), product(ahead.w))",
        "std::max(product(w_), product(ahead.w))",
        SWEEP,
    ),
    # A cost as a limit in whole units.
    Broken("search/sweep.hpp", "return std::integral<Cost> ? units + 1 : units;", "return units;", SWEEP),
]

SCORES = [
    Broken("score.hpp", "return 2 * (1 + 1e-12) * most * most <", "return 1.99 * most * most <", SWEEP),
    Broken("score.hpp", "most = lean + 1e-15 * all;", "most = lean * 0.99;", SWEEP),
    Broken(
        "score.hpp", "const double most = left_sum + std::abs(all.s);", "const double most = left_sum;", SWEEP
    ),
    Broken(
        "score.hpp",
        "return most * most * (all.w * (1 + 1e-12)) < -limit * product;",
        "return most * most * (all.w * 0.99) < -limit * product;",
        SWEEP,
    ),
    Broken("score.hpp", "* (h[1] - h[0])) * (1 - 1e-12);", "* (h[1] - h[0])) * (1 + 1e-9);", SCORE),
    Broken(
        "score.cpp",
        "std::min(1.0, static_cast<double>(k) / EntropyChords::steps)",
        "std::min(1.0, (static_cast<double>(k) + 0.5) / EntropyChords::steps)",
        SCORE,
    ),
    Broken(
        "search/least_cost.hpp",
        "return std::max(0.0, least + score.offset(all));",
        "return std::max(0.0, least + score.offset(all)) * 1.001;",
        SCORE,
    ),
    Broken(
        "search/least_cost.hpp",
        "for (; at > 0 && v < value[at - 1]; --at)",
        "for (; at > 1 && v < value[at - 1]; --at)",
        SCORE,
    ),
]

PAIRS = [
    Broken("search/pair_search.hpp", "limit = cost - slack;", "limit = cost - slack - cost / 64;", SEARCH),
    Broken(
        "search/pair_search.hpp",
        "limit = std::min(limit, above(static_cast<Cost>(cost + slack)));",
        "limit = cost;",
        SEARCH,
    ),
    Broken(
        "search/pair_search.hpp",
        "if (cost < limit && search.admissible(sweep, found))\n                limit = std::min",
        "if (cost < limit)\n                limit = std::min",
        SEARCH,
    ),
    Broken(
        "search/pair_search.hpp",
        "return sweep.surely_at_least(ahead, limit);",
        "return sweep.surely_at_least(ahead, static_cast<Cost>(limit - std::abs(limit) / 16));",
        SEARCH,
    ),
    Broken(
        "search/pair_search.hpp",
        "judge.limit = sweep.limit(must_beat_ - extra);",
        "judge.limit = sweep.limit(must_beat_ - 2 * extra);",
        SEARCH,
    ),
    Broken(
        "search/pair_search.hpp",
        "judge.limit = sweep.limit(must_beat_ - extra);",
        "judge.limit = sweep.limit(0.9 * must_beat_ - extra);",
        SEARCH,
    ),
    Broken(
        "search/scan_sorted.hpp",
        "if (promising && groups.is_gap(groups.position() + groups.run)) judge.glance();",
        "if (promising) judge.glance();",
        SEARCH,
    ),
    Broken(
        "search/scan_sorted.hpp",
        "const bool promising = !judge.rules_out(ahead);",
        "const bool promising = !judge.rules_out(ahead) && groups.position() % 128 != 0;",
        SEARCH,
    ),
    Broken(
        "search/scan_sorted.hpp",
        "if (judge.rules_out(run.to)) continue;",
        "if (k > 0 || judge.rules_out(run.to)) continue;",
        SEARCH,
    ),
]

BUCKETS = [
    Broken(
        "search/scan_bucketed.hpp",
        "std::min({begin, only_ones.cost(), only_zeros.cost(), out.at_end[b]})",
        "std::min({begin, only_zeros.cost(), out.at_end[b]})",
        BUCKET,
    ),
    Broken(
        "search/scan_bucketed.hpp",
        "std::min({begin, only_ones.cost(), only_zeros.cost(), out.at_end[b]})",
        "std::min({begin, only_ones.cost(), out.at_end[b]})",
        BUCKET,
    ),
    Broken(
        "search/scan_bucketed.hpp",
        "std::max(l.first + r.second, l.second + r.first)",
        "l.first + r.second",
        BUCKET,
    ),
    Broken(
        "search/scan_bucketed.hpp",
        "std::max(l.first + r.second, l.second + r.first)",
        "l.second + r.first",
        BUCKET,
    ),
    Broken(
        "search/scan_bucketed.hpp",
        "(costs_.inside[b] < boundary.cost - slack ||",
        "(costs_.inside[b] < boundary.cost - slack - 1 ||",
        BUCKET,
    ),
    Broken(
        "search/scan_bucketed.hpp",
        "(b < boundary.position && costs_.inside[b] <= boundary.cost + slack)",
        "false",
        BUCKET,
    ),
]

COUNTING = [
    # One cut of many classes, without a division.
    Broken(
        "score.hpp",
        "return (a * n + b * m) * (1 + 1e-12) < (m + n - limit) * (m * n);",
        "return (a * n + b * m) * (1 - 1e-2) < (m + n - limit) * (m * n);",
        CLASSES,
    ),
    # Counted columns: which cut is kept, and when costs alone decide.
    Broken(
        "search/pair_search.hpp",
        "if (costs[i] < limit) {",
        "if (costs[i] < limit && costs[i] + 2 * costs[i] < limit) {",
        COUNTED,
    ),
    Broken(
        "search/scorer_of.hpp",
        "return !options_.by_ratio() && !options_.limits_leaves() && !options_.only_changes;",
        "return !options_.by_ratio() && !options_.only_changes;",
        COUNTED,
    ),
    # Features that share a cell: who may join, and which of them a copy can leave out.
    Broken(
        "tally/coded_rows.hpp",
        "clash |= static_cast<unsigned>(values.codes[row] & cell.taken[row]);",
        "if (row % 5 == 0) clash |= static_cast<unsigned>(values.codes[row] & cell.taken[row]);",
        COUNTED,
    ),
    Broken(
        "tally/coded_rows.hpp",
        "if (seen[old.first + 2] == 0 || seen_in[from.shared_at(old.cell)] < 2) continue;",
        "if (seen[old.first + 2] == 0 || seen_in[from.shared_at(old.cell)] < 3) continue;",
        COUNTED,
    ),
]

COLUMNS = [
    # The column that is asked first, and what the others must beat.
    Broken(
        "grow/node_search.hpp",
        "bound = of_first.cost + 2 * margin;",
        "bound = of_first.cost - 2 * margin;",
        BOUNDS,
    ),
    Broken(
        "grow/node_search.hpp",
        "worker.scorer->must_beat(std::min(best.cost, bound));",
        "worker.scorer->must_beat(0.99 * std::min(best.cost, bound));",
        BOUNDS,
    ),
    Broken(
        "grow/node_search.hpp",
        "const double enough = least + margin / 2;",
        "const double enough = 1.1 * least + 0.1;",
        BOUNDS,
    ),
    Broken(
        "grow/node_search.hpp",
        "const double least = table_.splits_in_two(options_) || options_.asked\n",
        "const double least = true\n",
        BOUNDS,
    ),
    Broken(
        "grow/own_rows.hpp",
        "if (in_turn) scorer.must_beat(least);",
        "if (in_turn) scorer.must_beat(0.9 * least);",
        BOUNDS,
    ),
    # Where a bounded search may be used at all.
    Broken(
        "grow/node_search.hpp",
        "options_.missing == Missing::branch && !options_.limits_leaves() &&\n               options_.max_features",
        "options_.missing == Missing::branch &&\n               options_.max_features",
        BOUNDS,
    ),
]

CATEGORIES = [
    # Only the partitions of one order, where that order does not decide.
    Broken("search/scan_nominal.hpp", "return target_.classes == 2;", "return target_.classes <= 3;", BOUNDS),
    Broken(
        "search/scan_nominal.hpp",
        "if (!best.found() || best.room >= 0) return best;",
        "return best;",
        BOUNDS,
    ),
    Broken(
        "search/scan_nominal.hpp",
        "if (options_.by_ratio() || options_.criterion == Criterion::variance ||",
        "if (options_.by_ratio() ||",
        BOUNDS,
    ),
]

DRAWN = [
    # Rows in bins of ranks: a corner is forgotten, a bound is too tight, equal cuts are passed over.
    Broken(
        "kernels/below.hpp",
        "const float corner = only_zeros > only_ones ? only_zeros : only_ones;",
        "const float corner = only_zeros;",
        DRAWN_ROWS,
    ),
    Broken(
        "kernels/below.hpp",
        "const float corner = only_zeros > only_ones ? only_zeros : only_ones;",
        "const float corner = only_ones;",
        DRAWN_ROWS,
    ),
    Broken(
        "search/scan_ranks_of_two.hpp",
        "return std::max(most_lean, below_limit) * (1 - 2e-6) - 1e-10 * zeros * ones;",
        "return std::max(most_lean, below_limit) * 1.01;",
        RANKS,
    ),
    # Columns together: what another column rules out.
    Broken(
        "search/scan_ranks_of_two.hpp",
        "if (!found[k].exists || binned_[k].most_inside < look_at) continue;",
        "if (!found[k].exists || binned_[k].most_inside * 0.9 < look_at) continue;",
        DRAWN_ROWS,
    ),
    Broken(
        "search/scan_ranks_of_two.hpp",
        "if (few.most < 0 || few.most < look_at) continue;",
        "if (few.most < 0 || few.most <= look_at * 1.1) continue;",
        DRAWN_ROWS,
    ),
    Broken(
        "search/rank_bins.hpp",
        "limit_ = std::min(limit_, above(static_cast<Cost>(cost + slack_)));",
        "limit_ = std::min(limit_, cost);",
        RANKS,
    ),
    Broken(
        "search/scan_ranks_of_classes.hpp",
        "bounds_[b] = on_left + sweep_.right_raw();",
        "bounds_[b] = (on_left + sweep_.right_raw()) * 105 / 100;",
        RANKS,
    ),
    Broken(
        "search/scan_ranks_of_numbers.hpp",
        "to.farthest = std::max(std::abs(left.s + cell.above), std::abs(left.s + cell.below)) + rounding;",
        "to.farthest = std::abs(left.s + cell.above) + rounding;",
        RANKS,
    ),
    Broken(
        "search/scan_ranks_of_numbers.hpp",
        "to.farthest = std::max(std::abs(left.s + cell.above), std::abs(left.s + cell.below)) + rounding;",
        "to.farthest = std::abs(left.s + cell.below) + rounding;",
        RANKS,
    ),
    Broken(
        "search/scan_ranks_of_numbers.hpp",
        "const double left = std::clamp(weight, 1.0, all_.w - 1);",
        "const double left = std::clamp(weight, 8.0, std::max(8.0, all_.w - 8));",
        RANKS,
    ),
]

OWN = [
    # A user's own score: what the tables must prove, and the corners of a box of counts.
    Broken(
        "search/sweep.hpp",
        "return at_least(ahead.zeros, left_ones_) >= limit && at_least(left_zeros_, ahead.ones) >= limit &&",
        "return at_least(ahead.zeros, left_ones_) >= limit &&",
        OWN_SCORE,
    ),
    Broken(
        "search/sweep.hpp",
        "return at_least(ahead.zeros, left_ones_) >= limit && at_least(left_zeros_, ahead.ones) >= limit &&",
        "return at_least(left_zeros_, ahead.ones) >= limit &&",
        OWN_SCORE,
    ),
    Broken(
        "own_score.cpp",
        "is_concave = most_bend <= noise && (!by_maximum || scale <= 0);",
        "is_concave = !by_maximum || scale <= 0;",
        OWN_TREES,
    ),
    Broken("own_score.cpp", "is_monotone = most_fall <= noise;", "is_monotone = true;", OWN_TREES),
    Broken(
        "own_score.cpp",
        "[&](const PerTotal& of) { return of.scale != scale; }",
        "[&](const PerTotal& of) { return of.scale != scale && of.scale == 7; }",
        OWN_TREES,
    ),
    Broken(
        "own_score.hpp",
        "return bound - tables_->fall * static_cast<double>(n) - 4e-15 * magnitude(n);",
        "return bound * 1.1;",
        OWN_TREES,
    ),
]

SMALL = [
    # Scores that are equal as floats may differ.
    Broken(
        "grow/small_tree_of_classes.cpp",
        "constexpr std::size_t rows_for_floats = 32;",
        "constexpr std::size_t rows_for_floats = 255;",
        SMALL_TREES,
    ),
    # The last code between the smallest and the largest is forgotten.
    Broken(
        "grow/small_tree_of_classes.cpp",
        "if (count < node.rows()) {",
        "if (count < node.rows()) {\n        if (count > 1) --count;",
        SMALL_TREES,
    ),
    # Numbers: the search ends too soon, or a cut is ruled out that is better.
    Broken(
        "grow/small_tree_of_numbers.cpp",
        "best.cost > least + slack / 2;",
        "best.cost > 1.5 * least + slack / 2;",
        SMALL_TREES,
    ),
    Broken(
        "grow/small_tree_of_numbers.cpp",
        "SquaredError::pair_at_least(std::abs(sum), left * right, all, limit)",
        "SquaredError::pair_at_least(std::abs(sum), 1.2 * left * right, all, limit)",
        SMALL_TREES,
    ),
]

ALL = [*SWEEPS, *SCORES, *PAIRS, *BUCKETS, *COLUMNS, *CATEGORIES, *COUNTING, *DRAWN, *OWN, *SMALL]
