"""A club whose members play every month, so that profiles have a history.

Results are random, drawn from hidden strengths with a fixed seed.
"""

import random
from collections.abc import Sequence
from datetime import date, timedelta

from players.models import Player
from ratings.models import OpeningEntry
from ratings_site.demo.dates import saturday
from ratings_site.demo.games import Games
from ratings_site.demo.members import RECORD, Register, opening
from ratings_site.demo.real_sections import DemoSection, demo_section

SEED = 20260501
SOURCE = "The club’s earlier records"
# Time controls in turn, the last one online.
CONTROLS = (
    ("G/90;d5", False),
    ("G/60;d5", False),
    ("G/5;d0", False),
    ("G/25;d5", False),
    ("G/90;+30", False),
    ("G/15;+10", True),
)
MONTHS = 20
ROUNDS = 4
STARTS = (
    2315, 2190, 2040, 1985, 1902, 1850, 1766, 1701, 1640, 1588, 1512, 1445, 1390,
    1310, 1233, 1120, 1015, 930, 805, 640,
)  # fmt: skip
NEWCOMERS = 4


def load_club(register: Register) -> list[DemoSection]:
    """Return the club's monthly events; its first two members have demo accounts."""
    chance = random.Random(SEED)  # noqa: S311 (a made-up history, not a secret)
    members = [
        register.new(birth_date=date(1962 + 2 * number, 4, 9), state="IL")
        for number in range(len(STARTS))
    ]
    newcomers = [
        register.new(birth_date=date(2013 - number, 9, 17), state="IL")
        for number in range(NEWCOMERS)
    ]
    strengths = {
        player.member_id: strength + chance.gauss(0, 80)
        for player, strength in zip(members, STARTS, strict=True)
    }
    strengths |= {
        player.member_id: 700.0 + 150 * number
        for number, player in enumerate(newcomers)
    }
    sections = []
    for month in range(MONTHS):
        day = saturday(1 + round((MONTHS - 1 - month) * 4.35))
        present = _present(members, newcomers, month, chance)
        sections.append(_section(month, day, present, strengths, chance))
    sections[0].openings = openings_of(
        members, STARTS, as_of=sections[0].starts - timedelta(days=11)
    )
    return sections


def openings_of(
    members: Sequence[Player],
    ratings: Sequence[int],
    *,
    as_of: date,
    all_established: bool = False,
) -> list[OpeningEntry]:
    """Return opening ratings; every fifth member is provisional."""
    established = [all_established or number % 5 > 0 for number in range(len(members))]
    return [
        opening(
            player,
            rating,
            30 + 11 * number if is_established else 14,
            as_of=as_of,
            peak=rating + 60.0 if is_established else None,
            source=SOURCE,
            **RECORD,
        )
        for number, (player, rating, is_established) in enumerate(
            zip(members, ratings, established, strict=True)
        )
    ]


def _present(
    members: list[Player], newcomers: list[Player], month: int, chance: random.Random
) -> list[Player]:
    """Return the players of a month: the two with accounts and most others."""
    regulars = [player for player in members[2:] if chance.random() < 0.75]
    new = newcomers[: 1 + month // 5]
    present = [*members[:2], *regulars, *new]
    return present[: len(present) - len(present) % 2]


def _section(
    month: int,
    day: date,
    players: list[Player],
    strengths: dict[str, float],
    chance: random.Random,
) -> DemoSection:
    control, online = CONTROLS[month % len(CONTROLS)]
    games = Games(players, strengths, chance)
    games.play_swiss(ROUNDS)
    return demo_section(
        f"Castle Club {day:%b} {day.day}, {day.year}",
        players,
        games.rows,
        starts=day,
        ends=day,
        control=control,
        online=online,
    )
