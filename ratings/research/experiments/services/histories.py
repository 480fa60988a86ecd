"""The games of an experiment: from the ledger, from a file, and stored."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext, gettext_noop

from events.models import Game, PackedSection, Section
from events.records.packed_section import UnpackedSection, unpack
from events.records.services.packing import pack_missing
from players.models import Player
from ratings.engine.time_controls import BadTimeControl, parse_time_control
from ratings.laboratory.history import History, HistoryBuilder, column_bytes
from ratings.laboratory.protocol import Games, OnlineFacts
from ratings.models import Calculation, GamesHistory, RatingChange
from ratings.research.experiments.plans import GameSelection
from ratings_site.common.db import in_array  # noqa: F401 (registers the lookup)
from ratings_site.common.web.files import groups

READ_BATCH_SIZE = 2000
QUERY_BATCH_SIZE = 5000
_COLUMNS = (
    ("white", "i"),
    ("black", "i"),
    ("points", "d"),
    ("days", "i"),
    ("events", "i"),
    ("minutes", "i"),
)


ONE_SIDED = gettext_noop(
    "Games left out because the two scores don’t add up to one point: {number:,}."
)
AGAINST_SELF = gettext_noop(
    "Games left out because both players are now one merged member: {number:,}."
)
OUTSIDE = gettext_noop(
    "Games left out because a player was outside the rating range: {number:,}."
)
Words = tuple[str, dict[str, Any] | None]
"""A sentence to be translated, with what is put in; None: it stands as it is."""
Finding = dict[str, Any]
"""What had to be left out: place, sentence, hints and effect, as they are stored."""


@dataclass(frozen=True)
class ExperimentGames:
    """The games that were read, and findings about those left out.

    *seeds* are the ratings of our own system that players begin with, by number;
    *high_water* is the newest calculation that was read.
    """

    history: History
    seeds: dict[int, float]
    findings: list[Finding] = field(default_factory=list)
    high_water: int = 0


class NoGames(Exception):
    """Raised if there are no games to run an experiment on; the message says why."""


# --- From the ledger ---


def read_ledger_games(chosen: GameSelection) -> ExperimentGames:
    """Read the *chosen* rated games, in rating order."""
    pack_missing()
    calculations = _calculations(chosen)
    high_water = max((pk for pk, _section in calculations), default=0)
    reader = _LedgerReader(chosen, _ratings(calculations))
    reader.expect(section for _pk, section in calculations)
    for batch in groups(
        sorted(section for _pk, section in calculations), QUERY_BATCH_SIZE
    ):
        colors = _colors(batch)
        for section_id, data in (
            PackedSection.objects.filter(section__in_array=batch)
            .values_list("section_id", "data")
            .order_by("section_id")
        ):
            reader.read(section_id, unpack(bytes(data)), colors[section_id])
    return reader.found(high_water)


def _colors(section_ids: Sequence[int]) -> defaultdict[int, list[str]]:
    """Return the first side's color in each game, in the order of packed games."""
    colors: defaultdict[int, list[str]] = defaultdict(list)
    games = (
        Game.objects.filter(section__in_array=section_ids)
        .order_by("section_id", "round_number", "leg", "first__pairing_number")
        .values_list("section_id", "first_color")
    )
    for section, color in games.iterator(chunk_size=READ_BATCH_SIZE):
        colors[section].append(color)
    return colors


def _calculations(chosen: GameSelection) -> list[tuple[int, int]]:
    """Return the calculations that count, each with its section, in rating order."""
    current = Calculation.objects.filter(
        system=chosen.system,
        is_current=True,
        section__isnull=False,
        section__status=Section.Status.RATED,
    )
    if chosen.first_day:
        current = current.filter(order_date__gte=chosen.first_day)
    if chosen.last_day:
        current = current.filter(order_date__lte=chosen.last_day)
    if chosen.state:
        current = current.filter(section__event__state=chosen.state)
    in_order = current.order_by(*Calculation.ORDER)
    return list(in_order.values_list("pk", "section_id"))


def _ratings(
    calculations: Sequence[tuple[int, int]],
) -> dict[tuple[int, int], float | None]:
    """Return each player's rating before each section; newcomers' is step 1's."""
    section_of = dict(calculations)
    ratings = {}
    for batch in groups([pk for pk, _section in calculations], QUERY_BATCH_SIZE):
        for calculation, player, pre, initial in (
            RatingChange.objects.filter(calculation__in_array=batch)
            .order_by()
            .values_list("calculation_id", "player_id", "pre_rating", "initial_rating")
            .iterator(chunk_size=READ_BATCH_SIZE)
        ):
            entered = initial if pre is None else pre
            ratings[section_of[calculation], player] = entered
    return ratings


class _LedgerReader:
    """Collects the games of packed sections, and where their players start."""

    def __init__(
        self, chosen: GameSelection, ratings: dict[tuple[int, int], float | None]
    ) -> None:
        self._chosen = chosen
        self._ratings = ratings
        self._builder = HistoryBuilder()
        self._owner = dict(
            Player.objects.filter(merged_into__isnull=False).values_list(
                "pk", "merged_into_id"
            )
        )
        self._numbers: dict[int, int] = {}
        # The day of a player's first game, its section, and the rating before it.
        self._starts: dict[int, tuple[int, int, float]] = {}
        self._left_out = dict.fromkeys((ONE_SIDED, AGAINST_SELF, OUTSIDE), 0)

    def expect(self, section_ids: Iterable[int]) -> None:
        """Number the sections in the order given: of one day, they are rated so."""
        for section_id in section_ids:
            self._builder.event(str(section_id))

    def read(
        self, section_id: int, section: UnpackedSection, colors: Sequence[str]
    ) -> None:
        """Take the games of one section; it is one event to the systems."""
        persons = [self._owner.get(pk, pk) for pk in section.players]
        event = self._builder.event(str(section_id))
        minutes = _minutes(section.time_control)
        day = section.ends.toordinal()
        for first, second, scores, color in zip(
            section.first, section.second, section.scores, colors, strict=True
        ):
            white, black = persons[first], persons[second]
            ours, theirs = divmod(scores, 3)
            if color == "B":
                white, black, ours, theirs = black, white, theirs, ours
            if ours + theirs != 2:
                self._left_out[ONE_SIDED] += 1
            elif white == black:
                self._left_out[AGAINST_SELF] += 1
            elif not self._is_in_band(section_id, white, black):
                self._left_out[OUTSIDE] += 1
            else:
                self._builder.game(
                    self._number(white, section_id, day),
                    self._number(black, section_id, day),
                    ours / 2,
                    day,
                    event,
                    minutes,
                    is_colored=bool(color),
                )

    def _is_in_band(self, section_id: int, *players: int) -> bool:
        low, high = self._chosen.low, self._chosen.high
        if low is None and high is None:
            return True
        ratings = [self._ratings.get((section_id, player)) for player in players]
        return all(
            rating is not None and (low or 0) <= rating <= (high or 10_000)
            for rating in ratings
        )

    def _number(self, player: int, section_id: int, day: int) -> int:
        number = self._numbers.get(player)
        if number is None:
            number = self._builder.player(str(player))
            self._numbers[player] = number
        rating = self._ratings.get((section_id, player))
        if rating is not None:
            start = self._starts.get(player)
            if start is None or (day, section_id) < start[:2]:
                self._starts[player] = (day, section_id, rating)
        return number

    def found(self, high_water: int) -> ExperimentGames:
        self._load_player_details()
        history = self._builder.build()
        return ExperimentGames(
            history=history,
            seeds={
                number: self._starts[int(player)][2]
                for number, player in enumerate(history.ids)
                if int(player) in self._starts
            },
            findings=self._findings(),
            high_water=high_water,
        )

    def _load_player_details(self) -> None:
        for batch in groups(sorted(self._numbers), QUERY_BATCH_SIZE):
            for pk, born, state in Player.objects.filter(
                pk__in_array=batch
            ).values_list("pk", "birth_date", "state"):
                year = born.year if born else None
                self._builder.player(str(pk), birth_year=year, state=state)

    def _findings(self) -> list[Finding]:
        place: Words = (gettext_noop("Ratings on record"), {})
        return [
            finding(place, (sentence, {"number": number}))
            for sentence, number in self._left_out.items()
            if number
        ]


def _minutes(time_control: str) -> int:
    """Return the time for sixty moves; 0 where the text cannot be read."""
    try:
        return parse_time_control(time_control).total
    except BadTimeControl:
        return 0


def finding(place: Words, sentence: Words, *hints: str, effect: str = "") -> Finding:
    """Return a finding as it is stored; `render_finding` translates it.

    *effect* is one of the readers' `Effect`, empty where unknown.
    """
    return {
        "place": list(place),
        "sentence": list(sentence),
        "hints": [hint for hint in hints if hint],
        "effect": effect,
    }


def render_finding(stored: Finding) -> dict[str, str]:
    """Return place, sentence and hint of a finding in the reader's language."""
    return {
        "place": _in_words(stored["place"]),
        "sentence": _in_words(stored["sentence"]),
        "hint": " ".join(gettext(hint) for hint in stored["hints"]),
    }


def _in_words(stored: list[Any]) -> str:
    text, values = stored
    if not text:
        return ""
    return text if values is None else gettext(text).format(**values)


# --- Storage ---


def store_games(found: ExperimentGames) -> GamesHistory:
    """Store the games, or return equal ones that are stored already.

    The result comes without their content, which may be hundreds of megabytes.
    """
    history = found.history
    seal, packer = sha256(), zlib.compressobj(6)
    parts = []
    for piece in _serialize(found):
        seal.update(piece)
        parts.append(packer.compress(piece))
    first, last = history.first_day, history.last_day
    stored = GamesHistory.objects.defer("content")
    kept, _created = stored.get_or_create(
        digest=seal.hexdigest(),
        defaults={
            "content": b"".join([*parts, packer.flush()]),
            "games": len(history),
            "players": len(history.ids),
            "first_day": date.fromordinal(first) if first else None,
            "last_day": date.fromordinal(last) if last else None,
        },
    )
    return stored.get(pk=kept.pk)


def _serialize(found: ExperimentGames) -> Iterator[bytes]:
    """Yield all that the laboratory reads of the games, as bytes.

    The length of a JSON header, the header, and the columns of the games.
    """
    history = found.history
    facts = {
        "ids": list(history.ids),
        "names": list(history.names),
        "birth_years": list(history.birth_years),
        "states": list(history.states),
        "event_names": list(history.event_names),
        "games": len(history),
        "seeds": sorted(found.seeds.items()),
    }
    if history.games.online:
        facts["online"] = list(history.games.online)
    head = json.dumps(facts, separators=(",", ":")).encode()
    yield len(head).to_bytes(8, "little")
    yield head
    for name, code in _COLUMNS:
        yield column_bytes(code, getattr(history.games, name))
    yield column_bytes("i", history.rated_days)
    yield column_bytes("b", history.games.colored)


def load_games(kept: GamesHistory) -> ExperimentGames:
    """Return the stored games of an experiment.

    Those stored before known colors were recorded end with the days.
    """
    data = zlib.decompress(bytes(kept.content))
    length = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + length])
    at = 8 + length
    columns: dict[str, Any] = {}
    for name, code in (*_COLUMNS, ("rated_days", "i")):
        column: array[Any] = array(code)
        size = column.itemsize * head["games"]
        column.frombytes(data[at : at + size])
        columns[name] = column
        at += size
    rated_days = columns.pop("rated_days")
    columns["colored"] = array("b", data[at:]) or ()
    columns["online"] = tuple(
        one and OnlineFacts.from_row(one) for one in head.get("online", ())
    )
    history = History(
        ids=tuple(head["ids"]),
        names=tuple(head["names"]),
        birth_years=tuple(head["birth_years"]),
        states=tuple(head["states"]),
        event_names=tuple(head["event_names"]),
        games=Games(**columns),
        rated_days=rated_days,
    )
    return ExperimentGames(history, dict(head["seeds"]))
