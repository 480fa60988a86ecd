"""The tables of open data, which contain only what public pages show.

Tables are read row by row, so they can be larger than memory. Ratings are published
numbers (`ratings.ledger.queries.published_ratings`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.models import Event, Game, Section
from players.formats.member_ids import MEMBER_ID
from players.models.player import PRIVATE_NAME
from ratings.ledger.queries.published_ratings import published_number
from ratings.models import OfficialList, OfficialRating, OpenFile, RatingChange
from ratings_site.common.web.files import Column, ColumnType

ROWS_AT_A_TIME = 5_000
TEXT, NUMBER = ColumnType.TEXT, ColumnType.NUMBER
DAY, FLAG = ColumnType.DAY, ColumnType.FLAG


Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of open data: its columns, and how its rows are read.

    A column has the value of the field of its name, or of its *sources*; *finished*
    makes a row of these values.
    """

    name: str
    title: str | Promise
    meaning: str | Promise
    columns: tuple[Column, ...]
    query: QuerySet[Any]
    sources: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    finished: Callable[[Values], Values] = lambda values: values

    def rows(self) -> Iterator[Values]:
        fields = [
            source
            for one in self.columns
            for source in self.sources.get(one.name, [one.name])
        ]
        rows = self.query.values_list(*fields)
        return map(self.finished, rows.iterator(chunk_size=ROWS_AT_A_TIME))


def _member(player: str) -> Coalesce:
    """Return the expression of the current member ID of a row's player."""
    return Coalesce(f"{player}__merged_into__member_id", f"{player}__member_id")


def _published_change(values: Values) -> Values:
    *names, pre_rating, post_rating, pre_age_start, age_start = values
    before = None
    if pre_rating is not None:
        before = int(published_number(pre_rating, pre_age_start))
    after = int(published_number(post_rating, age_start))
    return *names, before, after, pre_age_start is not None, age_start is not None


def _listed(values: Values) -> Values:
    month, is_private, *names = values[:5]
    *rest, is_provisional, games, is_about = values[5:]
    name = PRIVATE_NAME if is_private else " ".join(filter(None, names))
    # As in the files of the lists: games only of provisional ratings.
    provisional_games = games if is_provisional else None
    return f"{month:%Y-%m}", name, *rest, provisional_games, is_about


_MEMBER_ID_LABEL = (
    _("Member ID, eight digits") if MEMBER_ID.is_eight_digits else _("Member ID")
)
ABOUT = _(
    "Whether the rating is shown to the nearest 50 because it is still the "
    "age-based initial rating"
)


def _ratings() -> Table:
    return Table(
        "ratings",
        _("Rating changes"),
        _("How each rated section changed each player’s rating, as of now."),
        (
            Column("event_id", TEXT, _("Event ID, twelve digits")),
            Column("section", NUMBER, _("Section number within the event")),
            Column("member_id", TEXT, _MEMBER_ID_LABEL),
            Column("system", TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("half_points", NUMBER, _("Score in half points")),
            Column("games", NUMBER, _("Rated games in this section")),
            Column("games_before", NUMBER, _("Rated games before")),
            Column("games_after", NUMBER, _("Rated games after")),
            Column("before", NUMBER, _("Rating before; blank if unrated")),
            Column("after", NUMBER, _("Rating after")),
            Column("before_is_about", FLAG, ABOUT),
            Column("after_is_about", FLAG, ABOUT),
        ),
        RatingChange.objects.filter(
            calculation__is_current=True, calculation__section__isnull=False
        ).order_by("calculation_id", "player_id"),
        {
            "event_id": ["calculation__section__event__event_id"],
            "section": ["calculation__section__number"],
            "member_id": [_member("player")],
            "system": ["calculation__system"],
            "games_before": ["pre_games"],
            "games_after": ["post_games"],
            "before": ["pre_rating"],
            "after": ["post_rating"],
            "before_is_about": ["pre_age_start"],
            "after_is_about": ["age_start"],
        },
        _published_change,
    )


TABLES = (
    Table(
        "lists",
        _("Official lists"),
        _("Every published rating: one row per member, list, and system."),
        (
            Column("list", TEXT, _("Month of the list, such as 2024-05")),
            Column("name", TEXT, _("Member name, as on the list page")),
            Column("member_id", TEXT, _MEMBER_ID_LABEL),
            Column("state", TEXT, _("State on that list; may be blank")),
            Column("system", TEXT, _("OTBR, OTBQ, OTBB, OLR, OLQ or OLB")),
            Column("rating", NUMBER, _("Official rating")),
            Column("floor", NUMBER, _("Rating floor on that list")),
            Column("place", NUMBER, _("Rank in the system")),
            Column(
                "provisional_games",
                NUMBER,
                _("Games behind a provisional rating; blank if it is established"),
            ),
            Column("is_about", FLAG, ABOUT),
        ),
        # Lists are published in order of their months, so this is their order.
        OfficialRating.objects.filter(
            list__in=OfficialList.objects.effective()
        ).order_by("list_id", "player_id", "system"),
        {
            "list": ["list__month"],
            "name": [
                *("player__is_private", "player__given_name"),
                *("player__family_name", "player__suffix"),
            ],
            "member_id": ["player__member_id"],
            "provisional_games": ["is_provisional", "games"],
        },
        _listed,
    ),
    Table(
        "events",
        _("Events"),
        _("Every event the office has accepted."),
        (
            Column("event_id", TEXT, _("Event ID, twelve digits")),
            Column("name", TEXT, _("Name of the event")),
            Column("starts", DAY, _("First day")),
            Column("ends", DAY, _("Last day")),
            Column("city", TEXT, _("City; may be blank")),
            Column("state", TEXT, _("State; may be blank")),
            Column("country", TEXT, _("Country; may be blank")),
            Column("affiliate_id", TEXT, _("Affiliate that organized the event")),
        ),
        Event.objects.order_by("pk"),
        {"affiliate_id": ["affiliate__affiliate_id"]},
    ),
    Table(
        "sections",
        _("Sections"),
        _("Sections of events. Each is rated as a unit."),
        (
            Column("event_id", TEXT, _("Event ID, twelve digits")),
            Column("section", NUMBER, _("Section number within the event")),
            Column("name", TEXT, _("Section name; may be blank")),
            Column("kind", TEXT, _("Such as swiss, round_robin or match")),
            Column("starts", DAY, _("First day")),
            Column("ends", DAY, _("Last day")),
            Column("rounds", NUMBER, _("Number of rounds")),
            Column("time_control", TEXT, _("Time control, such as G/90;d5")),
            Column("is_online", FLAG, _("Whether it was played online")),
            Column(
                "status",
                TEXT,
                _(
                    "ready (waiting to be rated), rated, or imported (from earlier "
                    "records, not rated here)"
                ),
            ),
            Column("version", NUMBER, _("Increases with every correction")),
        ),
        Section.objects.order_by("pk"),
        {"event_id": ["event__event_id"], "section": ["number"]},
    ),
    Table(
        "games",
        _("Games"),
        _("Every game played. Byes and forfeits are not included."),
        (
            Column("event_id", TEXT, _("Event ID, twelve digits")),
            Column("section", NUMBER, _("Section number within the event")),
            Column("round", NUMBER, _("Round")),
            Column("leg", NUMBER, _("2 for the second game of a double round")),
            Column("first_id", TEXT, _("Member ID of the first player")),
            Column("second_id", TEXT, _("Member ID of the second player")),
            Column("first_color", TEXT, _("W, B, or blank if not reported")),
            Column("first_result", TEXT, _("W win, D draw, L loss")),
            Column(
                "second_result",
                TEXT,
                _("Same for the second player; may be scored differently"),
            ),
        ),
        Game.objects.order_by("section", "round_number", "leg", "pk"),
        {
            "event_id": ["section__event__event_id"],
            "section": ["section__number"],
            "round": ["round_number"],
            "first_id": [_member("first__player")],
            "second_id": [_member("second__player")],
            "first_result": ["first_outcome"],
            "second_result": ["second_outcome"],
        },
    ),
    _ratings(),
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
