"""Databases that run exported SQL on rows of a model: DuckDB, SQLite, and PostgreSQL where it is installed."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from branchwork.model.model import Model
from branchwork.table.schema import Column
from preload import nothing_preloaded

NAME_OF_EMPTY = "the column without a name"
"""DuckDB and PostgreSQL have no empty name."""


ROW = "the number of the row"
"""A column of t that is no business of the model: databases give rows in any order."""


def asked(expression: str) -> str:
    """A query for an expression, row by row."""
    return f"SELECT {expression} FROM t ORDER BY {quoted(ROW)}"


def renamed(model: Model) -> dict[str, str]:
    return {"": NAME_OF_EMPTY} if "" in model.schema.names else {}


def in_duckdb(model: Model, rows: list[dict[str, Any]], query: str) -> list[tuple[Any, ...]]:
    """The rows are the table t."""
    names = renamed(model)
    columns = {
        names.get(column.name, column.name): pa.array(
            [row[column.name] for row in rows], _arrow_type(column), from_pandas=False
        )
        for column in model.schema
    }
    columns[ROW] = pa.array(range(len(rows)), pa.int64())
    connection = duckdb.connect()
    connection.register("t", pa.table(columns))
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def in_sqlite(model: Model, rows: list[dict[str, Any]], query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        names = ", ".join(f"{quoted(name)} {_sqlite_type(column)}" for name, column in _columns(model))
        connection.execute(f"CREATE TABLE t ({names}, {quoted(ROW)} INTEGER)")
        places = ", ".join("?" * (len(model.schema) + 1))
        connection.executemany(f"INSERT INTO t VALUES ({places})", _tuples(model, rows))
        return connection.execute(query).fetchall()
    finally:
        connection.close()


class Postgres:
    """A server of its own in a folder of its own."""

    def __init__(self, programs: Path, folder: Path, as_user: list[str]) -> None:
        self.programs, self.folder, self.as_user = programs, folder, as_user

    def run(self, model: Model, rows: list[dict[str, Any]], query: str) -> list[list[str]]:
        """What psql prints, a row a line."""
        names = ", ".join(
            f"{quoted(name)} {_postgres_type(column)}" for name, column in _columns(model, renamed(model))
        )
        values = ",\n".join(
            f"({', '.join(_postgres_value(row[column.name]) for column in model.schema)}, {k})"
            for k, row in enumerate(rows)
        )
        script = f"CREATE TEMP TABLE t ({names}, {quoted(ROW)} INTEGER);\nINSERT INTO t VALUES\n{values};\n{query};\n"
        return self.psql(script)

    def psql(self, script: str) -> list[list[str]]:
        """The cells of each row that a script prints, which may hold any text; NULL is \\N."""
        separated = ["-F", "\x1f", "-R", "\x1e"]
        options = ["-X", "-q", "-t", "-A", *separated, "-P", "null=\\N", "-v", "ON_ERROR_STOP=1"]
        settings = "SET client_min_messages = error; SET extra_float_digits = 3;\n"
        command = [*self.as_user, self.programs / "psql", *options, "-h", self.folder, "-d", "postgres"]
        with nothing_preloaded():
            done = subprocess.run(command, input=settings + script, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
        return [row.split("\x1f") for row in done.stdout.removesuffix("\n").split("\x1e")]


@contextmanager
def postgres() -> Any:
    """A running server; None where PostgreSQL is not installed."""
    found = shutil.which("postgres") or next(
        iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))), None
    )
    as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    if found is None:
        yield None
        return
    programs = Path(found).resolve().parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if as_user:
            shutil.chown(folder, "postgres")
        data = folder / "data"

        def call(*command: Any) -> None:
            with nothing_preloaded():
                subprocess.run([*as_user, *command], check=True, capture_output=True, cwd="/")

        call(programs / "initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        call(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield Postgres(programs, folder, as_user)
        finally:
            call(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _columns(model: Model, names: dict[str, str] | None = None) -> list[tuple[str, Column]]:
    return [((names or {}).get(column.name, column.name), column) for column in model.schema]


def _tuples(model: Model, rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(*(row[column.name] for column in model.schema), k) for k, row in enumerate(rows)]


def _kind(column: Column) -> type:
    return type(column.categories[0]) if column.is_nominal else float


def _arrow_type(column: Column) -> pa.DataType:
    return {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}[_kind(column)]


def _sqlite_type(column: Column) -> str:
    return {str: "TEXT COLLATE NOCASE", bool: "BOOLEAN", int: "INTEGER", float: "REAL"}[_kind(column)]


def _postgres_type(column: Column) -> str:
    return {str: "TEXT", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE PRECISION"}[_kind(column)]


def _postgres_value(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        text = repr(value) if math.isfinite(value) else str(value).replace("inf", "Infinity")
        return f"'{text}'"
    return str(value)
