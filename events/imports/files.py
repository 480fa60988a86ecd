"""Table rows of affiliates and tournament directors."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from events.models import Official
from players.formats.dates import TO_COME, DateColumns, parse_date
from players.formats.errors import InputRefused, Reason
from players.formats.member_ids import MEMBER_ID
from players.formats.places import STATES
from players.formats.table_reader import (
    ColumnMapping,
    Line,
    Table,
    clean_text,
    read_table,
)

AFFILIATES: Mapping[str, str] = {
    "affiliate_id": "id, affiliate, affiliate no, affiliate number, club id",
    "name": "affiliate name, club, club name",
    "state": "st",
    "expires": "expiration, expiration date, expiry, valid until, end date",
}
DIRECTORS: Mapping[str, str] = {
    "member_id": "id, member, member no, member number, td id, uscf id, us chess id",
    "level": "td level, certification, certification level, td",
    "certified_until": "expires, expiration, expiration date, certification expires, "
    "valid until, certified to",
    "affiliates": "affiliate, affiliate ids, reports for, clubs",
    "safe_play_until": "safe play, safe play expires, safesport, safesport expires",
}
DAYS = dict.fromkeys(("expires", "certified_until", "safe_play_until"), TO_COME)
_AFFILIATE_ID = re.compile(r"[A-Z][0-9]{7}", re.ASCII)
_LEVELS = {
    **{level.upper(): level for level in Official.Level.values},
    **{str(level.label).upper(): level.value for level in Official.Level},
    "ASSOCIATE NATIONAL": Official.Level.ANTD.value,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file: its key, and its fields as stored in JSON."""

    line: int
    cells: tuple[str, ...]
    key: str
    fields: dict[str, Any] = field(default_factory=dict)
    reason: Reason | None = None


def read_rows(
    path: Path,
    spellings: Mapping[str, str],
    row_of: Callable[[Mapping[str, str]], dict[str, Any]],
    days: DateColumns,
    columns: ColumnMapping | None = None,
) -> tuple[Table, Iterator[Row]]:
    """Open a table whose first column of *spellings* is the key."""
    key = next(iter(spellings))
    table, lines = read_table(path, spellings, (key,), columns, days)
    return table, (_row(line, key, row_of) for line in lines)


def _row(
    line: Line | tuple[int, tuple[str, ...], Reason],
    key: str,
    row_of: Callable[[Mapping[str, str]], dict[str, Any]],
) -> Row:
    if isinstance(line, tuple):
        number, cells, reason = line
        return Row(number, cells, "", reason=reason)
    said = MEMBER_ID.restore(line.by_column.get(key, "")[:20])
    try:
        return Row(line.number, line.cells, said, row_of(line.by_column))
    except InputRefused as refusal:
        return Row(line.number, line.cells, said, reason=refusal.reason)


def affiliate_of(said: Mapping[str, str]) -> dict[str, Any]:
    _check_affiliate_id(said.get("affiliate_id", ""))
    state = said.get("state", "").upper()
    if state and state not in STATES:
        raise InputRefused("state_unknown", cell=state[:40])
    fields = {"name": clean_text(said.get("name", ""), "name", 80), "state": state}
    if "expires" in said:
        fields["expires"] = parse_date(said["expires"], "expires").isoformat()
    return {name: text for name, text in fields.items() if text}


def director_of(said: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "level" in said:
        level = _LEVELS.get(said["level"].upper())
        if level is None:
            raise InputRefused("level_unknown", cell=said["level"][:40])
        fields["level"] = level
    for name in ("certified_until", "safe_play_until"):
        if name in said:
            fields[name] = parse_date(said[name], name).isoformat()
    if "affiliates" in said:
        found = sorted(set(re.split(r"[\s;,|]+", said["affiliates"].strip())))
        for affiliate_id in found:
            _check_affiliate_id(affiliate_id)
        fields["affiliates"] = found
    return fields


def _check_affiliate_id(text: str) -> None:
    if not _AFFILIATE_ID.fullmatch(text):
        raise InputRefused("no_affiliate_id", cell=text[:40])
