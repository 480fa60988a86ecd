"""The sources that a replay rates, in rating order, and assumptions about them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

from events.models import ForeignGame, ForeignResult, PackedSection, Section
from events.records.services.packing import pack_missing
from ratings.engine.inputs import Game, Kind
from ratings.engine.time_controls import parse_time_control
from ratings.engine.variation.variations import NO_VARIATION, Change, Variation
from ratings.ledger.services.digests import adjustment_digest, opening_digest
from ratings.ledger.services.foreign_facts import (
    ForeignFacts,
    foreign_facts,
    foreign_result_digest,
)
from ratings.ledger.services.rating_inputs import SectionFacts
from ratings.ledger.services.rating_order import foreign_order_key
from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    OpeningEntry,
)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Assumptions in addition to the records.

    *from_day* is the first day whose ratings may differ (None: all history). *facts*
    are the assumed facts of a section, None to leave it out. *merges* are pairs (kept,
    merged) of primary keys, *unmerges* merged members who count for themselves again.
    Grants and adjustments are unsaved objects that count in addition to the saved ones.
    *edition* is another edition of the rules, *rules* are their other differences.
    """

    from_day: date | None = None
    facts: Mapping[int, SectionFacts | None] = field(default_factory=dict)
    merges: Sequence[tuple[int, int]] = ()
    unmerges: Sequence[int] = ()
    floors: Sequence[Floor] = ()
    lowerings: Sequence[FloorLowering] = ()
    ceilings: Sequence[Ceiling] = ()
    adjustments: Sequence[Adjustment] = ()
    edition: str | None = None
    rules: Variation = NO_VARIATION

    @property
    def people(self) -> set[int]:
        """Return all players that it names, whether they have ratings or not."""
        played = (facts.persons for facts in self.facts.values() if facts is not None)
        return {
            *chain.from_iterable(played),
            *(kept for kept, _ in self.merges),
            *(one.player_id for one in self.adjustments),
        }


NO_HYPOTHESIS = Hypothesis()

# The columns of grants and adjustments that decide ratings, the member first.
_GRANT = ("player_id", "system", "level", "starts", "ends")
OBJECTS: dict[str, tuple[type[Model], tuple[str, ...]]] = {
    "floors": (Floor, _GRANT),
    "lowerings": (FloorLowering, ("player_id", "system", "level", "starts")),
    "ceilings": (Ceiling, _GRANT),
    "adjustments": (Adjustment, ("player_id", "system", "day", "rating", "games")),
}


def to_json(hypothesis: Hypothesis) -> dict[str, Any]:
    """Serialize a hypothesis; `from_json` parses it."""
    return {
        "from_day": _day_out(hypothesis.from_day),
        "facts": [
            [section, _facts_out(facts)] for section, facts in hypothesis.facts.items()
        ],
        "merges": [list(pair) for pair in hypothesis.merges],
        "unmerges": list(hypothesis.unmerges),
        "edition": hypothesis.edition,
        "rules": rules_to_json(hypothesis.rules),
        **{
            name: [
                {column: _day_out(getattr(one, column)) for column in columns}
                for one in getattr(hypothesis, name)
            ]
            for name, (_, columns) in OBJECTS.items()
        },
    }


def from_json(data: Mapping[str, Any]) -> Hypothesis:
    objects: dict[str, Any] = {
        name: [model(**_object_in(one)) for one in data[name]]
        for name, (model, _) in OBJECTS.items()
    }
    return Hypothesis(
        from_day=_day_in(data["from_day"]),
        facts={section: _facts_in(facts) for section, facts in data["facts"]},
        merges=[(kept, merged) for kept, merged in data["merges"]],
        unmerges=data["unmerges"],
        edition=data["edition"],
        rules=rules_from_json(data.get("rules", ())),
        **objects,
    )


def rules_to_json(variation: Variation) -> list[list[Any]]:
    """Serialize a variation of the rules: name, value, first, last."""
    return [
        [one.name, one.value, _day_out(one.first), _day_out(one.last)]
        for one in variation.changes
    ]


def rules_from_json(data: Sequence[Sequence[Any]]) -> Variation:
    """Parse the output of `rules_to_json`."""
    changes = (
        Change(name, value, _day_in(first), _day_in(last))
        for name, value, first, last in data
    )
    return Variation(tuple(changes))


def _object_in(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _day_in(value) if name in ("starts", "ends", "day") else value
        for name, value in columns.items()
    }


def _facts_out(facts: SectionFacts | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    return {
        "kind": facts.kind.value,
        "time_control": facts.time_control.text,
        "is_online": facts.is_online,
        "starts": facts.starts.isoformat(),
        "ends": facts.ends.isoformat(),
        "persons": list(facts.persons),
        "games": [[one.a, one.b, one.score_a, one.score_b] for one in facts.games],
    }


def _facts_in(data: Mapping[str, Any] | None) -> SectionFacts | None:
    if data is None:
        return None
    return SectionFacts(
        kind=Kind(data["kind"]),
        time_control=parse_time_control(data["time_control"]),
        is_online=data["is_online"],
        starts=date.fromisoformat(data["starts"]),
        ends=date.fromisoformat(data["ends"]),
        persons=tuple(data["persons"]),
        games=tuple(Game(*game) for game in data["games"]),
    )


def _day_out(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _day_in(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


Rank = Calculation.Rank
READ_BATCH_SIZE = 5000


class Source(NamedTuple):
    """One source to be rated. The first six fields are its place in rating order.

    *day* and *starts* are ordinals. *body* depends on the rank: the bytes of a packed
    section (or assumed facts), an `OpeningEntry`, an `Adjustment` or a
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


class ForeignSource(NamedTuple):
    """A member's games in a foreign event."""

    player_id: int
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
        digest = opening_digest(entry)
        yield Source(day, Rank.OPENING, day, "", 0, entry.pk, 1, digest, entry)


def _adjustments(since: date, supposed: Hypothesis) -> Iterator[Source]:
    made: list[Adjustment] = [
        *Adjustment.objects.filter(withdrawn_at=None, day__gte=since),
        *supposed.adjustments,
    ]
    for number, adjustment in enumerate(made):
        day = adjustment.day.toordinal()
        # An assumed adjustment has no primary key yet; it comes after the saved ones.
        pk = adjustment.pk or _NOT_YET + number
        digest = adjustment_digest(adjustment)
        yield Source(day, Rank.ADJUSTMENT, day, "", 0, pk, 1, digest, adjustment)


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
