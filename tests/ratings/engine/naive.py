"""A second, slow implementation: the text written out line by line.

It shares no code with the engine. The special formula is searched exactly as section
4.1 describes, from M = R′₀ and in fractions, so that no knot is missed. It reads and
answers the same JSON objects as the engine.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import date
from fractions import Fraction
from typing import Any


def rate(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Rate a section; one dictionary per player with the steps' results."""
    players = document["players"]
    games_of: dict[Any, list[tuple[Any, float]]] = {p["id"]: [] for p in players}
    for game in document["games"]:
        score_a = game["score_a"]
        score_b = game.get("score_b")
        if score_b is None:
            score_b = 1 - score_a
        games_of[game["a"]].append((game["b"], score_a))
        games_of[game["b"]].append((game["a"], score_b))

    # Steps 1 and 2.
    r0: dict[Any, float] = {}
    n: dict[Any, int] = {}
    n_eff: dict[Any, float] = {}
    for player in players:
        who = player["id"]
        r0[who], n[who] = step_1(player, document)
        n_eff[who] = min(n[who], n_star(r0[who]))

    # Step 3.
    used = dict(r0)
    for player in players:
        who = player["id"]
        if player["rating"] is None and n[who] == 0 and games_of[who]:
            estimate = special(
                r0[who],
                1,
                sum(score for _, score in games_of[who]),
                [r0[other] for other, _ in games_of[who]],
                "none",
            )
            used[who] = max(100.0, estimate)

    # Steps 4 and 5.
    fourth = {
        player["id"]: formula(player, document, r0, n, n_eff, games_of, used)
        for player in players
        if games_of[player["id"]]
    }
    fourth = {who: max(100.0, rating) for who, rating in fourth.items()}
    results = []
    for player in players:
        who = player["id"]
        if not games_of[who]:
            post = player["rating"]
            results.append({"id": who, "intermediate": None, "post": post})
            continue
        fifth = formula(player, document, r0, n, n_eff, games_of, fourth)
        fifth = max(100.0, fifth)
        if document.get("kind") == "match" and player["rating"] is not None:
            fifth = min(player["rating"] + 50, max(player["rating"] - 50, fifth))
        if player.get("floor") is not None:
            fifth = max(player["floor"], fifth)
        if player.get("ceiling") is not None:
            fifth = min(player["ceiling"], fifth)
        results.append({"id": who, "intermediate": fourth[who], "post": fifth})
    return results


def formula(player, document, r0, n, n_eff, games_of, opponents_ratings):
    who = player["id"]
    mine = games_of[who]
    score = sum(points for _, points in mine)
    ratings = [opponents_ratings[other] for other, _ in mine]
    record = player.get("record") or "mixed"
    if player["rating"] is None:
        record = "none"
    if n[who] <= 8 or record in ("all_wins", "all_losses"):
        return special(r0[who], n_eff[who], score, ratings, record)
    meetings = max(Counter(other for other, _ in mine).values())
    return standard(r0[who], n_eff[who], score, ratings, meetings, document)


# --- Section 2 ------------------------------------------------------------------------


def step_1(player, document):
    if player["rating"] is not None:
        return player["rating"], player["games"]
    if player.get("initial"):
        return player["initial"]["rating"], player["initial"]["games"]
    end = date.fromisoformat(document["end_date"])
    weights, ratings = [], []
    for source in player.get("sources") or []:
        weight, rating = adjusted_weight(source, player, document, end)
        if weight:
            weights.append(weight)
            ratings.append(rating)
    if not weights:
        return age_based(player, end), 0
    blend = sum(w * x for w, x in zip(weights, ratings, strict=True)) / sum(weights)
    return math.floor(blend + 0.5), math.ceil(min(10, sum(weights)))


def adjusted_weight(source, player, document, end):
    x, g = converted(source, document)
    if g == 0:
        return 0, x
    computed = date.fromisoformat(source["date"])
    d = (end - computed).days
    z = min(6, (x - age_based(player, computed)) / 350)
    s = math.exp(0.06 * (z - 6) * d / 365.25)
    return g * s, x


def converted(source, document):
    system, rating = source["system"], source["rating"]
    start = document["start_date"]
    first_edition = document["edition"] == "2020-09-02"
    if system == "FIDE":
        if rating > 2000:
            return 20 + 1.02 * rating, 10
        if start < "2024-03-01" or first_edition:
            return 180 + 0.94 * rating, 5
        return -1073 + 1.5667 * rating, 5
    if system == "CFC":
        if start < "2025-01-01" or first_edition:
            return (rating - 90 if rating <= 1500 else 1.1 * rating - 240), 5
        if rating < 1150:
            return -115 + 0.815 * rating, 5
        if rating < 1610:
            return -650 + 1.28 * rating, 5
        if rating < 2000:
            return -856 + 1.41 * rating, 5
        return -240 + 1.1 * rating, 5
    ten = {"OLB": ("OTBR", "OTBB"), "OLQ": ("OTBR", "OTBQ")}
    g = 10 if system in ten.get(document["system"], ("OTBR",)) else 5
    return rating, min(g, source["games"])


def age_based(player, day):
    born = player.get("birth_date")
    age = -1.0
    if born:
        age = (day - date.fromisoformat(born)).days / 365.25
    if age < 3:
        return 1300.0 if player.get("adult") else 750.0
    return 1300.0 if age > 26 else 50 * age


# --- Section 3 ------------------------------------------------------------------------


def n_star(rating):
    if rating > 2355:
        return 50.0
    return 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2)


# --- Section 4.1 ----------------------------------------------------------------------


def special(rating, n_eff, score, opponents, record):
    r0 = Fraction(rating)
    games = Fraction(n_eff)
    others = [Fraction(other) for other in opponents]
    m = len(others)
    if record == "all_wins":
        prior, total = r0 - 400, Fraction(score) + games
    elif record == "all_losses":
        prior, total = r0 + 400, Fraction(score)
    else:
        prior, total = r0, Fraction(score) + games / 2

    def pwe(r, other):
        if r <= other - 400:
            return Fraction(0)
        if r >= other + 400:
            return Fraction(1)
        return Fraction(1, 2) + (r - other) / 800

    def f(r):
        return games * pwe(r, prior) + sum(pwe(r, o) for o in others) - total

    knots = {prior - 400, prior + 400}
    knots |= {other - 400 for other in others} | {other + 400 for other in others}
    found = prior
    while f(found) != 0:
        value = f(found)
        if value > 0:
            below = max(z for z in knots if z < found)
            if f(below) == value:
                found = below
                continue
            target = found - value * (found - below) / (value - f(below))
            found = max(below, target)
        else:
            above = min(z for z in knots if z > found)
            if f(above) == value:
                found = above
                continue
            target = found - value * (above - found) / (f(above) - value)
            found = min(above, target)
    near = [r for r in (*others, prior) if abs(found - r) <= 400]
    assert near, "a search from R'0 always ends next to somebody"
    assert m > 0
    return float(min(found, Fraction(2700)))


# --- Section 4.2 ----------------------------------------------------------------------


def standard(rating, n_eff, score, opponents, meetings, document):
    m = len(opponents)
    k = 800 / (n_eff + m)
    minutes = document["total_minutes"]
    if document["system"] == "OTBR" and 30 <= minutes <= 65 and rating > 2200:
        if rating < 2500:
            k = 800 * (6.5 - 0.0025 * rating) / (n_eff + m)
        else:
            k = 200 / (n_eff + m)
    expected = sum(1 / (1 + 10 ** (-(rating - other) / 400)) for other in opponents)
    gain = k * (score - expected)
    bonus = 0.0
    if document.get("kind") != "match" and has_bonus(m, meetings, document):
        bonus = max(0.0, gain - multiplier(document) * math.sqrt(max(m, 4)))
    return rating + gain + bonus


def has_bonus(m, meetings, document):
    if m < 3 or meetings > 2:
        return False
    start, edition = document["start_date"], document["edition"]
    clause = start >= "2025-02-10" and edition >= "2025-02-10"
    return not (m == 3 and meetings > 1 and clause)


def multiplier(document):
    start, edition = document["start_date"], document["edition"]
    if edition >= "2025-07-26" and start >= "2025-01-01":
        return 10
    if edition >= "2025-02-10" and start >= "2023-02-01":
        return 12
    if start >= "2017-06-01":
        return 14
    if start >= "2015-06-01":
        return 12
    assert start >= "2014-03-20", "older sections are not compared"
    return 10
