"""The entries of the feeds, newest first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, Value
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import Event, Section, SectionVersion
from players.members.queries import same_person_ids
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import Calculation, RatingChange, Run
from ratings.rerates.queries import published_rerates
from ratings.research.monthly.queries import (
    MonthlyComparison,
    monthly_comparisons,
    monthly_experiments,
)
from ratings_site.common.ui.formatting import (
    days,
    format_day,
    format_month,
    format_rating,
)

NEWS_ON_A_PAGE = 50
MEMBER_NEWS = 20


@dataclass(frozen=True, slots=True)
class News:
    """One entry of a feed. *key* is its permanent identifier."""

    key: str
    title: str
    text: str
    path: str
    published: datetime | None
    updated: datetime | None


def _page(
    rows: Any, number: int | str | None, read: Callable[[Any], list[News]]
) -> Page[News]:
    page = Paginator(rows, NEWS_ON_A_PAGE).get_page(number)
    page.object_list = read(page.object_list)
    return page


# Rated events


def rated_events(number: int | str | None = 1, *, state: str = "") -> Page[News]:
    """Return the events whose sections are all rated (three queries).

    Imported events are not included.
    """
    return _page(
        fully_rated(state), number, lambda events: [_event_news(one) for one in events]
    )


def fully_rated(state: str = "") -> QuerySet[Event]:
    waiting = Section.objects.filter(event=OuterRef("pk"), status=Section.Status.READY)
    rated = Section.objects.filter(event=OuterRef("pk"), status=Section.Status.RATED)
    events = Event.objects.filter(Exists(rated), ~Exists(waiting))
    if state:
        events = events.filter(state=state)
    current = Q(calculations__is_current=True)
    sections = Section.objects.order_by("number").annotate(
        rated_at=Max("calculations__created_at", filter=current)
    )
    # In the order in which the office accepted them.
    return (
        events.select_related("submission")
        .defer("submission__content", "submission__reader_findings")
        .prefetch_related(Prefetch("sections", sections))
        .order_by("-pk")
    )


def _event_news(event: Event) -> News:
    sections = event.sections.all()
    accepted = event.submission.decided_at or event.submission.received_at
    rated_at = (one.rated_at for one in sections)  # type: ignore[attr-defined]
    moments = [moment for moment in rated_at if moment is not None]
    number = len(sections)
    where = ", ".join(part for part in (event.city, event.state) if part)
    words = [
        days(event.starts, event.ends),
        where,
        ngettext("{number} section", "{number} sections", number).format(number=number),
    ]
    return News(
        key=f"events/{event.event_id}",
        title=event.name,
        text=" · ".join(part for part in words if part),
        path=event.get_absolute_url(),
        published=accepted,
        updated=max([accepted, *moments]),
    )


# Corrections and rerates

CORRECTION, RERATE = "correction", "rerate"


def corrections(number: int | str | None = 1) -> Page[News]:
    """Return corrected sections and published rerates together (four queries)."""
    return _page(_changed_records(), number, lambda rows: _changes_news(list(rows)))


def _changes_news(rows: list[tuple[str, datetime, int]]) -> list[News]:
    versions = _versions([pk for kind, _moment, pk in rows if kind == CORRECTION])
    runs = published_rerates().in_bulk([pk for kind, _, pk in rows if kind == RERATE])
    return [
        _version_news(versions[pk]) if kind == CORRECTION else _rerate_news(runs[pk])
        for kind, _moment, pk in rows
    ]


def _changed_records() -> QuerySet[SectionVersion, tuple[str, datetime, int]]:
    versions = SectionVersion.objects.filter(number__gt=1).order_by()
    runs = published_rerates().order_by()
    columns = ("of_kind", "moment", "pk")
    return (
        versions.annotate(of_kind=Value(CORRECTION), moment=F("made_at"))
        .values_list(*columns)
        .union(
            runs.select_related(None)
            .annotate(of_kind=Value(RERATE), moment=F("published_at"))
            .values_list(*columns)
        )
        .order_by("-moment", "of_kind", "-pk")
    )


def _versions(pks: Sequence[int]) -> dict[int, SectionVersion]:
    versions = SectionVersion.objects.select_related("section__event")
    return versions.defer("document").in_bulk(pks)


def _version_news(version: SectionVersion) -> News:
    section = version.section
    event = section.event
    return News(
        key=f"events/{event.event_id}/{section.number}/versions/{version.number}",
        title=_("Corrected: {event}, section {number}").format(
            event=event.name, number=section.number
        ),
        text=version.reason,
        path=section.get_absolute_url(),
        published=version.made_at,
        updated=version.made_at,
    )


def _rerate_news(run: Run) -> News:
    number = run.summary.get("whole_changes", 0)
    text = ngettext(
        "{number} rating has changed in whole numbers.",
        "{number} ratings have changed in whole numbers.",
        number,
    ).format(number=number)
    if run.status == Run.Status.UNDONE:
        text = _("It was undone. The earlier ratings are current again.")
    return News(
        key=f"rerates/{run.pk}",
        title=_("Rerate {number}").format(number=run.pk),
        text=text,
        path=reverse("ratings:rerate", args=[run.pk]),
        published=run.published_at,
        updated=run.undone_at or run.published_at,
    )


# The laboratory


def monthly_comparison_news(number: int | str | None = 1) -> Page[News]:
    """Return the results of the monthly comparisons (three queries)."""
    return _page(
        monthly_experiments(),
        number,
        lambda rows: [_comparison_news(one) for one in monthly_comparisons(rows)],
    )


def _comparison_news(shown: MonthlyComparison) -> News:
    best, ours = shown.best, shown.reference
    text = _("Scaled deviance {deviance} on {games} games.").format(
        deviance=f"{best.deviance[0]:.2f}", games=f"{shown.games:,}"
    )
    if ours is not None and ours is not best:
        text += " " + _("Our rules: {deviance}.").format(
            deviance=f"{ours.deviance[0]:.2f}"
        )
    return News(
        key=f"laboratory/standing/{shown.month:%Y-%m}",
        title=_("{month}: {system} predicts best").format(
            month=format_month(shown.month), system=best.label
        ),
        text=text,
        path=reverse("ratings:standing_of_month", args=[shown.month]),
        published=shown.published_at,
        updated=shown.published_at,
    )


# A member


def news_of_member(player: Player) -> Page[News]:
    """Return a member's rating changes in the last sections (two queries)."""
    lines = (
        RatingChange.objects.filter(
            player__in=same_person_ids([player.pk])[player.pk],
            calculation__is_current=True,
            calculation__section__isnull=False,
        )
        .select_related("calculation__section__event")
        .order_by(*(f"-calculation__{column}" for column in Calculation.ORDER), "-pk")
    )
    news = [
        _line_news(line, section, player)
        for line in lines[:MEMBER_NEWS]
        if (section := line.calculation.section) is not None
    ]
    return Paginator(news, MEMBER_NEWS).get_page(1)


def _line_news(line: RatingChange, section: Section, player: Player) -> News:
    calculation = line.calculation
    where = f"{section.event.event_id}/{section.number}"
    before = published_before(line)
    was = _("unrated") if before is None else format_rating(before)
    return News(
        key=f"players/{player.member_id}/{where}/{calculation.system}",
        title=f"{section.event.name}: {was} → {format_rating(published(line))}",
        text=(
            f"{System(calculation.system).label} · {format_day(calculation.age_day)}"
        ),
        path=section.get_absolute_url(),
        published=calculation.created_at,
        updated=calculation.created_at,
    )
