"""Queries about foreign events: the worklist, and duplicate games."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from events.formats.played_games import HALF_POINTS, played_games
from events.formats.report import ReportedEvent, ReportedSection
from events.models import Entry, ForeignEvent, ForeignResult, ForeignWork, Game
from players.members.queries import same_person_ids
from players.models import FideList, Player
from ratings_site.common.names.phonetics import searchable

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

Status = ForeignResult.Status

# States of a line of the worklist.
TO_DO, ENTERED, RATED, NOTHING = "to_do", "entered", "rated", "nothing"
STATES = {
    TO_DO: gettext_lazy("No results"),
    ENTERED: gettext_lazy("Entered"),
    RATED: gettext_lazy("Rated"),
    NOTHING: gettext_lazy("Nothing to do"),
}


class WorkState(TypedDict):
    state: str


WorkWithState: TypeAlias = "WithAnnotations[ForeignWork, WorkState]"


# --- The worklist ---


def worklist(fide_list: FideList) -> QuerySet[WorkWithState]:
    """Return the lines of a list with their *state*.

    An event belongs to the list for which FIDE rated it.
    """
    return (
        _with_state(ForeignWork.objects.all())
        .filter(fide_list=fide_list)
        .select_related("player", "decided_by")
    )


def open_worklists() -> list[tuple[int, date, int]]:
    """Return the lists with members to do, oldest first, and their counts."""
    waiting = _with_state(ForeignWork.objects.all()).filter(
        state=TO_DO, fide_list__state__in=FideList.IN_USE
    )
    return list(
        waiting.order_by("fide_list__list_date")
        .values("fide_list", "fide_list__list_date")
        .annotate(number=Count("pk"))
        .values_list("fide_list", "fide_list__list_date", "number")
    )


def _with_state(lines: QuerySet[ForeignWork]) -> QuerySet[WorkWithState]:
    results = ForeignResult.objects.filter(
        player=OuterRef("player"), event__rated_list=OuterRef("fide_list__list_date")
    )
    state = Case(
        When(~Q(nothing_to_do_because=""), then=Value(NOTHING)),
        When(
            Exists(results.filter(status__in=[Status.DRAFT, Status.READY])),
            then=Value(ENTERED),
        ),
        When(Exists(results.filter(status=Status.RATED)), then=Value(RATED)),
        default=Value(TO_DO),
        output_field=CharField(),
    )
    return lines.annotate(state=state)


def counts_by_state(lines: QuerySet[WorkWithState]) -> dict[str, int]:
    counts = dict(lines.order_by().values_list("state").annotate(number=Count("pk")))
    return {state: counts.get(state, 0) for state in STATES}


def lists_in_use() -> QuerySet[FideList]:
    return FideList.objects.filter(state__in=FideList.IN_USE).order_by("-list_date")


def foreign_events() -> QuerySet[ForeignEvent]:
    """Return the events with their numbers of entered, ready and rated results."""
    counts = {
        f"{status}_count": Count("results", filter=Q(results__status=status))
        for status in Status
    }
    # Aggregation drops the model's ordering.
    return ForeignEvent.objects.annotate(**counts).order_by("-ends", "-pk")


# --- Duplicate games ---


@dataclass(frozen=True, slots=True)
class DuplicateGames:
    """Another event that seems to have the same games."""

    sentence: str
    url: str


# The opponent's FIDE ID and name in any order, and the score.
_KnownGame = tuple[str, str, int]


@dataclass(frozen=True)
class _KnownGames:
    """A member's games in one event, reduced to what identifies them."""

    starts: date
    ends: date
    title: str = ""
    url: str = ""
    where: str = ""
    games: Sequence[_KnownGame] = ()

    @cached_property
    def _counts(self) -> tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]]:
        """Count the games by the opponent's FIDE ID and by name, with the score."""
        return (
            Counter((fide_id, score) for fide_id, _, score in self.games if fide_id),
            Counter((name, score) for _, name, score in self.games if name),
        )

    def duplicate(self, other: _KnownGames) -> DuplicateGames | None:
        """Return what to say if *other* seems to have the same games."""
        if self.starts > other.ends or other.starts > self.ends:
            return None
        both = zip(self._counts, other._counts, strict=True)
        shared = max((mine & theirs).total() for mine, theirs in both)
        if not shared or 2 * shared < min(len(self.games), len(other.games)):
            return None
        words = ngettext(
            "{number} game with the same opponent and score also appears in {title}, "
            "{where} on overlapping days.",
            "{number} games with the same opponents and scores also appear in {title}, "
            "{where} on overlapping days.",
            shared,
        )
        return DuplicateGames(
            words.format(number=shared, title=other.title, where=other.where), other.url
        )


def duplicate_games_of(
    results: Sequence[ForeignResult],
) -> dict[int, list[DuplicateGames]]:
    """Return for each result the events that seem to have its games already.

    These are other foreign results, and sections rated here, of the same member on
    overlapping days, with half or more of the games of either against the same
    opponents with the same scores. Six queries for any number of results, which must
    have event and player loaded.
    """
    if not results:
        return {}
    people = same_person_ids({result.player_id for result in results})
    owner = {pk: kept for kept, numbers in people.items() for pk in numbers}
    first = min(result.event.starts for result in results)
    last = max(result.event.ends for result in results)
    abroad = _abroad(owner, first, last)
    at_home = _at_home(owner, first, last)
    found = {}
    for result in results:
        events_of_member = abroad[result.player_id]
        event = result.event
        mine = events_of_member.get(result.pk) or _KnownGames(event.starts, event.ends)
        others = [one for pk, one in events_of_member.items() if pk != result.pk]
        every = map(mine.duplicate, (*others, *at_home[result.player_id]))
        found[result.pk] = [one for one in every if one]
    return found


def _abroad(
    owner: dict[int, int], first: date, last: date
) -> defaultdict[int, dict[int, _KnownGames]]:
    known: defaultdict[int, dict[int, _KnownGames]] = defaultdict(dict)
    results = (
        ForeignResult.objects.filter(
            player__in=owner, event__starts__lte=last, event__ends__gte=first
        )
        .exclude(status=Status.EXCLUDED)
        .select_related("event")
        .prefetch_related("games")
    )
    for result in results:
        known[owner[result.player_id]][result.pk] = _known_abroad(result)
    return known


def _known_abroad(result: ForeignResult) -> _KnownGames:
    event, is_rated = result.event, result.status == Status.RATED
    return _KnownGames(
        event.starts,
        event.ends,
        event.name,
        reverse("ratings:foreign_desk", args=[event.pk]),
        gettext("rated abroad") if is_rated else gettext("entered abroad"),
        [
            (game.opponent_fide_id, _any_order(game.opponent_name), game.half_points)
            for game in result.games.all()
        ],
    )


def _any_order(name: str) -> str:
    """Return a key that is the same for "Lind, Ada" and "Ada Lind"."""
    return " ".join(sorted(searchable(name).split()))


def _at_home(
    owner: dict[int, int], first: date, last: date
) -> defaultdict[int, list[_KnownGames]]:
    entries = {
        entry.pk: entry
        for entry in Entry.objects.filter(
            player__in=owner, section__starts__lte=last, section__ends__gte=first
        ).select_related("section__event")
    }
    rows: defaultdict[tuple[int, int], list[_KnownGame]] = defaultdict(list)
    sections = {}
    for entry_id, opponent, score in _home_games(list(entries)):
        entry = entries[entry_id]
        sections[entry.section_id] = entry.section
        rows[owner[entry.player_id], entry.section_id].append(
            (opponent.fide_id or "", _any_order(opponent.name), score)
        )
    known: defaultdict[int, list[_KnownGames]] = defaultdict(list)
    for (player_id, section_id), games in rows.items():
        section = sections[section_id]
        known[player_id].append(
            _KnownGames(
                section.starts,
                section.ends,
                str(section),
                section.get_absolute_url(),
                gettext("rated at home"),
                games,
            )
        )
    return known


def _home_games(entry_ids: list[int]) -> Iterator[tuple[int, Player, int]]:
    """Yield entry, opponent and score of each game, from either side."""
    games = Game.objects.select_related("first__player", "second__player")
    for game in games.filter(first__in=entry_ids):
        yield game.first_id, game.second.player, HALF_POINTS[game.first_outcome]
    for game in games.filter(second__in=entry_ids):
        yield game.second_id, game.first.player, HALF_POINTS[game.second_outcome]


def rated_abroad(
    reported: ReportedEvent, members: Mapping[str, Player]
) -> Iterator[tuple[int, Player, DuplicateGames]]:
    """Yield section and member where a report's games were rated in a foreign event.

    The rule is that of ``duplicate_games_of``. One query, and another one if there is
    anything to compare with.
    """
    days = [day for one in reported.sections for day in reported.dates_of(one) if day]
    if not days:
        return
    abroad = _rated_results(members.values(), min(days), max(days))
    if not abroad:
        return
    for section in reported.sections:
        starts, ends = reported.dates_of(section)
        if starts is None or ends is None:
            continue
        for player, games in _reported_games(section, members).items():
            mine = _KnownGames(starts, ends, games=games)
            for other in abroad[player.pk]:
                if double := mine.duplicate(other):
                    yield section.number, player, double


def _rated_results(
    players: Iterable[Player], first: date, last: date
) -> defaultdict[int, list[_KnownGames]]:
    """Return by member the foreign results rated between two days."""
    ids = {player.pk for player in players}
    results = (
        ForeignResult.objects.filter(
            Q(player__in=ids) | Q(player__merged_into__in=ids),
            status=Status.RATED,
            event__starts__lte=last,
            event__ends__gte=first,
        )
        .select_related("event", "player")
        .prefetch_related("games")
    )
    known: defaultdict[int, list[_KnownGames]] = defaultdict(list)
    for result in results:
        owner = result.player.merged_into_id or result.player_id
        known[owner].append(_known_abroad(result))
    return known


def _reported_games(
    section: ReportedSection, members: Mapping[str, Player]
) -> dict[Player, list[_KnownGame]]:
    """Return by member the games as `_known` counts them, from either side."""
    entries = {entry.pairing_number: entry for entry in section.entries}
    games: defaultdict[Player, list[_KnownGame]] = defaultdict(list)
    for game in played_games(section):
        for number, opponent, outcome in (
            (game.first, game.second, game.first_outcome),
            (game.second, game.first, game.second_outcome),
        ):
            player = members.get(entries[number].member_id)
            if player is None:
                continue  # found by the checks of members
            rival = members.get(entries[opponent].member_id)
            name = rival.name if rival else entries[opponent].name
            fide_id = (rival.fide_id or "") if rival else ""
            games[player].append((fide_id, _any_order(name), HALF_POINTS[outcome]))
    return games
