"""Checks of the players' identity by their ratings.

They use current established ratings only, and none of them blocks a report. Sentences
stay in one language, because a TD's confirmation refers to the sentence.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from events.checks.queries.members import member_ids_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.played_games import HALF_POINTS, played_games
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from ratings.engine.numbers import exact_sum
from ratings.engine.rules import rules_in_force
from ratings.engine.standard import winning_expectancy
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published
from ratings.models import PlayerRating
from ratings_site.common.ui.formatting import half_points, whole

# A performance this far from the rating is rarely the same player's …
FAR_OFF = 600.0
# … if such a score is this improbable: three of 1,542 players in 71 real sections had
# one, while the result of another player is far less probable.
CHANCE = 0.0001
MIN_GAMES = 3
# The largest distance of a performance from the opponents' average (all won or lost).
PERFECT = 400.0
# Reports use lists some months old, and ratings of other systems.
OTHER_RATING = 400
# This far above or below all others; sections by rating rarely span more.
OUTLIER = 600.0
MIN_OTHERS = 6

_NUMBER = re.compile(r"[1-9][0-9]{2,3}(?![0-9])", re.ASCII)
_ORDER = {system.value: place for place, system in enumerate(System)}


def ratings_now(players: Sequence[int]) -> Mapping[int, dict[str, float]]:
    """Return the published current ratings of these members, over the board first."""
    by_player: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for player, ratings in current_published(players).items():
        for system in sorted(ratings, key=lambda system: _ORDER[system]):
            by_player[player][system.short] = ratings[system]
    return by_player


def check_ratings_of_players(reported: ReportedEvent) -> Iterator[Finding]:
    """Find entries whose rating or result is another player's (one query)."""
    rated = _established(reported)
    for section in reported.sections:
        here = {
            entry.pairing_number: rated[entry.member_id]
            for entry in section.entries
            if entry.member_id in rated
        }
        yield from _check_reported_ratings(section, here)
        yield from _check_outliers(section, here)
        yield from _check_performances(section, here)


def _established(reported: ReportedEvent) -> dict[str, list[float]]:
    """Return the published established ratings by member ID, the main one first."""
    established = PlayerRating.objects.filter(
        player__member_id__in=member_ids_of(reported),
        games__gt=rules_in_force(timezone.localdate()).established_after,
    )
    rows = established.order_by().values_list(
        "player__member_id", "system", "published_rating"
    )
    by_member: defaultdict[str, list[float]] = defaultdict(list)
    for member_id, _system, rating in sorted(rows, key=lambda row: _ORDER[row[1]]):
        by_member[member_id].append(float(rating))
    return by_member


def _place(section: ReportedSection, number: int, field: str = "member_id") -> Place:
    return Place(section=section.number, pairing_number=number, field=field)


# The rating that the report gives


def _check_reported_ratings(
    section: ReportedSection, here: Mapping[int, list[float]]
) -> Iterator[Finding]:
    for entry in section.entries:
        known = here.get(entry.pairing_number)
        reported = reported_rating(entry)
        if not known or reported is None:
            continue
        nearest = min(known, key=lambda rating: abs(rating - reported))
        if abs(nearest - reported) > OTHER_RATING:
            yield make_finding(
                "member.other_rating",
                _place(section, entry.pairing_number),
                name=entry.name or entry.member_id,
                reported=reported,
                member_id=entry.member_id,
                nearest=whole(nearest),
            )


def reported_rating(entry: ReportedEntry) -> int | None:
    """Return the number in the reported rating, such as 1523 of "1523P12".

    >>> reported_rating(ReportedEntry(1, rating="1523P12"))
    1523
    """
    match = _NUMBER.match(entry.rating.strip())
    return int(match[0]) if match else None


# Far from all others


def _check_outliers(
    section: ReportedSection, here: Mapping[int, list[float]]
) -> Iterator[Finding]:
    """Find players rated far above or below all others in the section."""
    if len(here) <= MIN_OTHERS:
        return
    ordered = sorted((ratings[0], number) for number, ratings in here.items())
    (lowest, low), (second, _) = ordered[:2]
    (before, _), (highest, high) = ordered[-2:]
    if highest - before > OUTLIER:
        yield _outlier(section, high, highest, before)
    if second - lowest > OUTLIER:
        yield _outlier(section, low, lowest, second)


def _outlier(
    section: ReportedSection, number: int, rating: float, nearest: float
) -> Finding:
    entry = section.entry(number)
    return make_finding(
        "member.rating_outlier" if rating > nearest else "member.rating_outlier/lowest",
        _place(section, number),
        name=entry.name if entry else number,
        rating=whole(rating),
        points=whole(abs(rating - nearest)),
    )


# A result out of reach


@dataclass(slots=True)
class _Score:
    """A player's score against opponents with established ratings."""

    opponents: list[float] = field(default_factory=list)
    half_points: int = 0

    @property
    def performance(self) -> float:
        """The opponents' average, plus 400 points times the score above one half."""
        games = len(self.opponents)
        return (
            exact_sum(self.opponents) / games
            + PERFECT * (self.half_points - games) / games
        )


def _check_performances(
    section: ReportedSection, here: Mapping[int, list[float]]
) -> Iterator[Finding]:
    for number, score in _scores(section, here).items():
        own = here[number][0]
        if len(score.opponents) < MIN_GAMES:
            continue
        off = score.performance - own
        if abs(off) >= FAR_OFF and chance_of(score, own) < CHANCE:
            yield _performance(section, number, score, own)


def _scores(
    section: ReportedSection, here: Mapping[int, list[float]]
) -> dict[int, _Score]:
    scores: defaultdict[int, _Score] = defaultdict(_Score)
    for game in played_games(section):
        if game.first in here and game.second in here:
            for number, other, outcome in (
                (game.first, game.second, game.first_outcome),
                (game.second, game.first, game.second_outcome),
            ):
                scores[number].opponents.append(here[other][0])
                scores[number].half_points += HALF_POINTS[outcome]
    return scores


def chance_of(score: _Score, rating: float) -> float:
    """Return the probability of a score at least this far from the expected one.

    Games count as won or lost: without draws scores vary more, so that the check
    reports too little rather than too much.

    >>> round(chance_of(_Score([1500.0] * 4, 8), 1500), 4)
    0.0625
    """
    chances = [1.0]  # of 0, 1, 2 … wins
    for opponent in score.opponents:
        win = winning_expectancy(rating, opponent)
        chances = [
            (chances[wins] if wins < len(chances) else 0.0) * (1 - win)
            + (chances[wins - 1] if wins else 0.0) * win
            for wins in range(len(chances) + 1)
        ]
    expected = exact_sum([winning_expectancy(rating, one) for one in score.opponents])
    if score.half_points >= 2 * expected:
        return exact_sum(chances[(score.half_points + 1) // 2 :])
    return exact_sum(chances[: score.half_points // 2 + 1])


def _performance(
    section: ReportedSection, number: int, score: _Score, own: float
) -> Finding:
    entry = section.entry(number)
    return make_finding(
        "member.performance",
        _place(section, number),
        name=entry.name if entry else number,
        own=whole(own),
        performance=whole(score.performance),
        half_points=half_points(score.half_points),
        opponents=len(score.opponents),
    )
