"""A club whose members play every month, so that profiles have a history to show.

The results are made up: drawn by chance from hidden strengths, with a fixed seed.
"""

import random
from datetime import date, timedelta

from events.importers.records import ReportedEntry, ReportedSection, parse_cell
from players.models import Player
from ratings.models import OpeningEntry
from ratings_site.demo.people import Register
from ratings_site.demo.real_sections import DemoSection

SEED = 20260501
CONTROLS = ("G/90;d5", "G/60;d5", "G/5;d0", "G/25;d5", "G/90;+30", "G/15;+10")
MONTHS = 20
FIRST_SATURDAY = date(2025, 1, 11)
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
        saturday = FIRST_SATURDAY + timedelta(weeks=round(month * 4.35))
        present = _present(members, newcomers, month, chance)
        sections.append(_section(month, saturday, present, strengths, chance))
    sections[0].openings = [
        OpeningEntry(
            player=player,
            system="OTBR",
            as_of=date(2024, 12, 31),
            rating=float(rating),
            games=30 + 11 * number if number % 5 else 14,
            record="mixed",
            wins=20,
            draws=8,
            losses=20,
            three_game_events=12,
            peak=rating + 60.0 if number % 5 else None,
            source="Earlier books of the club",
        )
        for number, (player, rating) in enumerate(zip(members, STARTS, strict=True))
    ]
    return sections


def _present(
    members: list[Player], newcomers: list[Player], month: int, chance: random.Random
) -> list[Player]:
    """The two with accounts never miss a month; of the others most come."""
    regulars = [player for player in members[2:] if chance.random() < 0.75]
    new = newcomers[: 1 + month // 5]
    present = [*members[:2], *regulars, *new]
    return present[: len(present) - len(present) % 2]


def _section(
    month: int,
    saturday: date,
    players: list[Player],
    strengths: dict[str, float],
    chance: random.Random,
) -> DemoSection:
    control = CONTROLS[month % len(CONTROLS)]
    rounds = 4
    cells = _play(players, rounds, strengths, chance)
    name = f"{saturday:%B %Y}"
    return DemoSection(
        event_name=f"Castle Club {name}",
        number=1,
        starts=saturday,
        ends=saturday,
        reported=ReportedSection(
            number=1,
            name="Open",
            system_letter="R",
            time_control=control,
            kind_letter="S",
            rounds=rounds,
            last_pairing_number=len(players),
            starts=saturday,
            ends=saturday,
            online=control == "G/15;+10",
            entries=tuple(
                ReportedEntry(
                    pairing_number=number,
                    member_id=player.member_id,
                    name=f"{player.family_name}, {player.given_name}".upper()[:30],
                    state=player.state,
                    cells=tuple(parse_cell(text) for text in row),
                )
                for number, (player, row) in enumerate(
                    zip(players, cells, strict=True), start=1
                )
            ),
        ),
        players=players,
        openings=[],
        published={},
    )


def _play(
    players: list[Player],
    rounds: int,
    strengths: dict[str, float],
    chance: random.Random,
) -> list[list[str]]:
    """Pair score groups without repeating a pairing where that can be helped."""
    scores = [0.0] * len(players)
    met: set[tuple[int, int]] = set()
    rows: list[list[str]] = [[] for _ in players]
    for round_number in range(rounds):
        order = sorted(range(len(players)), key=lambda seat: (-scores[seat], seat))
        while order:
            white = order.pop(0)
            black = next((o for o in order if (white, o) not in met), order[0])
            order.remove(black)
            met |= {(white, black), (black, white)}
            if (white + round_number) % 2:
                white, black = black, white
            score = _result(
                strengths[players[white].member_id],
                strengths[players[black].member_id],
                chance,
            )
            codes = {1.0: "WL", 0.5: "DD", 0.0: "LW"}[score]
            rows[white].append(f"{codes[0]}{black + 1}W")
            rows[black].append(f"{codes[1]}{white + 1}B")
            scores[white] += score
            scores[black] += 1 - score
    return rows


def _result(white: float, black: float, chance: random.Random) -> float:
    expected = 1 / (1 + 10 ** ((black - white) / 400))
    draws = 0.3 * (1 - abs(2 * expected - 1))
    point = chance.random()
    if point < draws:
        return 0.5
    return 1.0 if point < draws + expected * (1 - draws) else 0.0
