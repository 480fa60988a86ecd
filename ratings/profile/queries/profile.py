"""What a member's profile shows: ratings, charts and history. Never a birth date."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import (
    Exists,
    Model,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.utils import timezone

from events.models import Entry, Section
from players.members.queries import membership_of
from players.models import Membership, Player
from ratings.access import RatingReader
from ratings.engine.systems import System
from ratings.floors.queries.floors import decisions_of, numbers_of
from ratings.floors.queries.titles import NormLine, may_bring_titles
from ratings.ledger.queries.met import Met, games_met
from ratings.lists.queries.rankings import (
    Place,
    official_ratings_of,
    ranks_among,
)
from ratings.models import (
    Ceiling,
    Floor,
    FloorLowering,
    OfficialList,
    Run,
    RunDifference,
)
from ratings.profile.queries.chain import (
    Link,
    chain_of,
    may_have_imported,
    points_of,
    with_imported,
)
from ratings.profile.queries.chart import ChartWish, Known, ProfileChart, chart_of
from ratings.profile.queries.imported import (
    ImportedEntry,
    ImportedLine,
    imported_entries,
    imported_lines,
)
from ratings.profile.queries.lines import HistoryLine, line_of, lines_with_sources
from ratings.profile.queries.performances import performances_of
from ratings.profile.queries.results import Results, results_of
from ratings.profile.queries.standings import (
    Percentile,
    SystemStanding,
    current_of,
    last_lines,
    percentile_of,
    standings_in,
)
from ratings.rerates.queries import Revision, revisions_of
from ratings_site.common.looks.figures import About

ROWS = 50
# Before somebody asks for a page of the history.
FIRST_ROWS = 10
ALL_OF_IT = ChartWish()


@dataclass(frozen=True, slots=True)
class Profile:
    player: Player
    membership: str
    standings: list[SystemStanding]
    rated: list[System]
    chart: ProfileChart | None = None
    is_first_view: bool = False
    page: Page | None = None
    lines: list[HistoryLine | ImportedLine] = field(default_factory=list)
    official_list: OfficialList | None = None
    places: list[Place] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)

    @property
    def rated_lines(self) -> list[HistoryLine]:
        return [line for line in self.lines if isinstance(line, HistoryLine)]

    @property
    def has_imported(self) -> bool:
        return len(self.rated_lines) < len(self.lines)

    @property
    def can_have_decimals(self) -> bool:
        return any(line.is_exact for line in self.rated_lines)

    @property
    def has_about(self) -> bool:
        """Tell whether a rating is shown to the nearest 50, so the page says why."""
        numbers = [
            number for one in self.standings for number in (one.rating, one.peak)
        ]
        for one in self.rated_lines:
            numbers += [one.before, one.after]
        return any(isinstance(number, About) for number in numbers)


@dataclass(frozen=True, slots=True)
class Played:
    """A member's games in one of the systems that they are rated in."""

    rated: list[System]
    results: Results | None = None
    percentile: Percentile | None = None


def player_with_memberships(member_id: str) -> Player | None:
    """Return a member with the last day of membership, and what there is to read.

    Few have merged numbers, floors that were decided on, or revised ratings; those who
    has not costs no query for them.
    """
    return _players_with_memberships().filter(member_id=member_id).first()


# Made once: it takes longer to write than to answer.
@cache
def _players_with_memberships() -> QuerySet[Player]:
    last = Membership.objects.filter(player=OuterRef("pk")).order_by("-expires")
    duplicates = Player.objects.filter(merged_into=OuterRef("pk"))
    imported = Entry.objects.filter(
        player=OuterRef("pk"), section__status=Section.Status.IMPORTED
    )
    # Runs are few: each is looked into for the member.
    revised = RunDifference.objects.filter(
        player=OuterRef("pk"),
        run__in=Run.objects.filter(status=Run.Status.PUBLISHED).values("pk"),
    )
    return Player.objects.annotate(
        membership_until=Subquery(last.values("expires")[:1]),
        has_duplicates=Exists(duplicates),
        has_decisions=_of(Floor) | _of(FloorLowering) | _of(Ceiling),
        has_revisions=Exists(revised),
        has_imported=Exists(imported),
    )


def _of(model: type[Model]) -> Exists:
    """Say whether a row of the model is of the member of the query around it."""
    return Exists(model.objects.filter(player=OuterRef("pk")))


def profile_of(
    player: Player,
    system: System | None,
    page_number: object,
    reader: RatingReader | None = None,
    *,
    wish: ChartWish = ALL_OF_IT,
) -> Profile:
    """Return what the profile shows, with chart and history of one system or all.

    Without a *reader* it is what anybody may see.
    """
    decisions = decisions_of(player)
    reader = reader or RatingReader(AnonymousUser())
    chain = chain_of(player, system)
    listed = list(official_ratings_of(decisions.numbers))
    history: list[Link | ImportedEntry] = [*chain]
    # What was taken over is of no system, and may stand under another number.
    if system is None and may_have_imported(player):
        history = with_imported(chain, imported_entries(decisions.numbers))
    rows = ROWS if page_number else FIRST_ROWS
    page = Paginator(history[::-1], rows).get_page(page_number)
    links = [one for one in page if isinstance(one, Link)]
    in_order = [
        one.rated for one in sorted(chain, key=lambda link: (link.place, link.pk))
    ]
    met = _met(decisions.numbers, in_order, [one.rated for one in links])
    pks = [one.pk for one in links]
    current = current_of(player)
    lines = lines_with_sources([*pks, *last_lines(current)])
    standings = standings_in(player, current, lines, decisions, reader)
    revisions = revisions_of(player)
    chart = chart_of(
        player,
        points_of(chain),
        wish,
        today=timezone.localdate(),
        floors={one.system: one.floor for one in standings},
        known=Known(listed, decisions, revisions, in_order, met),
    )
    imported = imported_lines(one.pk for one in page if isinstance(one, ImportedEntry))
    performances = performances_of(met)
    official_list, places = ranks_among(player, listed)
    return Profile(
        player=player,
        membership=membership_of(player),
        standings=standings,
        rated=[one.system for one in standings if one.rating is not None],
        chart=chart,
        is_first_view=not page_number,
        page=page,
        lines=[
            line_of(lines[one.pk], player, reader, performances)
            if isinstance(one, Link)
            else imported[one.pk]
            for one in page
        ],
        official_list=official_list,
        places=places,
        revisions=revisions,
    )


def _met(
    numbers: Sequence[int],
    lines: Sequence[NormLine],
    listed: Sequence[NormLine],
) -> dict[int, list[Met]]:
    """Return the games of *listed* lines, and of those that may bring titles.

    *lines* are all, in rating order.
    """
    sections = {*may_bring_titles(lines), *(line.played for line in listed)} - {None}
    return games_met(numbers, sections)


def played_by(player: Player, system: System | None) -> Played:
    """Count a member's games in the system asked for, or the first one rated."""
    current = {row.system: row for row in current_of(player)}
    rated = [one for one in System if one in current]
    main = next((one for one in rated if system in (None, one)), None)
    if main is None:
        return Played(rated)
    results = results_of(numbers_of(player), main)
    return Played(rated, results, percentile_of(current[main]))


def history_after(
    player: Player,
    system: System | None,
    after: int | None,
    limit: int,
    reader: RatingReader,
) -> list[tuple[int, HistoryLine]] | None:
    """Return up to *limit* lines as *reader* sees them, newest first (two queries).

    Each comes with its primary key. They begin behind the line *after*; if there is no
    such line, because a rerate has replaced it, the answer is None.
    """
    pks = [link.pk for link in chain_of(player, system)][::-1]
    if after is not None and after not in pks:
        return None
    start = 0 if after is None else pks.index(after) + 1
    wanted = pks[start : start + limit]
    lines = lines_with_sources(wanted)
    return [(pk, line_of(lines[pk], player, reader)) for pk in wanted]
