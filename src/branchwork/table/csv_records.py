"""Split CSV text into records: the csv module splits the fields, and blanks around unquoted fields are removed.

Quoted fields keep their blanks, but the csv module does not say which fields were quoted. A quoted field can only begin
or end with a blank if a quote stands beside a blank in the text, so only such pieces of text are split a second time.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from branchwork.errors import FileFormatError
from branchwork.table.lines import not_utf8

SPACES = " \t"
"""Blanks that are removed."""

Record = list[str]

_LINE_END = re.compile(r"\r\n?|\n")
_QUOTED = re.compile(r'"(?:[^"]|"")*+"')
_FIRST_LINE = re.compile(rf'[\r\n]*((?:{_QUOTED.pattern}|[^"\r\n])*+)')
_SEPARATOR_LINE = re.compile(r'\ufeff?("?)[sS][eE][pP]=([^"\w\s]|\t)\1[ \t]*(?:\r\n?|\n|\Z)')
DELIMITERS = ",;\t|"
"""The delimiters that are recognised without a declaration; ties go to the earlier one."""


class Records:
    """Reads records from lines of text, some at a time. `name` is what messages call the file."""

    def __init__(self, lines: Iterable[str], name: object, delimiter: str) -> None:
        self._name, self._delimiter = name, delimiter
        self._blanks = SPACES.replace(delimiter, "")
        self._quote_beside_blank = re.compile(rf'"[{self._blanks}]|[{self._blanks}]"').search
        end = re.escape(delimiter)
        self._field = re.compile(rf' *(?:"((?:[^"]|"")*+)"|([^{end}\r\n]*))({end}|{_LINE_END.pattern}|\Z)')
        self._lines: list[str] = []
        self._reader = csv.reader(self._noted(lines), delimiter=delimiter, strict=True, skipinitialspace=True)

    def read(self, count: int) -> list[Record]:
        """Read up to this many records. A blank line is []; an empty list means the end of the file."""
        lines_before = self.lines_read
        self._lines.clear()
        records: list[Record] = []
        try:
            records.extend(islice(self._reader, count))
        except UnicodeDecodeError as error:
            raise not_utf8(self._name, error, lines_before=self.lines_read) from None
        except csv.Error as error:
            line = lines_before + 1 + sum(map(_lines_in, records))
            raise FileFormatError(self._bad_quotes(line, error)) from None
        return self._without_blanks(records)

    @property
    def lines_read(self) -> int:
        """The number of lines read so far."""
        return self._reader.line_num

    def header(self) -> Record:
        """Read the first record, after blank lines and after a line that declares the delimiter."""
        while some := self.read(1):
            declares = self.lines_read == 1 and declared_delimiter(self._lines[0]) is not None
            if some[0] and not declares:
                return some[0]
        raise FileFormatError(
            f"{self._name} is empty; expected a row of column names, then one line per row."
        )

    def _noted(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self._lines.append(line)
            yield line

    def _without_blanks(self, records: list[Record]) -> list[Record]:
        text = "".join(self._lines)
        if not any(blank in text for blank in self._blanks):
            return records
        if '"' in text and self._quote_beside_blank(text):
            return self._parted(text)
        return [[field.strip(self._blanks) for field in record] for record in records]

    def _parted(self, text: str) -> list[Record]:
        """Split a text that the csv module has split before, this time noting which fields are quoted."""
        records: list[Record] = []
        place = 0
        while place < len(text):
            records.append([])
            if blank := _LINE_END.match(text, place):
                place = blank.end()
                continue
            end = self._delimiter
            while end == self._delimiter:
                field = self._field.match(text, place)
                assert field is not None  # the csv module has split the same text
                quoted, bare, end = field.groups()
                records[-1].append(bare.strip(self._blanks) if quoted is None else quoted.replace('""', '"'))
                place = field.end()
        return records

    def _bad_quotes(self, line: int, error: csv.Error) -> str:
        return (
            f"{self._name}, line {line}: a quoted field is not closed properly ({error}). Expected a quote right "
            f'before {self._delimiter!r} or the end of the line, and "" for a quote inside the field.'
        )


def delimiter_of(text: str, usual: str | None = None) -> str:
    """Return the delimiter that the first line declares, or the usual one of a format, or the likeliest.

    The likeliest is the most frequent of , ; tab and | outside quotes in the first line that is not blank.
    """
    declared = declared_delimiter(text)
    if declared is not None or usual is not None:
        return declared or usual or ""
    first_line = _FIRST_LINE.match(text)
    names = _QUOTED.sub("", first_line[1] if first_line else "")
    return max(DELIMITERS, key=names.count)


def declared_delimiter(text: str) -> str | None:
    """Return the delimiter of a first line like "sep=;", as Excel writes it; None if there is no such line.

    >>> declared_delimiter("sep=;\\na;b\\n"), declared_delimiter("sep,width\\n")
    (';', None)
    """
    found = _SEPARATOR_LINE.match(text)
    return found[2] if found else None


def line_of(row: int, records: Sequence[Record], lines_before: int) -> int:
    """Return the line of a row among records that were read after this many lines.

    Rows are counted from 0, without blank lines. A field in quotes may hold line ends.
    """
    line = lines_before + 1
    for record in records:
        if record and row == 0:
            break
        row -= bool(record)
        line += _lines_in(record)
    return line


def wrong_length(where: str, names: Sequence[str], fields: Sequence[str], delimiter: str) -> str:
    """Return the message for a row that is shorter or longer than the header."""
    parted = ""
    if delimiter != ",":
        parted = f" Fields are separated by {delimiter!r}, as the first line has it."
    elif len(names) == 1 or len(fields) == 1:
        parted = " Fields are separated by ','; a cell that holds a comma stands in quotes."
    wanted = "1 field" if len(names) == 1 else f"{len(names)} fields"
    return f"{where}: expected {wanted}, as in the header, found {len(fields)}.{parted}"


@contextmanager
def longest_field(characters: int) -> Iterator[None]:
    """Let the csv module read longer fields than its 128 kB."""
    limit = csv.field_size_limit(characters)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _lines_in(record: Record) -> int:
    """Return how many lines a record takes up."""
    return 1 + sum(len(_LINE_END.findall(field)) for field in record)
