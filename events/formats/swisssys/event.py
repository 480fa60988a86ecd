"""Reading of the event files of SwissSys 11 (``.sjson``).

A result is "+;14;B;10;14;14;0": its code, the opponent's pairing number, the color, the
board, and three more numbers for pairing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from events.formats.dbf.layout_2c import FORMAT, MAX_ROUNDS
from events.formats.findings import Collector
from events.formats.json.values import (
    MAX_TEXT_LENGTH,
    JsonLocation,
    Object,
    Values,
    shown,
)
from events.formats.report import (
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEvent,
    unreadable_cell,
)
from events.formats.swisssys.base import (
    FieldNames,
    Player,
    RoundResult,
    SwissSysDocument,
    has_two_names,
    parse_json,
)

_NAMES = (b"Overview", b"Sections", b"Section name", b"Pair number", b"Rounds played")
_KINDS = {0: "S", 3: "R"}
_HIGHEST_KIND = 99
_MAX_DELEGATES = 50

_RESULT = re.compile(r"([^;]?) *;(-?[0-9]{1,9});([^;]*)(?:;.*)?", re.ASCII | re.DOTALL)
_CODES = {"+": "W", "-": "L", "=": "D", **{code: code for code in "HBUXF"}}
# A game that is not over, and a round in which nothing was entered.
_OPEN_CODES = ("~", "")


def looks_like_event(name: str, data: bytes) -> bool:
    """Return whether the file is meant as an event file of SwissSys 11.

    >>> looks_like_event("may.txt", b'{"Overview": {}, "Sections": []}')
    True
    >>> looks_like_event("may.sjson", b'{"sections": []}')
    False
    """
    return has_two_names(_NAMES, data)


def read_event(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report of an event file, None if it has no players.

    The findings then hold at least one error.

    >>> read_event("may.sjson", b'{"Overview": {}, "Sections": []}', Collector())
    """
    document = parse_json(name, data, findings)
    return None if document is None else _EventFile(findings, name).event(document)


class _EventFile(SwissSysDocument):
    names = FieldNames(
        section=("Section name", "Section title"),
        players="Players",
        rounds="Rounds played",
        name="Name",
        state="State",
        ids=("ID", "ID2"),
        ratings=("Rating", "Rating2"),
        byes="Reserved byes",
        withdrawn="Withdrew",
        pairing_number="Pair number",
        count="Number of players",
    )

    def event(self, data: Object) -> ReportedEvent | None:
        at = JsonLocation()
        overview = data.get("Overview", {})
        if not isinstance(overview, dict):
            self.unreadable("value.unreadable/object", at.at("Overview"), overview)
            overview = {}
        values = Values(self, overview, at.at("Overview"))
        self.control = values.text("Tournament time controls").strip()
        starts, ends = self.days(values, "Starting date", "Ending date")
        version = values.text("VersionString") or values.text("Version")
        report = ReportedEvent(
            layout=FORMAT,
            program=f"{values.text('Program')} {version}".strip(),
            name=values.text("Tournament title").strip(),
            starts=starts,
            ends=ends,
            affiliate_id=_parse_affiliate_id(values),
            city=values.text("Event city").strip(),
            state=values.text("Event state").strip().upper(),
            zip_code=values.text("Event zip code").strip(),
            country=values.text("Event country").strip(),
            chief_td_id=self._director_id(values),
            sections=self.sections(Values(self, data, at), "Sections"),
        )
        return self.finish(report)

    def _director_id(self, overview: Values) -> str:
        """Return the director's ID; with several, the chief is not known."""
        delegates = overview.data.get("Delegations")
        if not isinstance(delegates, list):
            return ""
        ids = [
            Values(self, one, overview.at.at("Delegations").at(index)).text("Player ID")
            for index, one in enumerate(delegates[:_MAX_DELEGATES])
            if isinstance(one, dict)
            and one.get("Delegation Level") == "TournamentDirector"
        ]
        return ids[0].strip() if len(ids) == 1 else ""

    def section_fields(self, section: Values) -> Mapping[str, Any]:
        self._report_teams(section)
        if section.flag("Exclude from ratings"):
            self.findings.add("swisssys.section_unrated", section.at.place)
        kind = section.number("Type", _HIGHEST_KIND)
        return {
            "kind_letter": "" if kind is None else _KINDS.get(kind, ""),
            "time_control": section.text("Section time control").strip()
            or self.control,
        }

    def _report_teams(self, section: Values) -> None:
        teams = section.data.get("Teams")
        count = len(teams) if isinstance(teams, list) else 0
        if count:
            name = "swisssys.teams/one" if count == 1 else "swisssys.teams"
            self.findings.add(name, section.at.place, count=count)

    def round_results(
        self, section: Values, players: Sequence[Player]
    ) -> list[list[RoundResult]]:
        return [self._results(player) for player in players]

    def _results(self, player: Player) -> list[RoundResult]:
        at = player.at.at("Results")
        items = self.required_list(
            player.values, "Results", MAX_ROUNDS, "json.too_large/results"
        )
        return [
            self._round_result(item, at.at(index)) for index, item in enumerate(items)
        ]

    def _round_result(self, item: Any, at: JsonLocation) -> RoundResult:
        if item is None:
            return RoundResult()
        # A round in which nothing was entered may have a zero byte as its code.
        text = item.replace("\0", "") if isinstance(item, str) else shown(item)
        return _result(self.clean_text(text, at, MAX_TEXT_LENGTH).strip())


def _parse_affiliate_id(overview: Values) -> str:
    kind = overview.text("Organizer ID Type")
    affiliate_id = overview.text("Organizer ID").strip().upper()
    return affiliate_id if kind == "USCFAffiliateID" else ""


def _result(text: str) -> RoundResult:
    """Parse a result.

    >>> _result("=;8;B;11;8;8;0").cell
    Cell(code='D', opponent=8, color='B', raw='')
    >>> _result("~;2;W;27;2;2;0")
    RoundResult(cell=Cell(code='', opponent=None, color='', raw=''), paired=2)
    >>> _result("?;2;W").cell.raw
    '?;2;W'
    """
    match = _RESULT.fullmatch(text)
    if match is None:
        return RoundResult(unreadable_cell(text))
    code, opponent = match[1].upper(), max(0, int(match[2])) or None
    if opponent is not None and opponent > MAX_PAIRING_NUMBER:
        return RoundResult(unreadable_cell(text))
    if code in _OPEN_CODES:
        return RoundResult(paired=opponent)
    if code not in _CODES:
        return RoundResult(unreadable_cell(text))
    color = match[3].strip().upper()
    return RoundResult(
        Cell(_CODES[code], opponent, color if color in ("W", "B") else "")
    )
