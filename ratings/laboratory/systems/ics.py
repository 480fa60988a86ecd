"""The Internet Chess Server system: Richard's PBeM Server, and FICS's early form.

Provisional players have the average of one value for each game, established ones
Elo's formula with a K that depends on how much their opponent has played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ratings.engine.numbers import exact_sum, official, round_change
from ratings.laboratory.cases import Case
from ratings.laboratory.parameters import again, parameter
from ratings.laboratory.protocol import (
    UNKNOWN,
    About,
    Example,
    Games,
    Moment,
    Pool,
    Shape,
    Source,
    Standing,
    Status,
    System,
    Table,
)
from ratings.laboratory.words import _

ESTABLISHED_AFTER: Final = 20
"""A player with this many games is established."""
NEVER_PLAYED: Final = 1600.0
"""What stands for the rating of a player who has never played."""
AVERAGE: Final = 1720.0
"""Where the average of the established active players should stay."""
_SHARE: Final = 5
_WIDTH: Final = 200.0
_OWN_WIDTH: Final = 400.0


# --- The formulas ---


def expected_score(own: float, opponent: float) -> float:
    """Return the expected score of one game.

    >>> round(expected_score(2219, 1500), 4)
    0.9843
    """
    return float(1.0 / (1.0 + 10.0 ** ((opponent - own) / 400.0)))


def points_at_stake(opponent_games: int, k: float = 32.0) -> float:
    """Return K against an opponent who has played *opponent_games* games.

    >>> points_at_stake(5), points_at_stake(20), points_at_stake(400)
    (8.0, 32.0, 32.0)
    """
    return k * min(opponent_games, ESTABLISHED_AFTER) / ESTABLISHED_AFTER


def established_change(own: float, opponent: float, score: float, k: float) -> float:
    """Return what a game changes an established rating by, not rounded.

    >>> established_change(1800, 1700, 0, 8) > -5.13, established_change(1, 1, 1, 32)
    (True, 16.0)
    """
    return k * (score - expected_score(own, opponent))


def whole(change: float) -> int:
    """Round a change to whole points, halves away from zero.

    What one player wins the other then loses, and from a difference of 720 on the
    stronger player's win changes nothing.

    >>> whole(established_change(2219, 1500, 1, 32))
    1
    >>> whole(established_change(2220, 1500, 1, 32))
    0
    """
    return round_change(change)


def value_against_established(opponent: float, outcome: float) -> float:
    """Return a provisional game's value; *outcome* is -1, 0 or 1.

    >>> value_against_established(1500, 1)
    1900.0
    """
    return opponent + _OWN_WIDTH * outcome


def value_against_provisional(
    own: float | None, opponent: float | None, outcome: float
) -> float:
    """Return a provisional game's value; None is a player who has never played.

    >>> value_against_provisional(None, None, 1)
    1800.0
    >>> value_against_provisional(1700, 1500, -1)
    1400.0
    """
    first = NEVER_PLAYED if own is None else own
    second = NEVER_PLAYED if opponent is None else opponent
    return (first + second) / 2 + _WIDTH * outcome


def extra_points(mean: float | None) -> float:
    """Return the addition to provisional ratings: a fifth of 1720 less the average.

    *mean* is the average of the established active players, None without any.

    >>> extra_points(1700), extra_points(None)
    (4.0, 0.0)
    """
    return 0.0 if mean is None else (AVERAGE - mean) / _SHARE


def stays_active(*, refused: bool, is_playing: bool) -> bool:
    """Return whether a player stays active: a refusal without a game ends it."""
    return is_playing or not refused


# --- The system ---

AVERAGED, FIXED = _("average of both"), _("opponent's rating")


@dataclass(frozen=True)
class Parameters:
    k: float = parameter(
        32.0,
        _("K"),
        _("The points at stake between established players."),
        low=1,
        high=100,
    )
    inflation_control: bool = parameter(
        True,
        _("Keep the average at 1720"),
        _(
            "Adds to provisional ratings one fifth of the gap between 1720 and "
            "the average of active established players. It is added to the "
            "displayed rating only."
        ),
    )
    provisional_opponents: str = parameter(
        AVERAGED,
        _("Game value against a provisional opponent"),
        _(
            "The average of both ratings with 200 points or, as in the first "
            "FICS program, the opponent’s rating with 400 points."
        ),
        choices=(AVERAGED, FIXED),
    )
    whole_numbers: bool = parameter(
        True,
        _("Whole numbers"),
        _("Round changes to whole points. Small changes disappear."),
    )


@dataclass(frozen=True)
class FicsParameters(Parameters):
    inflation_control: bool = again(Parameters, "inflation_control", False)
    provisional_opponents: str = again(Parameters, "provisional_opponents", FIXED)


class IcsTable(Table):
    """One game type of a server: columns by player.

    *ratings* holds established ratings and, for the provisional, the plain average of
    their values; the displayed ones may include the extra points.
    """

    parameters: Parameters

    def __init__(self, pool: Pool, parameters: Parameters) -> None:
        super().__init__(pool, parameters)
        self.ratings = [0.0] * pool.size
        self._totals = [0.0] * pool.size
        self._counted = [0] * pool.size
        self._inactive: set[int] = set()
        self._active_total = 0.0
        self._active_count = 0

    def standing(self, player: int) -> Standing | None:
        games = self.counts[player]
        if not games:
            return None
        return Standing(self._visible_rating(player, self._extra()), games)

    def seed(self, player: int, standing: Standing) -> None:
        """Give a rating; without games it counts as that of one game."""
        games = max(1, standing.games)
        self.counts[player] = games
        self.ratings[player] = standing.rating
        if games < ESTABLISHED_AFTER:
            self._totals[player] = standing.rating * games
            self._counted[player] = games
        else:
            self._establish(player, standing.rating)

    def predict(self, games: Games, moment: Moment) -> list[float]:
        counts, ratings, extra = self.counts, self.ratings, self._extra()
        predicted: list[float] = []
        keep = predicted.append
        for white, black in zip(games.white, games.black, strict=True):
            if counts[white] >= ESTABLISHED_AFTER <= counts[black]:
                gap = ratings[black] - ratings[white]
                keep(1.0 / (1.0 + 10.0 ** (gap / 400.0)))
            elif counts[white] and counts[black]:
                own, other = (
                    self._visible_rating(white, extra),
                    self._visible_rating(black, extra),
                )
                keep(expected_score(own, other))
            else:
                keep(UNKNOWN)
        return predicted

    def update(self, games: Games, moment: Moment) -> None:
        ratings, counts, k = self.ratings, self.counts, self.parameters.k
        both_whole = self.parameters.whole_numbers
        for white, black, points in zip(
            games.white, games.black, games.points, strict=True
        ):
            if counts[white] >= ESTABLISHED_AFTER <= counts[black]:
                if self._inactive:
                    self._reactivate(white)
                    self._reactivate(black)
                gap = ratings[black] - ratings[white]
                change = k * (points - 1.0 / (1.0 + 10.0 ** (gap / 400.0)))
                if both_whole:
                    change = float(int(change + (0.5 if change >= 0 else -0.5)))
                # The sum stays, so the average of the active players does too.
                ratings[white] += change
                ratings[black] -= change
                counts[white] += 1
                counts[black] += 1
            else:
                self._game_with_provisional(white, black, points)

    def refuse(self, player: int, *, is_playing: bool = False) -> None:
        """Note that *player* refused a challenge; the rating stays."""
        if stays_active(refused=True, is_playing=is_playing):
            return
        if player not in self._inactive and self._is_established(player):
            self._active_total -= self.ratings[player]
            self._active_count -= 1
        self._inactive.add(player)

    def is_active(self, player: int) -> bool:
        """Return whether *player* counts in the average; completing a game makes so."""
        return self.counts[player] > 0 and player not in self._inactive

    def mean_of_established(self) -> float | None:
        """Return the average of the established active players; None without any."""
        if self._active_count == 0:
            return None
        return self._active_total / self._active_count

    def _game_with_provisional(self, white: int, black: int, points: float) -> None:
        extra = self._extra()
        effects = (
            self._effect(white, black, points, extra),
            self._effect(black, white, 1.0 - points, extra),
        )
        for player, effect in zip((white, black), effects, strict=True):
            self._reactivate(player)
            self._apply_effect(player, effect, extra)

    def _effect(
        self, player: int, opponent: int, score: float, extra: float
    ) -> float | None:
        """Return a change (established) or a value (provisional); None for no effect.

        An opponent who has never played has none, unless neither has.
        """
        if self.counts[opponent] == 0 and self.counts[player] > 0:
            return None
        if not self._is_established(player):
            return self._value(player, opponent, 2 * score - 1)
        k = points_at_stake(self.counts[opponent], self.parameters.k)
        other = self._visible_rating(opponent, extra)
        change = established_change(self.ratings[player], other, score, k)
        return whole(change) if self.parameters.whole_numbers else change

    def _value(self, player: int, opponent: int, outcome: float) -> float:
        has_played = self.counts[opponent] > 0
        other = self.ratings[opponent] if has_played else None
        fixed = self.parameters.provisional_opponents == FIXED
        if self._is_established(opponent) or (fixed and other is not None):
            return value_against_established(self.ratings[opponent], outcome)
        own = self.ratings[player] if self.counts[player] else None
        return value_against_provisional(own, other, outcome)

    def _apply_effect(self, player: int, effect: float | None, extra: float) -> None:
        """Count the game and let it act on *player*."""
        was_established = self._is_established(player)
        self.counts[player] += 1
        if was_established:
            self.ratings[player] += effect or 0.0
            self._active_total += effect or 0.0
            return
        if effect is not None:
            self._totals[player] += effect
            self._counted[player] += 1
            self.ratings[player] = self._totals[player] / self._counted[player]
        if self.counts[player] >= ESTABLISHED_AFTER:
            self.bonus_points += extra
            self._establish(player, self.ratings[player] + extra)

    def _establish(self, player: int, rating: float) -> None:
        """Begin an established rating."""
        if self.parameters.whole_numbers:
            rating = float(official(rating))
        self.ratings[player] = rating
        if player not in self._inactive:
            self._active_total += rating
            self._active_count += 1

    def _reactivate(self, player: int) -> None:
        """Make *player* active again, who completes a game."""
        if player in self._inactive:
            self._inactive.discard(player)
            if self._is_established(player):
                self._active_total += self.ratings[player]
                self._active_count += 1

    def _is_established(self, player: int) -> bool:
        return self.counts[player] >= ESTABLISHED_AFTER

    def _extra(self) -> float:
        if not self.parameters.inflation_control:
            return 0.0
        return extra_points(self.mean_of_established())

    def _visible_rating(self, player: int, extra: float) -> float:
        """Return the displayed rating of a player who has played."""
        if self._is_established(player):
            return self.ratings[player]
        shown = self.ratings[player] + extra
        return float(official(shown)) if self.parameters.whole_numbers else shown


_PBEM = Source(
    _("Richard’s PBeM Server, rating system"),
    "http://www.gamerz.net/pbmserv/ratings.html",
)
_FICS = Source(_("Early program of the Free Internet Chess Server, file “ratings”"))
_BY_HAND = Source(_("Calculated by hand from the rules"))


class _Ics(System):
    table = IcsTable

    def expected(self, player: Standing, opponent: Standing) -> float:
        return expected_score(player.rating, opponent.rating)


class PbemServer(_Ics):
    parameters = Parameters
    about = About(
        key="ics.pbem",
        label=_("ICS, Richard’s PBeM Server"),
        years=_("internet, since the 1990s"),
        summary=_(
            "An average of game values for the first 20 games. Then Elo, with K "
            "scaled by how much the opponent has played."
        ),
        shape=Shape.PER_GAME,
        status=Status.OFFICIAL,
        sources=(_PBEM, _FICS),
    )
    example = Example(
        player=Standing(1800.0, 40),
        games=((Standing(1700.0, 5), 0.0),),
        printed="1795",
        source=_BY_HAND,
        parameters={"inflation_control": False},
    )


class FreeServer(_Ics):
    parameters = FicsParameters
    about = About(
        key="ics.fics",
        label=_("ICS, early form of FICS"),
        years=_("internet, 1990s"),
        summary=_(
            "The first version of the program: no extra points, and the "
            "opponent’s rating with 400 points in every provisional game."
        ),
        shape=Shape.PER_GAME,
        status=Status.HISTORICAL,
        sources=(_FICS, _PBEM),
    )
    example = Example(
        player=Standing(2000.0, 4),
        games=((Standing(1500.0, 40), 1.0),),
        printed="1980",
        source=_BY_HAND,
    )


# --- Published cases ---


def _established_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """An established player's game against an opponent with any number of games."""
    own, other, score = inputs["r1"], inputs["r2"], inputs["w"]
    games = inputs.get("opponent_games", ESTABLISHED_AFTER)
    k = points_at_stake(games)
    gain = established_change(own, other, score, k)
    if games < ESTABLISHED_AFTER:
        value = value_against_established(own, 1 - 2 * score)
        opponent_after = (games * other + value) / (games + 1)
    else:
        opponent_after = other + established_change(other, own, 1 - score, k)
    return {
        "K": k,
        "raw_gain": gain,
        "rounded_gain": whole(gain),
        "new": own + gain,
        "opp_new": opponent_after,
    }


def _provisional_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(inputs.get("games"), list):
        return {"values": [_case_value(game) for game in inputs["games"]]}
    if "values" in inputs:
        mean = exact_sum(inputs["values"]) / len(inputs["values"])
        extra = extra_points(inputs.get("mean_of_established_active"))
        return {"mean": mean, "adjusted": mean + extra}
    if not isinstance(inputs["outcome"], list):
        return _mean_case(inputs)
    found = [_mean_case({**inputs, "outcome": one}) for one in inputs["outcome"]]
    return {key: [one[key] for one in found] for key in found[0]} if found else {}


def _case_value(game: Mapping[str, Any]) -> float | None:
    """Return the value of one game as the cases describe it; None for no effect."""
    own_played = game.get("own_played", True)
    opp_played = game.get("opp_played", True)
    if game.get("opp_established", opp_played):
        return value_against_established(game["opp"], game["outcome"])
    if own_played and not opp_played:
        return None
    own = game.get("own") if own_played else None
    opponent = game["opp"] if opp_played else None
    return value_against_provisional(own, opponent, game["outcome"])


def _mean_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """A provisional rating after one more game; without a rating, after the first."""
    games = inputs.get("games", 0) if "rating" in inputs else 0
    before = inputs["rating"] if games else 0.0
    unplayed = inputs.get("both_unplayed", False)
    opponent_games = 0 if unplayed else inputs.get("opponent_games", ESTABLISHED_AFTER)
    value = _case_value(
        {
            "own": before,
            "own_played": games > 0,
            "opp": inputs.get("opponent"),
            "opp_played": opponent_games > 0,
            "opp_established": inputs.get(
                "opp_established", opponent_games >= ESTABLISHED_AFTER
            ),
            "outcome": inputs["outcome"],
        }
    )
    if value is None:
        return {
            "value": None,
            "new_mean": before,
            "new": before,
            "rating_after": before,
        }
    after = (games * before + value) / (games + 1)
    return {"value": value, "new_mean": after, "new": after, "rating_after": after}


SYSTEMS: tuple[System, ...] = (PbemServer(), FreeServer())
CASES: Mapping[str, Case] = {
    "ics.established": _established_case,
    "ics.provisional": _provisional_case,
}
