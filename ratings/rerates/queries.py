"""Queries of the rerate pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, IntegerField, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from events.models import Entry, ForeignResult, Section
from players.models import Player
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
    published,
    published_before,
    published_change,
    published_difference,
)
from ratings.models import (
    Calculation,
    RatingChange,
    RerateMark,
    Run,
    RunDifference,
)
from ratings.models.run import MOVED, WHOLE_POINTS
from ratings_site.common.ui.charts.distributions import Bar, distribution_chart

SHOWN = 30
MAX_PENDING_RERATES = 200
MAX_LINES = 500


def pending_rerates() -> QuerySet[RerateMark]:
    return (
        RerateMark.objects.pending()
        .select_related("section__event", "player", "left_by")
        .order_by("from_day", "kind", "pk")
    )


def pending_rerates_by_kind() -> list[tuple[str, int]]:
    """Return how many rerates are pending of each kind, the commonest first."""
    counted = (
        RerateMark.objects.pending()
        .order_by()
        .values("kind")
        .annotate(number=Count("pk"))
    )
    found = [
        (str(RerateMark.Kind(one["kind"]).label), one["number"]) for one in counted
    ]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def rerates() -> QuerySet[Run]:
    """Return the rerates, the newest first."""
    return Run.objects.filter(kind=Run.Kind.RERATE).select_related(
        "requested_by", "published_by"
    )


def published_rerates() -> QuerySet[Run]:
    """Return the published rerates, the newest first."""
    return rerates().filter(status__in=[Run.Status.PUBLISHED, Run.Status.UNDONE])


def with_counts(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Add the numbers of rerated *sections* and of *changes* by a whole point."""
    return runs.annotate(
        sections=Cast(KT("summary__sections__count"), IntegerField()),
        changes=Cast(KT("summary__whole_changes"), IntegerField()),
    )


# The preview


@dataclass(frozen=True, slots=True)
class Mover:
    """A rating that moves by whole points; None is unrated."""

    player: Player
    system: System
    before: float | None
    after: float | None
    section: Section | None = None

    @property
    def difference(self) -> int | None:
        return published_change(self.before, self.after)


def build_preview(run: Run) -> dict[str, Any]:
    """Return what a run changes, from its summary (six queries at most).

    The entries of the summary come with the members and sections they name.
    """
    summary = run.summary
    if not summary:
        return {}
    titles = summary.get("titles", _NONE)["shown"]
    touched = {kind: summary[kind]["shown"] for kind in _TOUCHED} | {"titles": titles}
    movers = summary["movers"]
    players = Player.objects.in_bulk(
        {one["player"] for shown in (movers, *touched.values()) for one in shown}
    )
    causes = _causes(run, movers)
    return {
        "systems": [
            (system, *(summary[name].get(system, 0) for name in _COUNTED))
            for system in System
            if system in summary["whole"]
        ],
        "chart": histogram(summary["histogram"]),
        "movers": [
            Mover(
                players[one["player"]],
                System(one["system"]),
                one["before"],
                one["after"],
                section=causes.get((one["player"], one["system"])),
            )
            for one in movers
        ],
        "sections": _sections(summary["sections"]["shown"]),
        "left_out": _left_out(summary),
        "not_established": _not_established(summary),
        **{
            kind: [
                one
                | {"player": players[one["player"]], "system": System(one["system"])}
                for one in shown
            ]
            for kind, shown in touched.items()
        },
    }


_COUNTED = ("whole", "started", "ended")
_TOUCHED = ("floors", "established", "classes")
# Older rerates lack some entries: they failed, or rated what now stays unrated.
_NONE: dict[str, Any] = {"shown": []}


def _left_out(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the sources that were left out; *section* is None for a foreign result."""
    shown = summary.get("left_out", _NONE)["shown"]
    of_sections = [
        one["source"] for one in shown if one["rank"] == Calculation.Rank.SECTION
    ]
    sections = Section.objects.select_related("event").in_bulk(of_sections)
    return [
        one
        | {
            "section": sections.get(one["source"])
            if one["rank"] == Calculation.Rank.SECTION
            else None,
            "starts": date.fromisoformat(one["starts"]),
        }
        for one in shown
    ]


def _not_established(summary: dict[str, Any]) -> QuerySet[ForeignResult]:
    """Return the foreign results that stay unrated."""
    results = ForeignResult.objects.select_related("event", "player")
    shown = summary.get("not_established", _NONE)["shown"]
    return results.filter(pk__in=shown).order_by("event__ends", "pk")


def histogram(steps: dict[str, int]) -> str:
    """Draw how many ratings move by how many whole points, empty if none does."""
    if not any(steps.values()):
        return ""
    # In order; stored JSON does not keep it.
    in_steps = sorted(steps.items(), key=lambda step: int(step[0].split()[0]))
    bars = [Bar(label.replace("-", "−"), count) for label, count in in_steps]
    return distribution_chart(
        bars, title=_("Ratings by size of change"), chart_id="moves-chart"
    )


def _sections(shown: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    sections = Section.objects.select_related("event").in_bulk(
        [one["section"] for one in shown]
    )
    return [
        one | {"section": sections[one["section"]]}
        for one in shown
        if one["section"] in sections
    ]


def _causes(
    run: Run, movers: Sequence[dict[str, Any]]
) -> dict[tuple[int, str], Section | None]:
    """Return the first section at which each of the largest movers' lines differ."""
    lines = (
        RatingChange.objects.filter(
            calculation__run=run,
            calculation__superseded_by=None,
            player__in=[one["player"] for one in movers],
        )
        .select_related("calculation__section__event")
        .order_by(*(f"calculation__{name}" for name in Calculation.ORDER))
    )
    first: dict[tuple[int, str], Section | None] = {}
    for line in lines:
        calculation = line.calculation
        first.setdefault((line.player_id, calculation.system), calculation.section)
    return first


# Public


def rerate_causes(run: Run) -> list[RerateMark]:
    """Return the pending rerates that a rerate took in, each a public sentence."""
    marks = run.marks.select_related("player", "section__event").order_by(
        "from_day", "pk"
    )
    return list(marks[:MAX_PENDING_RERATES])


def largest_differences(run: Run) -> list[Mover]:
    """Return the ratings that a published rerate moved most, in whole points.

    Those published to the nearest 50 have no change and come last, so more are read
    than are shown.
    """
    rows = (
        run.differences.filter(MOVED)
        .select_related("player")
        .order_by(WHOLE_POINTS.desc(), "player__member_id", "system")
    )
    movers = [
        Mover(row.player, System(row.system), *published_difference(row))
        for row in rows[:MAX_LINES]
    ]
    movers.sort(key=lambda m: (-abs(m.difference or 0), m.player.member_id, m.system))
    return movers[:SHOWN]


def rated_before_and_after(run: Run) -> QuerySet[RunDifference]:
    return run.differences.filter(before__isnull=False, after__isnull=False)


@dataclass(frozen=True, slots=True)
class Revision:
    """A rerate that changed a member's current rating in whole points.

    *causes* are the public sentences of the pending rerates it took in: those about the
    member or their sections if there are any, else all.
    """

    run: Run
    system: System
    before: float | None
    after: float | None
    causes: list[str]
    published_at: datetime | None


def revisions_of(player: Player) -> list[Revision]:
    """Return the rerates that changed a rating of this member, the newest first.

    Costs three queries at most; none if it is known that there are none.
    """
    if not getattr(player, "has_revisions", True):
        return []
    rows = list(
        RunDifference.objects.filter(player=player, run__status=Run.Status.PUBLISHED)
        .select_related("run")
        .defer("run__progress", "run__summary")
        .order_by("-run__published_at", "system")
    )
    causes = _sentences([row.run_id for row in rows], player)
    return [
        Revision(
            run=row.run,
            system=System(row.system),
            before=before,
            after=after,
            causes=causes[row.run_id],
            published_at=row.run.published_at,
        )
        for row in rows
        for before, after in [published_difference(row)]
    ]


def _sentences(runs: Iterable[int], player: Player) -> defaultdict[int, list[str]]:
    own: defaultdict[int | None, list[str]] = defaultdict(list)
    every: defaultdict[int | None, list[str]] = defaultdict(list)
    marks = (
        RerateMark.objects.filter(run__in=set(runs))
        .select_related("player")
        .order_by("from_day", "pk")
    )
    marked = {mark.section_id for mark in marks if mark.section_id is not None}
    played = set(
        Entry.objects.filter(player=player, section__in_array=marked)
        .order_by()
        .values_list("section_id", flat=True)
    )
    for mark in marks:
        every[mark.run_id].append(mark.translated_note)
        if mark.player_id == player.pk or mark.section_id in played:
            own[mark.run_id].append(mark.translated_note)
    return defaultdict(
        list,
        {run: own[run] or notes for run, notes in every.items() if run is not None},
    )


@dataclass(frozen=True, slots=True)
class RevisedLine:
    """A source in a member's history, before and after a rerate.

    *old* and *new* are the published ratings before and after it; None means unrated,
    or no line.
    """

    calculation: Calculation
    system: System
    old: tuple[float | None, float | None]
    new: tuple[float | None, float | None]

    @property
    def differs(self) -> bool:
        """Return whether a whole number differs."""
        return [*map(_whole, self.old)] != [*map(_whole, self.new)]


def _whole(rating: float | None) -> int | None:
    return None if rating is None else official(rating)


def revised_lines(run: Run, player: Player) -> list[RevisedLine]:
    """Return a member's lines that a rerate wrote or replaced, in rating order.

    Two queries. Replaced lines of a merged duplicate are included.
    """
    new = _lines(player, calculation__run=run, calculation__superseded_by=None)
    replaced = _lines(player, calculation__superseded_by=run)
    old = {_source(line): line for line in replaced.exclude(calculation__run=run)}
    revised = [_revised(line, old.pop(_source(line), None), line) for line in new]
    revised += [_revised(line, line, None) for line in old.values()]
    revised.sort(key=lambda one: (one.calculation.order_key, one.system))
    return revised[:MAX_LINES]


def _lines(player: Player, **conditions: Any) -> QuerySet[RatingChange]:
    people = [player.pk, *player.duplicates.values_list("pk", flat=True)]
    return RatingChange.objects.filter(player__in=people, **conditions).select_related(
        "calculation__section__event",
        "calculation__opening",
        "calculation__adjustment",
        "calculation__foreign__event",
    )


def _source(line: RatingChange) -> tuple[Any, ...]:
    """Return the system of a line, and what was rated."""
    made = line.calculation
    return (made.system, *(getattr(made, f"{name}_id") for name in made.SOURCES))


def _revised(
    line: RatingChange, old: RatingChange | None, new: RatingChange | None
) -> RevisedLine:
    return RevisedLine(
        line.calculation,
        System(line.calculation.system),
        _published_around(old),
        _published_around(new),
    )


def _published_around(
    line: RatingChange | None,
) -> tuple[float | None, float | None]:
    if line is None:
        return None, None
    return published_before(line), published(line)
