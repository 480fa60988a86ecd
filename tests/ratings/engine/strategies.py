"""Hypothesis strategies: ratings, opponents and whole sections as JSON objects."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st

# Whole numbers make ties and knots that meet; decimals are what is stored.
ratings = st.one_of(
    st.integers(100, 2700).map(float),
    st.sampled_from([100.0, 400.0, 800.0, 1200.0, 1600.0, 2000.0, 2400.0]),
    st.floats(100, 2700).map(lambda rating: float(f"{rating:.2f}")),
    st.floats(100, 2700),
)
opponents = st.lists(ratings, min_size=1, max_size=8)
prior_games = st.one_of(
    st.integers(0, 8).map(float),
    st.sampled_from([4.5, 7.25]),
    st.floats(1, 50).map(lambda games: round(games, 3)),
)

TIME_CONTROLS = {
    "OTBR": [("G/60;d5", 65), ("G/30;d0", 30), ("G/90;+30", 120)],
    "OTBQ": [("G/25;d3", 28), ("G/60;d5", 65)],
    "OTBB": [("G/5;d0", 5)],
    "OLR": [("G/60;d5", 65)],
    "OLQ": [("G/20;+5", 25)],
    "OLB": [("G/3;+2", 5)],
}


def days(first: str, last: str) -> st.SearchStrategy[date]:
    return st.dates(date.fromisoformat(first), date.fromisoformat(last))


@st.composite
def sections(draw, max_players: int = 7, max_games: int = 14):
    """A section that the engine and the naive implementation can both rate."""
    system = draw(st.sampled_from(sorted(TIME_CONTROLS)))
    control, minutes = draw(st.sampled_from(TIME_CONTROLS[system]))
    start = draw(days("2020-06-01", "2026-06-30"))
    end = start + timedelta(days=draw(st.integers(0, 40)))
    size = draw(st.integers(2, max_players))
    players = [draw(competitors(number, system, end)) for number in range(size)]
    return {
        "id": draw(st.integers(0, 9)),
        "system": system,
        "time_control": control,
        "total_minutes": minutes,
        "start_date": start.isoformat(),
        "end_date": end.isoformat(),
        "kind": draw(st.sampled_from(["swiss", "swiss", "match", "other"])),
        "edition": draw(st.sampled_from(["2020-09-02", "2025-02-10", "2025-07-26"])),
        "players": players,
        "games": draw(st.lists(games(size), max_size=max_games)),
    }


@st.composite
def games(draw, size: int):
    a = draw(st.integers(0, size - 1))
    b = draw(st.integers(0, size - 1).filter(lambda other: other != a))
    game = {"a": a, "b": b, "score_a": draw(st.sampled_from([0, 0.5, 1]))}
    if draw(st.integers(0, 9)) == 0:
        game["score_b"] = draw(st.sampled_from([0, 0.5, 1]))
    return game


@st.composite
def competitors(draw, number: int, system: str, end: date):
    unrated = draw(st.integers(0, 3)) == 0
    born = draw(st.none() | days("1940-01-01", "2024-01-01"))
    player = {
        "id": number,
        "rating": None if unrated else draw(ratings),
        "games": 0 if unrated else draw(st.integers(1, 12) | st.integers(1, 800)),
        "birth_date": born.isoformat() if born else None,
        "adult": draw(st.booleans()),
        "floor": draw(st.sampled_from([None, None, 100, 150, 1200, 1500])),
        "ceiling": draw(st.sampled_from([None, None, None, 1400.5])),
    }
    if not unrated:
        player["record"] = draw(st.sampled_from(["mixed", "all_wins", "all_losses"]))
    elif draw(st.integers(0, 2)) == 0:
        assigned_games = draw(st.integers(0, 10))
        player["initial"] = {"rating": draw(ratings), "games": assigned_games}
    else:
        player["sources"] = draw(source_lists(system, end))
    return player


@st.composite
def source_lists(draw, system: str, end: date):
    others = sorted((set(TIME_CONTROLS) | {"FIDE", "CFC"}) - {system})
    names = draw(st.lists(st.sampled_from(others), unique=True, max_size=4))
    return [
        {
            "system": name,
            "rating": draw(st.integers(1000, 2800) | ratings),
            "games": draw(st.integers(0, 30)),
            "date": (end - timedelta(days=draw(st.integers(0, 4000)))).isoformat(),
        }
        for name in names
    ]
