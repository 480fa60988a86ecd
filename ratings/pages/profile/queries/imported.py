"""Imported events in a member's history.

They have the numbers that their reports print, no change and no derivation, and are
sorted by their last day among the rated events.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from django.db.models import Count, F
from django.utils.translation import gettext as _

from events.formats.played_games import HALF_POINTS
from events.models import Entry, Game, Section
from ratings.ledger.queries.point_in_time import SIDES
from ratings_site.common.ui.formatting import format_with_decimals


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
        entry.pk: _line(entry, *scores.get(entry.pk, (0, 0)))
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


def _line(entry: Entry, half_points: int, games: int) -> ImportedLine:
    section = entry.section
    after = [
        format_with_decimals(one.post_rating, one.decimals)
        for one in entry.published_ratings.all()
    ]
    return ImportedLine(
        day=section.ends,
        title=section.event.name,
        section=section.name or _("Section {number}").format(number=section.number),
        url=section.get_absolute_url(),
        half_points=half_points,
        games=games,
        before=entry.reported_rating,
        after=", ".join(after),
    )
