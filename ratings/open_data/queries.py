"""What of the books is given away as whole tables: what public pages show, no more.

Every table is read row by row, so that it may be longer than memory. Ratings are
published numbers (`ratings.ledger.queries.published`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.models import Event, Game, Section
from ratings.ledger.queries.published import published_number
from ratings.models import OfficialRating, OpenFile, RatingChange
from ratings_site.common.web.files import Column, Type

ROWS_AT_A_TIME = 5_000


@dataclass(frozen=True, slots=True)
class Table:
    """A table of open data: its columns, and how its rows are read."""

    name: str
    title: str | Promise
    meaning: str | Promise
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[tuple[Any, ...]]]


def _read(rows: QuerySet, *columns: Any) -> Iterator[tuple[Any, ...]]:
    return rows.values_list(*columns).iterator(chunk_size=ROWS_AT_A_TIME)


def _events() -> Iterator[tuple[Any, ...]]:
    return _read(
        Event.objects.order_by("pk"),
        "event_id",
        "name",
        "starts",
        "ends",
        "city",
        "state",
        "country",
        "affiliate__affiliate_id",
    )


def _sections() -> Iterator[tuple[Any, ...]]:
    return _read(
        Section.objects.order_by("pk"),
        "event__event_id",
        "number",
        "name",
        "kind",
        "starts",
        "ends",
        "rounds",
        "time_control",
        "is_online",
        "status",
        "version",
    )


def _games() -> Iterator[tuple[Any, ...]]:
    return _read(
        Game.objects.order_by("section", "round_number", "leg", "pk"),
        "section__event__event_id",
        "section__number",
        "round_number",
        "leg",
        _member("first__player"),
        _member("second__player"),
        "first_color",
        "first_outcome",
        "second_outcome",
    )


def _member(player: str) -> Coalesce:
    """The ID of the member to whom a row belongs, under any of their numbers."""
    return Coalesce(f"{player}__merged_into__member_id", f"{player}__member_id")


def _ratings() -> Iterator[tuple[Any, ...]]:
    lines = RatingChange.objects.filter(
        calculation__is_current=True, calculation__section__isnull=False
    )
    for *names, pre_rating, pre_age_start, post_rating, age_start in _read(
        lines.order_by("calculation_id", "player_id"),
        "calculation__section__event__event_id",
        "calculation__section__number",
        _member("player"),
        "calculation__system",
        "half_points",
        "games",
        "pre_games",
        "post_games",
        "pre_rating",
        "pre_age_start",
        "post_rating",
        "age_start",
    ):
        before = None
        if pre_rating is not None:
            before = int(published_number(pre_rating, pre_age_start))
        after = int(published_number(post_rating, age_start))
        yield *names, before, after, pre_age_start is not None, age_start is not None


def _lists() -> Iterator[tuple[Any, ...]]:
    # Lists are published in the order of their months, so this is the order of months.
    for month, given, family, suffix, is_provisional, games, *rest, is_about in _read(
        OfficialRating.objects.order_by("list_id", "player_id", "system"),
        "list__month",
        "player__given_name",
        "player__family_name",
        "player__suffix",
        "is_provisional",
        "games",
        "player__member_id",
        "state",
        "system",
        "rating",
        "floor",
        "place",
        "is_about",
    ):
        name = " ".join(part for part in (given, family, suffix) if part)
        # As on the files of the lists: games only where they make it provisional.
        provisional_games = games if is_provisional else None
        yield f"{month:%Y-%m}", name, *rest, provisional_games, is_about


ABOUT = _(
    "Whether the rating is shown to the nearest 50, because it still is the starting "
    "value that comes from the player’s age"
)

TABLES = (
    Table(
        "lists",
        _("Official lists"),
        _("Every published rating: a line for each member, list and system."),
        (
            Column("list", Type.TEXT, _("Month of the list, such as 2024-05")),
            Column("name", Type.TEXT, _("Name of the member, as on the list’s page")),
            Column("member_id", Type.TEXT, _("Member ID, eight digits")),
            Column("state", Type.TEXT, _("State on that list; may be blank")),
            Column("system", Type.TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("rating", Type.NUMBER, _("Official rating")),
            Column("floor", Type.NUMBER, _("Rating floor on that list")),
            Column("place", Type.NUMBER, _("Place in the system, from the top")),
            Column(
                "provisional_games",
                Type.NUMBER,
                _("Games behind a provisional rating; blank if it is established"),
            ),
            Column("is_about", Type.FLAG, ABOUT),
        ),
        _lists,
    ),
    Table(
        "events",
        _("Events"),
        _("Every event the office has accepted."),
        (
            Column("event_id", Type.TEXT, _("Event ID, twelve digits")),
            Column("name", Type.TEXT, _("Name of the event")),
            Column("starts", Type.DAY, _("First day")),
            Column("ends", Type.DAY, _("Last day")),
            Column("city", Type.TEXT, _("City; may be blank")),
            Column("state", Type.TEXT, _("State; may be blank")),
            Column("country", Type.TEXT, _("Country; may be blank")),
            Column("affiliate_id", Type.TEXT, _("Who held the event")),
        ),
        _events,
    ),
    Table(
        "sections",
        _("Sections"),
        _("The parts of events that are rated as a unit."),
        (
            Column("event_id", Type.TEXT, _("Event ID, twelve digits")),
            Column("section", Type.NUMBER, _("Number of the section in its event")),
            Column("name", Type.TEXT, _("Name of the section; may be blank")),
            Column("kind", Type.TEXT, _("Such as swiss, round_robin or match")),
            Column("starts", Type.DAY, _("First day")),
            Column("ends", Type.DAY, _("Last day")),
            Column("rounds", Type.NUMBER, _("Number of rounds")),
            Column("time_control", Type.TEXT, _("Time control, such as G/90;d5")),
            Column("is_online", Type.FLAG, _("Whether it was played online")),
            Column(
                "status",
                Type.TEXT,
                _(
                    "ready (waits to be rated), rated, or imported (taken over from "
                    "the books of before, never rated here)"
                ),
            ),
            Column("version", Type.NUMBER, _("Grows with every correction")),
        ),
        _sections,
    ),
    Table(
        "games",
        _("Games"),
        _("Every game that was played; byes and forfeits are not in it."),
        (
            Column("event_id", Type.TEXT, _("Event ID, twelve digits")),
            Column("section", Type.NUMBER, _("Number of the section in its event")),
            Column("round", Type.NUMBER, _("Round")),
            Column("leg", Type.NUMBER, _("2 for the second game of a double round")),
            Column("first_id", Type.TEXT, _("Member ID of the one player")),
            Column("second_id", Type.TEXT, _("Member ID of the other player")),
            Column("first_color", Type.TEXT, _("W, B, or blank if not reported")),
            Column("first_result", Type.TEXT, _("W win, D draw, L loss")),
            Column(
                "second_result",
                Type.TEXT,
                _("The same for the other, who may have been scored otherwise"),
            ),
        ),
        _games,
    ),
    Table(
        "ratings",
        _("Rating changes"),
        _("What each rated section did to each player’s rating, as it stands now."),
        (
            Column("event_id", Type.TEXT, _("Event ID, twelve digits")),
            Column("section", Type.NUMBER, _("Number of the section in its event")),
            Column("member_id", Type.TEXT, _("Member ID, eight digits")),
            Column("system", Type.TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("half_points", Type.NUMBER, _("Score in half points")),
            Column("games", Type.NUMBER, _("Rated games in this section")),
            Column("games_before", Type.NUMBER, _("Rated games before")),
            Column("games_after", Type.NUMBER, _("Rated games after")),
            Column("before", Type.NUMBER, _("Rating before; blank if unrated")),
            Column("after", Type.NUMBER, _("Rating after")),
            Column("before_is_about", Type.FLAG, ABOUT),
            Column("after_is_about", Type.FLAG, ABOUT),
        ),
        _ratings,
    ),
)


def newest_files() -> dict[str, list[OpenFile]]:
    """Return the newest files by table (one query)."""
    found: dict[str, list[OpenFile]] = {table.name: [] for table in TABLES}
    for file in OpenFile.objects.filter(is_newest=True):
        found.setdefault(file.table, []).append(file)
    return found


def older_files() -> QuerySet[OpenFile]:
    return OpenFile.objects.filter(is_newest=False).order_by("-made_at", "table")


def newest_file(name: str) -> OpenFile | None:
    newest = OpenFile.objects.filter(is_newest=True)
    return next((file for file in newest if file.name == name), None)


def open_file(pk: int, name: str) -> OpenFile | None:
    """Return a file that a newer one may have followed."""
    found = OpenFile.objects.filter(pk=pk).first()
    return found if found is not None and found.name == name else None


def content_of(file: OpenFile) -> Iterator[bytes]:
    """Yield the file part by part; no more than one is in memory."""
    numbers = file.parts.aggregate(number=Count("pk"))["number"]
    for number in range(numbers):
        yield bytes(file.parts.get(number=number).content)
