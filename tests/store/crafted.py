"""Model files that somebody made: every place of a sound file set to something strange, and sealed again.

A loader must refuse such a file with ModelFormatError, or everything that can be done with what it loads must work:
every view, every export, every way to prune, each in a second and in little memory.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import branchwork as bw
from branchwork.errors import BranchworkError, BranchworkWarning, ModelFormatError
from branchwork.export import WRITERS
from branchwork.prune.methods import METHODS
from branchwork.store.container import from_bytes, to_bytes
from branchwork.store.twin import from_json_bytes, to_json_bytes
from store.damage import NUMPY, parts, put_together, resealed, with_words

from program_cases import hard_rows, model_of, random_table, table_of

HERE = Path(__file__).parent
FOREIGN = HERE.parent / "agree" / "foreign"
SECONDS = 1.0
MOST_MEMORY = 512 * 2**20

Saved = bw.Model | bw.RuleList


# ---- the sound models


def _fitted(estimator: Any, target: str = "classes") -> Any:
    """An estimator of a small table with numbers, categories and missing cells."""
    rng = np.random.default_rng(11)
    table = random_table(rng, 24)
    number = next(j for j, column in enumerate(table.schema) if not column.is_nominal)
    score = np.nan_to_num(table.arrays[number]) + rng.normal(size=24)
    y = {
        "classes": np.digitize(score, np.quantile(score, [0.3, 0.7])),
        "numbers": score,
        "counts": rng.poisson(2, 24).astype(float),
    }[target]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BranchworkWarning)
        return estimator.fit(table, y)


def _forest() -> bw.Model:
    from sklearn.ensemble import RandomForestClassifier

    X = np.random.default_rng(0).normal(size=(30, 3))
    return bw.from_sklearn(RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, X[:, 0] > 0))


def _golden(name: str) -> bw.Model:
    return bw.load(HERE / "golden" / "format-1" / f"{name}.bw")  # type: ignore[return-value]


MODELS: dict[str, Callable[[], Saved]] = {
    "golden id3": lambda: _golden("id3-multiway"),
    "golden c45 shared": lambda: _golden("c45-shared"),
    "golden cart surrogates": lambda: _golden("cart-surrogates"),
    "golden chaid": lambda: _golden("chaid-intervals"),
    "golden hostile": lambda: _golden("hostile-names"),
    "golden mean": lambda: _golden("mean"),
    "golden sum softmax": lambda: _golden("sum-softmax"),
    "golden unseen": lambda: _golden("unseen-elsewhere"),
    "c45 groups": lambda: _fitted(bw.C45Classifier(value_groups=True, pruning=None)).model_,
    "j48": lambda: _fitted(bw.C45Classifier(variant="j48")).model_,
    "cart regression": lambda: _fitted(bw.CARTRegressor(max_surrogates=2, max_depth=2), "numbers").model_,
    "chaid regression": lambda: model_of(6, kind="chaid regression", rows=24),
    "poisson": lambda: _fitted(bw.TreeRegressor(criterion="poisson", max_depth=2), "counts").model_,
    "variance": lambda: _fitted(bw.ID3Regressor(max_depth=2), "numbers").model_,
    "stump": lambda: _fitted(bw.StumpClassifier()).model_,
    "leaf": lambda: _fitted(bw.TreeRegressor(max_depth=0), "numbers").model_,
    "lightgbm": lambda: bw.from_lightgbm(FOREIGN / "lightgbm_codes.txt", rounds=1),
    "xgboost": lambda: bw.from_xgboost(FOREIGN / "xgboost_softprob.json", rounds=1),
    "scikit-learn forest": _forest,
    "rule list": lambda: _fitted(bw.RuleListClassifier()).rules_,
    "rules of shared rows": lambda: _golden("c45-shared").rules(),
    "rules of numbers": lambda: _fitted(bw.TreeRegressor(max_depth=2), "numbers").rules(simplify=True),
}
"""Golden ones, fitted ones, and those of other libraries."""


# ---- strange numbers, words and places

NUMBERS = (-1, 0, 1, 2**31 - 1, 2**53, 1e15, 1e308, math.nan, math.inf, -math.inf)
WORDS: tuple[Any, ...] = (
    *(-1, 0, 1, 7, 2**31 - 1, 2**53, 10**40, 0.5, -0.5, 1e15, 1e308, None, True, False),
    *("", "x", "inf", "-inf", "\ud800", [], {}, [[]], [0] * 9, {"float": "nan"}, {"int": "0x1"}),
)
GONE, RENAMED, TWICE = object(), object(), object()


@dataclass(frozen=True)
class Crafted:
    """One file: which field became what, where in the field, whether it is a .bw file, and how it is made."""

    field: str
    value: str
    place: str
    is_container: bool
    make: Callable[[], bytes | None]

    def __str__(self) -> str:
        return f"{self.field} {self.place} {self.value}"


def crafted(model: Saved) -> Iterator[Crafted]:
    """Every number of every array, every place of the words and of the JSON, set to everything strange."""
    data, text = to_bytes(model), to_json_bytes(model)
    header, body = parts(data)
    for name in header:
        if name == "__metadata__":
            continue
        length = math.prod(header[name]["shape"])
        for position in range(length):
            for number in (*NUMBERS, position, length):
                make = partial(_with_number, header, body, name, position, number)
                told = (
                    "its own position" if number is position else "its length" if number is length else number
                )
                yield Crafted(name, f"= {told}", f"[{position}]", True, make)
        for other in (GONE, RENAMED):
            yield Crafted(name, _told(other), "", True, partial(_with_tensor, header, body, name, other))
    words, found = json.loads(header["__metadata__"]["branchwork"]), json.loads(text)
    for everything, is_container in ((words, True), (found, False)):
        make_one = partial(_with_word, data) if is_container else partial(_with_place, text)
        for path in _places(everything):
            if path[0] == "sha256":
                continue
            field = ".".join("[]" if isinstance(key, int) else key for key in path)
            for value in (*WORDS, GONE, RENAMED, TWICE):
                kind = ".bw " if is_container else ".json "
                make = partial(make_one, path, value)
                yield Crafted(kind + field, _told(value), str(path), is_container, make)


def sampled(model: Saved, share: float, seed: int = 0) -> list[Crafted]:
    """One file for each field and value, at a place by chance; of these only a share, by chance, too."""
    chance = random.Random(seed)
    groups: dict[tuple[str, str], list[Crafted]] = {}
    for one in crafted(model):
        groups.setdefault((one.field, one.value), []).append(one)
    return [chance.choice(group) for group in groups.values() if chance.random() < share]


def _with_word(data: bytes, path: tuple[Any, ...], value: Any) -> bytes:
    return with_words(data, lambda words: _set(words, path, value))


def _with_place(text: bytes, path: tuple[Any, ...], value: Any) -> bytes:
    changed = json.loads(text)
    _set(changed, path, value)
    return resealed(json.dumps(changed).encode())


def _with_number(header: dict, body: bytes, name: str, position: int, number: float) -> bytes | None:
    begin, end = header[name]["data_offsets"]
    array = np.frombuffer(body[begin:end], NUMPY[header[name]["dtype"]]).copy()
    before = array[position]
    if array.dtype.kind == "f":
        array[position] = number
    elif math.isfinite(number) and np.iinfo(array.dtype).min <= number <= np.iinfo(array.dtype).max:
        array[position] = int(number)
    if array[position] == before or (before != before and array[position] != array[position]):
        return None
    return put_together(header, body[:begin] + array.tobytes() + body[end:])


def _with_tensor(header: dict, body: bytes, name: str, change: object) -> bytes:
    """The file without a tensor, or with it under another name."""
    begin, end = header[name]["data_offsets"]
    if change is RENAMED:
        return put_together({(f"{k}x" if k == name else k): v for k, v in header.items()}, body)
    kept: dict[str, Any] = {}
    for key, entry in header.items():
        if key == "__metadata__":
            kept[key] = entry
        elif key != name:
            a, b = entry["data_offsets"]
            moved = [a, b] if b <= begin else [a - (end - begin), b - (end - begin)]
            kept[key] = {**entry, "data_offsets": moved}
    return put_together(kept, body[:begin] + body[end:])


def _places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in items:
        yield from _places(value, (*path, key))


def _set(found: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        found = found[key]
    last = path[-1]
    if value is GONE:
        del found[last]
    elif value is RENAMED and isinstance(found, dict):
        found[f"{last}x"] = found.pop(last)
    elif value in (RENAMED, TWICE) and isinstance(found, list):
        found.insert(last, found[last])
    elif value not in (RENAMED, TWICE):
        found[last] = value


def _told(value: Any) -> str:
    names = {id(GONE): "removed", id(RENAMED): "renamed", id(TWICE): "twice"}
    return names.get(id(value)) or f"= {value!r}"


# ---- everything that can be done with what was loaded


class TooSlowError(Exception):
    """More than a second of processor time."""


def too_slow(*_: Any) -> None:
    raise TooSlowError


def deeds(loaded: Saved, rows: Any) -> dict[str, Callable[[], Any]]:
    """What there is to do, by name."""
    if isinstance(loaded, bw.RuleList):
        return _deeds_of_rules(loaded, rows)
    one = loaded if loaded.combine.kind == "single" else loaded.member(0)
    found: dict[str, Callable[[], Any]] = {
        "predict": lambda: loaded.predict(rows),
        "apply": lambda: loaded.apply(rows),
        "outputs": lambda: loaded.outputs(rows),
        "importances": lambda: loaded.feature_importances_,
        "score": lambda: loaded.score(rows, loaded.predict(rows)),
        "to_text": one.to_text,
        "to_dict": one.to_dict,
        "to_svg": one.to_svg,
        "to_dot": one.to_dot,
        "to_html": one.to_html,
        "rules": lambda: one.rules().to_text(missing=True),
        "simple rules": lambda: one.rules(simplify=True).to_text(),
        "path": one.cost_complexity_path,
        "why": lambda: [_why(one, one.schema, rows, k) for k in range(2)],
    }
    if loaded.labels is not None:
        found["predict_proba"] = lambda: loaded.predict_proba(rows)
    for style in ("table", "lecture"):
        found[f"working, {style}"] = lambda style=style: [
            _shown(one.working(node, style=style)) for node in range(one.tree.n_nodes)
        ]
    for language in WRITERS:
        found[f"export {language}"] = lambda language=language: loaded.export(language)
    for method in METHODS:
        found[f"prune {method}"] = lambda method=method: one.prune(method).to_text()
    return found


def _deeds_of_rules(rules: bw.RuleList, rows: Any) -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {
        "predict": lambda: rules.predict(rows),
        "apply": lambda: rules.apply(rows),
        "outputs": lambda: rules.outputs(rows),
        "matches": lambda: rules.matches(rows),
        "score": lambda: rules.score(rows, rules.predict(rows)),
        "to_text": lambda: rules.to_text(missing=True),
        "to_dict": rules.to_dict,
        "html": rules._repr_html_,
        "simplify": lambda: rules.simplify().to_text(),
    }
    if rules.labels is not None:
        found["predict_proba"] = lambda: rules.predict_proba(rows)
    for language in WRITERS:
        found[f"export {language}"] = lambda language=language: rules.export(language)
    return found


def _shown(working: bw.Working) -> list[Any]:
    formats = (working.to_text, working.to_markdown, working.to_latex, working.to_html, working.to_dict)
    return [form() for form in formats]


def _why(model: bw.Model, schema: bw.Schema, rows: Any, k: int) -> list[Any]:
    found = model.why(rows.take([k]))
    return [found.to_text(), found.to_html(), found.to_dict()]


MAY_REFUSE = {*(f"export {language}" for language in WRITERS), "score", "importances"}
MAY_REFUSE |= {"working, table", "working, lecture"}
"""What may be refused politely: a language cannot say everything (a column with categories of several types, for
example), labels may be such that y cannot hold them, gains of other libraries may not be known, and a working may not
have been kept."""


class Case:
    """A sound model, the rows it is asked about, and what it refuses to do."""

    def __init__(self, name: str) -> None:
        self.name, self.model = name, MODELS[name]()
        self.rows = hard_rows(self._asked(self.model), 4)
        self.refusals = set(self._failures(self.model, list(self._deeds(self.model))))
        worse = [one for one in self.refusals if one[1] != "BranchworkError"]
        assert not worse, (name, worse)

    @staticmethod
    def _asked(model: Saved) -> Any:
        """What `hard_rows` needs: a model with this schema, and with trees if there are some."""
        if isinstance(model, bw.Model):
            return model
        return bw.Model(model.schema, model.labels, (), {}, model.handle_unknown)

    def _deeds(self, loaded: Saved) -> dict[str, Callable[[], Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                rows = table_of(self._asked(loaded), self.rows)
            except (BranchworkError, KeyError):  # other columns, or of another kind: rows of their own
                rows = table_of(self._asked(loaded), hard_rows(self._asked(loaded), 2))
        return deeds(loaded, rows)

    def _failures(self, loaded: Saved, names: list[str]) -> Iterator[tuple[str, str, str]]:
        """Each deed that fails: its name, BranchworkError or another type, and the message."""
        everything = self._deeds(loaded)
        for name in names:
            if name not in everything:
                continue
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"), in_time():
                    warnings.simplefilter("ignore")
                    everything[name]()
            except BranchworkError as error:
                yield name, "BranchworkError", str(error)
            except Exception as error:
                yield name, type(error).__name__, str(error)[:200]

    def outcome(self, one: Crafted) -> tuple[str, list[str]]:
        """Refused, loaded or unchanged; and what failed: an error, or a refusal that the sound model has not."""
        data = one.make()
        if data is None:
            return "unchanged", []
        try:
            with in_time():
                loaded = (from_bytes if one.is_container else from_json_bytes)(data)
        except ModelFormatError:
            return "refused", []
        except Exception as error:
            return "loaded", [f"load: {type(error).__name__}: {error}"]
        refused = {name for name, _, _ in self.refusals} | MAY_REFUSE
        wrong = self._failures(loaded, list(self._deeds(loaded)))
        return "loaded", [
            f"{name}: {kind}: {message}"
            for name, kind, message in wrong
            if kind != "BranchworkError" or name not in refused
        ]


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """Raise TooSlowError after a second of processor time, where `too_slow` has the signal."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
