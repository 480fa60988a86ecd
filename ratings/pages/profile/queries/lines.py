"""The lines of a history with their sources, ratings and performances.

Imported events have the numbers that their reports print, no change and no derivation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import NamedTuple

from django.db.models import Count, F
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.formats.played_games import HALF_POINTS
from events.models import Entry, Game, Section
from players.models import Player
from ratings.access import RatingViewer
from ratings.engine.numbers import official
from ratings.engine.performance import linear_performance
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import SIDES, OpponentGame
from ratings.ledger.queries.published_ratings import (
    published,
    published_before,
    published_change,
)
from ratings.models import Calculation, RatingChange
from ratings_site.common.ui.formatting import format_with_decimals

NO_PERFORMANCES: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class _Place:
    """The source of a ledger line as text and URLs."""

    title: str
    section: str = ""
    url: str = ""
    why_url: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine(_Place):
    """One ledger line as the history shows it.

    *before* and *after* are exact if the reader may see that, otherwise published.
    """

    day: date
    system: System
    half_points: int
    games: int
    before: float | None
    after: float
    marks: tuple[tuple[str, str], ...]
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
    return HistoryLine(
        **asdict(place_of(calculation, player)),
        day=calculation.age_day,
        system=System(calculation.system),
        half_points=change.half_points,
        games=change.games,
        before=reader.before(change),
        after=reader.after(change),
        marks=tuple(_marks(change, is_exact=is_exact)),
        is_exact=is_exact,
        change=published_change(published_before(change), published(change)),
        performance=performances.get(calculation.pk),
    )


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
    where = [event.event_id, section.number, player.member_id, system]
    return _Place(
        event.name,
        _name_of(section),
        section.get_absolute_url(),
        reverse("ratings:why", args=where),
    )


def _name_of(section: Section) -> str:
    return section.name or _("Section {number}").format(number=section.number)


def _marks(change: RatingChange, *, is_exact: bool) -> Iterator[tuple[str, str]]:
    """Yield the letters after a rating, each with its meaning."""
    if change.bonus:
        yield "b", _bonus(change.bonus, is_exact=is_exact)
    if (floor := change.floor_used) is not None:
        yield "f", _("At the floor of {floor_used:.0f}").format(floor_used=floor)
    if (ceiling := change.ceiling_used) is not None:
        words = _("At the ceiling of {ceiling_used:.0f}")
        yield "c", words.format(ceiling_used=ceiling)
    if change.calculation.is_late:
        words = _("Reported late, so it used the ratings current when it was processed")
        yield "late", words


def _bonus(bonus: float, *, is_exact: bool) -> str:
    if is_exact:
        return _("Bonus of {bonus:.1f} points").format(bonus=bonus)
    points = official(bonus)
    return ngettext(
        "Bonus of {points} point", "Bonus of {points} points", points
    ).format(points=points)


def performances_of(met: Mapping[int, Sequence[OpponentGame]]) -> dict[int, int]:
    """Return performance ratings in whole rating points, by the keys of *met*.

    They are the average of the opponents' published ratings before the section, plus
    400 points times wins minus losses, divided by the games. Unrated opponents do not
    count; a calculation with no others is left out.
    """
    rated = {
        calculation: [one for one in games if one.before is not None]
        for calculation, games in met.items()
    }
    return {
        calculation: _performance(games)
        for calculation, games in rated.items()
        if games
    }


def _performance(games: Sequence[OpponentGame]) -> int:
    opponents = [official(one.before) for one in games if one.before is not None]
    half_points = sum(one.half_points for one in games)
    return official(linear_performance(opponents, half_points / 2))


# Imported events


class ImportedEntry(NamedTuple):
    """An entry of an imported section, and its last day."""

    pk: int
    day: date


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """One imported event: the ratings in its report, and the score of its games."""

    day: date
    title: str
    section: str
    url: str
    half_points: int
    games: int
    before: str
    after: str
    is_imported: bool = True


def imported_entries(numbers: Sequence[int]) -> list[ImportedEntry]:
    """Return a person's entries in imported events, the oldest first."""
    entries = Entry.objects.filter(
        player__in=numbers, section__status=Section.Status.IMPORTED
    ).order_by("section__ends", "section__event__event_id", "section__number", "pk")
    return [ImportedEntry(*row) for row in entries.values_list("pk", "section__ends")]


def imported_lines(pks: Iterable[int]) -> dict[int, ImportedLine]:
    """Return the lines of these entries, by primary key (three queries)."""
    pks = list(pks)
    if not pks:
        return {}
    entries = Entry.objects.filter(pk__in=pks).select_related(
        "section__event", "player__merged_into"
    )
    scores = _scores(pks)
    return {
        entry.pk: _imported_line(entry, *scores.get(entry.pk, (0, 0)))
        for entry in entries.prefetch_related("published_ratings")
    }


def _scores(pks: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the half points and the games of each entry."""
    first, second = (
        Game.objects.filter(**{f"{side}__in": pks})
        .order_by()
        .values_list(F(f"{side}_id"), F(f"{side}_outcome"))
        .annotate(games=Count("pk"))
        for side, _other in SIDES
    )
    scores: dict[int, tuple[int, int]] = {}
    for pk, outcome, games in first.union(second, all=True):
        half_points, played = scores.get(pk, (0, 0))
        scores[pk] = half_points + games * HALF_POINTS[outcome], played + games
    return scores


def _imported_line(entry: Entry, half_points: int, games: int) -> ImportedLine:
    section = entry.section
    after = [
        format_with_decimals(one.post_rating, one.decimals)
        for one in entry.published_ratings.all()
    ]
    return ImportedLine(
        day=section.ends,
        title=section.event.name,
        section=_name_of(section),
        url=section.get_absolute_url(),
        half_points=half_points,
        games=games,
        before=entry.reported_rating,
        after=", ".join(after),
    )
