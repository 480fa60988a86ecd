"""Queries of the rerate pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import groupby
from typing import Any

from django.db.models import Count, QuerySet
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


@dataclass(frozen=True, slots=True)
class PendingRerateDay:
    """The pending rerates of a day from which ratings may change."""

    day: date
    marks: list[RerateMark]


def pending_rerate_days() -> list[PendingRerateDay]:
    """Return the pending rerates by first day, the earliest first."""
    marks = pending_rerates()[:MAX_PENDING_RERATES]
    return [
        PendingRerateDay(day, list(some))
        for day, some in groupby(marks, lambda m: m.from_day)
    ]


def pending_rerates() -> QuerySet[RerateMark]:
    return (
        RerateMark.objects.filter(run=None)
        .select_related("section__event", "player", "left_by")
        .order_by("from_day", "kind", "pk")
    )


def pending_rerates_by_kind() -> list[tuple[str, int]]:
    """Return how many rerates are pending of each kind, the commonest first."""
    counted = (
        RerateMark.objects.filter(run=None)
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


# The preview


@dataclass(frozen=True, slots=True)
class Mover:
    """A rating that moves by whole points; None is unrated."""

    player: Player
    system: System
    before: float | None
    after: float | None
    why: str = ""
    section: Section | None = None

    @property
    def difference(self) -> int | None:
        return published_change(self.before, self.after)


@dataclass(frozen=True, slots=True)
class AffectedMember:
    """A member whose floor, status or class differs; *before* and *after* in words."""

    player: Player
    system: System
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class AffectedTitle:
    """A member whose games above 2200 cross the number the Life Master title needs.

    *what*: "earned", "lost", or "confirmed" for who has the title and loses the games.
    """

    player: Player
    before: int
    after: int
    what: str


@dataclass(frozen=True, slots=True)
class ChangedSection:
    section: Section
    players: int
    largest: float


@dataclass(frozen=True, slots=True)
class SkippedSourceRow:
    """A source that cannot be calculated because *rules* are unknown for its day.

    *section* is None for a foreign result.
    """

    section: Section | None
    starts: date
    rules: list[str]


@dataclass(slots=True)
class Preview:
    """A finished run in figures, with the members and sections it names."""

    systems: list[tuple[System, int, int, int]] = field(default_factory=list)
    chart: str = ""
    movers: list[Mover] = field(default_factory=list)
    sections: list[ChangedSection] = field(default_factory=list)
    floors: list[AffectedMember] = field(default_factory=list)
    established: list[AffectedMember] = field(default_factory=list)
    classes: list[AffectedMember] = field(default_factory=list)
    titles: list[AffectedTitle] = field(default_factory=list)
    left_out: list[SkippedSourceRow] = field(default_factory=list)
    not_established: list[ForeignResult] = field(default_factory=list)


def build_preview(run: Run) -> Preview:
    """Return what a run changes, from its summary (six queries at most)."""
    summary = run.summary
    if not summary:
        return Preview()
    kinds = ("floors", "established", "classes")
    titles = _titles(summary)
    named = [
        *summary["movers"],
        *titles,
        *(one for kind in kinds for one in summary[kind]["shown"]),
    ]
    players = Player.objects.in_bulk({one["player"] for one in named})
    causes = _causes(run, summary["movers"])
    touched = {
        kind: [
            AffectedMember(
                players[one["player"]],
                System(one["system"]),
                one["before"],
                one["after"],
            )
            for one in summary[kind]["shown"]
        ]
        for kind in kinds
    }
    return Preview(
        systems=[
            (
                system,
                summary["whole"].get(system, 0),
                summary["started"].get(system, 0),
                summary["ended"].get(system, 0),
            )
            for system in System
            if system in summary["whole"]
        ],
        chart=histogram(summary["histogram"]),
        movers=[
            Mover(
                players[one["player"]],
                System(one["system"]),
                one["before"],
                one["after"],
                section=causes.get((one["player"], one["system"])),
            )
            for one in summary["movers"]
        ],
        sections=_sections(summary["sections"]["shown"]),
        titles=[
            AffectedTitle(
                players[one["player"]], one["before"], one["after"], one["what"]
            )
            for one in titles
        ],
        left_out=_left_out(summary),
        not_established=_not_established(summary),
        **touched,
    )


def _left_out(summary: dict[str, Any]) -> list[SkippedSourceRow]:
    """Return the sources that were left out; older rerates failed instead."""
    shown = summary["left_out"]["shown"] if "left_out" in summary else []
    if not shown:
        return []
    sections = Section.objects.select_related("event").in_bulk(
        [one["source"] for one in shown if one["rank"] == Calculation.Rank.SECTION]
    )
    return [
        SkippedSourceRow(
            sections.get(one["source"])
            if one["rank"] == Calculation.Rank.SECTION
            else None,
            date.fromisoformat(one["starts"]),
            one["rules"],
        )
        for one in shown
    ]


def _not_established(summary: dict[str, Any]) -> list[ForeignResult]:
    """Return the foreign results that stay unrated; older rerates rated them."""
    shown = summary.get("not_established", {}).get("shown")
    if not shown:
        return []
    results = ForeignResult.objects.select_related("event", "player")
    return list(results.filter(pk__in=shown).order_by("event__ends", "pk"))


def _titles(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the titles affected; older rerates do not have them."""
    return summary["titles"]["shown"] if "titles" in summary else []


def histogram(steps: dict[str, int]) -> str:
    """Draw how many ratings move by how many whole points, empty if none does."""
    if not any(steps.values()):
        return ""
    bars = [Bar(label.replace("-", "−"), count) for label, count in _in_steps(steps)]
    return distribution_chart(
        bars, title=_("Ratings by size of change"), chart_id="moves-chart"
    )


def _in_steps(steps: dict[str, int]) -> list[tuple[str, int]]:
    """Put the bars in order; stored JSON does not keep it."""

    def size(label: str) -> int:
        return int(label.split()[0])

    return sorted(steps.items(), key=lambda step: size(step[0]))


def _sections(shown: Sequence[dict[str, Any]]) -> list[ChangedSection]:
    sections = Section.objects.select_related("event").in_bulk(
        [one["section"] for one in shown]
    )
    return [
        ChangedSection(sections[one["section"]], one["players"], one["largest"])
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
    marks = run.marks.select_related("section__event").order_by("from_day", "pk")
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
    marks = RerateMark.objects.filter(run__in=set(runs)).order_by("from_day", "pk")
    marked = {mark.section_id for mark in marks if mark.section_id is not None}
    played = set(
        Entry.objects.filter(player=player, section__in_array=marked)
        .order_by()
        .values_list("section_id", flat=True)
    )
    for mark in marks:
        every[mark.run_id].append(mark.note)
        if mark.player_id == player.pk or mark.section_id in played:
            own[mark.run_id].append(mark.note)
    return defaultdict(
        list,
        {run: own[run] or notes for run, notes in every.items() if run is not None},
    )


@dataclass(frozen=True, slots=True)
class RevisedLine:
    """A source in a member's history, before and after a rerate.

    Published ratings before and after it; None means unrated, or no line.
    """

    calculation: Calculation
    system: System
    old_pre: float | None
    old_post: float | None
    new_pre: float | None
    new_post: float | None

    @property
    def differs(self) -> bool:
        """Return whether a whole number differs."""
        old, new = (self.old_pre, self.old_post), (self.new_pre, self.new_post)
        return [_whole(x) for x in old] != [_whole(x) for x in new]


def _whole(rating: float | None) -> int | None:
    return None if rating is None else official(rating)


def revised_lines(run: Run, player: Player) -> list[RevisedLine]:
    """Return a member's lines that a rerate wrote or replaced, in rating order.

    Two queries. Replaced lines of a merged duplicate are included.
    """
    new = _lines(player, calculation__run=run, calculation__superseded_by=None)
    old = {
        (key, system): line
        for key, system, line in _keyed(
            _lines(player, calculation__superseded_by=run).exclude(calculation__run=run)
        )
    }
    revised = [
        _revised(line, old.pop((key, system), None), line)
        for key, system, line in _keyed(new)
    ]
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


def _keyed(
    lines: Iterable[RatingChange],
) -> Iterable[tuple[tuple[Any, ...], str, RatingChange]]:
    for line in lines:
        made = line.calculation
        source = (
            made.section_id,
            made.opening_id,
            made.adjustment_id,
            made.foreign_id,
        )
        yield source, made.system, line


def _revised(
    line: RatingChange, old: RatingChange | None, new: RatingChange | None
) -> RevisedLine:
    old_pre, old_post = _published_around(old)
    new_pre, new_post = _published_around(new)
    return RevisedLine(
        calculation=line.calculation,
        system=System(line.calculation.system),
        old_pre=old_pre,
        old_post=old_post,
        new_pre=new_pre,
        new_post=new_post,
    )


def _published_around(
    line: RatingChange | None,
) -> tuple[float | None, float | None]:
    if line is None:
        return None, None
    return published_before(line), published(line)
