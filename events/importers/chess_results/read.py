"""Files that pairing programs make for chess-results.com, as a report.

The server's author describes them, and gives examples: tournament, players by starting
number, and each pairing of each round with both sides' points. A file is one section;
several are one event. Birth dates stand in it and are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import filterfalse, takewhile
from typing import NamedTuple

from events.importers.archive import printable
from events.importers.chess_results.elements import ROOT, TooMany, take_elements
from events.importers.chess_results.results import bye_of, outcome_of
from events.importers.days import choose_days, day_in
from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.findings import Collector, Place
from events.importers.foreign.records import tidy
from events.importers.online_play import is_address
from events.importers.outcomes import SINGLE
from events.importers.pairings import PairedPlayer, enter_game
from events.importers.records import (
    HIGHEST_PAIRING_NUMBER,
    Cell,
    ReportedEvent,
    ReportedSection,
)
from events.importers.sentences import say_day
from events.importers.time_controls import office_control
from events.importers.trf.heads import HOME, member_id_in, place_in
from events.importers.trf.lines import MOST_PLAYERS
from events.importers.trf.times import from_seconds_code

MOST_PAIRINGS = 50_000
LONGEST_NAME = 60

_BEGINS_WITHIN = 2_000
# Whom a player without an opponent is paired with: given a bye, or not paired.
_NOBODY = ("-1", "-2")
_KINDS = {"0": "S", "1": "R", "2": "S", "3": "S"}
_TEAMS = ("2", "3")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_MEMBER_ID = re.compile(r"[1-9][0-9]{7}", re.ASCII)
_FIDE_ID = re.compile(r"[1-9][0-9]{3,9}", re.ASCII)
_RATING = re.compile(r"[1-9][0-9]{2,3}", re.ASCII)
_POINTS = re.compile(r"[0-9]{1,3}([.,][05]0?)?", re.ASCII)
_BETWEEN_NAMES = " -–:,;/"


def looks_like_chess_results(_name: str, data: bytes) -> bool:
    """Tell whether the file is XML of this kind, by its first element.

    >>> looks_like_chess_results("may.xml", b"<?xml version='1.0'?>\\n<chessresults>")
    True
    """
    start = data[:_BEGINS_WITHIN].replace(b"\x00", b"").lower()
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
    """Makes a section of one file."""

    def __init__(self, file: str, number: int, findings: Collector) -> None:
        self.file = file
        self.number = number
        self.findings = findings
        self.facts: Mapping[str, str] = {}
        self.round_days: list[str] = []
        self.players: list[PairedPlayer] = []
        self.by_number: dict[str, PairedPlayer] = {}
        self.points: dict[int, str] = {}
        self.pairings: list[_Pairing] = []
        self.held: list[tuple[int, Mapping[str, str]]] = []
        self.other_ids = 0
        self.played = 0

    def read(self, data: bytes) -> bool:
        """Read the file; tell whether it names a player."""
        here = Place(file=self.file)
        try:
            take_elements(self.file, data, self._take, self.findings)
        except TooMany:
            self.findings.add(
                "chess_results.too_large",
                here,
                name=self.file,
                players=MOST_PLAYERS,
                pairings=MOST_PAIRINGS,
            )
        for line, values in self.held:
            self._enter_player(line, values)
        if not self.players:
            self.findings.add("chess_results.no_players", here, name=self.file)
            return False
        for pairing in self.pairings:
            self._enter(pairing)
        self._leave_out_nameless()
        self.played = self._last_played()
        self._tell_points()
        if self.other_ids:
            several = "" if self.other_ids > 1 else "/one"
            self.findings.add(
                f"chess_results.other_ids{several}",
                Place(file=self.file, section=self.number),
                count=self.other_ids,
            )
        return True

    # Elements

    def _take(self, name: str, values: Mapping[str, str], line: int) -> None:
        if name == "tournament":
            self.facts = self.facts or values
        elif name == "round" and len(self.round_days) < MAX_ROUNDS:
            self.round_days.append(values.get("date", "")[:20])
        elif name == "player":
            # Which IDs are ours, the tournament's federation says.
            wanted = {key: values[key] for key in _OF_PLAYER if key in values}
            self.held.append((line, wanted))
        elif name == "playerpairing" or values.keys() & _OF_RESULT:
            said = (values.get(key, "")[:20] for key in _OF_PAIRING)
            self.pairings.append(_Pairing(line, *said))
        if len(self.held) > MOST_PLAYERS or len(self.pairings) > MOST_PAIRINGS:
            del self.held[MOST_PLAYERS:], self.pairings[MOST_PAIRINGS:]
            raise TooMany

    def fact(self, name: str, longest: int = 80) -> str:
        return tidy(self.facts.get(name, ""), longest)

    def _enter_player(self, line: int, values: Mapping[str, str]) -> None:
        # Some programs put the whole name, with or without a blank, into the first.
        parts = f"{values.get('lastname', '')},{values.get('firstname', '')}".split(",")
        name = tidy(", ".join(filter(None, map(tidy, parts))), LONGEST_NAME)
        written = values.get("no", "")
        player = PairedPlayer(
            int(written) if _NUMBER.fullmatch(written) else 0,
            self._member_id(values),
            name,
            fide_id=_matching(_FIDE_ID, values.get("fideid", "")),
        )
        if player.member_id:
            player.rating = _matching(_RATING, values.get("rtgnat", ""))
        if player.fide_id:  # without an ID programs repeat some other rating here
            player.fide_rating = _matching(_RATING, values.get("rtgfide", ""))
        if not 1 <= player.number <= HIGHEST_PAIRING_NUMBER:
            self.findings.add(
                "chess_results.player",
                Place(self.file, field=f"line {line}"),
                line=line,
                player=name or "?",
                written=printable(written[:20]),
            )
        else:
            self.by_number.setdefault(written, player)
            self.points.setdefault(player.number, values.get("pts", ""))
        self.players.append(player)

    def _member_id(self, values: Mapping[str, str]) -> str:
        """Return the national ID where it is one of ours.

        That of a German has eight digits, too; in a tournament of our federation all
        are taken from our list.
        """
        member_id = _matching(_MEMBER_ID, values.get("id", ""))
        federations = (self.fact("federation", 3), values.get("fed", ""))
        if member_id and HOME not in (said.upper() for said in federations):
            self.other_ids += 1
            return ""
        return member_id

    # Pairings

    def _tell(self, name: str, pairing: _Pairing) -> None:
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
            self._tell("chess_results.pairing/round", pairing)
        elif any(number in player.rounds for player in players):
            self._tell("chess_results.pairing/taken", pairing)
        elif white and black and white is not black:
            self._enter_game(number, white, black, pairing)
        elif white and pairing.black in _NOBODY:
            self._enter_bye(number, white, pairing)
        else:
            self._tell("chess_results.pairing/player", pairing)

    def _enter_game(
        self, number: int, white: PairedPlayer, black: PairedPlayer, pairing: _Pairing
    ) -> None:
        outcome = outcome_of(pairing.white_points, pairing.black_points, pairing.mark)
        if outcome is None:
            self._tell("chess_results.pairing", pairing)
            return
        if outcome.doubt:
            self._tell(outcome.doubt, pairing)
        if outcome.opponents:
            enter_game(number, white, black, outcome.codes)
        else:
            white.rounds[number] = Cell(outcome.codes[0])
            black.rounds[number] = Cell(outcome.codes[1])

    def _enter_bye(self, number: int, player: PairedPlayer, pairing: _Pairing) -> None:
        code = bye_of(pairing.white_points)
        if code is None:
            self._tell("chess_results.pairing", pairing)
        else:
            player.rounds[number] = Cell(code)

    def _leave_out_nameless(self) -> None:
        """Leave out the last numbers if they have no name, no ID and no result.

        Programs make them for places in teams that are not taken.
        """
        self.players.sort(key=lambda player: player.number)
        count = 0
        while len(self.players) > 1 and _is_vacant(self.players[-1]):
            self.players.pop()
            count += 1
        if count:
            several = "" if count > 1 else "/one"
            place = Place(self.file, self.number, field="players")
            self.findings.add(f"chess_results.nameless{several}", place, count=count)

    def _last_played(self) -> int:
        """Return the last round with a result; those after it are still to come."""
        held = (
            number
            for player in self.players
            for number, cell in player.rounds.items()
            if cell.code not in ("", "U")
        )
        return max(held, default=0)

    def _tell_points(self) -> None:
        """Compare the points with the results, if they are those of all rounds."""
        ranked = self.fact("rankinground", 3)
        if not _NUMBER.fullmatch(ranked) or int(ranked) != self.played:
            return
        for player in self.players:
            said = self.points.get(player.number, "").replace(",", ".")
            half_points = sum(
                SINGLE[cell.code].half_points
                for cell in player.rounds.values()
                if cell.code
            )
            if _POINTS.fullmatch(said) and float(said) * 2 != half_points:
                self.findings.add(
                    "chess_results.points",
                    Place(self.file, self.number, player.number),
                    points=float(said),
                    results=half_points / 2,
                )

    # The section

    def section(self, name: str) -> ReportedSection:
        players = sorted(self.players, key=lambda player: player.number)
        return ReportedSection(
            number=self.number,
            name=name[:60],
            time_control=self._control(),
            kind_letter=self._kind(),
            rounds=max(self._rounds_said(), self.played) or None,
            last_pairing_number=players[-1].number,
            fide=self.fact("ratedfide", 1).upper() == "J",
            entries=tuple(player.entry(self.played) for player in players),
        )

    def _rounds_said(self) -> int:
        said = self.fact("rounds", 3)
        number = int(said) if _NUMBER.fullmatch(said) else 0
        return number if number <= MAX_ROUNDS else 0

    def _kind(self) -> str:
        kind = self.fact("type", 2)
        if kind in _TEAMS:
            place = Place(self.file, self.number, field="kind_letter")
            self.findings.add("chess_results.teams", place)
        if kind == "1" and self.fact("replay", 3) == "2":
            return "D"
        return _KINDS.get(kind, "")

    def _control(self) -> str:
        written = self.fact("timecontrol", 200)
        control = _control(written)[:60]
        if written and control != written:
            self.findings.add(
                "chess_results.time_control",
                Place(self.file, self.number, field="time_control"),
                written=written,
                control=control,
            )
        return control

    def days(self) -> tuple[date | None, date | None]:
        """Return the first and last day; the rounds' days where they are missing."""
        names = ("from", "to")
        texts = [self.fact(name, 20) for name in names]
        today = self.findings.today
        chosen = choose_days(texts, self.round_days, today=today)
        others = chosen.others or chosen.days
        for name, written, day, other in zip(
            names, texts, chosen.days, others, strict=True
        ):
            place = Place(self.file, field=name)
            if day and other and day != other:
                said = {"day": say_day(day), "other": say_day(other)}
                kind = "value.date_spelling/unclear_text"
                self.findings.add(kind, place, written=written, **said)
            elif written.strip("0 /-.") and day is None:
                self.findings.add("chess_results.date", place, written=written)
        first, last = chosen.days
        rounds = [day for text in self.round_days if (day := day_in(text))]
        return first or min(rounds, default=None), last or max(rounds, default=None)

    def chief(self) -> str:
        """Return the member ID of the chief arbiter, blank where it is not known."""
        name = self.fact("chiefarbiter", 120)
        member_id = member_id_in(name)
        if name and not member_id:
            place = Place(self.file, field="chief_td_id")
            self.findings.add("chess_results.director", place, name=printable(name))
        return member_id


_OF_PLAYER = (
    *("no", "id", "lastname", "firstname", "fed", "fideid"),
    *("rtgfide", "rtgnat", "pts"),
)
# Whatever has one of these is a pairing, though it may be misspelled.
_OF_RESULT = {"whiteno", "blackno", "reswhite", "resblack"}
_OF_PAIRING = ("round", "whiteno", "blackno", "reswhite", "resblack", "forfeit")


def _is_vacant(player: PairedPlayer) -> bool:
    held = any(cell != Cell("U") for cell in player.rounds.values())
    return not (player.name or player.member_id or player.fide_id or held)


def _matching(shape: re.Pattern[str], text: str) -> str:
    return text if shape.fullmatch(text) else ""


def _control(written: str) -> str:
    """Return our spelling of words, of minutes as people write them, or of seconds.

    >>> _control("60+30"), _control("3600+30"), _control("20min")
    ('G/60;+30', 'G/60;+30', 'G/20;d0')
    """
    control = office_control(written)
    return from_seconds_code(written) or control if control == written else control


# The event of several files


def _event(tournaments: Sequence[_Tournament], findings: Collector) -> ReportedEvent:
    names = [tournament.fact("name", 160) for tournament in tournaments]
    name = _common_words(names)
    if not name:
        name = names[0]
        _tell_other_events(tournaments[1:], findings)
    days = [tournament.days() for tournament in tournaments]
    starts = min((first for first, _ in days if first), default=None)
    ends = max((last for _, last in days if last), default=None)
    places = (t.fact("location") for t in tournaments)
    city, state, zip_code = place_in(_first(filterfalse(is_address, places)))
    chiefs = [tournament.chief() for tournament in tournaments]
    sections = [
        replace(
            tournament.section(_own_name(name, whole) or whole),
            starts=None if first == starts else first,
            ends=None if last == ends else last,
        )
        for tournament, whole, (first, last) in zip(
            tournaments, names, days, strict=True
        )
    ]
    return ReportedEvent(
        name=name,
        starts=starts,
        ends=ends,
        city=city,
        state=state,
        zip_code=zip_code,
        country=_first(t.fact("federation", 3) for t in tournaments),
        send_crosstable="N",
        chief_td_id=_first(chiefs),
        sections=tuple(sections),
        total_sections=len(sections),
    )


def _common_words(names: Sequence[str]) -> str:
    """Return the words with which the names of one event's sections begin.

    >>> _common_words(["May Open - U1200", "May Open - U1600"])
    'May Open'
    """
    words = zip(*(name.split() for name in names), strict=False)
    common = takewhile(lambda alike: len(set(alike)) == 1, words)
    return " ".join(word for word, *_ in common).strip(_BETWEEN_NAMES)


def _own_name(event: str, whole: str) -> str:
    return whole.removeprefix(event).strip(_BETWEEN_NAMES)


def _tell_other_events(tournaments: Iterable[_Tournament], findings: Collector) -> None:
    for tournament in tournaments:
        place = Place(file=tournament.file)
        findings.add("file.other_event/tournament", place, name=tournament.file)


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")
