"""A member's profile: ratings, charts and history, but never a birth date."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery
from django.utils import timezone

from events.models import Entry, Section
from players.members.queries import membership_label, same_person_ids
from players.models import Membership, Player
from ratings.access import RatingViewer
from ratings.decisions.floors.queries.floors import numbers_of, read_decisions
from ratings.decisions.floors.queries.titles import NormLine, title_sections
from ratings.engine.systems import System
from ratings.ledger.queries.point_in_time import OpponentGame, opponent_games
from ratings.lists.queries.rankings import Place, official_ratings_of, ranks_among
from ratings.models import (
    Ceiling,
    Floor,
    FloorLowering,
    OfficialList,
    Run,
    RunDifference,
)
from ratings.pages.profile.queries.chain import (
    Link,
    chain_of,
    may_have_imported,
    points_of,
    with_imported,
)
from ratings.pages.profile.queries.chart import (
    ChartData,
    ChartOptions,
    ProfileChart,
    chart_of,
)
from ratings.pages.profile.queries.lines import (
    HistoryLine,
    ImportedEntry,
    ImportedLine,
    imported_entries,
    imported_lines,
    line_of,
    lines_with_sources,
    performances_of,
)
from ratings.pages.profile.queries.results import results_of
from ratings.pages.profile.queries.standings import (
    SystemStanding,
    current_of,
    last_lines,
    percentile_of,
    standings_in,
)
from ratings.rerates.queries import Revision, revisions_of
from ratings_site.common.ui.formatting import ApproximateRating

ROWS = 50
# Rows before the user pages through the history.
FIRST_ROWS = 10
DEFAULT_OPTIONS = ChartOptions()


@dataclass(frozen=True, slots=True)
class Profile:
    player: Player
    membership: str
    standings: list[SystemStanding]
    rated: list[System]
    chart: ProfileChart | None = None
    is_first_view: bool = False
    page: Page[Any] | None = None
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
        """Return whether a rating is shown to the nearest 50, as the page explains."""
        numbers = [
            number for one in self.standings for number in (one.rating, one.peak)
        ]
        for one in self.rated_lines:
            numbers += [one.before, one.after]
        return any(isinstance(number, ApproximateRating) for number in numbers)


def player_with_memberships(member_id: str) -> Player | None:
    """Return a member with the last day of membership, and flags of further data.

    Few members have merged numbers, decisions on floors, or revised ratings; the others
    need no query for them.
    """
    return _players_with_memberships().filter(member_id=member_id).first()


# Built once, because building it takes longer than the query.
@cache
def _players_with_memberships() -> QuerySet[Player]:
    last = Membership.objects.filter(player=OuterRef("pk")).order_by("-expires")
    duplicates = Player.objects.filter(merged_into=OuterRef("pk"))
    imported = Entry.objects.filter(
        player=OuterRef("pk"), section__status=Section.Status.IMPORTED
    )
    # There are few runs, and each is searched for the member.
    revised = RunDifference.objects.filter(
        player=OuterRef("pk"),
        run__in=Run.objects.filter(status=Run.Status.PUBLISHED).values("pk"),
    )
    return Player.objects.annotate(
        membership_until=Subquery(last.values("expires")[:1]),
        has_duplicates=Exists(duplicates),
        has_decisions=_exists_for_player(Floor)
        | _exists_for_player(FloorLowering)
        | _exists_for_player(Ceiling),
        has_revisions=Exists(revised),
        has_imported=Exists(imported),
    )


def _exists_for_player(model: type[Model]) -> Exists:
    """Return the condition that the model has a row of the outer query's member."""
    return Exists(model._default_manager.filter(player=OuterRef("pk")))


def profile_of(
    player: Player,
    system: System | None,
    page_number: int | str | None,
    reader: RatingViewer | None = None,
    *,
    options: ChartOptions = DEFAULT_OPTIONS,
) -> Profile:
    """Return the profile, with chart and history of one system or all.

    Without a *reader*, it has public data only.
    """
    decisions = read_decisions(player)
    reader = reader or RatingViewer(AnonymousUser())
    chain = chain_of(player, system)
    listed = list(official_ratings_of(decisions.numbers))
    history: list[Link | ImportedEntry] = [*chain]
    # Imported entries have no system, and may have a merged number.
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
        options,
        today=timezone.localdate(),
        floors={one.system: one.floor for one in standings},
        chart_data=ChartData(listed, decisions, revisions, in_order, met),
    )
    imported = imported_lines(one.pk for one in page if isinstance(one, ImportedEntry))
    performances = performances_of(met)
    official_list, places = ranks_among(player, listed)
    return Profile(
        player=player,
        membership=membership_label(player),
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
    numbers: Sequence[int], lines: Sequence[NormLine], listed: Sequence[NormLine]
) -> dict[int, list[OpponentGame]]:
    """Return the games of *listed* lines, and of those that can lead to titles.

    *lines* are all lines, in rating order.
    """
    played = {line.played for line in listed if line.played is not None}
    sections = played.union(title_sections(lines))
    return opponent_games(numbers, sections)


def player_results(player: Player, system: System | None) -> dict[str, Any]:
    """Return a member's results in the given system, or the first rated one."""
    current = {row.system: row for row in current_of(player)}
    rated = [one for one in System if one in current]
    main = next((one for one in rated if system in (None, one)), None)
    if main is None:
        return {"rated": rated}
    return {
        "rated": rated,
        "results": results_of(numbers_of(player), main),
        "percentile": percentile_of(current[main]),
    }


def whole_history(
    player: Player, system: System | None, reader: RatingViewer
) -> list[HistoryLine | ImportedLine]:
    """Return the history as *reader* sees it, newest first (six queries at most)."""
    chain = chain_of(player, system)
    history: list[Link | ImportedEntry] = [*chain]
    if system is None:
        numbers = same_person_ids([player.pk])[player.pk]
        history = with_imported(chain, imported_entries(numbers))
    lines = lines_with_sources([link.pk for link in chain])
    imported = imported_lines(one.pk for one in history if not isinstance(one, Link))
    return [
        line_of(lines[one.pk], player, reader)
        if isinstance(one, Link)
        else imported[one.pk]
        for one in reversed(history)
    ]


def history_after(
    player: Player,
    system: System | None,
    after: int | None,
    limit: int,
    reader: RatingViewer,
) -> list[tuple[int, HistoryLine]] | None:
    """Return up to *limit* lines as *reader* sees them, newest first (two queries).

    Each comes with its primary key. They start after the line *after*; if there is no
    such line, because a rerate has replaced it, return None.
    """
    pks = [link.pk for link in chain_of(player, system)][::-1]
    if after is not None and after not in pks:
        return None
    start = 0 if after is None else pks.index(after) + 1
    wanted = pks[start : start + limit]
    lines = lines_with_sources(wanted)
    return [(pk, line_of(lines[pk], player, reader)) for pk in wanted]
