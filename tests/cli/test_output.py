"""`-o`: nothing is overwritten by a slip, and a name that does not fit is refused before any work is done."""

import os

import pytest

import branchwork as bw
from branchwork.cli import inputs
from branchwork.cli.output import SUFFIXES
from branchwork.errors import FileFormatError
from branchwork.export import WRITERS

from commands import call

JSON_MODEL = "copy.json"
OVER_AN_INPUT = [
    (["predict", "{m}", "{p}", "-o", "{p}"], "{p}"),
    (["predict", "{m}", "{p}", "-o", "{m}"], "{m}"),
    (["predict", "{m}", "{p}", "--json", "-o", "{j}"], None),
    (["predict", "{j}", "{p}", "--json", "-o", "{j}"], "{j}"),
    (["show", "{j}", "--json", "-o", "{j}"], "{j}"),
    (["show", "{m}", "--node", "0", "--data", "{p}", "--target", "outcome", "-o", "{p}"], "{p}"),
    (["rules", "{j}", "--json", "-o", "{j}"], "{j}"),
    (["export", "{j}", "json", "-o", "{j}"], "{j}"),
    (["prune", "{m}", "--method", "mdl", "-o", "{m}"], "{m}"),
    (["prune", "{m}", "{t}", "--target", "outcome", "--method", "reduced_error", "-o", "{t}"], "{t}"),
    (["grow", "{t}", "--input-format", "csv", "--target", "outcome", "-o", "{t}"], "{t}"),
    (
        ["compare", "{x}", "--input-format", "csv", "--target", "outcome", "--method", "id3", "-o", "{x}"],
        "{x}",
    ),
]


@pytest.fixture
def files(model, patients, tmp_path):
    """Names by the letters of the table above; .json and .txt hold the rows, too, under names that could be outputs."""
    copy = tmp_path / JSON_MODEL
    bw.save(bw.load(model), copy)
    rows = {"t": tmp_path / "rows.json", "x": tmp_path / "rows.txt"}
    for path in rows.values():
        path.write_text(patients.read_text(encoding="utf-8"), encoding="utf-8")
    return {"m": model, "p": patients, "j": copy, **rows}


def filled(words, files):
    return [word.format(**files) for word in words]


@pytest.mark.parametrize(("words", "kept"), OVER_AN_INPUT)
def test_an_input_is_not_overwritten(words, kept, files):
    before = {path: path.read_bytes() for path in files.values()}
    done = call(*filled(words, files))
    if kept is None:  # the same command is fine where the file is not read
        assert done.exit_code == 0, done.stderr
        return
    assert done.exit_code == 2 and done.stdout == ""
    assert f"would overwrite {kept.format(**files)}, which this command reads" in done.stderr
    assert {path: path.read_bytes() for path in files.values()} == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links_and_relative_names_lead_to_the_same_file(link, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    link(files["p"], "other.csv")
    before = files["p"].read_bytes()
    for name in ("other.csv", "./patients.csv", "../" + tmp_path.name + "/patients.csv"):
        done = call("predict", files["m"], files["p"], "-o", name)
        assert done.exit_code == 2 and "would overwrite" in done.stderr
    assert files["p"].read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["predict", "{m}", "{p}", "-o", "a.bw"],
            "ends in .bw, but CSV goes into a file that ends in .csv or .txt.",
        ),
        (
            ["predict", "{m}", "{p}", "--json", "-o", "a.csv"],
            "JSON lines goes into a file that ends in .jsonl",
        ),
        (
            ["grow", "{p}", "--target", "outcome", "-o", "a.csv"],
            "but a model goes into a file that ends in .bw or .json.",
        ),
        (["grow", "{p}", "--target", "outcome", "-o", "a"], "has no suffix, but a model"),
        (["grow", "{p}", "--target", "outcome", "-o", "-"], "has no suffix, but a model"),
        (["prune", "{m}", "--method", "mdl", "-o", "a.txt"], "but a model"),
        (
            ["show", "{m}", "--format", "html", "-o", "a.svg"],
            "but HTML goes into a file that ends in .html or .htm.",
        ),
        (
            ["show", "{m}", "-o", "a.png"],
            "but text goes into a file that ends in .txt. The formats are text, svg",
        ),
        (["show", "{m}", "-o", "a.bw"], "but text goes"),
        (["show", "{m}", "--working", "-o", "a.svg"], "but text goes"),
        (
            ["rules", "{m}", "--format", "latex", "-o", "a.md"],
            "but LaTeX goes into a file that ends in .tex or .txt.",
        ),
        (["compare", "{p}", "--target", "outcome", "-o", "a.csv"], "but text goes"),
        (["datasets", "play_tennis", "-o", "a.parquet"], "but CSV goes"),
        (["datasets", "-o", "a.csv"], "but text goes"),
        (["export", "{m}", "python", "-o", "a.js"], "but Python goes into a file that ends in .py."),
        (["export", "{m}", "questionnaire", "-o", "a.pdf"], "but HTML goes"),
    ],
)
def test_a_suffix_that_does_not_fit_is_refused(words, message, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    done = call(*filled(words, files))
    assert done.exit_code == 2 and done.stdout == "" and message in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("language", WRITERS)
def test_every_language_of_export_has_its_suffixes(language):
    assert language == "questionnaire" or language in {name.lower() for name in SUFFIXES}


def test_a_name_without_a_suffix_and_a_device_are_written_to(files, tmp_path):
    assert call("predict", files["m"], files["p"], "-o", tmp_path / "answers").exit_code == 0
    assert (tmp_path / "answers").read_text().startswith("prediction\n")
    assert call("show", files["m"], "-o", os.devnull).exit_code == 0


@pytest.mark.parametrize(
    ("output", "message"), [("no/model.bw", "no such folder"), ("a.csv", "a model goes")]
)
def test_it_is_checked_before_any_work_is_done(output, message, patients, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(inputs, "lesson", lambda *_, **__: pytest.fail("the file was read"))
    done = call("grow", patients, "--target", "outcome", "-o", output)
    assert done.exit_code == 2 and message in done.stderr


def test_a_folder_is_no_file(files, tmp_path):
    done = call("predict", files["m"], files["p"], "-o", tmp_path)
    assert done.exit_code == 2 and "Is a directory" in done.stderr


@pytest.mark.parametrize(
    ("name", "start"), [("r.md", "|"), ("r.tex", "\\begin{longtable}"), ("r.json", "{"), ("r.txt", "   rule")]
)
def test_the_suffix_decides_the_format_of_rules(files, tmp_path, name, start):
    assert call("rules", files["m"], "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_python_refuses_the_suffix_of_another_format(files, tmp_path):
    with pytest.raises(
        FileFormatError, match=r"has the suffix '.csv'; a model file ends in .bw, or in .json"
    ):
        bw.save(bw.load(files["m"]), tmp_path / "model.csv")
