"""The rows of a section under all systems as HTML.

They are joined here as in `ratings.pages.crosstable.rows`.

Hundreds of players under dozens of systems are thousands of cells. All user input goes
through ``escape``; the rest are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from players.members.converters import member_url_prefix
from ratings.research.systems.queries.section import Cell, Comparison, Person
from ratings_site.common.ui.formatting import format_rating, signed

NOTHING = "<td>–"


def comparison_rows(comparison: Comparison) -> SafeString:
    """Return a row for each player: our rating, then every system's."""
    return mark_safe("".join(_rows(comparison)))  # noqa: S308 - escaped piece by piece


def _rows(comparison: Comparison) -> Iterator[str]:
    profiles = member_url_prefix("ratings:profile")
    unrated = gettext("unrated")
    columns = [list(map(_cell, one.cells)) for one in comparison.columns]
    for place, person in enumerate(comparison.section.people):
        yield _person(person, profiles, unrated)
        for column in columns:
            yield column[place]


def _person(person: Person, profiles: str, unrated: str) -> str:
    before = unrated if person.before is None else format_rating(person.before)
    name = f"<a href={profiles}{person.member_id}/>{escape(person.name)}</a>"
    after = NOTHING if person.after is None else f"<td>{format_rating(person.after)}"
    change = person.change
    if change is not None:
        after += _change(signed(change) if change else "", is_gain=change > 0)
    return f"<tr><th scope=row class=name>{name}<td>{before}{after}"


def _cell(cell: Cell) -> str:
    if cell.worked.after is None:
        return NOTHING
    return f"<td>{escape(cell.after)}{_change(cell.change, is_gain=cell.is_gain)}"


def _change(change: str, *, is_gain: bool) -> str:
    if not change:
        return ""
    return f"<i class={'gain' if is_gain else 'loss-of-points'}>{change}</i>"
