"""Reader and writer of dBASE (DBF) tables, the container of rating reports.

The reader accepts files that a program wrote badly or a transfer damaged: it returns
all readable values as text, and findings about the rest. It rejects only data that is
not a DBF table at all, and its work is bounded by the file's length.

Layout of a table: 32 bytes of header (version, date, record count, header length,
record length, code page), 32 bytes per field, 0x0D, then records led by a space (live)
or a star (deleted), and 0x1A at the end.
"""

from __future__ import annotations

import string
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from events.formats.findings import Collector, Finding, Place
from events.formats.translatable_text import translatable
from players.formats.dbf_records import CODE_PAGES
from players.formats.text import without_accents

MAX_FIELDS = 255
MAX_RECORDS = 6_000  # the largest event so far had 4,523 entries
MAX_CELLS = 600_000  # records times fields: half a second of reading

# The first byte of a table, by the versions of the format.
VERSIONS = tuple(
    bytes([version])
    for version in b"\x02\x03\x04\x05\x30\x31\x32\x43\x63\x7b\x83\x8b\x8e\xcb\xf5\xfb"
)
_LIVE, _DELETED, _END = 0x20, 0x2A, 0x1A
_HEADER_LENGTH = _FIELD_LENGTH = 32
_SIZES = struct.Struct("<IHH")  # records, header length, record length
_TEXT_TYPES = "CNFDL"
_MEMO_TYPES = "MGP"
_CODE_PAGE_1252 = 0x03


class InvalidDbf(ValueError):
    """The data is not a DBF table. The message is shown to the user."""


class TooManyRecords(InvalidDbf):
    """The table has more records than any rating report. The message has the number."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column: name in capitals, type letter, width in bytes."""

    name: str
    type: str
    width: int


@dataclass(frozen=True, slots=True)
class Table:
    """The readable rows of a table. ``positions`` are their record numbers."""

    fields: tuple[Field, ...]
    rows: list[dict[str, str]]
    positions: list[int]
    findings: list[Finding]
    encoding: str
    declared_records: int


def read_table(data: bytes, *, file_name: str) -> Table:
    """Return the readable rows of the table in *data*.

    *file_name* is only used in findings. Raises InvalidDbf, and nothing else, if *data*
    is not a DBF table or is larger than any rating report.

    >>> data = write_table([Field("D_NAME", "C", 8)], [{"D_NAME": "REYES"}])
    >>> read_table(data, file_name="TDEXPORT.DBF").rows
    [{'D_NAME': 'REYES'}]
    >>> read_table(b"name,rating and so on", file_name="x.dbf")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    events.formats.dbf.tables.InvalidDbf: x.dbf is not a DBF file. Export the report ...
    """
    return _Reader(data, file_name).read()


class _Reader:
    """Reads one table in steps, each of which adds findings."""

    def __init__(self, data: bytes, file_name: str) -> None:
        self.data = data
        self.named = {"file_name": file_name}
        self.findings = Collector()
        self.add = self.findings.at(Place(file=file_name))
        self.declared_records = 0
        self.fields: tuple[Field, ...] = ()
        self.overflowed: dict[str, list[int]] = {}
        self.in_memos: dict[str, list[int]] = {}

    def read(self) -> Table:
        self._check_signature()
        declared, header_length, record_length = _SIZES.unpack_from(self.data, 4)
        self.declared_records = declared
        fields_end = self._read_fields(header_length)
        start = self._first_record(header_length, fields_end)
        width = self._record_length(record_length, start)
        offsets, positions = self._find_records(start, width)
        if len(offsets) * len(self.fields) > MAX_CELLS:
            raise InvalidDbf(
                translatable(
                    "{file_name} is too large for a rating report: "
                    "{offsets:,} records of {fields} fields.",
                    **self.named,
                    offsets=len(offsets),
                    fields=len(self.fields),
                )
            )
        encoding = self._encoding(offsets)
        rows = [
            self._row(offset, position, encoding)
            for offset, position in zip(offsets, positions, strict=True)
        ]
        self._report_values()
        findings = self.findings.in_order()
        return Table(self.fields, rows, positions, findings, encoding, declared)

    def _check_signature(self) -> None:
        data = self.data
        if not data:
            raise InvalidDbf(translatable("{file_name} is empty.", **self.named))
        if not data.startswith(VERSIONS):
            raise InvalidDbf(
                translatable(
                    "{file_name} is not a DBF file. "
                    "Export the report again from your pairing program.",
                    **self.named,
                )
            )
        if len(data) < _HEADER_LENGTH + _FIELD_LENGTH:
            raise InvalidDbf(
                translatable("{file_name} is cut off in its header.", **self.named)
            )

    def _read_fields(self, header_length: int) -> int:
        """Read the field descriptions; return the offset of their end."""
        fields: list[Field] = []
        names: set[str] = set()
        at = _HEADER_LENGTH
        while self.data[at : at + 1] not in (b"\x0d", b""):
            if self._records_follow(at, header_length):
                break
            raw = self.data[at : at + _FIELD_LENGTH]
            field = _field(raw)
            if field is None:
                self._damaged_field(fields, raw)
                break
            if len(fields) == MAX_FIELDS:
                raise InvalidDbf(
                    translatable(
                        "{file_name} has more than {max_fields} fields.",
                        **self.named,
                        max_fields=MAX_FIELDS,
                    )
                )
            fields.append(self._normalized_field(field, names))
            at += _FIELD_LENGTH
        if not fields:
            raise InvalidDbf(
                translatable(
                    "{file_name} is not a DBF file: it has no fields.", **self.named
                )
            )
        self.fields = tuple(fields)
        return at

    def _records_follow(self, at: int, header_length: int) -> bool:
        """Return whether the end mark of the fields is missing or damaged here."""
        return at in (header_length - 1, header_length) and self._has_marker_at(
            header_length
        )

    def _damaged_field(self, fields: list[Field], raw: bytes) -> None:
        if not fields:
            raise InvalidDbf(
                translatable(
                    "{file_name} is not a DBF file: its first field has no name.",
                    **self.named,
                )
            )
        if len(raw) < _FIELD_LENGTH:
            raise InvalidDbf(
                translatable("{file_name} is cut off in its header.", **self.named)
            )
        self.add("dbf.field_damaged", number=len(fields) + 1, name=fields[-1].name)

    def _normalized_field(self, field: Field, names: set[str]) -> Field:
        """Report an unusual type, and add a number to a repeated name."""
        if field.type not in _TEXT_TYPES + _MEMO_TYPES + "I0":
            self.add("dbf.field_type", field.name, name=field.name, type=field.type)
        name = field.name
        number = 2
        while name in names:
            name = f"{field.name}_{number}"
            number += 1
        names.add(name)
        if name == field.name:
            return field
        self.add("dbf.field_repeated", name, name=field.name)
        return Field(name, field.type, field.width)

    def _first_record(self, header_length: int, fields_end: int) -> int:
        """Return the offset of the records, even if the header is wrong."""
        after_fields = fields_end + (self.data[fields_end : fields_end + 1] == b"\r")
        if header_length == after_fields:
            return after_fields
        if header_length > after_fields and self._has_marker_at(header_length):
            return header_length  # FoxPro keeps a path between fields and records
        self.add("dbf.header", header_length=header_length, after_fields=after_fields)
        return after_fields

    def _has_marker_at(self, offset: int) -> bool:
        return self.data[offset : offset + 1] in (b" ", b"*", b"\x1a")

    def _record_length(self, declared: int, start: int) -> int:
        """Return the record length: the fields' sum, unless only the other one fits."""
        needed = 1 + sum(field.width for field in self.fields)
        if declared == needed:
            return needed
        if declared > needed and self._count_matching_records(
            declared, start
        ) > self._count_matching_records(needed, start):
            return declared
        sizes = {"declared": declared, "needed": needed}
        self.add("dbf.header/record_length", "record_length", **sizes)
        return needed

    def _count_matching_records(self, length: int, start: int) -> int:
        """Count the leading records (of the first 50) that a record length fits."""
        for number in range(50):
            if not self._has_marker_at(start + number * length):
                return number
        return 50

    def _find_records(self, start: int, width: int) -> tuple[list[int], list[int]]:
        """Return offsets and numbers of the live records."""
        offsets: list[int] = []
        positions: list[int] = []
        deleted = 0
        number = 0
        at = start
        while at + width <= len(self.data):
            marker = self.data[at]
            if marker == _END or (
                marker not in (_LIVE, _DELETED) and number >= self.declared_records
            ):
                break
            number += 1
            if number > MAX_RECORDS:
                raise TooManyRecords(
                    translatable(
                        "{file_name} has more than {max_records:,} records. "
                        "No rating report does.",
                        **self.named,
                        max_records=MAX_RECORDS,
                    )
                )
            if marker == _DELETED:
                deleted += 1
            else:
                offsets.append(at)
                positions.append(number)
            at += width
        self._report_end(at, number, width)
        if deleted:
            self.add("dbf.deleted" + ("/one" if deleted == 1 else ""), count=deleted)
        return offsets, positions

    def _report_end(self, at: int, number: int, width: int) -> None:
        rest = self.data[at : at + width]
        cut = (
            bool(rest)
            and rest[0] in (_LIVE, _DELETED)
            and rest.strip(b" \0\x1a") != b""
        )
        declared = self.declared_records
        if cut:
            self.add("dbf.truncated", number=number + 1)
        elif number != declared:
            is_short = number < declared <= MAX_RECORDS
            name, several = (
                ("dbf.truncated", "/too_few") if is_short else ("dbf.record_count", "")
            )
            name += "/one" if declared == 1 else several
            self.add(name, count=declared, number=number)

    def _encoding(self, offsets: list[int]) -> str:
        """Return the code page: declared, else UTF-8 if all fits, else a guess."""
        if self._all_ascii(offsets):
            return "ascii"
        declared = CODE_PAGES.get(self.data[29])
        if declared is not None:
            return declared
        values = self._non_ascii_values(offsets)
        if all(_is_utf8(value) for value in values):
            encoding = "utf-8"
        else:
            encoding = _guess_code_page(b"".join(values))
        self.add("dbf.encoding", upper=encoding.upper())
        return encoding

    def _all_ascii(self, offsets: list[int]) -> bool:
        return not offsets or self.data[offsets[0] :].isascii()

    def _non_ascii_values(self, offsets: list[int]) -> list[bytes]:
        values = []
        for offset in offsets:
            at = offset + 1
            for field in self.fields:
                value = self.data[at : at + field.width]
                at += field.width
                if field.type in _TEXT_TYPES and not value.isascii():
                    values.append(value.strip(b" \0"))
        return values

    def _row(self, offset: int, position: int, encoding: str) -> dict[str, str]:
        row = {}
        at = offset + 1
        for field in self.fields:
            raw = self.data[at : at + field.width]
            at += field.width
            row[field.name] = self._value(field, raw, position, encoding)
        return row

    def _value(self, field: Field, raw: bytes, position: int, encoding: str) -> str:
        if field.type in _MEMO_TYPES:
            if raw.strip(b" \0"):
                self.in_memos.setdefault(field.name, []).append(position)
            return ""
        if field.type == "I" and field.width == 4:
            return str(int.from_bytes(raw, "little", signed=True))
        if field.type == "0":
            return ""
        # Some programs end a text with NUL and leave older bytes after it.
        raw = raw.strip(b" \0").partition(b"\0")[0]
        if raw and field.type in "NF" and not raw.strip(b"*"):
            self.overflowed.setdefault(field.name, []).append(position)
            return ""
        # SwissSys puts a tab between a surname and a first name.
        return raw.decode(encoding, "replace").translate(_CONTROLS_AS_SPACES).strip(" ")

    def _report_values(self) -> None:
        for name, columns in (
            ("dbf.overflow", self.overflowed),
            ("dbf.memo", self.in_memos),
        ):
            for column, positions in columns.items():
                self.add(name, column, name=column, records=_record_list(positions))


_CONTROLS_AS_SPACES = dict.fromkeys(range(0x20), " ")


def _field(raw: bytes) -> Field | None:
    """Return the described field, or None if *raw* does not describe one."""
    if len(raw) < _FIELD_LENGTH:
        return None
    name = raw[:11].partition(b"\0")[0].strip(b" ")
    type_, width = raw[11:12].upper(), raw[16]
    if not name or not all(byte in _NAME_BYTES for byte in name) or width == 0:
        return None
    if not 0x21 <= type_[0] <= 0x7E:
        return None
    return Field(name.decode("ascii").upper(), type_.decode("ascii"), width)


_NAME_BYTES = frozenset(f"{string.ascii_letters}{string.digits}_".encode())


def _is_utf8(value: bytes) -> bool:
    """Return whether *value* is UTF-8, even if the field's end cut its last letter."""
    try:
        value.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and error.start > 0
    return True


def _guess_code_page(values: bytes) -> str:
    """Choose by the bytes of accented letters, which differ in the two code pages."""
    dos = sum(
        0x80 <= byte <= 0xA5 and byte not in b"\x91\x92\x93\x94" for byte in values
    )
    windows = sum(byte >= 0xC0 for byte in values)
    return "cp437" if dos > windows else "cp1252"


def _record_list(positions: list[int]) -> str:
    """Name up to five records.

    >>> _record_list([3]), _record_list([1, 2, 3, 4, 5, 6, 7])
    ('record 3', 'records 1, 2, 3, 4, 5 and 2 more')
    """
    listed = ", ".join(f"{position:,}" for position in positions[:5])
    if len(positions) == 1:
        return translatable("record {number}", number=listed)
    if len(positions) <= 5:
        return translatable("records {numbers}", numbers=listed)
    more = len(positions) - 5
    return translatable(
        "records {numbers} and {more:,} more", numbers=listed, more=more
    )


def write_table(
    fields: Sequence[Field],
    rows: Sequence[Mapping[str, str]],
    *,
    written: date = date(2000, 1, 1),
) -> bytes:
    """Return a dBASE III table without memo, the same bytes for the same input.

    Values are left-justified and padded with spaces; long text is cut, and letters
    outside code page 1252 are replaced, as ``stored_text`` shows. The code page is
    declared only if a value needs it, so that plain ASCII tables are what the oldest
    readers expect. The caller passes *written*, the date in the header.

    >>> write_table([Field("S_FIDE", "C", 1)], [{"S_FIDE": "N"}])[-4:]
    b'\\r N\\x1a'
    """
    shape = [(field.name, field.width) for field in fields]
    body = b"".join(_record(row, shape) for row in rows)
    header = struct.pack(
        "<4BIHH17xB2x",
        0x03,
        max(0, written.year - 1900) % 256,
        written.month,
        written.day,
        len(rows),
        _HEADER_LENGTH + _FIELD_LENGTH * len(fields) + 1,
        1 + sum(field.width for field in fields),
        0 if body.isascii() else _CODE_PAGE_1252,
    )
    described = b"".join(
        struct.pack(
            "<11sc4xB15x", field.name.encode("ascii"), field.type.encode(), field.width
        )
        for field in fields
    )
    return header + described + b"\r" + body + bytes([_END])


def _record(row: Mapping[str, str], shape: Sequence[tuple[str, int]]) -> bytes:
    """Return a row as bytes, encoded letter by letter only if necessary."""
    cells = [(row.get(name, ""), width) for name, width in shape]
    plain = "".join([text.strip(" ")[:width].ljust(width) for text, width in cells])
    if plain.isascii() and plain.isprintable():
        return b"%c%b" % (_LIVE, plain.encode())
    fields = [_encoded(text, width).ljust(width) for text, width in cells]
    return b"%c%b" % (_LIVE, b"".join(fields))


def stored_text(text: str, width: int) -> str:
    """Return *text* as it is read back from a written table.

    >>> stored_text("Škoda, Łukasz", 9)
    'Škoda, Lu'
    """
    return _encoded(text, width).decode("cp1252")


# Letters that Unicode does not decompose into a base letter and an accent.
_PLAIN = str.maketrans("ŁłĐđĦħıſ−", "LlDdHhis-")


def _encoded(text: str, width: int) -> bytes:
    if not text.isprintable():
        text = text.translate(_CONTROLS_AS_SPACES)
    # A value is stripped when it is read, so a cut never leaves a space at its end.
    letters = text.encode() if text.isascii() else b"".join(map(_encoded_letter, text))
    return letters.strip(b" ")[:width].rstrip(b" ")


def _encoded_letter(letter: str) -> bytes:
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return without_accents(letter.translate(_PLAIN)).encode("cp1252", "replace")
