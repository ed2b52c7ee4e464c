"""A user's own score: what it is made of, what it answers, and the sentence that every wrong one gets."""

import copy
import pickle

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import ParameterError
from branchwork.measure.criteria import criterion_of, impurity_of_counts
from own_scores import ACCURACY, COST, ENTROPY, GINI, INFORMATION_GAIN, TSALLIS

LABELS = ("no", "yes")
COUNTS = np.array([[5.0, 9.0], [0.0, 4.0], [2.5, 2.5], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("score", "name"),
    [(ENTROPY, "entropy"), (GINI, "gini"), (ACCURACY, "accuracy"), (INFORMATION_GAIN, "entropy")],
)
def test_the_lecture_s_scores_written_as_one_s_own_agree_with_the_table(score, name):
    for counts in COUNTS:
        assert score.impurity(counts, LABELS) == pytest.approx(impurity_of_counts(name, counts), abs=1e-14)
        assert impurity_of_counts(score, counts, LABELS) == score.impurity(counts, LABELS)


def test_tsallis_entropy_and_an_asymmetric_cost_are_what_their_formulas_say():
    assert TSALLIS.impurity(COUNTS[0], LABELS) == pytest.approx((1 - (5 / 14) ** 3 - (9 / 14) ** 3) / 2)
    assert COST.impurity(np.array([9.0, 1.0]), LABELS) == pytest.approx(0.5)  # the one "yes" costs 5
    assert COST.impurity(np.array([2.0, 8.0]), LABELS) == pytest.approx(0.2)  # the two "no" cost 1 each
    assert COST.impurity(np.array([2.0, 0.0]), LABELS) == 0


def test_a_class_without_rows_is_never_asked_about():
    asked = []
    score = bw.Score(name="seen", term=lambda c: asked.extend(c.tolist()) or c)
    score.costs(COUNTS, LABELS)
    assert min(asked) > 0


def test_functions_may_return_one_number_for_all():
    score = bw.Score(name="rows", term=lambda c: 0.0, offset=lambda n: n, scale=lambda n: -1)
    assert score.costs(COUNTS, LABELS).tolist() == [14, 4, 5, 0]


def test_a_term_with_a_second_parameter_gets_the_label():
    seen = set()

    def term(c, label):
        seen.add(label)
        return c

    assert bw.Score(name="x", term=term).term_takes_class
    bw.Score(name="x", term=term).costs(COUNTS, LABELS)
    assert seen == set(LABELS)
    assert not bw.Score(name="x", term=lambda c, q=2: c**q).term_takes_class
    assert not bw.Score(name="x", term=np.sqrt).term_takes_class
    assert bw.Score(name="x", term=np.power).term_takes_class


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "name=''; expected text"),
        ({"name": "x"}, r"'x' needs term= .* or gain=, and not both"),
        ({"name": "x", "term": np.sqrt, "gain": max}, "and not both"),
        ({"name": "x", "term": 3}, "term=3; expected a function"),
        ({"name": "x", "term": np.sqrt, "unit": None}, "unit=None; expected text"),
        ({"name": "x", "term": np.sqrt, "combine": "mean"}, "combine='mean'; expected 'sum' or 'max'"),
        ({"name": "x", "gain": max, "scale": np.sqrt}, "go with term=, not with gain="),
    ],
)
def test_a_score_that_is_not_one_is_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        bw.Score(**wrong)


def _raises(c):
    raise KeyError("oops")


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (
            lambda c: np.where(c == 3, np.nan, c),
            r"Score 'bad': term is nan for the count 3; expected a finite",
        ),
        (lambda c: c[:-1], r"term returned an array of shape \(3,\) for counts of shape \(4,\)"),
        (_raises, r"term raised KeyError: 'oops', for the counts \(1, 2, 3, 4\)"),
        (lambda c: "many", r"term raised ValueError"),
        (lambda c: np.exp(c * 1000), r"term is inf for the count 1"),
    ],
)
def test_a_function_that_answers_with_nonsense_is_named_with_the_counts(term, message):
    score = bw.Score(name="bad", term=term)
    with pytest.raises(ParameterError, match=message):
        score.terms(np.array([[1.0], [2.0], [3.0], [4.0]]), ("a",))


@pytest.mark.parametrize(
    ("gain", "message"),
    [
        (
            lambda p, c: np.nan,
            r"gain is nan for a parent of \(5, 9\) and branches of \['\(5, 0\)', '\(0, 9\)'\]",
        ),
        (lambda p, c: c, r"gain returned an array of shape \(2, 2\); expected one number"),
        (lambda p, c: p / None, r"gain raised TypeError"),
    ],
)
def test_a_gain_that_answers_with_nonsense_is_named_with_the_counts(gain, message):
    with pytest.raises(ParameterError, match=message):
        bw.Score(name="bad", gain=gain).impurity(COUNTS[0], LABELS)


def test_the_message_of_a_term_names_the_class():
    score = bw.Score(name="bad", term=lambda c, label: c if label == "no" else c * np.nan)
    with pytest.raises(ParameterError, match="term is nan for the count 9 of class 'yes'"):
        score.costs(COUNTS, LABELS)


def test_a_score_is_copied_whole_and_pickled_by_the_names_of_its_functions():
    assert copy.deepcopy(ENTROPY) == ENTROPY
    assert repr(ENTROPY) == "Score('my entropy')"
    again = pickle.loads(pickle.dumps(bw.Score(name="root", term=np.sqrt)))
    assert again == bw.Score(name="root", term=np.sqrt)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(bw.Score(name="x", term=lambda c: c))


def test_a_score_from_a_file_can_be_shown_but_not_computed():
    score = bw.Score.remembered("Tsallis", "nats")
    assert (criterion_of(score).unit, criterion_of(score).symbol) == ("nats", "Tsallis")
    with pytest.raises(ParameterError, match=r"'Tsallis' was read from a model file, which keeps the name"):
        score.impurity(COUNTS[0], LABELS)
