"""The sources that a rerate replays, in rating order."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from django.db.models import QuerySet

from events.models import ForeignGame, ForeignResult, PackedSection, Section
from events.records.services.packing import pack_missing
from ratings.engine.replay.arrays import NAN
from ratings.ledger.services.digests import adjustment_digest, opening_digest
from ratings.ledger.services.foreign_facts import (
    ForeignFacts,
    foreign_facts,
    foreign_result_digest,
)
from ratings.ledger.services.rating_inputs import SectionFacts
from ratings.ledger.services.rating_order import foreign_order_key
from ratings.models import Adjustment, Calculation, OpeningEntry
from ratings.rerates.services.hypothesis import NO_HYPOTHESIS, Hypothesis

Rank = Calculation.Rank
READ_BATCH_SIZE = 5000


class Source(NamedTuple):
    """One source to be rated. The first six fields are its place in rating order.

    *day* and *starts* are ordinals. *body* depends on the rank: the bytes of a packed
    section (or assumed facts), an `OpeningSource`, an `AdjustmentSource` or a
    `ForeignSource`.
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


class OpeningSource(NamedTuple):
    """A rating imported from earlier records. *record* is a word."""

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


class AdjustmentSource(NamedTuple):
    player: int
    system: str
    rating: float
    games: int


class ForeignSource(NamedTuple):
    """A member's games in a foreign event."""

    player: int
    is_youth: bool
    facts: ForeignFacts


def read_sources(
    from_day: date | None, supposed: Hypothesis = NO_HYPOTHESIS
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
    # No two sources have the same place, so only places are compared.
    sources.sort()
    return sources


def _rows(rows: QuerySet[Any], *fields: str) -> Iterator[tuple[Any, ...]]:
    return rows.values_list(*fields).iterator(chunk_size=READ_BATCH_SIZE)


def _openings(since: date) -> Iterator[Source]:
    for entry in OpeningEntry.objects.filter(as_of__gte=since).iterator(
        chunk_size=READ_BATCH_SIZE
    ):
        day = entry.as_of.toordinal()
        body = OpeningSource(
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
        body = AdjustmentSource(
            adjustment.player_id,
            adjustment.system,
            float(adjustment.rating),
            adjustment.games,
        )
        # An assumed adjustment has no primary key yet; it comes after the saved ones.
        pk = adjustment.pk or _NOT_YET + number
        digest = adjustment_digest(adjustment)
        yield Source(day, Rank.ADJUSTMENT, day, "", 0, pk, 1, digest, body)


_NOT_YET = 10**15


def _sections(since: date, supposed: Hypothesis) -> Iterator[Source]:
    """Yield the rated sections. Unrated ones are rated by their own job."""
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
    yield from _hypothetical_sections(supposed)


def _hypothetical_sections(supposed: Hypothesis) -> Iterator[Source]:
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
    """Yield the rated foreign results of members."""
    rated = ForeignResult.objects.filter(
        status=ForeignResult.Status.RATED, event__ends__gte=since
    ).select_related("event")
    games = _foreign_games(since)
    for result in rated.iterator(chunk_size=READ_BATCH_SIZE):
        facts = foreign_facts(games[result.pk])
        ends, rank, starts, event_id, number = foreign_order_key(result)
        yield Source(
            ends.toordinal(),
            rank,
            starts.toordinal(),
            event_id,
            number,
            result.pk,
            1,
            foreign_result_digest(result, facts),
            ForeignSource(result.player_id, result.event.is_youth, facts),
        )


def _foreign_games(since: date) -> defaultdict[int, list[ForeignGame]]:
    games: defaultdict[int, list[ForeignGame]] = defaultdict(list)
    for game in ForeignGame.objects.filter(result__event__ends__gte=since).order_by(
        "result", "round_number", "pk"
    ):
        games[game.result_id].append(game)
    return games


def source_column(rank: int) -> str:
    """Return the column of a calculation that refers to sources of this rank."""
    return f"{Calculation.SOURCES[rank]}_id"
