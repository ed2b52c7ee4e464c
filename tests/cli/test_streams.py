"""Standard input, and pipes such as those of `<(…)`: read once, in the format that an option or their bytes tell."""

import gzip
import os
import subprocess
import sys
import threading

import duckdb
import pytest

from branchwork.cli.streams import is_stream, suffix_of

from commands import call


def piped(data, words, stdin=None):
    """Run a command in which {pipe} is the name of a pipe that has the data."""
    reader, writer = os.pipe()

    def feed():
        with os.fdopen(writer, "wb") as stream:
            stream.write(data)

    feeder = threading.Thread(target=feed)
    feeder.start()
    command = [
        sys.executable,
        "-m",
        "branchwork",
        *(str(word).format(pipe=f"/dev/fd/{reader}") for word in words),
    ]
    done = subprocess.run(command, capture_output=True, text=True, pass_fds=[reader])
    os.close(reader)
    feeder.join()
    return done


@pytest.fixture
def forms(patients, tmp_path):
    """The patients in every format that a pipe can have."""
    text = patients.read_bytes()
    rows = text.decode().split("\n", 1)[1]
    columns = ("id real", "age real", "pulse real", "outcome {ill,well}")
    arff = "@relation r\n" + "".join(f"@attribute {column}\n" for column in columns)
    parquet = tmp_path / "p.parquet"
    duckdb.sql(f"COPY (SELECT * FROM read_csv('{patients}')) TO '{parquet}'")
    return {
        "csv": text,
        "semicolons": text.replace(b",", b";"),
        "gzip": gzip.compress(text),
        "arff": f"% a remark\n{arff}@data\n{rows}".encode(),
        "parquet": parquet.read_bytes(),
    }


@pytest.mark.parametrize("form", ["csv", "semicolons", "gzip", "arff", "parquet"])
def test_a_pipe_is_read_in_the_format_that_its_bytes_tell(form, forms, model, patients):
    grow = ["grow", "{pipe}", "--target", "outcome", "--drop", "id", "--folds", 0, "--method", "id3"]
    done = piped(forms[form], grow)
    assert done.returncode == 0, done.stderr
    expected = call("grow", patients, *grow[2:])
    assert done.stdout == expected.stdout
    answers = piped(forms[form], ["predict", model, "{pipe}"])
    assert answers.returncode == 0 and answers.stdout == call("predict", model, patients).stdout


@pytest.mark.parametrize("words", [["look", "{pipe}"], ["why", "{model}", "--row", 3, "{pipe}"]])
def test_other_commands_read_pipes(words, forms, model, patients):
    given = [str(word).replace("{model}", str(model)) for word in words]
    done = piped(forms["csv"], given)
    assert done.returncode == 0 and done.stdout == call(*(w.format(pipe=patients) for w in given)).stdout


def test_an_option_tells_the_format_and_messages_name_the_pipe(forms, model):
    tabs = forms["csv"].replace(b",", b"\t")
    assert piped(tabs, ["predict", model, "{pipe}", "--input-format", "tsv"]).returncode == 0
    done = piped(b"age,pulse\n1\n", ["predict", model, "{pipe}"])
    assert done.returncode == 2 and "/dev/fd/" in done.stderr and "line 2: expected 2 fields" in done.stderr
    done = piped(b"a,b\n1\n", ["grow", "{pipe}", "--target", "b"])
    assert done.returncode == 2 and "/dev/fd/" in done.stderr and "input.csv" not in done.stderr


def test_damage_in_a_piped_parquet_is_refused(forms, model):
    for words in (["grow", "{pipe}", "--target", "outcome"], ["predict", model, "{pipe}"]):
        done = piped(forms["parquet"][:300], words)
        assert done.returncode == 2 and "cannot be read as Parquet" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_standard_input_tells_its_format_too(forms, model, patients):
    done = subprocess.run(
        [sys.executable, "-m", "branchwork", "predict", str(model), "-"],
        input=forms["parquet"],
        capture_output=True,
    )
    assert done.stdout.decode() == call("predict", model, patients).stdout


def test_a_closed_input_is_told(model):
    command = f"{sys.executable} -m branchwork predict {model} - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 2 and "Standard input is closed" in done.stderr


def test_what_a_stream_is(tmp_path, patients):
    os.mkfifo(tmp_path / "fifo")
    assert is_stream("-") and is_stream("/dev/stdin") and is_stream(str(tmp_path / "fifo"))
    assert not is_stream(str(patients)) and not is_stream(str(tmp_path)) and not is_stream("play_tennis")
    with patients.open("rb") as stream:
        assert suffix_of(stream) == ".csv" and stream.read(2) == b"id"  # nothing was taken
