"""Reading of the event files of SwissSys 11 (``.sjson``).

A result is "+;14;B;10;14;14;0": what it was, the opponent's pairing number, the color,
the board, and three more numbers that serve pairing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from events.importers.dbf.layout_2c import FORMAT, MAX_ROUNDS
from events.importers.findings import Collector
from events.importers.json.values import LONGEST_TEXT, Object, Spot, Values, shown
from events.importers.records import (
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEvent,
    unreadable_cell,
)
from events.importers.swisssys.shared import (
    Given,
    Names,
    Player,
    Written,
    holds_two_of,
    parsed,
)

_NAMES = (b"Overview", b"Sections", b"Section name", b"Pair number", b"Rounds played")
_KINDS = {0: "S", 3: "R"}
_HIGHEST_KIND = 99
_MOST_DELEGATES = 50

_RESULT = re.compile(r"([^;]?) *;(-?[0-9]{1,9});([^;]*)(?:;.*)?", re.ASCII | re.DOTALL)
_CODES = {"+": "W", "-": "L", "=": "D", **{code: code for code in "HBUXF"}}
# A game that is not over, and a round in which nothing was entered.
_OPEN = ("~", "")


def looks_like_event(name: str, data: bytes) -> bool:
    """Tell whether the file is meant as an event file of SwissSys 11.

    >>> looks_like_event("may.txt", b'{"Overview": {}, "Sections": []}')
    True
    >>> looks_like_event("may.sjson", b'{"sections": []}')
    False
    """
    return holds_two_of(_NAMES, data)


def read_event(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report of an event file, None if nobody is in it.

    The findings then hold at least one error.

    >>> read_event("may.sjson", b'{"Overview": {}, "Sections": []}', Collector())
    """
    document = parsed(name, data, findings)
    return None if document is None else _EventFile(findings, name).event(document)


class _EventFile(Written):
    names = Names(
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
        at = Spot()
        overview = data.get("Overview", {})
        if not isinstance(overview, dict):
            self.unreadable("value.unreadable/object", at.at("Overview"), overview)
            overview = {}
        values = Values(self, overview, at.at("Overview"))
        self.control = values.text("Tournament time controls").strip()
        version = values.text("VersionString") or values.text("Version")
        report = ReportedEvent(
            layout=FORMAT,
            program=f"{values.text('Program')} {version}".strip(),
            name=values.text("Tournament title").strip(),
            starts=self.day(values, "Starting date"),
            ends=self.day(values, "Ending date"),
            affiliate_id=_affiliate_id(values),
            city=values.text("Event city").strip(),
            state=values.text("Event state").strip().upper(),
            zip_code=values.text("Event zip code").strip(),
            country=values.text("Event country").strip(),
            chief_td_id=self._director_id(values),
            sections=self.sections(Values(self, data, at), "Sections"),
        )
        return self.finished(report)

    def _director_id(self, overview: Values) -> str:
        """Return the director's ID; which of several is the chief is not told."""
        delegates = overview.data.get("Delegations")
        if not isinstance(delegates, list):
            return ""
        ids = [
            Values(self, one, overview.at.at("Delegations").at(index)).text("Player ID")
            for index, one in enumerate(delegates[:_MOST_DELEGATES])
            if isinstance(one, dict)
            and one.get("Delegation Level") == "TournamentDirector"
        ]
        return ids[0].strip() if len(ids) == 1 else ""

    def described(self, section: Values) -> Mapping[str, Any]:
        self._tell_of_teams(section)
        if section.flag("Exclude from ratings"):
            self.findings.add("swisssys.section_unrated", section.at.place)
        kind = section.number("Type", _HIGHEST_KIND)
        return {
            "kind_letter": "" if kind is None else _KINDS.get(kind, ""),
            "time_control": section.text("Section time control").strip()
            or self.control,
        }

    def _tell_of_teams(self, section: Values) -> None:
        teams = section.data.get("Teams")
        count = len(teams) if isinstance(teams, list) else 0
        if count:
            self.findings.add(
                "swisssys.teams/one" if count == 1 else "swisssys.teams",
                section.at.place,
                count=count,
            )

    def given(self, section: Values, players: Sequence[Player]) -> list[list[Given]]:
        return [self._results(player) for player in players]

    def _results(self, player: Player) -> list[Given]:
        at = player.at.at("Results")
        items = self.listed(
            player.values, "Results", MAX_ROUNDS, "json.too_large/results"
        )
        return [self._given(item, at.at(index)) for index, item in enumerate(items)]

    def _given(self, item: Any, at: Spot) -> Given:
        if item is None:
            return Given()
        # A round in which nothing was entered may have a zero byte as its code.
        text = item.replace("\0", "") if isinstance(item, str) else shown(item)
        return _result(self.cleaned(text, at, LONGEST_TEXT).strip())


def _affiliate_id(overview: Values) -> str:
    kind = overview.text("Organizer ID Type")
    affiliate_id = overview.text("Organizer ID").strip().upper()
    return affiliate_id if kind == "USCFAffiliateID" else ""


def _result(text: str) -> Given:
    """Return what a result says.

    >>> _result("=;8;B;11;8;8;0").cell
    Cell(code='D', opponent=8, color='B', raw='')
    >>> _result("~;2;W;27;2;2;0")
    Given(cell=Cell(code='', opponent=None, color='', raw=''), paired=2)
    >>> _result("?;2;W").cell.raw
    '?;2;W'
    """
    match = _RESULT.fullmatch(text)
    if match is None:
        return Given(unreadable_cell(text))
    code, opponent = match[1].upper(), max(0, int(match[2])) or None
    if opponent is not None and opponent > HIGHEST_PAIRING_NUMBER:
        return Given(unreadable_cell(text))
    if code in _OPEN:
        return Given(paired=opponent)
    if code not in _CODES:
        return Given(unreadable_cell(text))
    color = match[3].strip().upper()
    return Given(Cell(_CODES[code], opponent, color if color in ("W", "B") else ""))
