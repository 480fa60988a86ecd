"""Build the engine's inputs from a section's games and its players' states."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from events.formats.played_games import HALF_POINTS
from events.models import Section
from events.records.packed_section import UnpackedSection
from ratings.engine.floors import absolute_floor, peak_floor, personal_floor
from ratings.engine.inputs import Competitor, Game, Kind, RatingInput, Record
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import TimeControl, parse_time_control, systems_for
from ratings.ledger.queries.grants import OWNER
from ratings.ledger.services.player_states import UNRATED, PlayerState, RatingState

# A member's primary key. Reports that are not accepted also have persons with a name.
Person = Any


@dataclass(frozen=True, slots=True)
class SectionFacts:
    """The facts about a section that rating needs, without player states.

    *persons* are in the order of their (first) pairing numbers; a member who re-entered
    is one person. *games* are between persons, regardless of pairing numbers.
    """

    kind: Kind
    time_control: TimeControl
    is_online: bool
    starts: date
    ends: date
    persons: tuple[Person, ...]
    games: tuple[Game, ...]

    @property
    def systems(self) -> tuple[System, ...]:
        return systems_for(self.time_control, online=self.is_online, day=self.starts)

    def rating_input(
        self, system: System, competitors: Iterable[Competitor]
    ) -> RatingInput:
        """Return the engine's input for the section in one system."""
        return RatingInput(
            system=system,
            kind=self.kind,
            time_control=self.time_control,
            start_date=self.starts,
            end_date=self.ends,
            competitors=tuple(competitors),
            games=self.games,
        )


@dataclass(frozen=True, slots=True)
class Tally:
    """A player's wins, draws and losses in one section."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def counted_events(self, rules: Rules) -> int:
        """Return 1 if the section counts as an event for the absolute floor, else 0."""
        return int(self.games >= rules.floor_event_games)


def read_section_facts(section: Section) -> SectionFacts:
    """Read an accepted section (two queries).

    Merged duplicates count as the member they were merged into.
    """
    person_of = dict(
        section.entries.order_by("pairing_number").values_list("pk", OWNER)
    )
    seats = {entry: seat for seat, entry in enumerate(person_of)}
    # Sorted here: with a join for the order, PostgreSQL would read all entries.
    games = sorted(
        section.games.order_by().values_list(
            "round_number",
            "leg",
            "first_id",
            "second_id",
            "first_outcome",
            "second_outcome",
        ),
        key=lambda game: (game[0], game[1], seats[game[2]]),
    )
    return SectionFacts(
        kind=Kind(section.kind),
        time_control=parse_time_control(section.time_control),
        is_online=section.is_online,
        starts=section.starts,
        ends=section.ends,
        persons=tuple(dict.fromkeys(person_of.values())),
        games=tuple(
            Game(
                person_of[first],
                person_of[second],
                HALF_POINTS[first_outcome],
                HALF_POINTS[second_outcome],
            )
            for _, _, first, second, first_outcome, second_outcome in games
        ),
    )


def facts_from_packed(
    packed: UnpackedSection, owners: Mapping[int, int]
) -> SectionFacts:
    """Read a packed section; *owners* maps merged numbers to members."""
    persons = [owners.get(player, player) for player in packed.players]
    return SectionFacts(
        kind=Kind(packed.kind),
        time_control=parse_time_control(packed.time_control),
        is_online=packed.is_online,
        starts=packed.starts,
        ends=packed.ends,
        persons=tuple(dict.fromkeys(persons)),
        games=tuple(
            Game(persons[first], persons[second], *divmod(scores, 3))
            for first, second, scores in zip(
                packed.first, packed.second, packed.scores, strict=True
            )
        ),
    )


def rules_for(facts: SectionFacts) -> Rules:
    return rules_in_force(facts.starts, settings.RATING_EDITION)


def tallies(games: Iterable[Game]) -> dict[Person, Tally]:
    """Count each person's wins, draws and losses."""
    counts: defaultdict[Person, list[int]] = defaultdict(lambda: [0, 0, 0])
    for game in games:
        counts[game.a][game.score_a] += 1
        counts[game.b][game.score_b] += 1
    return {
        person: Tally(wins=wins, draws=draws, losses=losses)
        for person, (losses, draws, wins) in counts.items()
    }


def build_rating_input(
    facts: SectionFacts,
    states: Mapping[Person, PlayerState],
    *,
    system: System,
    rules: Rules,
) -> RatingInput:
    """Return the engine's input for the section in one system.

    The floor of each competitor is their highest; the absolute floor includes the
    section's own games (2025 text, section 5).
    """
    done = tallies(facts.games)
    competitors = (
        build_competitor(
            person,
            states[person],
            done.get(person, Tally()),
            day=facts.ends,
            system=system,
            rules=rules,
        )
        for person in facts.persons
    )
    return facts.rating_input(system, competitors)


def build_competitor(
    person: Person,
    state: PlayerState,
    tally: Tally,
    *,
    day: date,
    system: System,
    rules: Rules,
) -> Competitor:
    """Return the engine's view of a person before a source that ends on *day*."""
    standing = state.standings.get(system)
    return Competitor(
        id=person,
        rating=standing.rating if standing else None,
        games=standing.games if standing else 0,
        record=standing.record if standing else Record.NONE,
        floor=highest_floor(state, standing, tally, system=system, rules=rules),
        ceiling=state.ceilings.get(system),
        birth_date=None if standing else state.birth_date,
        adult=False if standing else state.is_adult,
        sources=() if standing else state.sources(system, day=day),
        match_changes=tuple(state.match_changes[system]) if standing else (),
    )


def highest_floor(
    state: PlayerState,
    standing: RatingState | None,
    tally: Tally,
    *,
    system: System,
    rules: Rules,
) -> float:
    """Return the highest of a player's floors after these games."""
    before = standing or UNRATED
    return personal_floor(
        rules,
        system,
        absolute=absolute_floor(
            before.wins + tally.wins,
            before.draws + tally.draws,
            before.three_game_events + tally.counted_events(rules),
            rules,
            system,
        ),
        peak=peak_floor(before.peak, rules),
        office=max(state.floors.get(system, []), default=None),
    )
