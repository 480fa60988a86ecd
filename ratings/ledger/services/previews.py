"""Preview the rating changes of a report in the request, without writing."""

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from events.formats.played_games import (
    HALF_POINTS,
    played_games,
    round_count,
    unplayed_rounds,
)
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    is_temporary_id,
)
from events.formats.translatable_text import translatable
from events.records.kinds import KINDS
from events.records.schedules import deciding_control
from players.models import Player
from ratings.engine.inputs import Game, Kind
from ratings.engine.norms import MIN_ROUNDS, Norm, NormGame, find_norm
from ratings.engine.numbers import official
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
)
from ratings.ledger.queries.engine_errors import refusal
from ratings.ledger.queries.point_in_time import FREE_POINTS
from ratings.ledger.queries.published_ratings import published_number
from ratings.ledger.services.ledger_lines import (
    RatedSystem,
    age_start_after,
    rate_facts,
)
from ratings.ledger.services.player_states import PlayerState, load_states
from ratings.ledger.services.rating_inputs import Person, SectionFacts

NO_BIRTH_DATES: Mapping[str, date] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EntryPreview:
    """One entry's ratings before and after in one system, as they will be published.

    *pre* is None if unrated, *post* if the entry's player has no game. *floor* is the
    floor that stopped a loss, *norm* the norm toward a title, if there is one. *games*
    are those of the rating after the section.
    """

    pairing_number: int
    system: System
    pre: float | None
    post: float | None
    floor: float | None = None
    norm: Norm | None = None
    games: int = 0


@dataclass(frozen=True, slots=True)
class SectionPreview:
    """The expected changes of a section, or why there are none."""

    number: int
    lines: tuple[EntryPreview, ...] = ()
    problem: str = ""
    is_missing_rule: bool = False


def preview_report(
    reported: ReportedEvent,
    members: dict[str, Player],
    births: Mapping[str, date] = NO_BIRTH_DATES,
) -> list[SectionPreview]:
    """Rate every section of a report from current ratings, independently.

    Players whose ID is not known yet count as unrated; a section that cannot be rated
    has a problem instead. *births* are the birth dates that the report itself gives for
    newcomers, by temporary number.
    """
    return [
        preview_section(reported, section, members, births)
        for section in reported.sections
    ]


def preview_section(
    reported: ReportedEvent,
    section: ReportedSection,
    members: dict[str, Player],
    births: Mapping[str, date] = NO_BIRTH_DATES,
) -> SectionPreview:
    starts, ends = reported.dates_of(section)
    if starts is None or ends is None:
        return SectionPreview(
            section.number, problem=translatable("The dates are missing.")
        )
    if ends < starts:
        return SectionPreview(
            section.number, problem=translatable("The dates are reversed.")
        )
    try:
        facts = facts_from_report(section, members, starts, ends)
        states = _states(facts, ends, births)
        rated = rate_facts(facts, states)
    except (BadTimeControl, NotRatable) as error:
        return SectionPreview(section.number, problem=refusal(error))
    except NoRuleInForce as error:
        return SectionPreview(
            section.number, problem=refusal(error), is_missing_rule=True
        )
    person_of = _persons(section, members)
    lines = []
    for system in rated:
        published = _published(system, states)
        results = {result.id: result for result in system.results}
        norms: dict[Person, Norm] = {}
        if _has_norms(section, system, is_dual=len(rated) > 1):
            free = {
                person_of[cell.pairing_number]
                for _round, cell in unplayed_rounds(section)
                if cell.code in FREE_POINTS
            }
            norms = _norms(facts, published, free)
        lines += [
            EntryPreview(
                pairing_number,
                system.system,
                *published[person],
                results[person].floor,
                norms.get(person),
                results[person].post_games,
            )
            for pairing_number, person in person_of.items()
        ]
    return SectionPreview(section.number, tuple(lines))


def _published(
    rated: RatedSystem, states: Mapping[Person, PlayerState]
) -> dict[int | str, tuple[float | None, float | None]]:
    """Return all published ratings before and after the section."""
    numbers = {}
    for result in rated.results:
        state = states[result.id]
        before = state.standings.get(rated.system)
        pre = published_number(before.rating, before.age_start) if before else None
        post: float | None = None
        if result.games:
            others = state.age_starts(rated.system)
            start = age_start_after(result, before, others, rated.rules)
            post = published_number(result.post, start)
        numbers[result.id] = pre, post
    return numbers


def _has_norms(section: ReportedSection, rated: RatedSystem, *, is_dual: bool) -> bool:
    """Return whether the section can have norms in this system.

    A match has none: a norm takes opponents who are met at most twice.
    """
    return (
        rated.system is System.OTBR
        and round_count(section) >= MIN_ROUNDS
        and (rated.rules.norms_when_dual or not is_dual)
    )


def _norms(
    facts: SectionFacts,
    published: Mapping[Person, tuple[float | None, float | None]],
    free: Set[Person],
) -> dict[Person, Norm]:
    """Return the norms earned, by the opponents' published ratings after the section.

    *free* are the players with a full-point bye or forfeit win.
    """
    games: defaultdict[Person, list[NormGame]] = defaultdict(list)
    for game in facts.games:
        for own, other, half_points in (
            (game.a, game.b, game.score_a),
            (game.b, game.a, game.score_b),
        ):
            rating = official(published[other][1] or 0)  # it has a game
            games[own].append(NormGame(other, rating, half_points / 2))
    found = {
        person: find_norm(played, has_free_point=person in free)
        for person, played in games.items()
    }
    return {person: norm for person, norm in found.items() if norm is not None}


def _persons(
    section: ReportedSection, members: dict[str, Player]
) -> dict[int, int | str]:
    """Return the person of each pairing number; unknown players are named by it."""
    return {entry.pairing_number: _person(entry, members) for entry in section.entries}


def _person(entry: ReportedEntry, members: dict[str, Player]) -> int | str:
    if entry.member_id in members:
        return members[entry.member_id].pk
    if is_temporary_id(entry.member_id):
        return entry.member_id  # one person, also where a newcomer re-entered
    return f"entry {entry.pairing_number}"


def facts_from_report(
    section: ReportedSection, members: dict[str, Player], starts: date, ends: date
) -> SectionFacts:
    person_of = _persons(section, members)
    kind = KINDS.get(section.kind_letter)
    return SectionFacts(
        kind=Kind(kind.value) if kind else Kind.OTHER,
        time_control=parse_time_control(deciding_control(section)),
        is_online=section.online,
        starts=starts,
        ends=ends,
        persons=tuple(dict.fromkeys(person_of.values())),
        games=tuple(
            Game(
                person_of[game.first],
                person_of[game.second],
                HALF_POINTS[game.first_outcome],
                HALF_POINTS[game.second_outcome],
            )
            for game in played_games(section)
            if person_of[game.first] != person_of[game.second]
        ),
    )


def _states(
    facts: SectionFacts, ends: date, births: Mapping[str, date]
) -> dict[Person, PlayerState]:
    known = [person for person in facts.persons if isinstance(person, int)]
    is_match = facts.kind is Kind.MATCH
    states: dict[Person, PlayerState] = load_states(known, day=ends, is_match=is_match)
    for person in facts.persons:
        states.setdefault(person, PlayerState(birth_date=births.get(person)))
    return states
