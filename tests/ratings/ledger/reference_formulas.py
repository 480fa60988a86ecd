"""The formulas of the 2025 text in plain arithmetic, for expectations."""

import math


def effective_games(rating: float, games: int) -> float:
    """Section 3."""
    if rating > 2355:
        return min(games, 50.0)
    return min(games, 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2))


def expectancy(rating: float, opponent: float) -> float:
    """Section 4.2."""
    return 1 / (1 + 10 ** (-(rating - opponent) / 400))


def standard(
    rating: float, games: int, results: list[tuple[float, float]], bonus: float = 12
) -> float:
    """Section 4.2 for *results* of (opponent's rating, score), no opponent repeated."""
    k = 800 / (effective_games(rating, games) + len(results))
    surplus = k * sum(score - expectancy(rating, other) for other, score in results)
    if len(results) < 3:
        return rating + surplus
    return rating + surplus + max(0, surplus - bonus * math.sqrt(max(len(results), 4)))


def both_passes(
    players: list[tuple[float, int]], games: list[tuple[int, int, float]]
) -> list[float]:
    """Rate established players; *games* are (place, place, score of the first)."""

    def one_pass(strengths: list[float]) -> list[float]:
        return [
            standard(
                rating,
                played,
                [(strengths[b], score) for a, b, score in games if a == place]
                + [(strengths[a], 1 - score) for a, b, score in games if b == place],
            )
            for place, (rating, played) in enumerate(players)
        ]

    return one_pass(one_pass([rating for rating, _ in players]))
