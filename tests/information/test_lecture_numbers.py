"""The numbers of the lectures."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

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
from information.by_hand import RAIN, close, exact_variance, is_plain_zero


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


def test_variance_without_a_split_is_a_single_branch():
    assert weighted_variance(RENTALS, by=["all"] * 12) == variance(RENTALS)


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
