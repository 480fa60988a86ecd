"""The crosstable of one section: four queries, whatever its size."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, cast

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import (
    Case,
    Exists,
    F,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
    When,
)
from django.db.models.expressions import OuterRef
from django.db.models.functions import Coalesce, Concat, JSONObject, NullIf, Trim
from django.utils.translation import gettext_lazy as _

from events.formats.played_games import HALF_POINTS
from events.formats.result_codes import OTHER_COLOR
from events.models import (
    Entry,
    Event,
    EventOfficial,
    Game,
    Schedule,
    Section,
    UnplayedRound,
)
from events.models.event import EVENT_ID
from events.records.jobs import RATE_SECTION, rating_job_key
from players.models.name_viewer import name_viewer
from players.models.player import private_name
from ratings.access import RatingViewer
from ratings.engine.norms import FIDE_NORM_GAMES
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published_change, published_number
from ratings.models import Calculation
from ratings_site.common.models import Job, User
from ratings_site.common.names.casing import in_name_case
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import ApproximateRating

BYE = 0  # in place of a game's leg, 1 or 2


class Side(NamedTuple):
    """One player's side of a round: one game, or two of a double-game round."""

    outcomes: str
    opponent: int
    color: str
    half_points: int
    differs: bool  # the opponent's result does not mirror this one


class Unplayed(NamedTuple):
    """A bye or forfeit with its half points."""

    kind: str
    opponent: int | None
    half_points: int


Cell = Side | Unplayed


class Order(TextChoices):
    """The order of the rows."""

    SCORE = "score", _("score")
    CHANGE = "change", _("rating change")
    NUMBER = "number", _("pairing number")
    NAME = "name", _("name")


class Change(NamedTuple):
    """The columns of a member's ledger line that a crosstable shows."""

    pre_rating: float | None
    pre_age_start: float | None
    pre_games: int
    post_rating: float
    age_start: float | None
    post_games: int
    bonus: float | None
    floor: float | None
    ceiling: float | None

    @property
    def before(self) -> float | None:
        """The rating before as the public sees it; None if unrated."""
        return published_number(self.pre_rating, self.pre_age_start)

    @property
    def after(self) -> float:
        return published_number(self.post_rating, self.age_start)

    @property
    def points(self) -> int | None:
        return published_change(self.before, self.after)

    @property
    def is_about(self) -> bool:
        return isinstance(self.before, ApproximateRating) or isinstance(
            self.after, ApproximateRating
        )


class Published(NamedTuple):
    """The rating of an entry that another source prints."""

    rating: float
    decimals: int
    source: str


Changes = dict[str, dict[int, Change]]


class CompiledSectionQuery:
    """A query for a section or an event whose SQL is compiled once for all of them.

    For queries of this size, Django takes longer to compile them than the database to
    run them. Values are not converted. Each row begins with the key of its section.
    """

    PLACEHOLDER = -1  # replaced by the primary key of the section or event

    def __init__(self, build: Callable[[str, int], QuerySet[Any]]) -> None:
        self.build = build

    @cached_property
    def of_section(self) -> tuple[str, tuple[Any, ...]]:
        return self.build("section", self.PLACEHOLDER).query.sql_with_params()

    @cached_property
    def of_event(self) -> tuple[str, tuple[Any, ...]]:
        return self.build("section__event", self.PLACEHOLDER).query.sql_with_params()

    def __call__(self, one: Section | Event) -> dict[int, list[tuple[Any, ...]]]:
        """Return the rows of each section."""
        is_section = isinstance(one, Section)
        sql, parameters = self.of_section if is_section else self.of_event
        values = [
            one.pk if value == self.PLACEHOLDER else value for value in parameters
        ]
        rows: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            for section, *row in cursor.fetchall():
                rows[section].append(tuple(row))
        return rows


@dataclass(slots=True)
class CrosstableRow:
    """One entry with its player and results by round.

    *player_id* is that of the current member if the entry's member was merged.
    """

    entry_id: int
    number: int
    player_id: int
    member_id: str
    name: str
    sort_name: str
    cells: dict[int, Cell]
    changes: tuple[Change | None, ...] = ()
    published: tuple[Published | None, ...] = ()
    state: str = ""
    # The ratings that the report of an imported section prints.
    printed_before: str = ""
    printed_after: Published | None = None
    other_numbers: tuple[int, ...] = ()
    half_points: int = 0

    @property
    def has_played(self) -> bool:
        return any(isinstance(cell, Side) for cell in self.cells.values())

    @property
    def order(self) -> tuple[int, float, int]:
        """By score, then by the rating after the event; never by tiebreak."""
        change = self.changes[0] if self.changes else None
        return -self.half_points, -change.after if change else 0.0, self.number

    def key(self, order: Order) -> tuple[object, ...]:
        """Return the sort key for an *order*; ties are sorted by score.

        Newcomers have no change and come last.
        """
        if order is Order.NUMBER:
            return (self.number,)
        if order is Order.NAME:
            return self.sort_name, *self.order
        if order is Order.CHANGE:
            change = self.changes[0] if self.changes else None
            points = change.points if change else None
            return points is None, -(points or 0), *self.order
        return self.order


@dataclass(slots=True)
class Crosstable:
    """A section with its sorted rows and the facts above them."""

    section: Section
    siblings: list[Section]
    rows: list[CrosstableRow]
    reader: RatingViewer
    systems: tuple[System, ...] = ()
    edition: str = ""
    is_late: bool = False
    games: int = 0
    has_unequal_results: bool = False
    job: Job | None = None

    @property
    def is_rated(self) -> bool:
        return self.section.status == Section.Status.RATED

    @property
    def is_imported(self) -> bool:
        """Whether it was imported: shown as printed, and never rated here."""
        return self.section.status == Section.Status.IMPORTED

    @property
    def has_printed_after(self) -> bool:
        return self.is_imported and any(row.printed_after for row in self.rows)

    @property
    def rounds(self) -> int:
        last = max((max(row.cells, default=0) for row in self.rows), default=0)
        return max(self.section.rounds, last)

    @property
    def can_have_norms(self) -> bool:
        """Whether the section is long and slow enough for norms of FIDE titles."""
        return self.rounds >= FIDE_NORM_GAMES and System.OTBR in self.systems

    @property
    def player_count(self) -> int:
        return len({row.player_id for row in self.rows})

    def sort(self, order: Order) -> None:
        self.rows.sort(key=lambda row: row.key(order))

    def places(self) -> dict[int, tuple[int, bool]]:
        """Return the place of each score in half points, and whether it is shared."""
        counted = Counter(row.half_points for row in self.rows)
        places, place = {}, 1
        for score in sorted(counted, reverse=True):
            places[score] = place, counted[score] > 1
            place += counted[score]
        return places

    def combined_half_points(self, row: CrosstableRow) -> int:
        """Return the half points of all entries of the row's person."""
        entries = [one for one in self.rows if one.player_id == row.player_id]
        return sum(one.half_points for one in entries)


def crosstable_of(
    event_id: str, number: int, user: User | AnonymousUser | None = None
) -> Crosstable | None:
    """Return the section's crosstable, or None if there is no such section.

    Its reader is *user*, or the public without one.
    """
    siblings = list(event_sections(event_id))
    section = next((one for one in siblings if one.number == number), None)
    if section is None:
        return None
    table = Crosstable(section, siblings, [], _viewer(user, section))
    if not table.is_rated and not table.is_imported:
        table.job = Job.objects.filter(
            kind=RATE_SECTION, key=rating_job_key(section)
        ).first()
    lines = _lines(section) if table.is_rated else {}
    _fill(table, lines, _entries(section), _played(section))
    return table


def crosstables_of(
    event: Event, sections: Sequence[Section], user: User | AnonymousUser
) -> list[Crosstable]:
    """Return the crosstables of an event's sections (three queries)."""
    tables = [Crosstable(one, [], [], _viewer(user, one)) for one in sections]
    rows = _lines(event), _entries(event), _played(event)
    for table in tables:
        _fill(table, *rows)
    return tables


def _viewer(user: User | AnonymousUser | None, section: Section) -> RatingViewer:
    return RatingViewer(user or AnonymousUser(), section)


RowsOfSections = Mapping[int, list[tuple[Any, ...]]]


def _fill(
    table: Crosstable,
    lines: RowsOfSections,
    entries: RowsOfSections,
    played: RowsOfSections,
) -> None:
    pk = table.section.pk
    changes: Changes = {}
    if table.is_rated:
        changes = _read_calculations(table, lines.get(pk, []))
    table.rows = _rows(entries.get(pk, []), table.systems, changes)
    _fill_cells(table, played.get(pk, []))
    table.sort(Order.SCORE)


def event_sections(event_id: str) -> QuerySet[Section]:
    """Return all sections of the event, each with its chief TD."""
    if not EVENT_ID.fullmatch(event_id):
        return Section.objects.none()
    directors = (
        EventOfficial.objects.filter(
            Q(section_number=OuterRef("number")) | Q(section_number=None),
            event=OuterRef("event"),
            role=EventOfficial.Role.CHIEF,
        )
        .order_by(F("section_number").desc(nulls_last=True))
        .values(
            director=JSONObject(
                member_id="player__member_id",
                name=Case(
                    When(player__is_private=True, then=Value(private_name())),
                    default=Trim(
                        Concat(
                            "player__given_name",
                            Value(" "),
                            "player__family_name",
                            Value(" "),
                            "player__suffix",
                        )
                    ),
                ),
            )
        )
    )
    return (
        Section.objects.filter(event__event_id=event_id)
        .select_related("event__affiliate")
        .annotate(
            director=Subquery(directors[:1]),
            # Few sections have any, and only those need one more query.
            has_schedules=Exists(Schedule.objects.filter(section=OuterRef("pk"))),
        )
        .order_by("number")
    )


def _read_calculations(table: Crosstable, lines: list[tuple[Any, ...]]) -> Changes:
    """Set the facts of the calculations; return their lines by system and player."""
    changes: Changes = defaultdict(dict)
    for system, edition, is_late, player_id, *change in lines:
        by_player = changes[system]
        table.edition, table.is_late = edition, bool(is_late)
        if player_id is not None:  # no games were played
            by_player[player_id] = Change._make(change)
    table.systems = tuple(system for system in System if system in changes)
    return changes


def _rows(
    entries: list[tuple[Any, ...]], systems: tuple[System, ...], changes: Changes
) -> list[CrosstableRow]:
    rows: dict[int, CrosstableRow] = {}
    published: dict[tuple[int, str], Published] = {}
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    reported: dict[int, int] = {}
    viewer = name_viewer()
    for (
        pk,
        number,
        player_id,
        merged_into_id,
        member_id,
        given,
        family,
        suffix,
        is_private,
        state,
        before,
        *printed,
    ) in entries:
        if pk not in rows:
            if is_private and not viewer.sees(player_id, merged_into_id):
                given, family, suffix = "", private_name(), ""
            name = in_name_case(" ".join(filter(None, (given, family, suffix))))
            person = merged_into_id or player_id
            sort_name = searchable(f"{family} {given}")
            row = CrosstableRow(pk, number, person, member_id, name, sort_name, {})
            row.printed_before, row.state = before, state
            rows[pk], reported[pk] = row, player_id
            numbers[person].append(number)
        if printed[0] is not None:
            other = published[pk, printed[0]] = Published._make(printed[1:])
            rows[pk].printed_after = other
    for row in rows.values():
        # Until the next rerate, a duplicate's results are under its own number.
        row.changes = tuple(
            [
                changes[one].get(row.player_id)
                or changes[one].get(reported[row.entry_id])
                for one in systems
            ]
        )
        row.published = tuple([published.get((row.entry_id, one)) for one in systems])
        if len(numbers[row.player_id]) > 1:
            row.other_numbers = tuple(
                number for number in numbers[row.player_id] if number != row.number
            )
    return list(rows.values())


def _fill_cells(table: Crosstable, played: list[tuple[Any, ...]]) -> None:
    """Set the cells of every row: an entry has one game, bye or forfeit a round.

    The second games of double-game rounds are added to the first ones at the end.
    """
    rows = {row.entry_id: row for row in table.rows}
    is_double = table.section.kind == Section.Kind.DOUBLE_SWISS
    second_games = []
    for game in played:
        round_number, leg, first, second, color, ours, theirs = game
        row = rows[first]
        if leg == BYE:
            points = UnplayedRound.HALF_POINTS[ours] * (2 if is_double else 1)
            opponent = rows[second].number if second in rows else None
            row.cells[round_number] = Unplayed(ours, opponent, points)
            row.half_points += points
        elif leg == 1:
            table.games += 1
            _set_sides(table, row, rows[second], round_number, color, ours, theirs)
        else:
            second_games.append((row, rows[second], round_number, ours, theirs))
    for row, other, round_number, ours, theirs in second_games:
        table.games += 1
        our_first = cast(Side, row.cells[round_number])
        their_first = cast(Side, other.cells[round_number])
        row.half_points -= our_first.half_points
        other.half_points -= their_first.half_points
        _set_sides(
            table,
            row,
            other,
            round_number,
            our_first.color,
            our_first.outcomes + ours,
            their_first.outcomes + theirs,
        )


def _set_sides(
    table: Crosstable,
    row: CrosstableRow,
    other: CrosstableRow,
    round_number: int,
    color: str,
    ours: str,
    theirs: str,
) -> None:
    our_points, their_points, differs = _score(ours, theirs)
    row.half_points += our_points
    other.half_points += their_points
    row.cells[round_number] = Side(ours, other.number, color, our_points, differs)
    other.cells[round_number] = Side(
        theirs, row.number, OTHER_COLOR[color], their_points, differs
    )
    if differs:
        table.has_unequal_results = True


@cache
def _score(ours: str, theirs: str) -> tuple[int, int, bool]:
    """Return both sides' half points, and whether they do not add up."""
    our_points = sum(HALF_POINTS[outcome] for outcome in ours)
    their_points = sum(HALF_POINTS[outcome] for outcome in theirs)
    return our_points, their_points, our_points + their_points != 2 * len(ours)


# A match, game by game, with the running score


def match_sheet(table: Crosstable, rules: Rules) -> dict[str, Any] | None:
    """Return the match of a crosstable, or None if it is not of a match between two."""
    if table.section.kind != Section.Kind.MATCH or len(table.rows) != 2:
        return None
    one, other = sorted(table.rows, key=lambda row: row.number)
    return {
        "sides": [_side(one, table), _side(other, table)],
        "games": list(_games(one, other)),
        "rules": rules,
    }


def _side(row: CrosstableRow, table: Crosstable) -> dict[str, Any]:
    """Return a player of the match, with the rating changes."""
    lines = zip(table.systems, row.changes, strict=True)
    return {"row": row, "changes": [(system, line) for system, line in lines if line]}


def _games(one: CrosstableRow, other: CrosstableRow) -> Iterator[dict[str, Any]]:
    """Yield each game from both sides; unplayed games have no colors.

    Scores are in half points, *running* after the game.
    """
    ours = theirs = 0
    for number in sorted({*one.cells, *other.cells}):
        cells = one.cells.get(number), other.cells.get(number)
        scores = _half_points(cells[0]), _half_points(cells[1])
        ours, theirs = ours + scores[0], theirs + scores[1]
        yield {
            "number": number,
            "colors": (_color(cells[0]), _color(cells[1])),
            "scores": scores,
            "running": (ours, theirs),
            "is_played": isinstance(cells[0], Side),
        }


def _half_points(cell: Cell | None) -> int:
    return cell.half_points if cell else 0


def _color(cell: Cell | None) -> str:
    return cell.color if isinstance(cell, Side) else ""


# The queries

# The ledger's lines of the current calculations; the player is None without games.
_lines = CompiledSectionQuery(
    lambda path, key: (
        Calculation.objects.filter(is_current=True, **{path: key})
        .order_by()
        .values_list(
            "section_id",
            "system",
            "edition",
            "is_late",
            "changes__player_id",
            "changes__pre_rating",
            "changes__pre_age_start",
            "changes__pre_games",
            "changes__post_rating",
            "changes__age_start",
            "changes__post_games",
            "changes__bonus",
            "changes__floor_used",
            "changes__ceiling_used",
        )
    )
)

# The entries, once for every rating that another source prints for one.
_entries = CompiledSectionQuery(
    lambda path, key: (
        Entry.objects.filter(**{path: key})
        .order_by("pairing_number")
        .values_list(
            "section_id",
            "pk",
            "pairing_number",
            "player_id",
            "player__merged_into_id",
            "player__member_id",
            "player__given_name",
            "player__family_name",
            "player__suffix",
            "player__is_private",
            Coalesce(NullIf("reported_state", Value("")), "player__state"),
            "reported_rating",
            "published_ratings__system",
            "published_ratings__post_rating",
            "published_ratings__decimals",
            "published_ratings__source",
        )
    )
)

# The games, and byes and forfeits as if they were games with leg 0.
_played = CompiledSectionQuery(
    lambda path, key: (
        Game.objects.filter(**{path: key})
        .order_by()
        .values_list(
            "section_id",
            "round_number",
            "leg",
            "first_id",
            "second_id",
            "first_color",
            "first_outcome",
            "second_outcome",
        )
        .union(
            UnplayedRound.objects.filter(**{f"entry__{path}": key})
            .order_by()
            .values_list(
                "entry__section_id",
                "round_number",
                Value(BYE),
                "entry_id",
                "opponent_id",
                Value(""),
                "kind",
                Value(""),
            ),
            all=True,
        )
    )
)
