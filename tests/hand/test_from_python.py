"""Programs that an export wrote come back as the same tree: every answer for every hard row, to the last bit."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwork as bw
from branchwork.errors import BranchworkError, ParameterError

from program_cases import KINDS, hard_rows, model_of, table_of
from registry import CLASS_ENSEMBLES, ESTIMATORS, RULE_LISTS


def is_one_plain_tree(model) -> bool:
    """Whether every row ends in one leaf of one tree, by its own cells."""
    return len(model.trees) == 1 and not model.tree.shares_rows and model.tree.surrogates is None


def assert_same_answers(model, other, rows):
    ours, theirs = table_of(model, rows), table_of(other, rows)
    assert other.predict(theirs).tolist() == model.predict(ours).tolist()
    if model.labels is None:
        assert other.outputs(theirs).tobytes() == model.outputs(ours).tobytes()
    else:
        assert other.classes.tolist() == model.classes.tolist()
        assert other.predict_proba(theirs).tobytes() == model.predict_proba(ours).tobytes()


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back_or_is_refused_with_a_sentence(kind, hostile):
    for seed in (1, 2):
        model = model_of(seed, kind=kind, hostile=hostile)
        program = model.export("python")
        if not is_one_plain_tree(model):
            if len(model.trees) > 1 or model.tree.n_nodes > 1:
                with pytest.raises(ParameterError, match=r"adds up several trees|surrogates decide"):
                    bw.hand_tree(program, model.schema)
            continue
        other = bw.hand_tree(program, model.schema)
        assert_same_answers(model, other, hard_rows(model, 200, seed))
        again = other.export("python")
        assert bw.hand_tree(again, model.schema).export("python") == again


MIXED = {
    "n": [0.5, 1.25, None, 3.0, 4.5, 5.0, 6.25, 7.0, 8.0, 9.5, 10.0, 11.0] * 3,
    "c": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", None] * 3,
    "m": [1, 2, 3, 4, 5, 6] * 6,
}


@pytest.mark.parametrize("factory", ESTIMATORS, ids=lambda f: f.__name__)
def test_every_registered_tree(factory):
    numbers = factory.__name__.endswith("Regressor")
    y = [float(k % 7) if numbers else "xyz"[k * k % 3] for k in range(36)]
    settings = {"max_depth": 2} if factory.__name__.startswith("Optimal") else {}
    fitted = factory(**settings).fit(MIXED, y)
    program = fitted.export("python")
    if not is_one_plain_tree(fitted.model_):
        with pytest.raises(ParameterError, match="This Python program cannot be read as a tree"):
            bw.hand_tree(program, MIXED, y)
        return
    other = bw.hand_tree(program, MIXED, y)
    assert_same_answers(fitted.model_, other, hard_rows(fitted.model_, 300))
    assert other.tree.n_leaves <= fitted.get_n_leaves()
    assert other.tree.weight[0] == 36


def test_many_branches_are_written_by_halving_and_read_as_one_question():
    categories = [f"v{k}" for k in range(30)] * 4
    y = [k * 7 % 5 for k in range(30)] * 4
    tree = bw.ID3Classifier().fit({"c": categories}, y)
    assert "c <= " in tree.export("python")
    other = bw.hand_tree(tree.export("python"), tree.schema_)
    assert other.tree.depth == 1 and other.predict({"c": categories}).tolist() == y
    intervals = bw.CHAIDClassifier(bins=30, alpha_merge=1, alpha_split=1).fit(
        {"n": np.repeat(np.arange(30.0), 40)}, np.repeat(np.arange(30) * 7 % 5, 40)
    )
    assert intervals.tree_.n_children[0] > 8
    again = bw.hand_tree(intervals.export("python"), intervals.schema_)
    assert again.tree.n_children[0] == intervals.tree_.n_children[0]
    assert_same_answers(intervals.model_, again, hard_rows(intervals.model_, 300))


def test_a_long_chain_is_read_without_recursion():
    X = np.arange(3000.0)[:, None]
    tree = bw.TreeClassifier(criterion="accuracy").fit(X, np.arange(3000) % 2)
    assert tree.get_depth() > 300
    other = bw.hand_tree(tree.export("python"), tree.schema_)
    assert other.tree.depth == tree.get_depth()
    assert (other.predict(X) == tree.predict(X)).all()


def test_a_category_that_is_refused_stays_so():
    tree = bw.ID3Classifier(handle_unknown="error").fit({"c": list("abcabc")}, list("xyzxyz"))
    other = bw.hand_tree(tree.export("python"), tree.schema_)
    assert other.handle_unknown == "error"
    with pytest.raises(BranchworkError, match="'q' was not in the training table"):
        other.predict({"c": ["q"]})


def test_labels_must_be_those_of_the_program():
    assert bw.hand_tree(PROGRAM, SCHEMA, labels=list("wxyz")).labels == tuple("wxyz")
    with pytest.raises(ParameterError, match="but the program has"):
        bw.hand_tree(PROGRAM, SCHEMA, labels=["a"])


def test_rules_and_forests_are_refused():
    y = ["xyz"[k * k % 3] for k in range(36)]
    for factory in CLASS_ENSEMBLES[:2]:
        with pytest.raises(ParameterError, match="adds up several trees"):
            bw.hand_tree(factory().fit(MIXED, y).export("python"), MIXED)
    for factory in RULE_LISTS:
        X = np.repeat(np.arange(60.0), 2).reshape(60, 2)
        rules = factory().fit(X, np.arange(60) // 12 % 3)
        assert len(rules.rules_) > 2
        with pytest.raises(ParameterError, match="list of rules"):
            bw.hand_tree(rules.export("python"), X)


PROGRAM = (
    bw.ID3Classifier().fit({"c": list("abab"), "n": [1.0, 2.0, 3.0, 4.0]}, list("xyzw")).export("python")
)
SCHEMA = bw.Schema((bw.Column("c", "nominal", ("a", "b")), bw.Column("n", "numeric")))
SPOILED = [
    (PROGRAM.replace("return 0", "return os.system('true')"), "something else than a number or text"),
    (PROGRAM.replace("_OUTPUTS = ", "_OUT = "), "no predict and no _OUTPUTS"),
    (PROGRAM.replace("row['n']", "row['q']"), "There is no column 'q'"),
    (PROGRAM.replace("'a': 0", "'q': 0"), "no category 'q'"),
    (PROGRAM.replace("_START = -1", "_START = -9"), "_part_8 is missing"),
    (PROGRAM.replace("return 0", "return 99"), "no answer 99"),
    (PROGRAM.replace("return 0", "return 'x'"), "is not a place in the program"),
    (PROGRAM.replace("cell.n > ", "cell.n >= "), "another way than"),
    (PROGRAM.replace("cell.n > 2.0", "cell.n > 2.0 and cell.c > 0"), "does not ask for one cell"),
    (PROGRAM[:-40] + "(((", "neither a printed tree nor a Python program"),
    ("x = 1", "no predict"),
    ("", "no predict"),
]


@pytest.mark.parametrize(("program", "says"), SPOILED)
def test_what_is_no_exported_tree_is_refused(program, says):
    with pytest.raises(BranchworkError, match=says):
        bw.hand_tree(program, SCHEMA)


def test_a_program_is_never_run(tmp_path):
    trace = tmp_path / "trace"
    bomb = f"open({str(trace)!r}, 'w').close()\n" + PROGRAM
    bw.hand_tree(bomb, SCHEMA)
    assert not trace.exists()


@given(st.integers(0, len(PROGRAM) - 1), st.text(max_size=3))
def test_damaged_programs_are_refused_or_read(place, put):
    with contextlib.suppress(BranchworkError):
        bw.hand_tree(PROGRAM[:place] + put + PROGRAM[place + 1 :], SCHEMA)
