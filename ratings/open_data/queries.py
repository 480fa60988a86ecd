"""The tables of open data, which contain only what public pages show.

Tables are read row by row, so they can be larger than memory. Ratings are published
numbers (`ratings.ledger.queries.published_ratings`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.models import Event, Game, Section
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import OfficialList, OfficialRating, OpenFile, RatingChange
from ratings_site.common.web.files import Column, ColumnType

ROWS_AT_A_TIME = 5_000


@dataclass(frozen=True, slots=True)
class Table:
    """A table of open data: its columns, and how its rows are read."""

    name: str
    title: str | Promise
    meaning: str | Promise
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[tuple[Any, ...]]]


def _read(rows: QuerySet[Any], *columns: Any) -> Iterator[tuple[Any, ...]]:
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
    """Return the expression of the current member ID of a row's player."""
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
    # Lists are published in order of their months, so this is the order of months.
    for month, given, family, suffix, is_provisional, games, *rest, is_about in _read(
        OfficialRating.objects.filter(
            list__in=OfficialList.objects.effective()
        ).order_by("list_id", "player_id", "system"),
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
        # As in the files of the lists: games only of provisional ratings.
        provisional_games = games if is_provisional else None
        yield f"{month:%Y-%m}", name, *rest, provisional_games, is_about


ABOUT = _(
    "Whether the rating is shown to the nearest 50 because it is still the "
    "age-based initial rating"
)

TABLES = (
    Table(
        "lists",
        _("Official lists"),
        _("Every published rating: one row per member, list, and system."),
        (
            Column("list", ColumnType.TEXT, _("Month of the list, such as 2024-05")),
            Column("name", ColumnType.TEXT, _("Member name, as on the list page")),
            Column("member_id", ColumnType.TEXT, _("Member ID, eight digits")),
            Column("state", ColumnType.TEXT, _("State on that list; may be blank")),
            Column("system", ColumnType.TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("rating", ColumnType.NUMBER, _("Official rating")),
            Column("floor", ColumnType.NUMBER, _("Rating floor on that list")),
            Column("place", ColumnType.NUMBER, _("Rank in the system")),
            Column(
                "provisional_games",
                ColumnType.NUMBER,
                _("Games behind a provisional rating; blank if it is established"),
            ),
            Column("is_about", ColumnType.FLAG, ABOUT),
        ),
        _lists,
    ),
    Table(
        "events",
        _("Events"),
        _("Every event the office has accepted."),
        (
            Column("event_id", ColumnType.TEXT, _("Event ID, twelve digits")),
            Column("name", ColumnType.TEXT, _("Name of the event")),
            Column("starts", ColumnType.DAY, _("First day")),
            Column("ends", ColumnType.DAY, _("Last day")),
            Column("city", ColumnType.TEXT, _("City; may be blank")),
            Column("state", ColumnType.TEXT, _("State; may be blank")),
            Column("country", ColumnType.TEXT, _("Country; may be blank")),
            Column(
                "affiliate_id", ColumnType.TEXT, _("Affiliate that organized the event")
            ),
        ),
        _events,
    ),
    Table(
        "sections",
        _("Sections"),
        _("Sections of events. Each is rated as a unit."),
        (
            Column("event_id", ColumnType.TEXT, _("Event ID, twelve digits")),
            Column("section", ColumnType.NUMBER, _("Section number within the event")),
            Column("name", ColumnType.TEXT, _("Section name; may be blank")),
            Column("kind", ColumnType.TEXT, _("Such as swiss, round_robin or match")),
            Column("starts", ColumnType.DAY, _("First day")),
            Column("ends", ColumnType.DAY, _("Last day")),
            Column("rounds", ColumnType.NUMBER, _("Number of rounds")),
            Column("time_control", ColumnType.TEXT, _("Time control, such as G/90;d5")),
            Column("is_online", ColumnType.FLAG, _("Whether it was played online")),
            Column(
                "status",
                ColumnType.TEXT,
                _(
                    "ready (waiting to be rated), rated, or imported (from earlier "
                    "records, not rated here)"
                ),
            ),
            Column("version", ColumnType.NUMBER, _("Increases with every correction")),
        ),
        _sections,
    ),
    Table(
        "games",
        _("Games"),
        _("Every game played. Byes and forfeits are not included."),
        (
            Column("event_id", ColumnType.TEXT, _("Event ID, twelve digits")),
            Column("section", ColumnType.NUMBER, _("Section number within the event")),
            Column("round", ColumnType.NUMBER, _("Round")),
            Column(
                "leg", ColumnType.NUMBER, _("2 for the second game of a double round")
            ),
            Column("first_id", ColumnType.TEXT, _("Member ID of the first player")),
            Column("second_id", ColumnType.TEXT, _("Member ID of the second player")),
            Column("first_color", ColumnType.TEXT, _("W, B, or blank if not reported")),
            Column("first_result", ColumnType.TEXT, _("W win, D draw, L loss")),
            Column(
                "second_result",
                ColumnType.TEXT,
                _("Same for the second player; may be scored differently"),
            ),
        ),
        _games,
    ),
    Table(
        "ratings",
        _("Rating changes"),
        _("How each rated section changed each player’s rating, as of now."),
        (
            Column("event_id", ColumnType.TEXT, _("Event ID, twelve digits")),
            Column("section", ColumnType.NUMBER, _("Section number within the event")),
            Column("member_id", ColumnType.TEXT, _("Member ID, eight digits")),
            Column("system", ColumnType.TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("half_points", ColumnType.NUMBER, _("Score in half points")),
            Column("games", ColumnType.NUMBER, _("Rated games in this section")),
            Column("games_before", ColumnType.NUMBER, _("Rated games before")),
            Column("games_after", ColumnType.NUMBER, _("Rated games after")),
            Column("before", ColumnType.NUMBER, _("Rating before; blank if unrated")),
            Column("after", ColumnType.NUMBER, _("Rating after")),
            Column("before_is_about", ColumnType.FLAG, ABOUT),
            Column("after_is_about", ColumnType.FLAG, ABOUT),
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
    """Return a file, not necessarily the newest."""
    found = OpenFile.objects.filter(pk=pk).first()
    return found if found is not None and found.name == name else None


def content_of(file: OpenFile) -> Iterator[bytes]:
    """Yield the file in chunks, to keep only one in memory."""
    numbers = file.parts.aggregate(number=Count("pk"))["number"]
    for number in range(numbers):
        yield bytes(file.parts.get(number=number).content)
