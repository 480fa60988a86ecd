"""The ratings of two members on one chart."""

from typing import Any

from django.utils.safestring import mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from players.models import Player
from ratings.engine.systems import System
from ratings.pages.profile.queries.chain import chains_of, points_of
from ratings_site.common.ui.charts.ratings import Series, rating_chart

# The room of a name at the end of a line.
NAME_LENGTH = 14


def chart_of_two(one: Player, other: Player, wanted: System | None) -> dict[str, Any]:
    """Draw the published ratings of two members in a system (one query).

    *systems* are those that both have; by default it is the first one.
    """
    lines = chains_of([one.pk, other.pk])
    mine, theirs = points_of(lines[one.pk]), points_of(lines[other.pk])
    systems = [system for system in mine if system in theirs]
    if not systems:
        return {}
    system = wanted if wanted in systems else systems[0]
    is_hidden = one.is_name_hidden or other.is_name_hidden
    same_family = (
        not is_hidden and one.family_name.casefold() == other.family_name.casefold()
    )
    names = [
        player.given_name
        if same_family
        else player.member_id
        if player.is_name_hidden
        else player.family_name
        for player in (one, other)
    ]
    series = [
        Series(Truncator(name).chars(NAME_LENGTH), points[system])
        for name, points in zip(names, (mine, theirs), strict=True)
    ]
    title = _("Ratings of {one} and {other}").format(one=one.name, other=other.name)
    svg = rating_chart(series, title=title, chart_id="both")
    # The chart escapes every text in it.
    return {"systems": systems, "system": system, "svg": mark_safe(svg)}  # noqa: S308
