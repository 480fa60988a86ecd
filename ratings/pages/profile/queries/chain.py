"""The order in which a member's ledger lines took effect."""

from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from players.models import Player
from ratings.decisions.floors.queries.titles import NORM_COLUMNS, NormLine, norm_line
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import Calculation, RatingChange
from ratings.pages.profile.queries.lines import ImportedEntry
from ratings_site.common.ui.charts.ratings import Point


class Link(NamedTuple):
    """The columns of a current ledger line that its order and the chart need.

    *rating* is the published rating after it, *url* the event.
    """

    pk: int
    previous_id: int | None
    system: str
    rating: float
    event_name: str | None
    foreign_event_name: str | None
    adjustment: int | None
    url: str
    rated: NormLine
    place: tuple[Any, ...]


def chain_of(player: Player, system: System | None) -> list[Link]:
    """Return the member's lines, as `chains_of` does."""
    return chains_of([player.pk], system)[player.pk]


def chains_of(
    players: Collection[int], system: System | None = None
) -> dict[int, list[Link]]:
    """Return members' lines, each after its previous line (one query).

    A late section comes where it took effect: after the line with its rating before.
    """
    changes = RatingChange.objects.filter(
        player__in=players, calculation__is_current=True
    )
    if system is not None:
        changes = changes.filter(calculation__system=system)
    rows = changes.order_by("calculation_id").values_list(
        "player_id",
        "post_rating",
        *NORM_COLUMNS,
        "pk",
        "previous_id",
        "age_start",
        "calculation__section__event__name",
        "calculation__foreign__event__name",
        "calculation__adjustment",
        "calculation__section__event__event_id",
        "calculation__section__number",
        "calculation__foreign__event",
        *(f"calculation__{column}" for column in Calculation.ORDER),
    )
    links: dict[int, dict[int, Link]] = {pk: {} for pk in players}
    # Reversed once: a member may have thousands of lines.
    prefixes = (
        reverse("ratings:crosstable", args=["0", 0]).removesuffix("0/0/"),
        reverse("ratings:foreign", args=[0]).removesuffix("0/"),
    )
    norm_width = 1 + len(NORM_COLUMNS)
    for owner, *row in rows:
        link = _link(prefixes, norm_line(*row[:norm_width]), *row[norm_width:])
        links[owner][link.pk] = link
    return {owner: _in_effect(of_one) for owner, of_one in links.items()}


def _in_effect(links: dict[int, Link]) -> list[Link]:
    effects: dict[int, _Effect] = {}
    for pk in links:
        _take_effect(pk, links, effects)
    return sorted(links.values(), key=lambda link: (*effects[link.pk], link.pk))


def _link(
    prefixes: tuple[str, str],
    rated: NormLine,
    pk: int,
    previous_id: int | None,
    age_start: float | None,
    event_name: str | None,
    foreign_event_name: str | None,
    adjustment: int | None,
    event_id: str | None,
    number: int | None,
    foreign_id: int | None,
    *place: Any,
) -> Link:
    source = (event_name, foreign_event_name, adjustment)
    rating = published_number(rated.rating, age_start)
    url = ""
    if event_id is not None:
        url = f"{prefixes[0]}{event_id}/{number}/"
    elif foreign_id is not None:
        url = f"{prefixes[1]}{foreign_id}/"
    return Link(pk, previous_id, rated.system, rating, *source, url, rated, place)


def may_have_imported(player: Player) -> bool:
    attributes = ("has_imported", "has_duplicates")
    return any(getattr(player, name, True) for name in attributes)


def with_imported(
    chain: Sequence[Link], imported: Sequence[ImportedEntry]
) -> list[Link | ImportedEntry]:
    """Insert imported events among the lines, each before what took effect later."""
    history: list[Link | ImportedEntry] = []
    waiting = deque(imported)
    day = date.min
    for link in chain:
        day = max(day, link.place[0])
        while waiting and waiting[0].day <= day:
            history.append(waiting.popleft())
        history.append(link)
    return [*history, *waiting]


class _Effect(NamedTuple):
    """When a line took effect, for sorting: with its source, and how long after."""

    place: tuple[Any, ...]
    steps_after: int


def _take_effect(pk: int, links: dict[int, Link], effects: dict[int, _Effect]) -> None:
    """Determine when lines took effect, back to a known line or the first."""
    waiting = []
    step: int | None = pk
    while step in links and step not in effects:
        waiting.append(links[step])
        step = links[step].previous_id
    latest = effects.get(step or 0)
    for link in reversed(waiting):
        if latest is None or link.place >= latest.place:
            latest = _Effect(link.place, 0)
        else:
            latest = _Effect(latest.place, latest.steps_after + 1)
        effects[link.pk] = latest


def points_of(chain: list[Link]) -> dict[System, list[Point]]:
    """Return the chart points of each system in the order in which they took effect.

    A late section is on the day of the line before it; otherwise the line would go back
    in time, and not end at the current rating. Ratings are published ones.
    """
    points: defaultdict[System, list[Point]] = defaultdict(list)
    for link in chain:
        line = points[System(link.system)]
        day = link.place[0]
        shown_day = max(day, line[-1].day) if line else day
        line.append(Point(shown_day, link.rating, _source_of(link), link.url))
    return {system: points[system] for system in System if system in points}


def _source_of(link: Link) -> str:
    """Return the name of the event, or another source of the line."""
    if event := link.event_name or link.foreign_event_name:
        return event
    if link.adjustment is None:
        return _("Starting rating")
    return _("Adjusted by the office")
