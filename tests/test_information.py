"""The numbers of the lectures, the laws of information, and what is said when the input makes no sense."""

from __future__ import annotations

import doctest
import math
import warnings
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwork import information
from branchwork.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    information_gain,
    joint_entropy,
    remainder,
    specific_conditional_entropy,
    variance,
    weighted_variance,
)


def table(text):
    """A lecture table as {column: list of text}."""
    header, *rows = (line.split() for line in text.strip().splitlines())
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


SPAM = table("""
    suspicious unknown images class
    true  false true  spam
    true  true  false spam
    true  true  false spam
    false true  true  ham
    false false false ham
    false false false ham
""")
TENNIS = table("""
    Outlook  Temperature Humidity Wind Play
    Sunny    Hot  High   Weak   No
    Sunny    Hot  High   Strong No
    Overcast Hot  High   Weak   Yes
    Rain     Mild High   Weak   Yes
    Rain     Cool Normal Weak   Yes
    Rain     Cool Normal Strong No
    Overcast Cool Normal Strong Yes
    Sunny    Mild High   Weak   No
    Sunny    Cool Normal Weak   Yes
    Rain     Mild Normal Weak   Yes
    Sunny    Mild Normal Strong Yes
    Overcast Mild High   Strong Yes
    Overcast Hot  Normal Weak   Yes
    Rain     Mild High   Strong No
""")
RESTAURANT = table("""
    Alt Bar Fri Hun Pat  Price Rain Res Type    Est   Wait
    Yes No  No  Yes Some $$$   No   Yes French  0-10  Yes
    Yes No  No  Yes Full $     No   No  Thai    30-60 No
    No  Yes No  No  Some $     No   No  Burger  0-10  Yes
    Yes No  Yes Yes Full $     Yes  No  Thai    10-30 Yes
    Yes No  Yes No  Full $$$   No   Yes French  >60   No
    No  Yes No  Yes Some $$    Yes  Yes Italian 0-10  Yes
    No  Yes No  No  None $     Yes  No  Burger  0-10  No
    No  No  No  Yes Some $$    Yes  Yes Thai    0-10  Yes
    No  Yes Yes No  Full $     Yes  No  Burger  >60   No
    Yes Yes Yes Yes Full $$$   No   Yes Italian 10-30 No
    No  No  No  No  None $     No   No  Thai    0-10  No
    Yes Yes Yes Yes Full $     No   No  Burger  30-60 Yes
""")
VEGETATION = table("""
    stream slope elevation vegetation
    false steep    3900 chaparral
    true  moderate 300  riparian
    true  steep    1500 riparian
    false steep    1200 chaparral
    false flat     4450 conifer
    true  steep    5000 conifer
    true  steep    3000 chaparral
""")
BIKES = table("""
    season work rentals
    winter false 800
    winter false 826
    winter true  900
    spring false 2100
    spring true  4740
    spring true  4900
    summer false 3000
    summer true  5800
    summer true  6200
    autumn false 2910
    autumn false 2880
    autumn true  2820
""")
RENTALS = [int(number) for number in BIKES["rentals"]]
RAIN = [[24, 1], [25, 50]]  # rows: raining, not raining; columns: cloudy, not cloudy


# An independent way to the same numbers: exact fractions, one logarithm per probability.


def plain_entropy(labels):
    return math.fsum(float(p) * math.log2(1 / p) for p in shares(labels).values())


def shares(labels):
    counts = Counter(labels)
    return {value: Fraction(count, len(labels)) for value, count in counts.items()}


def divergence(x, y):
    """KL(joint || product of the marginals)."""
    px, py = shares(x), shares(y)
    pairs = shares(list(zip(x, y, strict=True)))
    return math.fsum(float(p) * math.log2(p / (px[a] * py[b])) for (a, b), p in pairs.items())


def exact_variance(numbers):
    mean = Fraction(sum(numbers), len(numbers))
    return sum((t - mean) ** 2 for t in numbers) / (len(numbers) - 1) if len(numbers) > 1 else Fraction(0)


def crossed(x, y):
    """The two-way table of counts of two columns, rows for x."""
    pairs = Counter(zip(x, y, strict=True))
    return [[pairs[a, b] for b in dict.fromkeys(y)] for a in dict.fromkeys(x)]


def is_plain_zero(number):
    return type(number) is float and number == 0.0 and math.copysign(1.0, number) == 1.0


def close(expected, tolerance=1e-12):
    return pytest.approx(expected, rel=tolerance, abs=tolerance)


# The lectures: entropy.


@pytest.mark.parametrize(
    ("counts", "bits", "decimals"),
    [
        ([1] * 52, 5.700, 3),
        ([13] * 4, 2.0, 12),
        ([1], 0.00, 12),
        ([3, 1], 0.81, 2),
        ([1, 1], 1.00, 12),
        ([2, 1, 1], 1.50, 12),
        ([1, 1, 1], 1.58, 2),
        ([1] * 12, 3.58, 2),
        ([5, 0], 0.0, 12),
    ],
)
def test_entropy_of_the_card_sets(counts, bits, decimals):
    labels = [card for card, count in enumerate(counts) for _ in range(count)]
    assert round(entropy(counts=counts), decimals) == bits
    assert round(entropy(labels), decimals) == bits


def test_52_cards_to_full_precision():
    assert entropy(range(52)) == close(math.log2(52))


@pytest.mark.parametrize("p", [0.01, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.999])
def test_loaded_coin(p):
    expected = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
    assert entropy(counts=[p, 1 - p]) == close(expected)
    assert entropy(["heads", "tails"], sample_weight=[p, 1 - p]) == close(expected)


def test_a_fair_coin_is_one_bit_and_a_certain_outcome_none():
    assert entropy(["heads", "tails"]) == 1.0
    assert is_plain_zero(entropy(["heads"] * 7))
    assert is_plain_zero(entropy(counts=[0, 3, 0]))


# The lectures: joint and conditional entropy.


def test_rain_and_cloud():
    assert round(joint_entropy(counts=RAIN), 2) == 1.56
    assert round(specific_conditional_entropy(counts=RAIN, equal=0), 2) == 0.24
    assert round(conditional_entropy(counts=RAIN), 2) == 0.75
    given_cloud = conditional_entropy(counts=np.transpose(RAIN))
    assert joint_entropy(counts=RAIN) == close(given_cloud + entropy(counts=[49, 51]))


def test_rain_and_cloud_by_hand():
    joint = [Fraction(count, 100) for row in RAIN for count in row]
    assert joint_entropy(counts=RAIN) == close(-sum(float(p) * math.log2(p) for p in joint))
    raining = -(24 / 25) * math.log2(24 / 25) - (1 / 25) * math.log2(1 / 25)
    dry = -(1 / 3) * math.log2(1 / 3) - (2 / 3) * math.log2(2 / 3)
    assert specific_conditional_entropy(counts=RAIN, equal=0) == close(raining)
    assert specific_conditional_entropy(counts=RAIN, equal=1) == close(dry)
    assert conditional_entropy(counts=RAIN) == close(raining / 4 + 3 * dry / 4)


def test_rain_and_cloud_as_labels():
    rain = ["rain"] * 25 + ["dry"] * 75
    cloud = ["cloudy"] * 24 + ["clear"] + ["cloudy"] * 25 + ["clear"] * 50
    assert joint_entropy(rain, cloud) == close(joint_entropy(counts=RAIN))
    assert conditional_entropy(cloud, given=rain) == close(conditional_entropy(counts=RAIN))
    by_row = specific_conditional_entropy(counts=RAIN, equal=0)
    assert specific_conditional_entropy(cloud, given=rain, equal="rain") == close(by_row)


# The lectures: gain, remainder, gain ratio, Gini.


def test_fruit_splits():
    assert round(entropy(counts=[2, 5]), 2) == 0.86
    assert round(information_gain(counts=[[0, 2], [2, 3]]), 2) == 0.17
    assert round(information_gain(counts=[[1, 3], [1, 2]]), 3) == 0.006


@pytest.mark.parametrize(
    ("feature", "left", "gain"),
    [("suspicious", 0.0, 1.0), ("unknown", 0.9183, 0.0817), ("images", 1.0, 0.0)],
)
def test_spam(feature, left, gain):
    assert entropy(SPAM["class"]) == 1.0
    assert round(remainder(SPAM["class"], SPAM[feature]), 4) == left
    assert round(information_gain(SPAM["class"], SPAM[feature]), 4) == gain


@pytest.mark.parametrize(
    ("feature", "gain", "ratio"),
    [
        ("Outlook", 0.2467, 0.1564),
        ("Humidity", 0.1518, 0.1518),
        ("Wind", 0.0481, 0.0488),
        ("Temperature", 0.0292, 0.0188),
    ],
)
def test_tennis(feature, gain, ratio):
    assert round(entropy(TENNIS["Play"]), 4) == 0.9403
    assert round(information_gain(TENNIS["Play"], TENNIS[feature]), 4) == gain
    assert round(gain_ratio(TENNIS["Play"], TENNIS[feature]), 4) == ratio


@pytest.mark.parametrize(
    ("feature", "gain"),
    [
        ("Alt", 0.0),
        ("Bar", 0.0),
        ("Fri", 0.0207),
        ("Hun", 0.1957),
        ("Pat", 0.5409),
        ("Price", 0.1957),
        ("Rain", 0.0207),
        ("Res", 0.0207),
        ("Type", 0.0),
        ("Est", 0.2075),
    ],
)
def test_restaurant(feature, gain):
    assert entropy(RESTAURANT["Wait"]) == 1.0
    assert round(information_gain(RESTAURANT["Wait"], RESTAURANT[feature]), 4) == gain


@pytest.mark.parametrize(
    ("threshold", "gain", "left"),
    [(750, 0.3060, 1.2507), (1350, 0.1839, 1.3728), (2250, 0.5917, 0.9650), (4175, 0.8631, 0.6935)],
)
def test_vegetation(threshold, gain, left):
    above = [int(elevation) >= threshold for elevation in VEGETATION["elevation"]]
    assert round(entropy(VEGETATION["vegetation"]), 4) == 1.5567
    assert round(information_gain(VEGETATION["vegetation"], above), 4) == gain
    assert round(remainder(VEGETATION["vegetation"], above), 4) == left


def test_gain_ratio_is_the_gain_over_the_entropy_of_the_feature():
    assert gain_ratio(["a", "b", "c", "d"], ["p", "q", "r", "s"]) == 1.0
    gain = information_gain(counts=[[1, 3], [1, 2]])
    assert gain_ratio(counts=[[1, 3], [1, 2]]) == close(gain / entropy(counts=[4, 3]))
    assert is_plain_zero(gain_ratio(["a", "b"], ["same", "same"]))
    assert is_plain_zero(gain_ratio(counts=[[3, 4]]))


@pytest.mark.parametrize("counts", [[1], [3, 1], [1, 1], [2, 1, 1], [1, 1, 1], [1] * 12, [2, 5], [9, 5]])
def test_gini_is_one_minus_the_sum_of_squares(counts):
    exact = 1 - sum(Fraction(count, sum(counts)) ** 2 for count in counts)
    labels = [value for value, count in enumerate(counts) for _ in range(count)]
    assert gini(counts=counts) == close(float(exact))
    assert gini(labels) == close(float(exact))


def test_gini_of_a_certain_outcome_is_zero():
    assert is_plain_zero(gini(["a", "a"]))
    assert is_plain_zero(gini(counts=[0, 4]))


# The lectures: variance.


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("season", "winter", 2692),
        ("season", "spring", Fraction(7417600, 3)),  # 2 472 533 1/3
        ("season", "summer", 3040000),
        ("season", "autumn", 2100),
        ("work", "true", Fraction(12079040, 3)),  # 4 026 346 2/3
        ("work", "false", 1077280),
    ],
)
def test_variance_of_the_bike_rentals(column, value, expected):
    branch = [t for t, label in zip(RENTALS, BIKES[column], strict=True) if label == value]
    assert exact_variance(branch) == expected
    assert variance(branch) == close(float(expected))


@pytest.mark.parametrize(
    ("column", "expected"),
    [("season", Fraction(4137994, 3)), ("work", Fraction(7655440, 3))],  # 1 379 331 1/3 and 2 551 813 1/3
)
def test_weighted_variance_of_the_bike_rentals(column, expected):
    assert weighted_variance(RENTALS, by=BIKES[column]) == close(float(expected))


def test_variance_of_one_row_is_zero():
    assert is_plain_zero(variance([5.5]))
    assert is_plain_zero(weighted_variance([1, 2, 3], by=["a", "b", "c"]))


def test_variance_of_weights_that_add_up_to_one_is_zero():
    assert is_plain_zero(variance([1, 2, 3], sample_weight=[0.2, 0.3, 0.5]))
    for rows in range(1, 60):
        assert is_plain_zero(variance(range(rows), sample_weight=[1 / rows] * rows))


def test_variance_of_a_constant_is_exactly_zero():
    assert is_plain_zero(variance([0.2] * 3, sample_weight=[0.5, 1.9, 2.8]))


def test_variance_keeps_its_precision_far_from_zero_and_its_range():
    assert variance([1e9, 1e9 + 1, 1e9 + 2]) == 1.0
    assert variance([1e-150, 3e-150]) == close(2e-300)
    assert variance([1e153, 3e153]) == close(2e306)
    assert variance([1e308, -1e308]) == math.inf  # larger than any float, and no warning


# Laws.

values = st.sampled_from(["a", "b", "c", 1, "1", 2.5, True, ("t", 1), frozenset()])
pairs = st.lists(st.tuples(values, values), min_size=1, max_size=40)
repeated = st.lists(st.tuples(values, values, st.integers(0, 4)), min_size=1, max_size=25).filter(
    lambda rows: any(times for *_, times in rows)
)
measured = st.lists(
    st.tuples(st.integers(-1000, 1000), values, st.integers(0, 4)), min_size=1, max_size=25
).filter(lambda rows: any(times for *_, times in rows))
laws = settings(deadline=None)


def split(rows):
    return tuple(list(column) for column in zip(*rows, strict=True))


def copies(rows):
    """Write every row as often as its weight, the last item, says."""
    return split([row[:-1] for row in rows for _ in range(row[-1])])


TWO_COLUMN = {
    "joint_entropy": lambda x, y, **weights: joint_entropy(x, y, **weights),
    "conditional_entropy": lambda x, y, **weights: conditional_entropy(y, given=x, **weights),
    "remainder": lambda x, y, **weights: remainder(y, x, **weights),
    "information_gain": lambda x, y, **weights: information_gain(y, x, **weights),
    "gain_ratio": lambda x, y, **weights: gain_ratio(y, x, **weights),
}
WITH_COUNTS = {
    "joint_entropy": joint_entropy,
    "conditional_entropy": conditional_entropy,
    "remainder": remainder,
    "information_gain": information_gain,
    "gain_ratio": gain_ratio,
}


@laws
@given(pairs)
def test_entropy_agrees_with_the_definition(rows):
    x, y = split(rows)
    assert entropy(x) == close(plain_entropy(x))
    assert joint_entropy(x, y) == close(plain_entropy(rows))
    assert gini(x) == close(float(1 - sum(p * p for p in shares(x).values())))


@laws
@given(pairs)
def test_chain_rule(rows):
    x, y = split(rows)
    assert joint_entropy(x, y) == close(conditional_entropy(x, given=y) + entropy(y))
    assert joint_entropy(x, y) == close(conditional_entropy(y, given=x) + entropy(x))


@laws
@given(pairs)
def test_knowing_more_never_hurts(rows):
    x, y = split(rows)
    assert 0.0 <= conditional_entropy(y, given=x) <= entropy(y) + 1e-12
    assert is_plain_zero(conditional_entropy(y, given=y))
    assert is_plain_zero(conditional_entropy(y, given=rows))  # the pair tells y
    assert information_gain(y, y) == entropy(y)


@laws
@given(pairs)
def test_conditional_entropy_is_the_mean_of_the_specific_ones(rows):
    x, y = split(rows)
    mean = 0.0
    for value, p in shares(x).items():
        part = [b for a, b in rows if a == value]
        specific = specific_conditional_entropy(y, given=x, equal=value)
        assert specific == close(plain_entropy(part))
        mean += float(p) * specific
    assert conditional_entropy(y, given=x) == close(mean)
    assert remainder(y, x) == conditional_entropy(y, given=x)


@laws
@given(pairs)
def test_gain_is_the_divergence_of_the_joint_from_the_product(rows):
    x, y = split(rows)
    gain = information_gain(y, x)
    assert gain == close(divergence(x, y))
    assert gain == close(entropy(y) - remainder(y, x))
    assert gain == close(information_gain(x, y))
    assert gain >= 0.0
    assert math.copysign(1.0, gain) == 1.0
    assert 0.0 <= gain_ratio(y, x) <= 1.0


@laws
@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=6), st.lists(st.integers(1, 50), min_size=1, max_size=6)
)
def test_gain_of_independent_columns_is_zero_and_never_negative(across, down):
    gain = information_gain(counts=np.outer(down, across))
    assert 0.0 <= gain < 1e-12


@laws
@given(pairs, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter_to_the_last_bit(rows, random):
    x, y = split(rows)
    shuffled = rows[:]
    random.shuffle(shuffled)
    other_x, other_y = split(shuffled)
    assert entropy(x) == entropy(other_x)
    for measure in TWO_COLUMN.values():
        assert measure(x, y) == measure(other_x, other_y)


@laws
@given(repeated)
def test_a_weight_of_k_is_k_copies_and_of_0_none(rows):
    x, y, weights = split(rows)
    many_x, many_y = copies(rows)
    assert entropy(y, sample_weight=weights) == close(entropy(many_y))
    assert gini(y, sample_weight=weights) == close(gini(many_y))
    for measure in TWO_COLUMN.values():
        assert measure(x, y, sample_weight=weights) == close(measure(many_x, many_y))
    for value in set(many_x):
        weighted = specific_conditional_entropy(y, given=x, equal=value, sample_weight=weights)
        assert weighted == close(specific_conditional_entropy(many_y, given=many_x, equal=value))


@laws
@given(measured)
def test_variance_agrees_with_copies_and_with_fractions(rows):
    t, by, weights = split(rows)
    many_t, many_by = copies(rows)
    assert variance(t, sample_weight=weights) == close(float(exact_variance(many_t)))
    branches = [[a for a, b in zip(many_t, many_by, strict=True) if b == value] for value in set(many_by)]
    expected = sum(Fraction(len(branch), len(many_t)) * exact_variance(branch) for branch in branches)
    assert weighted_variance(t, by=by, sample_weight=weights) == close(float(expected))
    assert weighted_variance(many_t, by=many_by) == close(float(expected))


def test_variance_without_a_split_is_a_single_branch():
    assert weighted_variance(RENTALS, by=["all"] * 12) == variance(RENTALS)


@laws
@given(pairs)
def test_counts_agree_with_labels(rows):
    x, y = split(rows)
    assert entropy(counts=list(Counter(y).values())) == entropy(y)
    assert gini(counts=list(Counter(y).values())) == gini(y)
    counts = crossed(x, y)
    for name, measure in WITH_COUNTS.items():
        assert measure(counts=counts) == close(TWO_COLUMN[name](x, y))
    for row, value in enumerate(dict.fromkeys(x)):
        by_row = specific_conditional_entropy(counts=counts, equal=row)
        assert by_row == close(specific_conditional_entropy(y, given=x, equal=value))


@laws
@given(st.lists(st.floats(0.0, 1e300), min_size=1, max_size=10).filter(any))
def test_any_counts_give_an_entropy_in_range_without_warnings(counts):
    bits = entropy(counts=counts)
    assert 0.0 <= bits <= math.log2(len(counts)) + 1e-12
    assert math.copysign(1.0, bits) == 1.0
    assert 0.0 <= gini(counts=counts) <= 1.0


def test_empty_rows_and_columns_of_a_table_change_nothing():
    padded = [[24, 0, 1], [0, 0, 0], [25, 0, 50]]
    for measure in WITH_COUNTS.values():
        assert measure(counts=padded) == measure(counts=RAIN)


# What labels may be.


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        ("a", "b", "a"),
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], dtype=object),
        np.array([1, 2, 1]),
        np.array([0.5, math.inf, 0.5]),
        np.array([True, False, True]),
        np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="datetime64[D]"),
        pd.Series(["a", "b", "a"], index=[7, 8, 9]),
        pd.Series(["a", "b", "a"], dtype="category"),
        pd.Series([1, 2, 1], dtype="Int64"),
        pl.Series(["a", "b", "a"]),
        pl.Series(["a", "b", "a"], dtype=pl.Categorical),
        pl.Series([1, 2, 1]),
        [1, "1", 1],
        [frozenset({1}), (1, "x"), frozenset({1})],
        [Decimal(1), "1", Fraction(1)],
    ],
)
def test_labels_of_every_kind(labels):
    assert entropy(labels) == close(math.log2(3) - 2 / 3)
    assert information_gain(labels, [1, 2, 1]) == close(math.log2(3) - 2 / 3)


def test_labels_that_look_alike_are_different():
    assert entropy([1, "1", b"1", (1,)]) == 2.0
    assert entropy(np.array([1, "1"], dtype=object)) == 1.0
    assert entropy(["None", "nan", "", "NA"]) == 2.0


def test_labels_that_are_equal_are_the_same_in_a_list_and_in_an_array():
    assert is_plain_zero(entropy([1, 1.0, True]))
    assert is_plain_zero(entropy(np.array([0.0, -0.0])))


def test_columns_with_a_value_per_row_need_no_square_table():
    ids = np.arange(200_000)
    assert joint_entropy(ids, ids[::-1]) == close(math.log2(200_000))


def test_equal_finds_the_value_in_any_column():
    y = ["p", "q", "q"]
    assert specific_conditional_entropy(y, given=np.array([1, 1, 2]), equal=1) == 1.0
    assert specific_conditional_entropy(y, given=np.array([1, 1, 2]), equal=np.int64(2)) == 0.0
    assert specific_conditional_entropy(y, given=pd.Series(["u", "u", "v"]), equal="u") == 1.0
    assert specific_conditional_entropy(y, given=[(1, 2), (1, 2), "v"], equal=(1, 2)) == 1.0


def test_results_are_plain_floats():
    numbers = [
        entropy(np.array([1, 2])),
        gini([1, 2]),
        variance([1, 2]),
        weighted_variance([1, 2], by=[1, 1]),
        specific_conditional_entropy(counts=RAIN, equal=0),
        *(measure(counts=RAIN) for measure in WITH_COUNTS.values()),
    ]
    assert {type(number) for number in numbers} == {float}


# What is refused, and in which words.


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c", None],
        ["a", "b", "c", math.nan],
        ["a", "b", "c", pd.NA],
        ["a", "b", "c", pd.NaT],
        [1.0, 2.0, 3.0, np.float64("nan")],
        np.array([1.0, 2.0, 3.0, math.nan]),
        np.array(["2024-01-01", "2024-01-02", "2024-01-03", "NaT"], dtype="datetime64[ns]"),
        np.array(["a", "b", "c", None], dtype=object),
        np.ma.array([1, 2, 3, 4], mask=[False, False, False, True]),
        pd.Series(["a", "b", "c", None]),
        pd.Series([1, 2, 3, None], dtype="Int64"),
        pd.Series(["a", "b", "c", None], dtype="category"),
        pl.Series(["a", "b", "c", None]),
        pl.Series([1, 2, 3, None]),
        pl.Series([True, False, True, None]),
    ],
)
def test_a_missing_label_is_named(labels):
    with pytest.raises(ValueError, match=r"^y\[3\] is missing; expected a label in every row"):
        entropy(labels)
    with pytest.raises(ValueError, match=r"^x\[3\] is missing"):
        information_gain([1, 2, 3, 4], labels)
    with pytest.raises(ValueError, match=r"^given\[3\] is missing"):
        conditional_entropy([1, 2, 3, 4], given=labels)
    with pytest.raises(ValueError, match=r"^by\[3\] is missing"):
        weighted_variance([1, 2, 3, 4], by=labels)
    assert entropy(labels, sample_weight=[1, 1, 1, 0]) <= math.log2(3)  # a row of weight 0 is not there


def test_a_missing_number_is_named_unless_its_row_has_no_weight():
    for t in ([1, 2, None, 4], np.array([1, 2, math.nan, 4]), pd.Series([1, 2, pd.NA, 4], dtype="Int64")):
        with pytest.raises(ValueError, match=r"^t\[2\] is missing; expected a number"):
            variance(t)
        assert variance(t, sample_weight=[1, 1, 0, 1]) == close(float(exact_variance([1, 2, 4])))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy(), "pass either y or counts; found neither"),
        (lambda: entropy([1], counts=[1]), "pass either y or counts; found both"),
        (lambda: information_gain([1, 2]), "pass either x and y or counts; found y alone"),
        (lambda: joint_entropy(x=[1]), "pass either x and y or counts; found x alone"),
        (lambda: conditional_entropy([1]), "pass either given and y or counts; found y alone"),
        (lambda: remainder([1], counts=[[1]]), "pass either x and y or counts; found both"),
        (lambda: gini(counts=[1], sample_weight=[1]), "sample_weight goes with labels; found counts"),
        (lambda: entropy([]), "y must have at least one row; found none"),
        (
            lambda: information_gain([1, 2], [1, 2, 3]),
            "x and y must have the same length; found 3 and 2 rows",
        ),
        (
            lambda: entropy([1, 2], sample_weight=[1]),
            "y and sample_weight must have the same length; found 2 and 1",
        ),
        (
            lambda: variance([1, 2], sample_weight=[1]),
            "t and sample_weight must have the same length; found 2 and 1",
        ),
        (
            lambda: weighted_variance([1, 2], by=["a"]),
            "t and by must have the same length; found 2 and 1 rows",
        ),
        (lambda: entropy(np.zeros((2, 3))), "y must be one column of labels; found an array of shape (2, 3)"),
        (lambda: entropy(counts=RAIN), "counts must be a list of numbers, not empty; found shape (2, 2)"),
        (lambda: gini(counts=[]), "counts must be a list of numbers, not empty; found shape (0,)"),
        (
            lambda: joint_entropy(counts=[1, 2]),
            "counts must be a two-way table of numbers, not empty; found shape (2,)",
        ),
        (lambda: joint_entropy(counts=[[1, 2], [3]]), "counts must be a two-way table of numbers"),
        (lambda: entropy(counts=[0, 0]), "counts must add up to a finite number above 0; found a sum of 0.0"),
        (
            lambda: entropy(counts=[1e308, 1e308]),
            "counts must add up to a finite number above 0; found a sum of inf",
        ),
        (lambda: entropy(counts=[1, -2]), "counts[1] must not be negative; found -2.0"),
        (lambda: remainder(counts=[[1, 2], [3, math.inf]]), "counts[1, 1] must be finite; found inf"),
        (lambda: remainder(counts=[[1, 2], [None, 3]]), "counts[1, 0] is missing; expected a number"),
        (
            lambda: entropy([1, 2], sample_weight=[0, 0]),
            "sample_weight must add up to a finite number above 0",
        ),
        (lambda: entropy([1, 2], sample_weight=[1, -1]), "sample_weight[1] must not be negative; found -1.0"),
        (lambda: entropy([1, 2], sample_weight=[math.nan, 1]), "sample_weight[0] is missing"),
        (lambda: entropy([1, 2], sample_weight=[math.inf, 1]), "sample_weight[0] must be finite; found inf"),
        (lambda: variance([]), "t must be a list of numbers, not empty; found shape (0,)"),
        (lambda: variance([1, math.inf]), "t[1] must be finite; found inf"),
        (
            lambda: specific_conditional_entropy([1, 2], given=["a", "b"], equal="c"),
            "equal must be a value in given with weight above 0, such as 'a', 'b'; found 'c'",
        ),
        (
            lambda: specific_conditional_entropy(
                [1, 2], given=np.array([3, 4]), equal=4, sample_weight=[1, 0]
            ),
            "equal must be a value in given with weight above 0, such as 3; found 4",
        ),
        (
            lambda: specific_conditional_entropy(counts=[[1, 2], [0, 0]], equal=1),
            "equal must be a row of counts with weight above 0, such as 0; found 1",
        ),
        (lambda: specific_conditional_entropy(counts=RAIN, equal=-1), "equal must be a row of counts"),
    ],
)
def test_a_value_that_makes_no_sense_is_explained(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy("abc"), "y must be a list, tuple, array or series; found str"),
        (lambda: entropy(5), "y must be a list, tuple, array or series; found int"),
        (lambda: entropy({"a": 1}), "y must be a list, tuple, array or series; found dict"),
        (
            lambda: entropy(counts=Counter("abc")),
            "counts must be a list, tuple, array or series; found Counter",
        ),
        (lambda: entropy([1, [2]]), "y[1] must be hashable to be a label; found list"),
        (lambda: entropy([np.zeros(2)]), "y[0] must be hashable to be a label; found ndarray"),
        (lambda: entropy(counts=["1", 2]), "counts must hold numbers; found '1'"),
        (lambda: variance(np.array(["1"])), "t must hold numbers; found <U1"),
        (lambda: variance([1, 2j]), "t must hold numbers; found 2j"),
    ],
)
def test_a_type_that_makes_no_sense_is_explained(call, message):
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == message


# The module itself.


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(information).failed == 0
    for name in information.__all__:
        assert ">>> " in getattr(information, name).__doc__


def test_zeros_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert entropy(counts=[0, 1, 0]) == 0.0
        assert information_gain(counts=[[0, 0], [0, 5]]) == 0.0
        assert entropy(counts=[1e308, 5e-324]) == 0.0
