"""Tables as files to download: CSV always, Parquet where pyarrow is installed.

Rows are written group by group, so a table may be longer than memory; equal rows give
equal bytes.
"""

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# So many rows are in memory at once, and so many make a group of a Parquet file.
ROWS_A_GROUP = 50_000
CSV, PARQUET = "csv.gz", "parquet"
CONTENT_TYPES = {CSV: "application/gzip", PARQUET: "application/vnd.apache.parquet"}

Row = tuple[Any, ...]


class Type(Enum):
    """What a column holds; the values are words for people."""

    TEXT = _("text")
    NUMBER = _("whole number")
    REAL = _("number with decimals")
    DAY = _("date")
    FLAG = _("true or false")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type
    meaning: str | Promise


class Writer(Protocol):
    """Writes rows into a file; what it holds back is written at the end."""

    def write(self, rows: Sequence[Row]) -> None: ...


@cache
def can_write_parquet() -> bool:
    return find_spec("pyarrow") is not None


def kinds_of_files() -> list[str]:
    """Return the kinds that this office can write, as files' names end."""
    return [CSV, PARQUET] if can_write_parquet() else [CSV]


def writer(
    kind: str, columns: Sequence[Column], file: BinaryIO
) -> AbstractContextManager[Writer]:
    """Return a writer of this *kind*, for use with ``with``; *file* stays open."""
    return _WRITERS[kind](columns, file)


def groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows, so many at a time as are written at once."""
    remaining = iter(rows)
    while group := list(islice(remaining, ROWS_A_GROUP)):
        yield group


class Sink(io.RawIOBase):
    """A file to write to whose content is taken from it bit by bit, to be sent."""

    def __init__(self) -> None:
        super().__init__()
        self._written: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        content = bytes(data)
        self._written.append(content)
        self._length += len(content)
        return len(content)

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        """Return what was written since this was last asked."""
        content = b"".join(self._written)
        self._written.clear()
        return content


def streamed(
    kind: str, columns: Sequence[Column], rows: Iterable[Row]
) -> Iterator[bytes]:
    """Yield a file of these rows, group by group as it is made."""
    sink = Sink()
    with writer(kind, columns, sink) as file:
        for group in groups(rows):
            file.write(group)
            yield sink.taken()
    yield sink.taken()


class _CsvFile:
    """Comma-separated, with headings, compressed."""

    def __init__(self, columns: Sequence[Column], file: BinaryIO) -> None:
        self._gzip = gzip.GzipFile("", "wb", 6, file, mtime=0)
        self._text = io.TextIOWrapper(self._gzip, "utf-8", newline="")
        self._csv = csv.writer(self._text)
        self._csv.writerow([column.name for column in columns])

    def write(self, rows: Sequence[Row]) -> None:
        self._csv.writerows([_written(value) for value in row] for row in rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type | BaseException | TracebackType | None) -> None:
        self._text.close()


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value


class _ParquetFile:
    """Columns with types, compressed by Snappy, which every reader knows."""

    def __init__(self, columns: Sequence[Column], file: BinaryIO) -> None:
        self._arrow = import_module("pyarrow")
        types = {
            Type.TEXT: self._arrow.string(),
            Type.NUMBER: self._arrow.int32(),
            Type.REAL: self._arrow.float64(),
            Type.DAY: self._arrow.date32(),
            Type.FLAG: self._arrow.bool_(),
        }
        self._schema = self._arrow.schema(
            [(column.name, types[column.type]) for column in columns]
        )
        parquet = import_module("pyarrow.parquet")
        self._file = parquet.ParquetWriter(file, self._schema)

    def write(self, rows: Sequence[Row]) -> None:
        columns = [
            self._arrow.array(values, type=field.type)
            for values, field in zip(zip(*rows, strict=True), self._schema, strict=True)
        ]
        batch = self._arrow.record_batch(columns, schema=self._schema)
        self._file.write_batch(batch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type | BaseException | TracebackType | None) -> None:
        self._file.close()


_WRITERS: dict[str, Callable[[Sequence[Column], BinaryIO], Any]] = {
    CSV: _CsvFile,
    PARQUET: _ParquetFile,
}
