"""The lines of a history with their sources and ratings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import Section
from players.models import Player
from ratings.access import RatingViewer
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
    published,
    published_before,
    published_change,
)
from ratings.models import Calculation, RatingChange

NO_PERFORMANCES: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One ledger line as the history shows it.

    *before* and *after* are exact if the reader may see that, otherwise published.
    """

    day: date
    title: str
    section: str
    url: str
    why_url: str
    system: System
    half_points: int
    games: int
    before: float | None
    after: float
    marks: tuple[tuple[str, str], ...]
    source: str
    is_exact: bool
    change: int | None
    performance: int | None = None


def lines_with_sources(pks: list[int]) -> dict[int, RatingChange]:
    """Return lines with their sources, by primary key (one query)."""
    return RatingChange.objects.select_related(
        "calculation__section__event",
        "calculation__opening",
        "calculation__adjustment",
        "calculation__foreign__event",
    ).in_bulk(pks)


def line_of(
    change: RatingChange,
    player: Player,
    reader: RatingViewer,
    performances: Mapping[int, int] = NO_PERFORMANCES,
) -> HistoryLine:
    calculation = change.calculation
    is_exact = reader.can_see_exact(player.pk)
    place = place_of(calculation, player)
    return HistoryLine(
        day=calculation.age_day,
        title=place.title,
        section=place.section,
        url=place.url,
        why_url=place.why_url,
        system=System(calculation.system),
        half_points=change.half_points,
        games=change.games,
        before=reader.before(change),
        after=reader.after(change),
        marks=tuple(_marks(change, is_exact=is_exact)),
        source=place.source,
        is_exact=is_exact,
        change=published_change(published_before(change), published(change)),
        performance=performances.get(calculation.pk),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """The source of a ledger line as text and URLs."""

    title: str
    section: str = ""
    url: str = ""
    why_url: str = ""
    source: str = ""


def place_of(calculation: Calculation, player: Player) -> _Place:
    if calculation.section is not None:
        return _section_place(calculation.section, calculation.system, player)
    if calculation.foreign is not None:
        event = calculation.foreign.event
        why = reverse("ratings:foreign_why", args=[event.pk, player.member_id])
        return _Place(event.name, _("Foreign event"), event.get_absolute_url(), why)
    if calculation.adjustment is not None:
        kind = calculation.adjustment.get_kind_display()
        return _Place(_("Adjusted by the office"), source=kind)
    opening = calculation.opening
    return _Place(_("Starting rating"), source=opening.source if opening else "")


def _section_place(section: Section, system: str, player: Player) -> _Place:
    event = section.event
    where = [event.event_id, section.number]
    return _Place(
        event.name,
        section.name or _("Section {number}").format(number=section.number),
        section.get_absolute_url(),
        reverse("ratings:why", args=[*where, player.member_id, system]),
    )


def _marks(change: RatingChange, *, is_exact: bool) -> list[tuple[str, str]]:
    """Return the letters after a rating, each with its meaning."""
    marks = []
    if change.bonus:
        marks.append(("b", _bonus(change.bonus, is_exact=is_exact)))
    if change.floor_used is not None:
        marks.append(
            (
                "f",
                _("At the floor of {floor_used:.0f}").format(
                    floor_used=change.floor_used
                ),
            )
        )
    if change.ceiling_used is not None:
        marks.append(
            (
                "c",
                _("At the ceiling of {ceiling_used:.0f}").format(
                    ceiling_used=change.ceiling_used
                ),
            )
        )
    if change.calculation.is_late:
        marks.append(
            (
                "late",
                _("Reported late, so rated from the ratings of the day it was rated"),
            )
        )
    return marks


def _bonus(bonus: float, *, is_exact: bool) -> str:
    if is_exact:
        return _("Bonus of {bonus:.1f} points").format(bonus=bonus)
    points = official(bonus)
    return ngettext(
        "Bonus of {points} point", "Bonus of {points} points", points
    ).format(points=points)
