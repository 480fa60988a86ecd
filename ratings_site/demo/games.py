"""Made-up games: paired as in a Swiss or a round robin, won by hidden strengths."""

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
    """Pair score groups without repeating a pairing where that can be helped."""
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
    """Let everybody meet once; an even number of players, as on a circle."""
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
    """Write one game into the rows of both; return the score of White."""
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
