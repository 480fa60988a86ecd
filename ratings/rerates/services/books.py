"""What a rerate replays: every source of ratings, in rating order, from the books."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from django.db.models import QuerySet

from events.books.services.packing import pack_missing
from events.models import ForeignGame, ForeignResult, PackedSection, Section
from ratings.engine.replay.arrays import NAN
from ratings.ledger.services.cards import SectionFacts
from ratings.ledger.services.digests import adjustment_digest, opening_digest
from ratings.ledger.services.foreign_facts import (
    ForeignFacts,
    digest_of_foreign,
    foreign_facts,
)
from ratings.ledger.services.order import place_of_foreign
from ratings.models import Adjustment, Calculation, OpeningEntry
from ratings.rerates.services.hypothesis import NOTHING_SUPPOSED, Hypothesis

Rank = Calculation.Rank
READ_AT_A_TIME = 5000


class Source(NamedTuple):
    """One thing to be rated. The first six fields are its place in rating order.

    *day* and *starts* are ordinals. *body* depends on the rank: the bytes of a packed
    section (or supposed facts), an `Opened`, an `Adjusted` or a `Foreign`.
    """

    day: int
    rank: int
    starts: int
    event_id: str
    number: int
    pk: int
    version: int
    digest: str
    body: Any


class Opened(NamedTuple):
    """A rating taken over from earlier books. *record* is a word."""

    player: int
    system: str
    rating: float
    games: int
    record: str
    wins: int
    draws: int
    losses: int
    three_game_events: int
    peak: float


class Adjusted(NamedTuple):
    player: int
    system: str
    rating: float
    games: int


class Foreign(NamedTuple):
    """A member's games abroad."""

    player: int
    is_youth: bool
    facts: ForeignFacts


def read_sources(
    from_day: date | None, supposed: Hypothesis = NOTHING_SUPPOSED
) -> list[Source]:
    """Return every source from *from_day* on (None: all) in rating order."""
    pack_missing()
    since = from_day or date.min
    sources = [
        *_openings(since),
        *_adjustments(since, supposed),
        *_sections(since, supposed),
        *_foreign_results(since),
    ]
    # No two sources have the same place, so nothing beyond the place is compared.
    sources.sort()
    return sources


def _rows(rows: QuerySet, *fields: str) -> Iterator[tuple]:
    return rows.values_list(*fields).iterator(chunk_size=READ_AT_A_TIME)


def _openings(since: date) -> Iterator[Source]:
    for entry in OpeningEntry.objects.filter(as_of__gte=since).iterator(
        chunk_size=READ_AT_A_TIME
    ):
        day = entry.as_of.toordinal()
        body = Opened(
            entry.player_id,
            entry.system,
            entry.rating,
            entry.games,
            entry.record,
            entry.wins,
            entry.draws,
            entry.losses,
            entry.three_game_events,
            NAN if entry.peak is None else entry.peak,
        )
        digest = opening_digest(entry)
        yield Source(day, Rank.OPENING, day, "", 0, entry.pk, 1, digest, body)


def _adjustments(since: date, supposed: Hypothesis) -> Iterator[Source]:
    made: list[Adjustment] = [
        *Adjustment.objects.filter(withdrawn_at=None, day__gte=since),
        *supposed.adjustments,
    ]
    for number, adjustment in enumerate(made):
        day = adjustment.day.toordinal()
        body = Adjusted(
            adjustment.player_id,
            adjustment.system,
            float(adjustment.rating),
            adjustment.games,
        )
        # A supposed adjustment has no number yet; it comes after the real ones.
        pk = adjustment.pk or _NOT_YET + number
        digest = adjustment_digest(adjustment)
        yield Source(day, Rank.ADJUSTMENT, day, "", 0, pk, 1, digest, body)


_NOT_YET = 10**15


def _sections(since: date, supposed: Hypothesis) -> Iterator[Source]:
    """Yield the rated sections. What waits to be rated is rated by its own job."""
    rated = PackedSection.objects.filter(
        section__status=Section.Status.RATED, section__ends__gte=since
    )
    for pk, ends, starts, event_id, number, version, digest, data in _rows(
        rated,
        "section_id",
        "section__ends",
        "section__starts",
        "section__event__event_id",
        "section__number",
        "version",
        "digest",
        "data",
    ):
        if pk in supposed.facts:
            continue
        day, begin = ends.toordinal(), starts.toordinal()
        yield Source(
            day, Rank.SECTION, begin, event_id, number, pk, version, digest, bytes(data)
        )
    yield from _supposed_sections(supposed)


def _supposed_sections(supposed: Hypothesis) -> Iterator[Source]:
    facts: SectionFacts | None
    for pk, event_id, number in Section.objects.filter(
        pk__in=supposed.facts
    ).values_list("pk", "event__event_id", "number"):
        facts = supposed.facts[pk]
        if facts is not None:
            yield Source(
                facts.ends.toordinal(),
                Rank.SECTION,
                facts.starts.toordinal(),
                event_id,
                number,
                pk,
                0,
                "supposed",
                facts,
            )


def _foreign_results(since: date) -> Iterator[Source]:
    """Yield the rated results of members abroad."""
    rated = ForeignResult.objects.filter(
        status=ForeignResult.Status.RATED, event__ends__gte=since
    ).select_related("event")
    games = _games_abroad(since)
    for result in rated.iterator(chunk_size=READ_AT_A_TIME):
        facts = foreign_facts(games[result.pk])
        ends, rank, starts, event_id, number = place_of_foreign(result)
        yield Source(
            ends.toordinal(),
            rank,
            starts.toordinal(),
            event_id,
            number,
            result.pk,
            1,
            digest_of_foreign(result, facts),
            Foreign(result.player_id, result.event.is_youth, facts),
        )


def _games_abroad(since: date) -> defaultdict[int, list[ForeignGame]]:
    games: defaultdict[int, list[ForeignGame]] = defaultdict(list)
    for game in ForeignGame.objects.filter(result__event__ends__gte=since).order_by(
        "result", "round_number", "pk"
    ):
        games[game.result_id].append(game)
    return games


def source_column(rank: int) -> str:
    """Return the column of a calculation that names sources of this rank."""
    return f"{Calculation.SOURCES[rank]}_id"
