"""Read files that pairing programs make for chess-results.com as a report.

The server's author publishes a description and examples: the tournament, players by
starting number, and each pairing of each round with both players' points. A file is one
section; several files are one event. Birth dates in a file are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import filterfalse, takewhile
from typing import NamedTuple

from events.formats.ambiguous_dates import resolve_dates
from events.formats.archive import printable
from events.formats.bye_rows import is_bye_name
from events.formats.chess_results.results import bye_from_points, pairing_outcome
from events.formats.chess_results.xml_parser import (
    ROOT,
    TooManyElements,
    parse_elements,
)
from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.findings import Collector, Place
from events.formats.online_play import is_address
from events.formats.pairings import PairedPlayer, enter_game
from events.formats.parsing import (
    LONG_FIDE_ID,
    RATING,
    clean_text,
    match_or_blank,
)
from events.formats.report import (
    MAX_PAIRING_NUMBER,
    Cell,
    ReportedEvent,
    ReportedSection,
    event_of,
)
from events.formats.result_codes import SINGLE
from events.formats.time_controls import normalize_time_control
from events.formats.trf.headers import HOME_FEDERATION, find_member_id
from events.formats.trf.lines import MAX_PLAYERS
from events.formats.trf.time_codes import parse_seconds_code
from players.formats.member_ids import MEMBER_ID

MAX_PAIRINGS = 50_000
LONGEST_NAME = 60

_HEADER_BYTES = 2_000
# In place of an opponent's number: a bye, or not paired.
_BYE_NUMBERS = ("-1", "-2")
_KINDS = {"0": "S", "1": "R", "2": "S", "3": "S"}
_TEAMS = ("2", "3")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_POINTS = re.compile(r"[0-9]{1,3}([.,][05]0?)?", re.ASCII)
_NAME_SEPARATORS = " -–:,;/"


def looks_like_chess_results(_name: str, data: bytes) -> bool:
    """Return whether the file is XML of this kind, by its first element.

    >>> looks_like_chess_results("may.xml", b"<?xml version='1.0'?>\\n<chessresults>")
    True
    """
    start = data[:_HEADER_BYTES].replace(b"\x00", b"").lower()
    return f"<{ROOT}".encode() in start


def read_chess_results(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> ReportedEvent | None:
    """Return the event whose sections are the *files* (name and content).

    None if no player can be read in any of them; the findings then say why.
    """
    tournaments: list[_Tournament] = []
    for name, data in files:
        tournament = _Tournament(name, len(tournaments) + 1, findings)
        if tournament.read(data):
            tournaments.append(tournament)
    return _event(tournaments, findings) if tournaments else None


class _Pairing(NamedTuple):
    line: int
    round: str
    white: str
    black: str
    white_points: str
    black_points: str
    mark: str

    @property
    def result(self) -> str:
        points = f"{self.white_points or '?'} : {self.black_points or '?'}"
        return f"{points} {self.mark}".rstrip()


class _Tournament:
    """Builds a section from one file."""

    def __init__(self, file: str, number: int, findings: Collector) -> None:
        self.file = file
        self.number = number
        self.findings = findings
        self.add = findings.at(Place(file, number))
        self.attributes: Mapping[str, str] = {}
        self.round_days: list[str] = []
        self.players: list[PairedPlayer] = []
        self.by_number: dict[str, PairedPlayer] = {}
        self.points: dict[int, str] = {}
        self.pairings: list[_Pairing] = []
        self.player_rows: list[tuple[int, Mapping[str, str]]] = []
        self.other_ids = 0
        self.played = 0

    def read(self, data: bytes) -> bool:
        """Read the file; return whether it has a player."""
        place = Place(file=self.file)
        try:
            parse_elements(self.file, data, self._handle_element, self.findings)
        except TooManyElements:
            limits = {"players": MAX_PLAYERS, "pairings": MAX_PAIRINGS}
            self.findings.add(
                "chess_results.too_large", place, name=self.file, **limits
            )
        for line, values in self.player_rows:
            self._enter_player(line, values)
        if not self.players:
            self.findings.add("chess_results.no_players", place, name=self.file)
            return False
        for pairing in self.pairings:
            self._enter(pairing)
        self._remove_nameless()
        self.played = self._last_played()
        self._check_points()
        if self.other_ids:
            several = "" if self.other_ids > 1 else "/one"
            self.add(f"chess_results.other_ids{several}", count=self.other_ids)
        return True

    # Elements

    def _handle_element(self, name: str, values: Mapping[str, str], line: int) -> None:
        if name == "tournament":
            self.attributes = self.attributes or values
        elif name == "round" and len(self.round_days) < MAX_ROUNDS:
            self.round_days.append(values.get("date", "")[:40])
        elif name == "player":
            # The tournament's federation decides which IDs are member IDs.
            kept = {key: values[key] for key in _PLAYER_ATTRIBUTES if key in values}
            self.player_rows.append((line, kept))
        elif name == "playerpairing" or values.keys() & _RESULT_ATTRIBUTES:
            texts = (values.get(key, "")[:20] for key in _PAIRING_ATTRIBUTES)
            self.pairings.append(_Pairing(line, *texts))
        if len(self.player_rows) > MAX_PLAYERS or len(self.pairings) > MAX_PAIRINGS:
            del self.player_rows[MAX_PLAYERS:], self.pairings[MAX_PAIRINGS:]
            raise TooManyElements

    def attribute(self, name: str, longest: int = 80) -> str:
        return clean_text(self.attributes.get(name, ""), longest)

    def _enter_player(self, line: int, values: Mapping[str, str]) -> None:
        # Some programs put the whole name, with or without a space, into the first.
        parts = f"{values.get('lastname', '')},{values.get('firstname', '')}".split(",")
        name = clean_text(", ".join(filter(None, map(clean_text, parts))), LONGEST_NAME)
        written = values.get("no", "")
        player = PairedPlayer(
            int(written) if _NUMBER.fullmatch(written) else 0,
            self._member_id(values),
            name,
            fide_id=match_or_blank(LONG_FIDE_ID, values.get("fideid", "")),
        )
        if player.member_id:
            player.rating = match_or_blank(RATING, values.get("rtgnat", ""))
        if player.fide_id:  # without an ID programs repeat some other rating here
            player.fide_rating = match_or_blank(RATING, values.get("rtgfide", ""))
        if not 1 <= player.number <= MAX_PAIRING_NUMBER:
            shown = {"player": name or "?", "written": printable(written[:20])}
            place = Place(self.file, field=f"line {line}")
            self.findings.add("chess_results.player", place, line=line, **shown)
        else:
            self.by_number.setdefault(written, player)
            self.points.setdefault(player.number, values.get("pts", ""))
        self.players.append(player)

    def _member_id(self, values: Mapping[str, str]) -> str:
        """Return the national ID if it is a member ID.

        German IDs have eight digits, too; in a tournament of our federation all IDs
        count as member IDs.
        """
        member_id = match_or_blank(MEMBER_ID.whole, values.get("id", ""))
        federations = (self.attribute("federation", 3), values.get("fed", ""))
        if member_id and HOME_FEDERATION not in (
            federation.upper() for federation in federations
        ):
            self.other_ids += 1
            return ""
        return member_id

    # Pairings

    def _add_finding(self, name: str, pairing: _Pairing) -> None:
        self.findings.add(
            name,
            Place(self.file, field=f"line {pairing.line}"),
            line=pairing.line,
            round=printable(pairing.round) or "?",
            white=printable(pairing.white) or "?",
            black=printable(pairing.black) or "?",
            result=printable(pairing.result),
            most=MAX_ROUNDS,
        )

    def _enter(self, pairing: _Pairing) -> None:
        number = int(pairing.round) if _NUMBER.fullmatch(pairing.round) else 0
        white = self.by_number.get(pairing.white)
        black = self.by_number.get(pairing.black)
        players = [player for player in (white, black) if player]
        if not 1 <= number <= MAX_ROUNDS:
            self._add_finding("chess_results.pairing/round", pairing)
        elif any(number in player.rounds and not _is_bye(player) for player in players):
            self._add_finding("chess_results.pairing/taken", pairing)
        elif white and black and white is not black:
            self._enter_game(number, white, black, pairing)
        elif white and pairing.black in _BYE_NUMBERS:
            self._enter_bye(number, white, pairing)
        else:
            self._add_finding("chess_results.pairing/player", pairing)

    def _enter_game(
        self, number: int, white: PairedPlayer, black: PairedPlayer, pairing: _Pairing
    ) -> None:
        outcome = pairing_outcome(*pairing[-3:])
        if outcome is None:
            self._add_finding("chess_results.pairing", pairing)
            return
        if outcome.finding_name:
            self._add_finding(outcome.finding_name, pairing)
        if outcome.has_opponents:
            enter_game(number, white, black, outcome.codes)
        else:
            white.rounds[number] = Cell(outcome.codes[0])
            black.rounds[number] = Cell(outcome.codes[1])

    def _enter_bye(self, number: int, player: PairedPlayer, pairing: _Pairing) -> None:
        code = bye_from_points(pairing.white_points)
        if code is None:
            self._add_finding("chess_results.pairing", pairing)
        else:
            player.rounds[number] = Cell(code)

    def _remove_nameless(self) -> None:
        """Remove the last players if they have no name, no ID and no result.

        Programs create them for vacant places in teams.
        """
        self.players.sort(key=lambda player: player.number)
        count = 0
        while len(self.players) > 1 and _is_vacant(self.players[-1]):
            self.players.pop()
            count += 1
        if count:
            several = "" if count > 1 else "/one"
            self.add(f"chess_results.nameless{several}", "players", count=count)

    def _last_played(self) -> int:
        """Return the last round with a result; those after it are still to come."""
        every = (item for player in self.players for item in player.rounds.items())
        return max((at for at, cell in every if cell.code not in ("", "U")), default=0)

    def _check_points(self) -> None:
        """Compare the points with the results, if they are those of all rounds."""
        ranked = self.attribute("rankinground", 3)
        if not _NUMBER.fullmatch(ranked) or int(ranked) != self.played:
            return
        for player in self.players:
            stated = self.points.get(player.number, "").replace(",", ".")
            codes = (cell.code for cell in player.rounds.values())
            half_points = sum(SINGLE[code].half_points for code in codes if code)
            if _POINTS.fullmatch(stated) and float(stated) * 2 != half_points:
                place = Place(self.file, self.number, player.number)
                points = {"points": float(stated), "results": half_points / 2}
                self.findings.add("chess_results.points", place, **points)

    # The section

    def section(self, name: str) -> ReportedSection:
        players = sorted(self.players, key=lambda player: player.number)
        return ReportedSection(
            number=self.number,
            name=name[:60],
            time_control=self._control(),
            kind_letter=self._kind(),
            rounds=max(self._stated_rounds(), self.played) or None,
            last_pairing_number=players[-1].number,
            fide=self.attribute("ratedfide", 1).upper() == "J",
            entries=tuple(player.entry(self.played) for player in players),
        )

    def _stated_rounds(self) -> int:
        stated = self.attribute("rounds", 3)
        number = int(stated) if _NUMBER.fullmatch(stated) else 0
        return number if number <= MAX_ROUNDS else 0

    def _kind(self) -> str:
        kind = self.attribute("type", 2)
        if kind in _TEAMS:
            self.add("chess_results.teams", "kind_letter")
        if kind == "1" and self.attribute("replay", 3) == "2":
            return "D"
        return _KINDS.get(kind, "")

    def _control(self) -> str:
        written = self.attribute("timecontrol", 200)
        control = _control(written)[:60]
        if written and control != written:
            values = {"written": written, "control": control}
            self.add("chess_results.time_control", "time_control", **values)
        return control

    def days(self) -> tuple[date | None, date | None]:
        """Return the first and last day; the rounds' days where they are missing."""
        names = ("from", "to")
        texts = [self.attribute(name, 40) for name in names]
        today = self.findings.today
        chosen = resolve_dates(texts, self.round_days, today=today)
        for name, written, day in zip(names, texts, chosen.days, strict=True):
            place = Place(self.file, field=name)
            if written.strip("0 /-.") and day is None:
                self.findings.add("chess_results.date", place, written=written)
            chosen.report_if_ambiguous(self.findings, place, written)
        first, last = chosen.days
        if first and last:
            return first, last
        rounds = {day: text for text in self.round_days if (day := chosen.day(text))}
        for text in rounds.values():
            chosen.report_if_ambiguous(
                self.findings, Place(self.file, field="round"), text
            )
        return first or min(rounds, default=None), last or max(rounds, default=None)

    def chief(self) -> str:
        """Return the member ID of the chief arbiter, blank if it is unknown."""
        name = self.attribute("chiefarbiter", 120)
        member_id = find_member_id(name)
        if name and not member_id:
            place = Place(self.file, field="chief_td_id")
            self.findings.add("chess_results.director", place, name=printable(name))
        return member_id


_PLAYER_ATTRIBUTES = (
    *("no", "id", "lastname", "firstname", "fed", "fideid"),
    *("rtgfide", "rtgnat", "pts"),
)
# An element with one of these attributes is a pairing, even if misspelled.
_RESULT_ATTRIBUTES = {"whiteno", "blackno", "reswhite", "resblack"}
_PAIRING_ATTRIBUTES = ("round", "whiteno", "blackno", "reswhite", "resblack", "forfeit")


def _is_vacant(player: PairedPlayer) -> bool:
    has_rounds = any(cell != Cell("U") for cell in player.rounds.values())
    return not (player.name or player.member_id or player.fide_id or has_rounds)


def _is_bye(player: PairedPlayer) -> bool:
    """Return whether this row is a bye, with several opponents in one round."""
    return is_bye_name(player.entry(0))


def _control(written: str) -> str:
    """Return our spelling of a time control in words, minutes or seconds.

    >>> _control("60+30"), _control("3600+30"), _control("20min")
    ('G/60;+30', 'G/60;+30', 'G/20;d0')
    """
    control = normalize_time_control(written)
    return parse_seconds_code(written) or control if control == written else control


# The event of several files


def _event(tournaments: Sequence[_Tournament], findings: Collector) -> ReportedEvent:
    names = [tournament.attribute("name", 160) for tournament in tournaments]
    name = _common_words(names)
    if not name:
        name = names[0]
        _report_other_events(tournaments[1:], findings)
    days = [tournament.days() for tournament in tournaments]
    places = [t.attribute("location") for t in tournaments]
    chiefs = [tournament.chief() for tournament in tournaments]
    sections = []
    for tournament, whole, (first, last) in zip(tournaments, names, days, strict=True):
        own = whole.removeprefix(name).strip(_NAME_SEPARATORS)
        section = tournament.section(own or whole)
        sections.append(replace(section, starts=first, ends=last))
    return event_of(
        sections,
        name=name,
        city=_first(filterfalse(is_address, places)) or _first(places),
        country=_first(t.attribute("federation", 3) for t in tournaments),
        chief_td_id=_first(chiefs),
    )


def _common_words(names: Sequence[str]) -> str:
    """Return the words with which the names of one event's sections begin.

    >>> _common_words(["May Open - U1200", "May Open - U1600"])
    'May Open'
    """
    words = zip(*(name.split() for name in names), strict=False)
    common = takewhile(lambda alike: len(set(alike)) == 1, words)
    return " ".join(word for word, *_ in common).strip(_NAME_SEPARATORS)


def _report_other_events(
    tournaments: Iterable[_Tournament], findings: Collector
) -> None:
    for tournament in tournaments:
        place = Place(file=tournament.file)
        findings.add("file.other_event/tournament", place, name=tournament.file)


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")
