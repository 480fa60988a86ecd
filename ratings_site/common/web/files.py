"""Downloads, and large tables as CSV, or Parquet if pyarrow is installed.

Rows of tables are written in groups, so a table may be larger than memory. Equal rows
give equal bytes.
"""

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from contextvars import copy_context
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, BinaryIO, Protocol

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings_site.common.ui.tables import Table

# Rows in memory at once, and in a row group of a Parquet file.
ROWS_PER_GROUP = 50_000
CSV, PARQUET = "csv.gz", "parquet"
CONTENT_TYPES = {CSV: "application/gzip", PARQUET: "application/vnd.apache.parquet"}

# Rows of a list in one piece of its response.
ROWS_PER_PIECE = 500

CSV_TEXT = "text/csv; charset=utf-8"

Row = tuple[Any, ...]
Target = BinaryIO | io.RawIOBase


def attachment(content: Any, name: str, content_type: str = CSV_TEXT) -> HttpResponse:
    """Return a response that browsers save as a file."""
    return HttpResponse(content, content_type, headers=attachment_header(name))


def attachment_header(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def csv_attachment(rows: Iterable[Iterable[Any]], name: str) -> HttpResponse:
    response = attachment("", name)
    csv.writer(response).writerows(rows)
    return response


def csv_download(
    request: HttpRequest,
    table: Table,
    name: str,
    records: Iterable[Any] | None = None,
) -> StreamingHttpResponse | None:
    """Return the whole list as CSV in the requested order, None if not requested.

    *records* are the rows of a table that holds only those of its page.
    """
    if request.GET.get("format") != "csv" or not table.csv_columns:
        return None
    if records is None:
        table.sort(request.GET.get("sort", ""))
        records = table.data.data
    if isinstance(records, QuerySet):
        records = records.iterator(chunk_size=ROWS_PER_PIECE)
    # The rows are written after the request, for its viewer and in its time zone.
    write = partial(copy_context().run, csv_piece, table.csv_rows(records))
    return StreamingHttpResponse(
        iter(write, ""),
        content_type=CSV_TEXT,
        headers=attachment_header(f"{name}.csv"),
    )


def csv_piece(rows: Iterator[Sequence[Any]]) -> str:
    """Return the next rows as text, or "" at the end."""
    text = io.StringIO()
    group = islice(rows, ROWS_PER_PIECE)
    csv.writer(text).writerows(map(escape_cell, row) for row in group)
    return text.getvalue()


def escape_cell(value: Any) -> Any:
    # csv.writer writes dates as ISO and None as nothing.
    return escape_formula(value) if isinstance(value, str) else value


class ColumnType(Enum):
    """The type of a column; the values are names for people."""

    TEXT = _("text")
    NUMBER = _("whole number")
    REAL = _("number with decimals")
    DAY = _("date")
    FLAG = _("true or false")


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: ColumnType
    meaning: str | Promise


class Writer(Protocol):
    """Writes rows to a file; buffered rows are written on closing."""

    def write(self, rows: Sequence[Row]) -> None: ...

    def close(self) -> None: ...


@cache
def can_write_parquet() -> bool:
    return find_spec("pyarrow") is not None


def available_formats() -> list[str]:
    """Return the file extensions of the available formats."""
    return [CSV, PARQUET] if can_write_parquet() else [CSV]


def writer(
    kind: str, columns: Sequence[Column], file: Target
) -> AbstractContextManager[Writer]:
    """Return a writer of this *kind* as a context manager; *file* stays open."""
    return closing(_WRITERS[kind](columns, file))


def groups(rows: Iterable[Any], size: int = ROWS_PER_GROUP) -> Iterator[list[Any]]:
    """Yield the rows in groups of *size*."""
    remaining = iter(rows)
    while group := list(islice(remaining, size)):
        yield group


def escape_formula(text: str) -> str:
    """Keep spreadsheets from evaluating user input as a formula."""
    is_formula = len(text) > 1 and text.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{text}" if is_formula else text


class Sink(io.RawIOBase):
    """A writable file whose content is drained in pieces, for streaming."""

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

    def drain(self) -> bytes:
        """Return the bytes written since the last call."""
        content = b"".join(self._written)
        self._written.clear()
        return content


def stream_file(
    kind: str, columns: Sequence[Column], rows: Iterable[Row]
) -> Iterator[bytes]:
    """Yield the bytes of a file of these rows, group by group."""
    sink = Sink()
    with writer(kind, columns, sink) as file:
        for group in groups(rows):
            file.write(group)
            yield sink.drain()
    yield sink.drain()


class _CsvFile:
    """CSV with a header, compressed with gzip."""

    def __init__(self, columns: Sequence[Column], file: Target) -> None:
        self._gzip = gzip.GzipFile("", "wb", 6, file, mtime=0)
        self._text = io.TextIOWrapper(self._gzip, "utf-8", newline="")
        self._csv = csv.writer(self._text)
        self._csv.writerow([column.name for column in columns])

    def write(self, rows: Sequence[Row]) -> None:
        self._csv.writerows([_written(value) for value in row] for row in rows)

    def close(self) -> None:
        self._text.close()


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value


class _ParquetFile:
    """Parquet, compressed with Snappy, which every reader supports."""

    def __init__(self, columns: Sequence[Column], file: Target) -> None:
        self._arrow = import_module("pyarrow")
        types = {
            ColumnType.TEXT: self._arrow.string(),
            ColumnType.NUMBER: self._arrow.int32(),
            ColumnType.REAL: self._arrow.float64(),
            ColumnType.DAY: self._arrow.date32(),
            ColumnType.FLAG: self._arrow.bool_(),
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

    def close(self) -> None:
        self._file.close()


_WRITERS: dict[str, Callable[[Sequence[Column], Target], Writer]] = {
    CSV: _CsvFile,
    PARQUET: _ParquetFile,
}
