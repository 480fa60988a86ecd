"""Public pages of foreign events, and the games behind a rating."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.urls import reverse

from events.models import ForeignEvent, ForeignGame, ForeignResult, ForeignVersion
from players.models import Player
from ratings.engine.foreign import opponents_conversion
from ratings.engine.rules import Rules, rules_in_force
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import Calculation, RatingChange


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game with its opponent on the US Chess scale; None if it does not count."""

    game: ForeignGame
    converted: float | None


@dataclass(frozen=True, slots=True)
class RatedInputs:
    """The inputs of a foreign rating: days, kind of event and games."""

    starts: date
    ends: date
    is_youth: bool
    games: tuple[ForeignGame, ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A rated result on the page of its event, with published ratings.

    *is_changed* says that games or event were corrected later: a rerate follows.
    """

    result: ForeignResult
    player: Player
    line: RatingChange
    before: float | None
    after: float
    is_late: bool
    played: RatedInputs
    games: tuple[GameRow, ...]
    corrections: tuple[ForeignVersion, ...]
    is_changed: bool
    why_url: str


def converted_games(
    games: Iterable[ForeignGame], rules: Rules, *, is_youth: bool
) -> tuple[GameRow, ...]:
    """Return games with converted opponents, in the order of rounds."""
    conversion = opponents_conversion(rules, youth=is_youth)
    return tuple(
        GameRow(
            game,
            None
            if game.opponent_rating is None
            else conversion.us_rating(game.opponent_rating),
        )
        for game in sorted(games, key=lambda game: game.round_number)
    )


def rated_inputs(calculation: Calculation, result: ForeignResult) -> RatedInputs:
    """Return the inputs of the calculation, from before any later correction.

    A version holds the data that were current until it was replaced.
    """
    later = [
        version
        for version in result.versions.all()
        if version.replaced_at > calculation.created_at
    ]
    if not later:
        event = result.event
        return RatedInputs(
            event.starts, event.ends, event.is_youth, tuple(result.games.all())
        )
    content = min(later, key=lambda version: version.number).content
    return RatedInputs(
        starts=date.fromisoformat(content["starts"]),
        ends=date.fromisoformat(content["ends"]),
        is_youth=content["is_youth"],
        games=tuple(
            ForeignGame(result=result, **_normalize_game_keys(game))
            for game in content["games"]
        ),
    )


def _normalize_game_keys(game: dict[str, Any]) -> dict[str, Any]:
    """Rename keys of stored games: old versions have "colour"."""
    return {"color" if name == "colour" else name: game[name] for name in game}


def rated_events() -> QuerySet[ForeignEvent]:
    """Return the events with rated results, and how many there are."""
    return (
        ForeignEvent.objects.annotate(
            rated_count=Count(
                "results", filter=Q(results__calculations__is_current=True)
            )
        )
        .filter(rated_count__gt=0)
        .order_by("-ends", "-pk")
    )


def results_of(event: ForeignEvent) -> list[ResultRow]:
    """Return the rated results of an event (five queries for any number)."""
    results = (
        ForeignResult.objects.filter(event=event, calculations__is_current=True)
        .select_related("player__merged_into", "event")
        .prefetch_related(
            "games",
            "versions",
            Prefetch(
                "calculations",
                Calculation.objects.filter(is_current=True).prefetch_related("changes"),
                to_attr="current",
            ),
        )
        .order_by("player__search_name", "pk")
    )
    return [_shown(result, result.current[0]) for result in results]


def _shown(result: ForeignResult, calculation: Calculation) -> ResultRow:
    played = rated_inputs(calculation, result)
    player = result.player.canonical
    line = calculation.changes.all()[0]
    rules = rules_in_force(played.starts, calculation.edition)
    versions = tuple(result.versions.all())
    return ResultRow(
        result=result,
        player=player,
        line=line,
        before=published_before(line),
        after=published(line),
        is_late=calculation.is_late,
        played=played,
        games=converted_games(played.games, rules, is_youth=played.is_youth),
        corrections=versions,
        is_changed=any(one.replaced_at > calculation.created_at for one in versions)
        or result.status != ForeignResult.Status.RATED,
        why_url=reverse(
            "ratings:foreign_why", args=[result.event_id, player.member_id]
        ),
    )


def current_calculation(event_id: int, player: Player) -> Calculation | None:
    """Return the member's calculation for the event, with line, games and versions."""
    return (
        Calculation.objects.filter(
            Q(foreign__player=player) | Q(foreign__player__merged_into=player),
            foreign__event__pk=event_id,
            is_current=True,
        )
        .select_related("foreign__event", "foreign__player")
        .prefetch_related("changes", "foreign__games", "foreign__versions")
        .first()
    )
