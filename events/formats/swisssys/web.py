"""Reading of the JSON that SwissSys publishes on the web.

It has each result twice: in the lists of each player ("results", "colors", "ops"), and
in the pairings of each round. If only one of the two has a result, it is used; if they
contradict each other, the cell keeps both as unreadable text. Players have no pairing
number but their position in the list. The type of a section, its time control, and the
last day are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from events.formats.dbf.layout_2c import FORMAT, MAX_ROUNDS
from events.formats.findings import Collector, Place
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
    format_cell,
    unreadable_cell,
)
from events.formats.result_codes import SINGLE
from events.formats.swisssys.base import (
    FieldNames,
    Player,
    RoundResult,
    SwissSysDocument,
    has_two_names,
    parse_json,
)

_NAMES = (b"pairings", b"rounds_paired", b"rounds_played", b"ops", b"NACHEventID")
_OPEN_CODES = ("", "~", "-")
_CODES = frozenset("WLDHBUXF")
_HALF_POINTS = {"1": 2, "0.5": 1, ".5": 1, "½": 1, "0": 0}
_GAMES: dict[tuple[int | None, ...], tuple[str, str]] = {
    (2, 0): ("W", "L"),
    (0, 2): ("L", "W"),
    (1, 1): ("D", "D"),
    (0, 0): ("Z", "Z"),
}
_BYES: dict[int | None, str] = {2: "B", 1: "H", 0: "U"}


def looks_like_web(name: str, data: bytes) -> bool:
    """Return whether the file is meant as the JSON that SwissSys publishes.

    >>> looks_like_web("may.txt", b'{"NACHEventID": 1, "rounds_paired": 3}')
    True
    >>> looks_like_web("may.json", b'{"sections": []}')
    False
    """
    return has_two_names(_NAMES, data)


def read_web(name: str, data: bytes, findings: Collector) -> ReportedEvent | None:
    """Return the report of a published file, None if it has no players.

    The findings then hold at least one error.

    >>> read_web("may.json", b'{"tournament": "May", "sections": []}', Collector())
    """
    document = parse_json(name, data, findings)
    return None if document is None else _WebFile(findings, name).event(document)


class _WebFile(SwissSysDocument):
    names = FieldNames(
        section=("section",),
        players="players",
        rounds="rounds_played",
        name="name",
        state="state",
        ids=("id1", "id2"),
        ratings=("rating", "rating2"),
        byes="byes",
        withdrawn="withdrew",
    )

    def event(self, data: Object) -> ReportedEvent | None:
        values = Values(self, data, JsonLocation())
        report = ReportedEvent(
            layout=FORMAT,
            program="SwissSys",
            name=values.text("tournament").strip(),
            starts=self.days(values, "date")[0],
            city=values.text("city").strip(),
            state=values.text("state").strip().upper(),
            country=values.text("country").strip(),
            sections=self.sections(values, "sections"),
        )
        return self.finish(report)

    def section_fields(self, section: Values) -> Mapping[str, Any]:
        return {}

    def fide_first(self, players: Sequence[Player]) -> bool:
        """Return whether FIDE's come first; only FIDE ratings have a K factor."""
        has_k = any("k_value" in player.values.data for player in players)
        return has_k or super().fide_first(players)

    # Results by player

    def round_results(
        self, section: Values, players: Sequence[Player]
    ) -> list[list[RoundResult]]:
        round_results = [self._results(player) for player in players]
        numbers = (player.number for player in players)
        rows = dict(zip(numbers, round_results, strict=True))
        _Pairings(self, section, rows).fill_in()
        return round_results

    def _results(self, player: Player) -> list[RoundResult]:
        results = self.required_list(
            player.values, "results", MAX_ROUNDS, "json.too_large/results"
        )
        colors, opponents = (self._list(player, name) for name in ("colors", "ops"))
        at = player.at.at("results")
        return [
            self._round_result(*round_, at.at(index))
            for index, round_ in enumerate(zip_longest(results, colors, opponents))
        ]

    def _list(self, player: Player, name: str) -> list[Any]:
        items, at = player.values.data.get(name), player.at.at(name)
        return self.items(items, at, MAX_ROUNDS, "json.too_large/results")

    def _round_result(
        self, result: Any, color: Any, opponent: Any, at: JsonLocation
    ) -> RoundResult:
        text = "" if result is None else result
        text = text if isinstance(text, str) else shown(text)
        code = self.clean_text(text, at, MAX_TEXT_LENGTH).strip().upper()
        number = _pairing_number(opponent)
        if code in _OPEN_CODES:
            return RoundResult(paired=number)
        if code not in _CODES:
            return RoundResult(unreadable_cell(code))
        return RoundResult(Cell(code, number, color if color in ("W", "B") else ""))


def _pairing_number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 1 <= value <= MAX_PAIRING_NUMBER else None


@dataclass(frozen=True, slots=True)
class _Pairings:
    """Compares the pairings of a section with its players' lists, by their numbers."""

    document: _WebFile
    section: Values
    rows: dict[int, list[RoundResult]]

    def fill_in(self) -> None:
        for number, values in self._objects(self.section, "rounds", MAX_ROUNDS):
            for _, pairing in self._objects(values, "pairings", len(self.rows)):
                self._fill_in(number, pairing)

    def _objects(
        self, values: Values, name: str, most: int
    ) -> tuple[tuple[int, Values], ...]:
        """Return the objects of a list, counted from 1."""
        return self.document.objects(
            values,
            name,
            most,
            lambda data, at, index: (index + 1, Values(self.document, data, at)),
            "json.too_large/results",
        )

    def _fill_in(self, round_number: int, pairing: Values) -> None:
        text = pairing.text("result").strip()
        if text.strip("() ") in _OPEN_CODES:
            return
        white, black = (
            pairing.number(side, MAX_PAIRING_NUMBER) for side in ("white", "black")
        )
        if white not in self.rows or (black and black not in self.rows):
            shown = {"white": white or "?", "black": black or "?", "result": text}
            values = {"round_number": round_number, **shown}
            self.document.add("swisssys.pairing_unknown", pairing.at, **values)
            return
        first, second = _codes(text, is_bye=not black)
        self._compare(white, round_number, _cell(first, black, "W"), text)
        if black:
            self._compare(black, round_number, _cell(second, white, "B"), text)

    def _compare(self, number: int, round_number: int, paired: Cell, text: str) -> None:
        """Compare a pairing's cell with the player's list, or fill in a missing one.

        *paired* is blank if the *text* of the pairing is not understood.
        """
        row = self.rows[number]
        row += [RoundResult()] * (round_number - len(row))
        own = row[round_number - 1].cell
        if own.is_blank:
            row[round_number - 1] = RoundResult(
                unreadable_cell(text) if paired.is_blank else paired
            )
        elif not own.raw and not _is_consistent(own, paired):
            place = Place("", self.section.at.place.section, number, round_number)
            shown = {"pairing": text, "player": format_cell(own)}
            self.document.findings.add("swisssys.pairing_differs", place, **shown)
            if not paired.is_blank:
                both = unreadable_cell(f"{format_cell(own)} {text}")
                row[round_number - 1] = RoundResult(both)


def _codes(text: str, *, is_bye: bool) -> tuple[str, str]:
    """Return the codes of both players, blank if the text is not understood.

    >>> _codes("(1-0)", is_bye=False), _codes("(0.5)", is_bye=True)
    (('W', 'L'), ('H', ''))
    """
    points = [_HALF_POINTS.get(part.strip()) for part in text.strip("() ").split("-")]
    if is_bye:
        return (_BYES.get(points[0], "") if len(points) == 1 else ""), ""
    return _GAMES.get(tuple(points), ("", ""))


def _cell(code: str, opponent: int | None, color: str) -> Cell:
    if not code:
        return Cell()
    return Cell(code, opponent, color) if opponent else Cell(code)


def _is_consistent(own: Cell, paired: Cell) -> bool:
    """Return whether two cells give the same points against the same opponent.

    A forfeit is published as a game; its player need not name the opponent.
    """
    if (
        paired.is_blank
        or SINGLE[own.code].half_points != SINGLE[paired.code].half_points
    ):
        return False
    return own.opponent == paired.opponent or (own.code in "XF" and not own.opponent)
