"""`-o`: nothing is overwritten by a slip, and a name that does not fit is refused before any work is done."""

import os
import sys

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
            "ends in .bw, but this command writes .csv, .txt, .jsonl, .ndjson or .json.",
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
            ["show", "{m}", "-o", "a.bmp"],
            "but this command writes .txt, .svg, .png, .pdf, .html, .htm, .dot, .gv, .json, .md, .markdown or .tex.",
        ),
        (["show", "{m}", "-o", "a.bw"], "but this command writes .txt"),
        (
            ["show", "{m}", "--working", "-o", "a.svg"],
            "but this command writes .txt, .md, .markdown, .tex or .json",
        ),
        (["show", "{m}", "--json", "-o", "a.svg"], "but JSON goes into a file that ends in .json or .txt."),
        (["grow", "{p}", "--target", "outcome", "-o", "a.png"], "branchwork show model.bw -o tree.png"),
        (["look", "{p}", "-o", "a.md"], "but this command writes .txt, .html, .htm or .json."),
        (["rules", "{m}", "-o", "a.csv"], "but this command writes .txt, .md, .markdown, .tex or .json."),
        (["curve", "{p}", "--target", "outcome", "-o", "a.csv"], "but this command writes .txt, .html"),
        (["export", "{m}", "-o", "a.png"], "but this command writes .py, .c"),
        (["export", "{m}", "-o", "a"], "Which format?"),
        (
            ["rules", "{m}", "--format", "latex", "-o", "a.md"],
            "but LaTeX goes into a file that ends in .tex or .txt.",
        ),
        (["compare", "{p}", "--target", "outcome", "-o", "a.csv"], ".svg, .png, .pdf or .json."),
        (["datasets", "play_tennis", "-o", "a.parquet"], "but this command writes .csv, .txt or .json."),
        (["datasets", "-o", "a.tsv"], "but this command writes .txt, .json or .csv."),
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


START = {
    "png": b"\x89PNG\r\n\x1a\n",
    "pdf": b"%PDF-1.",
    "svg": b"<svg",
    "dot": b"digraph",
    "gv": b"digraph",
    "htm": b"<!doctype html>",
    "html": b"<!doctype html>",
    "md": b"|",
    "markdown": b"|",
    "tex": b"\\begin{longtable}",
    "json": b"{",
    "txt": b"Tree: ",
}


@pytest.mark.parametrize("suffix", [*START, "PNG"])
def test_the_suffix_decides_what_a_tree_is_shown_as(files, tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    assert call("show", files["m"], "-o", path).exit_code == 0
    assert path.read_bytes().startswith(START[suffix.lower()])
    again = tmp_path / f"again.{suffix}"
    assert call("show", files["m"], "-o", again).exit_code == 0
    if suffix not in ("htm", "html"):
        assert again.read_bytes() == path.read_bytes()


def test_a_picture_is_as_large_as_its_tree_and_obeys_the_depth(files, tmp_path):
    def size(*more):
        assert call("show", files["m"], "-o", tmp_path / "t.png", *more).exit_code == 0
        header = (tmp_path / "t.png").read_bytes()[16:24]
        return int.from_bytes(header[:4]), int.from_bytes(header[4:])

    whole, cut = size(), size("--max-depth", 1)
    assert whole[0] > 300 and whole[1] > cut[1]


def test_a_picture_needs_matplotlib_and_says_so(files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = call("show", files["m"], "-o", tmp_path / "t.png")
    assert done.exit_code == 2 and 'pip install "branchwork[plot]"' in done.stderr
    assert not (tmp_path / "t.png").exists()


@pytest.mark.parametrize(
    ("suffix", "start"), [("md", "**Node 0"), ("tex", "\\textbf{Node 0"), ("json", "["), ("txt", "Node 0")]
)
def test_the_suffix_decides_the_format_of_a_working(files, tmp_path, suffix, start):
    path = tmp_path / f"w.{suffix}"
    assert call("show", files["m"], "--working", "-o", path).exit_code == 0
    assert path.read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.csv", "prediction\n"),
        ("a.txt", "prediction\n"),
        ("a.jsonl", '{"prediction"'),
        ("a.json", '{"prediction"'),
    ],
)
def test_the_suffix_decides_the_format_of_answers(files, tmp_path, name, start):
    assert call("predict", files["m"], files["p"], "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_the_suffix_decides_the_format_of_bundled_tables(tmp_path):
    for words, name, start in [
        (["play_tennis"], "a.csv", "Outlook,"),
        (["play_tennis"], "a.json", '[{"Outlook"'),
        ([], "b.csv", "name,rows,"),
        ([], "b.json", '[{"name"'),
        ([], "b.txt", "name "),
    ]:
        assert call("datasets", *words, "-o", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("m.py", "python"),
        ("m.js", "javascript"),
        ("m.sql", "sql"),
        ("m.html", "questionnaire"),
        ("m.tex", "latex"),
    ],
)
def test_the_suffix_decides_the_language_of_an_export(files, tmp_path, name, language):
    assert call("export", files["m"], "-o", tmp_path / name).exit_code == 0
    assert call("export", files["m"], language, "-o", tmp_path / f"given{name}").exit_code == 0
    assert (tmp_path / name).read_bytes() == (tmp_path / f"given{name}").read_bytes()


@pytest.mark.parametrize("words", [["grow", "{p}", "--target", "outcome"], ["show", "{m}"]])
def test_the_name_of_a_folder_is_refused(words, files, tmp_path):
    suffix = "bw" if words[0] == "grow" else "svg"
    done = call(*filled(words, files), "-o", f"{tmp_path}/new.{suffix}/")
    assert done.exit_code == 2 and "that of a folder; expected a file" in done.stderr
    assert not (tmp_path / f"new.{suffix}").exists()
