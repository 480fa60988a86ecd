"""The events of the demo's other clubs, in several cities.

Results are random, drawn from hidden strengths with a fixed seed.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from players.models import Player
from ratings_site.demo.club import openings_of
from ratings_site.demo.clubs import (
    CEDAR,
    HARBOR,
    OTHERS,
    PRAIRIE,
    RIVERSIDE,
    SUMMIT,
    UNION,
    Club,
)
from ratings_site.demo.dates import saturday
from ratings_site.demo.games import Games
from ratings_site.demo.members import Register
from ratings_site.demo.real_sections import DemoSection, demo_section

SEED = 20260815
DAY = timedelta(days=1)
WEEKS = 30
# The highest and the lowest rating in a club, and its number of members.
MEMBERS = {
    HARBOR: (2240, 1060, 12),
    RIVERSIDE: (2385, 1180, 14),
    SUMMIT: (2150, 1240, 12),
    PRAIRIE: (2010, 1310, 10),
    CEDAR: (1420, 380, 16),
    UNION: (2090, 1480, 8),
}
SCHOOL = CEDAR
# Ratings of the players of a match, which the weaker one wins with a capped gain.
MATCH_PLAYERS = (1540, 1790)


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """A past event of the circuit, with visitors from other clubs."""

    weeks_ago: int
    club: Club
    name: str
    controls: tuple[str, ...]
    rounds: int = 4
    days: int = 1
    visitors: tuple[Club, ...] = ()
    is_online: bool = False
    kind: str = "S"


EVENTS = (
    PlannedEvent(29, SUMMIT, "Summit Mountain Open", ("G/90;+30",), 5, 2, (RIVERSIDE,)),
    PlannedEvent(26, CEDAR, "Cedar School Championship", ("G/30;d5", "G/30;d5"), 5),
    PlannedEvent(24, UNION, "Union Street Blitz", ("G/3;+2",), 6, 1, (HARBOR,)),
    PlannedEvent(
        22, PRAIRIE, "Prairie Online Open", ("G/60;+5",), 4, 2, (SUMMIT,), True
    ),
    PlannedEvent(20, RIVERSIDE, "Riverside Rapid", ("G/25;+5",), 5, 1, (UNION,)),
    PlannedEvent(
        17, HARBOR, "Harbor Lights Open", ("G/90;d5",), 4, 2, (UNION, PRAIRIE)
    ),
    PlannedEvent(
        16, PRAIRIE, "Prairie Online Blitz", ("G/3;+2",), 6, 1, (CEDAR,), True
    ),
    PlannedEvent(
        13, UNION, "Union Street Invitational", ("G/60;d5",), kind="R", days=2
    ),
    PlannedEvent(
        11, SUMMIT, "Federation Championship", ("G/90;+30", "G/90;+30"), 5, 2,
        (HARBOR, RIVERSIDE, PRAIRIE, UNION),
    ),
    PlannedEvent(8, CEDAR, "Cedar Scholastic Rapid", ("G/25;d5",), 5),
    PlannedEvent(
        7, PRAIRIE, "Prairie Online League Final", ("G/60;+5",), 3, 2, (), True
    ),
    PlannedEvent(6, RIVERSIDE, "Riverside Open", ("G/90;d5",), 4, 2, (SUMMIT, HARBOR)),
    PlannedEvent(4, HARBOR, "Harbor Game 60", ("G/60;d5",), 4, 1, (UNION,)),
    PlannedEvent(2, UNION, "Union Street Rapid", ("G/15;+10",), 4, 1, (RIVERSIDE,)),
    PlannedEvent(0, SUMMIT, "Summit Saturday Swiss", ("G/60;d5",), 4, 1, (PRAIRIE,)),
)  # fmt: skip
# When the membership of one reported player ended.
LAPSED_WEEKS_AGO = 3
# Reported after later events were rated.
LATE = PlannedEvent(9, HARBOR, "Harbor Weekend Swiss", ("G/90;d5",), 4, 2, (SUMMIT,))
MATCH_WEEKS_AGO = 10


@dataclass(slots=True)
class Circuit:
    """The members of the clubs and their sections."""

    members: dict[Club, list[Player]] = field(default_factory=dict)
    rivals: list[Player] = field(default_factory=list)
    lapsed: Player = field(init=False)
    # A duplicate of Union Street's third member.
    twin: Player = field(init=False)
    sections: list[DemoSection] = field(default_factory=list)
    late: list[DemoSection] = field(default_factory=list)


def load_circuit(register: Register) -> Circuit:
    chance = random.Random(SEED)  # noqa: S311 (a made-up history, not a secret)
    circuit = Circuit()
    strengths: dict[str, float] = {}
    before = saturday(WEEKS) - DAY
    openings = []
    for club in OTHERS:
        ratings = _ratings(*MEMBERS[club])
        members = [_member(register, club, place) for place in range(len(ratings))]
        circuit.members[club] = members
        openings += openings_of(members, ratings, as_of=before)
        strengths |= {
            player.member_id: rating + chance.gauss(40, 110)
            for player, rating in zip(members, ratings, strict=True)
        }
    circuit.rivals = [_member(register, HARBOR, 20 + place) for place in range(2)]
    openings += openings_of(
        circuit.rivals, MATCH_PLAYERS, as_of=before, all_established=True
    )
    circuit.lapsed = _member(register, RIVERSIDE, 20)
    register.expires[circuit.lapsed.member_id] = saturday(LAPSED_WEEKS_AGO)
    circuit.twin = register.twin(circuit.members[UNION][2])
    for planned in EVENTS:
        circuit.sections += _sections(planned, circuit, strengths, chance)
    circuit.sections.append(_match(circuit.rivals))
    circuit.sections[0].openings = openings
    circuit.late = _sections(LATE, circuit, strengths, chance)
    return circuit


def _ratings(highest: int, lowest: int, members: int) -> list[int]:
    step = (highest - lowest) / (members - 1)
    return [round(highest - step * place) for place in range(members)]


def _member(register: Register, club: Club, place: int) -> Player:
    if club is SCHOOL and place > 0:  # the first one is the director
        year = saturday(0).year - 7 - place % 9
    else:
        year = 1958 + 3 * place
    born = date(year, 1 + place % 12, 9)
    return register.new(birth_date=born, state=club.state)


def _sections(
    planned: PlannedEvent,
    circuit: Circuit,
    strengths: dict[str, float],
    chance: random.Random,
) -> list[DemoSection]:
    """Play the sections of an event; the stronger players are in the first."""
    starts = saturday(planned.weeks_ago)
    ends = starts + DAY * (planned.days - 1)
    is_school = planned.club is SCHOOL
    names = ("Grades 7–12", "Grades K–6") if is_school else ("Open", "Reserve")
    players = [*circuit.members[planned.club]]
    for club in planned.visitors:
        visiting = circuit.members[club][1:]
        players += chance.sample(visiting, k=len(visiting) // 2)
    players.sort(key=lambda player: -strengths[player.member_id])
    parts = len(planned.controls)
    size = len(players) // parts
    sections = []
    for number, control in enumerate(planned.controls, start=1):
        present = players[(number - 1) * size : number * size]
        present = present[: len(present) - len(present) % 2]
        games = Games(present, strengths, chance)
        if planned.kind == "R":
            games.play_round_robin()
        else:
            games.play_swiss(planned.rounds)
        sections.append(
            demo_section(
                planned.name,
                present,
                games.rows,
                club=planned.club,
                starts=starts,
                ends=ends,
                control=control,
                number=number,
                name=names[number - 1],
                kind=planned.kind,
                online=planned.is_online,
                level="S" if is_school else "",
            )
        )
    return sections


def _match(rivals: Sequence[Player]) -> DemoSection:
    day = saturday(MATCH_WEEKS_AGO)
    return demo_section(
        "Harbor Match",
        rivals,
        [["W2W", "D2B", "W2W", "W2B"], ["L1B", "D1W", "L1B", "L1W"]],
        club=HARBOR,
        starts=day,
        ends=day,
        control="G/90;d5",
        name="Match",
        kind="M",
    )
