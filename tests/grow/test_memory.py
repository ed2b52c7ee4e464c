"""Memory follows the tree that is grown, and a tree that does not fit is refused by its size."""

import numpy as np
import pytest

import branchwork as bw
from branchwork.errors import BranchworkError, TooLargeError
from branchwork.grow import memory
from branchwork.grow.grow import grow
from branchwork.grow.recipes import CART
from branchwork.grow.steps import grow_in_steps
from branchwork.table.adapt import to_table
from branchwork.table.target import classes
from contract.checks import SANITIZED, child

HEADER = """
import json, resource
import numpy as np
import branchwork as bw
from branchwork.errors import TooLargeError

def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

def limit(free):
    most = address_space() + free
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
"""

MANY_CLASSES = """
X = np.random.default_rng(0).normal(size=(40_000, 5))
y = np.arange(40_000) % 20_000
faces = [bw.TreeClassifier, bw.CARTClassifier, bw.CHAIDClassifier, bw.StumpClassifier]
for face in faces:
    face().fit(X[:20], y[:20] % 2)
limit(2**30)
found = {}
for face in faces:
    for settings in ({"max_depth": 5}, {"max_depth": 5, "n_jobs": 2}) if face is not bw.StumpClassifier else ({},):
        found[f"{face.__name__} {settings}"] = face(**settings).fit(X, y).tree_.n_nodes
print(json.dumps(found))
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_a_small_tree_of_20_000_classes_needs_little_memory():
    """Room for two nodes per row would take 12.8 GB."""
    found = child(HEADER + MANY_CLASSES)
    assert len(found) == 7 and all(nodes < 2**6 for nodes in found.values())
    assert found["TreeClassifier {'max_depth': 5}"] > 31


TOO_LARGE = """
X = np.random.default_rng(0).normal(size=(40_000, 2))
y = np.arange(40_000) % 20_000
bw.TreeClassifier().fit(X[:20], y[:20] % 2)
limit(2**28)
found = []
for face, n_jobs in ((bw.TreeClassifier, 1), (bw.TreeClassifier, 2), (bw.C45Classifier, 1), (bw.RuleListClassifier, 1)):
    try:
        found.append(face(n_jobs=n_jobs).fit(X, y).tree_.n_nodes)
    except TooLargeError as error:
        found.append(str(error))
print(json.dumps(found))
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_a_tree_that_does_not_fit_is_refused_by_its_size():
    for told in child(HEADER + TOO_LARGE):
        assert isinstance(told, str), f"a tree of {told} nodes"
        assert "grown on 40 000 rows of 20 000 classes" in told
        assert "nodes so far" in told and "GB for them" in told and "GB are free" in told
        assert "max_depth" in told and "max_leaf_nodes" in told and "fewer classes" in told


MANY_NODES = """
rng = np.random.default_rng(0)
X = {f"word {k}": rng.integers(0, 1000, 300_000).astype(str) for k in range(4)}
faces = {bw.ID3Classifier: rng.integers(0, 2, 300_000), bw.ID3Regressor: rng.normal(size=300_000)}
table = bw.to_table(X)
for face, y in faces.items():
    face().fit(table.take(np.arange(20)), y[:20])
limit(2**31)
found = []
for face, y in faces.items():
    try:
        found.append(face().fit(table, y).tree_.n_nodes)
    except TooLargeError as error:
        found.append(str(error))
print(json.dumps(found))
"""


@pytest.mark.deep
@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_many_nodes_of_few_classes_are_refused_before_memory_ends():
    """A thousand branches per node: what a node has besides its classes takes most of the memory."""
    of_classes, of_numbers = child(HEADER + MANY_NODES)
    assert "grown on 300 000 rows of 2 classes, has" in of_classes and "nodes × 224 bytes" in of_classes
    assert "grown on 300 000 rows, has" in of_numbers and "nodes × 192 bytes" in of_numbers
    assert "fewer classes" not in of_numbers and "fewer categories" in of_numbers


JUST_FITS = """
from branchwork.grow.memory import Room
X, y = np.random.default_rng(0).normal(size=(2000, 2)), np.arange(2000)
found = []
best_first = bw.TreeClassifier(order="best", max_leaf_nodes=2000)
for estimator in (bw.TreeClassifier(), bw.TreeClassifier(n_jobs=2), bw.CARTClassifier(), best_first):
    nodes = estimator.fit(X, y).tree_.n_nodes
    del estimator.model_
    limit(int(nodes * Room(2000, 2000, 0).node_bytes * 1.1))
    found.append([nodes, estimator.fit(X, y).tree_.n_nodes])
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(json.dumps(found))
"""


@pytest.mark.skipif(SANITIZED, reason="limits its address space")
def test_a_tree_that_is_not_refused_does_fit():
    for nodes, again in child(HEADER + JUST_FITS):
        assert nodes == again == 3999


# ---- the estimate


@pytest.fixture
def many():
    """A table of 3 000 rows and 1 000 classes: four copies of its tree would take some 200 MB."""
    X = np.random.default_rng(0).normal(size=(3000, 2))
    return X, np.arange(3000) % 1000


def leave(monkeypatch, free):
    monkeypatch.setattr(memory, "free_bytes", lambda: free)
    monkeypatch.setattr(memory, "SURELY_FREE", 0)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "factory",
    [
        bw.TreeClassifier,
        bw.CARTClassifier,
        bw.ID3Classifier,
        lambda **settings: bw.TreeClassifier(missing="share", **settings),
        lambda **settings: bw.CHAIDClassifier(
            alpha_split=1.0, alpha_merge=1.0, min_samples_leaf=1, **settings
        ),
        lambda **settings: bw.C45Classifier(min_cases=1, pruning=None, collapse=False, **settings),
    ],
)
def test_the_last_node_that_fits_is_grown(factory, n_jobs, many, monkeypatch):
    X, y = (rows[:300] for rows in many)
    nodes = factory(n_jobs=n_jobs).fit(X, y).tree_.n_nodes
    needed = nodes * memory.Room(300, 300, 0).node_bytes
    leave(monkeypatch, needed)
    assert factory(n_jobs=n_jobs).fit(X, y).tree_.n_nodes == nodes
    leave(monkeypatch, needed - 1)
    with pytest.raises(TooLargeError, match=rf"300 rows of 300 classes, has {nodes} nodes so far"):
        factory(n_jobs=n_jobs).fit(X, y)


def test_the_refusal_is_of_the_family_and_a_memory_error(many, monkeypatch):
    leave(monkeypatch, 10**6)
    with pytest.raises(MemoryError) as told:
        bw.TreeClassifier().fit(*many)
    assert isinstance(told.value, BranchworkError)


def test_a_fit_that_was_refused_leaves_the_estimator_as_it_was(many, monkeypatch):
    estimator = bw.TreeClassifier(max_depth=2).fit(*many)
    before = estimator.tree_
    leave(monkeypatch, 10**6)
    with pytest.raises(TooLargeError):
        estimator.set_params(max_depth=None).fit(*many)
    assert estimator.tree_ is before
    assert estimator.set_params(max_depth=3).fit(*many).tree_.n_nodes > before.n_nodes


@pytest.mark.filterwarnings("ignore::branchwork.errors.IdentifierWarning")
def test_categories_that_cannot_be_counted_are_refused_at_once(monkeypatch):
    X = {"a": np.arange(400.0), "town": [f"t{k}" for k in range(400)]}
    leave(monkeypatch, 400 * 401 * 8 - 1)
    with pytest.raises(TooLargeError, match=r"Column 'town' has 400 categories.*400 rows of 400 classes"):
        bw.TreeClassifier(max_depth=1).fit(X, np.arange(400))


def test_numbers_and_small_tables_ask_for_no_memory(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: pytest.fail("nobody needs to know"))
    X = np.arange(200.0)[:, None]
    bw.TreeClassifier().fit(X, np.arange(200) % 50)
    bw.TreeRegressor().fit(X, X[:, 0])


def test_the_working_made_again_is_refused_where_it_does_not_fit(many, monkeypatch):
    X, y = many
    estimator = bw.TreeClassifier(max_depth=1).fit(X, y)
    leave(monkeypatch, 2 * 2 * 3000 * 1000 * 8)
    assert len(estimator.working(0, X=X, y=y).to_dict()) == 2
    leave(monkeypatch, 2 * 2 * 3000 * 1000 * 8 - 1)
    with pytest.raises(TooLargeError, match="3 000 rows of 1 000 classes"):
        estimator.working(0, X=X, y=y)


def test_growth_in_steps_is_refused_where_its_tallies_do_not_fit(many, monkeypatch):
    X, y = many
    table, target = to_table(X), classes(y)
    leave(monkeypatch, 10**6)
    with pytest.raises(TooLargeError, match="3 000 rows of 1 000 classes"):
        grow_in_steps(table, target, CART)
    with pytest.raises(TooLargeError, match="nodes so far"):
        grow(table, target, CART)


# ---- what is free


def system(root, *, available=None, group=None):
    """Files of a system: of its memory in kB, and of a control group's limit, use and cache."""
    files = {"proc/self/cgroup": "0::/box/inner\n"}
    if available is not None:
        files["proc/meminfo"] = f"MemTotal: 99999999 kB\nMemAvailable:   {available} kB\nSwapFree: 5 kB\n"
    for name, text in (group or {}).items():
        files[f"sys/fs/cgroup/{name}"] = text
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_system_that_does_not_say_is_not_guessed_at(tmp_path):
    assert memory.free_bytes(tmp_path) is None
    assert memory.free_bytes(system(tmp_path)) is None


def test_the_machine_says_what_is_available(tmp_path):
    assert memory.free_bytes(system(tmp_path, available=2000)) == 2000 * 1024


@pytest.mark.parametrize("where", ["box/inner/", "box/", ""])
def test_a_control_group_has_its_own_limit_and_gives_back_its_cache(tmp_path, where):
    group = {f"{where}memory.max": "5000\n", f"{where}memory.current": "4500\n"}
    assert memory.free_bytes(system(tmp_path, available=2000, group=group)) == 500
    group[f"{where}memory.stat"] = "anon 7\ninactive_file 300\nactive_file 9\n"
    assert memory.free_bytes(system(tmp_path, available=2000, group=group)) == 800
    group[f"{where}memory.max"] = "max\n"
    assert memory.free_bytes(system(tmp_path, available=2000, group=group)) == 2000 * 1024


def test_the_limit_of_the_address_space_counts(tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    limits = {resource.RLIMIT_AS: 10**9, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], -1))
    root = system(tmp_path, available=2 * 10**6)
    (root / "proc/self/statm").write_text("1000 5 5 5 0 600 0\n")
    page = resource.getpagesize()
    assert memory.free_bytes(root) == 10**9 - 1000 * page
    limits[resource.RLIMIT_DATA] = 900 * page
    assert memory.free_bytes(root) == 300 * page
    limits[resource.RLIMIT_DATA] = 500 * page
    assert memory.free_bytes(root) == 0
