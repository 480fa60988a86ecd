"""A section as one document, for versions, corrections and comparison.

Plain records without a database. They convert to JSON and back without loss, and equal
sections give equal text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from events.formats.result_codes import OTHER_COLOR
from ratings_site.common.ui.formatting import format_day

KIND_WORDS = {
    "swiss": "Swiss",
    "double_swiss": "double-game Swiss",
    "round_robin": "round robin",
    "double_round_robin": "double round robin",
    "match": "match",
    "other": "other",
}
# Stored with correction requests, so its values must not change.
NO_ONE = "nobody"
ROLE_WORDS = {
    "chief": "chief TD",
    "assistant": "assistant chief TD",
    "other": "another TD",
}
OUTCOME_WORDS = {"W": "won", "L": "lost", "D": "drawn"}
COLOR_WORDS = {"W": "with White", "B": "with Black", "": "color not reported"}
_MIRROR = str.maketrans("WL", "LW")
UNPLAYED_WORDS = {
    "B": "full-point bye",
    "H": "half-point bye",
    "X": "won by forfeit",
    "F": "lost by forfeit",
    "Z": "double forfeit",
}


class OfficialLine(NamedTuple):
    """A director; *scope* is "event" or "section"."""

    scope: str
    role: str
    member_id: str


class EntryLine(NamedTuple):
    """One pairing number. *player* is the member's primary key."""

    number: int
    member_id: str
    player: int
    name: str = ""
    reported_member_id: str = ""
    state: str = ""
    rating: str = ""


class GameLine(NamedTuple):
    """A game by pairing numbers; the first side has the lower one."""

    round_number: int
    leg: int
    first: int
    second: int
    first_color: str
    first_outcome: str
    second_outcome: str


class UnplayedLine(NamedTuple):
    """A bye or forfeit (``events.models.UnplayedRound``)."""

    number: int
    round_number: int
    kind: str
    opponent: int | None


class RoundCell(NamedTuple):
    """A round of one player: games (one letter each), a bye or forfeit, or nothing."""

    outcomes: str = ""
    theirs: str = ""
    opponent: int | None = None
    color: str = ""
    unplayed: str = ""

    @property
    def is_mirrored(self) -> bool:
        """Return whether the opponent's outcome mirrors this one in each game."""
        return self.outcomes.translate(_MIRROR) == self.theirs

    def in_words(self, *, color: bool = False) -> str:
        """Describe the round, optionally with the color.

        >>> RoundCell("W", "L", 7, "B").in_words(color=True)
        'won against 7 with Black'
        """
        against = f" against {self.opponent}" if self.opponent else ""
        if self.unplayed:
            return UNPLAYED_WORDS[self.unplayed] + against
        if not self.outcomes:
            return "no game"
        words = " and ".join(OUTCOME_WORDS[outcome] for outcome in self.outcomes)
        words += against
        if color:
            words += f" {COLOR_WORDS[self.color]}"
        if not self.is_mirrored:
            said = " and ".join(OUTCOME_WORDS[outcome] for outcome in self.theirs)
            words += f" (for whom it counts as {said})"
        return words


NO_GAME = RoundCell()
# By round and pairing number.
Cells = dict[tuple[int, int], RoundCell]


@dataclass(frozen=True)
class SectionDocument:
    """The content of a section in a fixed order."""

    name: str
    kind: str
    starts: date
    ends: date
    time_control: str
    is_online: bool
    rounds: int
    officials: tuple[OfficialLine, ...]
    entries: tuple[EntryLine, ...]
    games: tuple[GameLine, ...]
    unplayed: tuple[UnplayedLine, ...]
    # Facts of the event and so of all its sections; missing in early versions.
    event_name: str = ""
    city: str = ""
    state: str = ""

    def to_text(self) -> str:
        """Return the canonical text of this document."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data["starts"], data["ends"] = self.starts.isoformat(), self.ends.isoformat()
        return json.dumps(
            data, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )

    @classmethod
    def from_text(cls, text: str) -> SectionDocument:
        data: dict[str, Any] = json.loads(text)
        for name in ("starts", "ends"):
            data[name] = date.fromisoformat(data[name])
        for name, line in LINES.items():
            data[name] = tuple(line(*values) for values in data[name])
        return cls(**data)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.to_text().encode()).hexdigest()

    @property
    def is_double(self) -> bool:
        """Return whether a cell holds the two games of a round."""
        return self.kind == "double_swiss"

    def changed(self, **changes: Any) -> SectionDocument:
        """Return the document with fields changed and its lines sorted."""
        for name in LINES.keys() & changes.keys():
            changes[name] = tuple(sorted(changes[name], key=_sort_key))
        return replace(self, **changes)

    def entry(self, number: int) -> EntryLine | None:
        return self._entries.get(number)

    @cached_property
    def _entries(self) -> dict[int, EntryLine]:
        return {entry.number: entry for entry in self.entries}

    def cell(self, number: int, round_number: int) -> RoundCell:
        return self.cells.get((round_number, number), NO_GAME)

    @cached_property
    def cells(self) -> Cells:
        """Return every cell by round and pairing number; empty rounds are left out."""
        return cells_of(self.games, self.unplayed)


def cells_of(games: Iterable[GameLine], unplayed: Iterable[UnplayedLine]) -> Cells:
    """Return games (from both sides), byes and forfeits as cells."""
    cells: Cells = {}
    for line in unplayed:
        cells[line.round_number, line.number] = RoundCell(
            opponent=line.opponent, unplayed=line.kind
        )
    for game in games:
        ours, theirs = game.first_outcome, game.second_outcome
        color = game.first_color
        for number, opponent, our_color, mine, other in (
            (game.first, game.second, color, ours, theirs),
            (game.second, game.first, OTHER_COLOR[color], theirs, ours),
        ):
            place = (game.round_number, number)
            before = cells.get(place, NO_GAME)
            if before.outcomes:  # the second game of a double-game round
                cells[place] = before._replace(
                    outcomes=before.outcomes + mine, theirs=before.theirs + other
                )
            else:
                cells[place] = RoundCell(mine, other, opponent, our_color)
    return cells


LINES = {
    "officials": OfficialLine,
    "entries": EntryLine,
    "games": GameLine,
    "unplayed": UnplayedLine,
}


def _sort_key(line: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Sort lines by all their columns; no opponent comes before any."""
    return tuple((value is not None, value) for value in line)


@dataclass(frozen=True)
class Difference:
    """One difference between two versions, stored in English.

    *what* is empty for a result, whose text is complete.
    """

    what: str
    where: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        """Return a sentence in the active language.

        >>> print(Difference("time control", "Section", "G/60;d5", "G/30;d5").sentence)
        Section: time control G/60;d5, now G/30;d5.
        """
        values = {
            "where": self._place,
            "before": self._value(self.before),
            "after": self._value(self.after),
        }
        if not self.what:
            return _("{where}: {before}, now {after}.").format(**values)
        return _("{where}: {what} {before}, now {after}.").format(
            what=_translated(self.what), **values
        )

    @property
    def _place(self) -> str:
        numbers = _NUMBER.findall(self.where)
        if self._is_result:
            return _("Round {round}, pairing number {number}").format(
                round=numbers[0], number=numbers[1]
            )
        if numbers:
            return _("Pairing number {number}").format(number=numbers[0])
        return _translated(self.where)

    @property
    def _is_result(self) -> bool:
        return self.where.startswith("Round")

    def _value(self, value: str) -> str:
        if _ISO_DAY.fullmatch(value):
            return format_day(date.fromisoformat(value))
        if self._is_result or self.what in ROLE_WORDS.values():
            return _PHRASE.sub(lambda found: _translated(found[0]), value)
        return _translated(value)

    def to_json(self) -> list[str]:
        return [self.what, self.where, self.before, self.after]


_NUMBER = re.compile(r"\d+")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Translations of the texts that differences are stored with.
TRANSLATIONS: dict[str, str | Promise] = {
    "Event": gettext_lazy("Event"),
    "Section": gettext_lazy("Section"),
    "name": pgettext_lazy("difference", "name"),
    "city": pgettext_lazy("difference", "city"),
    "state": pgettext_lazy("difference", "state"),
    "type": pgettext_lazy("difference", "type"),
    "first day": pgettext_lazy("difference", "first day"),
    "last day": pgettext_lazy("difference", "last day"),
    "time control": pgettext_lazy("difference", "time control"),
    "played": pgettext_lazy("difference", "played"),
    "rounds": pgettext_lazy("difference", "rounds"),
    "chief TD": pgettext_lazy("difference", "chief TD"),
    "assistant chief TD": pgettext_lazy("difference", "assistant chief TD"),
    "another TD": pgettext_lazy("difference", "another TD"),
    "member ID": pgettext_lazy("difference", "member ID"),
    "name as reported": pgettext_lazy("difference", "name as reported"),
    "state as reported": pgettext_lazy("difference", "state as reported"),
    "rating as reported": pgettext_lazy("difference", "rating as reported"),
    "Swiss": pgettext_lazy("difference", "Swiss"),
    "double-game Swiss": pgettext_lazy("difference", "double-game Swiss"),
    "round robin": pgettext_lazy("difference", "round robin"),
    "double round robin": pgettext_lazy("difference", "double round robin"),
    "match": pgettext_lazy("difference", "match"),
    "other": pgettext_lazy("difference", "other"),
    "online": pgettext_lazy("difference", "online"),
    "over the board": pgettext_lazy("difference", "over the board"),
    "nothing": pgettext_lazy("difference", "nothing"),
    "no game": pgettext_lazy("difference", "no game"),
    NO_ONE: pgettext_lazy("difference", "none"),
    "won": pgettext_lazy("difference", "won"),
    "lost": pgettext_lazy("difference", "lost"),
    "drawn": pgettext_lazy("difference", "drawn"),
    "and": pgettext_lazy("difference", "and"),
    "against": pgettext_lazy("difference", "against"),
    "with White": pgettext_lazy("difference", "with White"),
    "with Black": pgettext_lazy("difference", "with Black"),
    "color not reported": pgettext_lazy("difference", "color not reported"),
    "for whom it counts as": pgettext_lazy("difference", "for whom it counts as"),
    "full-point bye": pgettext_lazy("difference", "full-point bye"),
    "half-point bye": pgettext_lazy("difference", "half-point bye"),
    "won by forfeit": pgettext_lazy("difference", "won by forfeit"),
    "lost by forfeit": pgettext_lazy("difference", "lost by forfeit"),
    "double forfeit": pgettext_lazy("difference", "double forfeit"),
}
_LONGEST_FIRST = sorted(map(re.escape, TRANSLATIONS), key=len, reverse=True)
_PHRASE = re.compile(rf"\b(?:{'|'.join(_LONGEST_FIRST)})\b")


def _translated(words: str) -> str:
    return str(TRANSLATIONS.get(words, words))


def diff(old: SectionDocument, new: SectionDocument) -> list[Difference]:
    """Return the differences, in the order in which people read a section."""
    return [
        *_field_differences(old, new),
        *_official_differences(old, new),
        *_entry_differences(old, new),
        *_cell_differences(old, new),
    ]


def _field_differences(
    old: SectionDocument, new: SectionDocument
) -> Iterator[Difference]:
    befores, afters = _field_words(old), _field_words(new)
    for (where, what), before in befores.items():
        if where == "Event" and not old.event_name:
            continue  # an early version without the facts of the event
        if before != (after := afters[where, what]):
            yield Difference(what, where, before, after)


def _field_words(document: SectionDocument) -> dict[tuple[str, str], str]:
    return {
        ("Event", "name"): f"“{document.event_name}”",
        ("Event", "city"): document.city or "nothing",
        ("Event", "state"): document.state or "nothing",
        ("Section", "name"): f"“{document.name}”",
        ("Section", "type"): KIND_WORDS[document.kind],
        ("Section", "first day"): document.starts.isoformat(),
        ("Section", "last day"): document.ends.isoformat(),
        ("Section", "time control"): document.time_control,
        ("Section", "played"): "online" if document.is_online else "over the board",
        ("Section", "rounds"): str(document.rounds),
    }


def _official_differences(
    old: SectionDocument, new: SectionDocument
) -> Iterator[Difference]:
    gone = [line for line in old.officials if line not in new.officials]
    come = [line for line in new.officials if line not in old.officials]
    for place in sorted({line[:2] for line in (*gone, *come)}):
        scope, role = place
        yield Difference(
            ROLE_WORDS[role],
            scope.capitalize(),
            _ids(line for line in gone if line[:2] == place),
            _ids(line for line in come if line[:2] == place),
        )


def _ids(lines: Iterable[OfficialLine]) -> str:
    return " and ".join(line.member_id for line in lines) or NO_ONE


ENTRY_FIELDS = {
    "member_id": "member ID",
    "name": "name as reported",
    "state": "state as reported",
    "rating": "rating as reported",
}


def _entry_differences(
    old: SectionDocument, new: SectionDocument
) -> Iterator[Difference]:
    for entry in new.entries:
        before = old.entry(entry.number)
        if before is None:
            member = f"{entry.name} ({entry.member_id})".strip()
            where = f"Pairing number {entry.number}"
            yield Difference("", where, NO_ONE, member)
            continue
        if before == entry:
            continue
        for field, what in ENTRY_FIELDS.items():
            values = getattr(before, field), getattr(entry, field)
            if values[0] != values[1]:
                yield Difference(
                    what,
                    f"Pairing number {entry.number}",
                    *(value or "nothing" for value in values),
                )


def _cell_differences(
    old: SectionDocument, new: SectionDocument
) -> Iterator[Difference]:
    """Yield each changed game once, from the side of the lower number.

    Where opponents changed, both sides are listed.
    """
    told = set()
    old_cells, new_cells = _changed_cells(old, new), _changed_cells(new, old)
    for place in sorted(old_cells.keys() | new_cells.keys()):
        round_number, number = place
        before = old_cells.get(place, NO_GAME)
        after = new_cells.get(place, NO_GAME)
        if before == after:
            continue
        keeps_opponent = before.opponent == after.opponent
        met = before.opponent
        if met and keeps_opponent:
            if (round_number, met) in told:
                continue
            told.add(place)
        both_games = bool(before.outcomes and after.outcomes)
        color = keeps_opponent and both_games and before.color != after.color
        yield Difference(
            "",
            f"Round {round_number}, pairing number {number}",
            before.in_words(color=color),
            after.in_words(color=color),
        )


def members_concerned(old: SectionDocument, new: SectionDocument) -> set[int]:
    """Return the members whose own row or game differs in either version."""
    places = {*_changed_cells(old, new), *_changed_cells(new, old)}
    numbers = {number for _, number in places}
    numbers |= {entry.number for entry in set(old.entries) ^ set(new.entries)}
    return {
        entry.player
        for document in (old, new)
        for entry in document.entries
        if entry.number in numbers
    }


def _changed_cells(document: SectionDocument, other: SectionDocument) -> Cells:
    """Return the document's cells at the places where the two differ.

    Few cells of a large section change, and building all of them is slow.
    """
    games = set(document.games) ^ set(other.games)
    marks = set(document.unplayed) ^ set(other.unplayed)
    places = {(line.round_number, line.number) for line in marks}
    for game in games:
        places |= {(game.round_number, game.first), (game.round_number, game.second)}
    return cells_of(
        (
            game
            for game in document.games
            if (game.round_number, game.first) in places
            or (game.round_number, game.second) in places
        ),
        (
            line
            for line in document.unplayed
            if (line.round_number, line.number) in places
        ),
    )
