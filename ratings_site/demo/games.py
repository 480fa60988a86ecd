"""Random games, paired as a Swiss or round robin, with results by hidden strength."""

import random
from collections.abc import Mapping, Sequence

from players.models import Player

Rows = list[list[str]]


def play_swiss(
    players: Sequence[Player],
    rounds: int,
    strengths: Mapping[str, float],
    chance: random.Random,
) -> Rows:
    """Play a Swiss; avoid repeated pairings if possible."""
    scores = [0.0] * len(players)
    met: set[tuple[int, int]] = set()
    rows: Rows = [[] for _ in players]
    for round_number in range(rounds):
        order = sorted(range(len(players)), key=lambda seat: (-scores[seat], seat))
        while order:
            white = order.pop(0)
            black = next((o for o in order if (white, o) not in met), order[0])
            order.remove(black)
            met |= {(white, black), (black, white)}
            if (white + round_number) % 2:
                white, black = black, white
            score = _play(players, rows, (white, black), strengths, chance)
            scores[white] += score
            scores[black] += 1 - score
    return rows


def play_round_robin(
    players: Sequence[Player],
    strengths: Mapping[str, float],
    chance: random.Random,
) -> Rows:
    """Play a round robin of an even number of players, by the circle method."""
    rows: Rows = [[] for _ in players]
    circle = list(range(len(players)))
    for round_number in range(len(players) - 1):
        half = len(circle) // 2
        for white, black in zip(circle[:half], reversed(circle[half:]), strict=True):
            pair = (white, black) if round_number % 2 else (black, white)
            _play(players, rows, pair, strengths, chance)
        circle.insert(1, circle.pop())
    return rows


def _play(
    players: Sequence[Player],
    rows: Rows,
    pair: tuple[int, int],
    strengths: Mapping[str, float],
    chance: random.Random,
) -> float:
    """Add one game to the rows of both players; return the score of White."""
    white, black = pair
    score = _result(
        strengths[players[white].member_id],
        strengths[players[black].member_id],
        chance,
    )
    codes = {1.0: "WL", 0.5: "DD", 0.0: "LW"}[score]
    rows[white].append(f"{codes[0]}{black + 1}W")
    rows[black].append(f"{codes[1]}{white + 1}B")
    return score


def _result(white: float, black: float, chance: random.Random) -> float:
    expected = 1 / (1 + 10 ** ((black - white) / 400))
    draws = 0.3 * (1 - abs(2 * expected - 1))
    point = chance.random()
    if point < draws:
        return 0.5
    return 1.0 if point < draws + expected * (1 - draws) else 0.0
