"""The checks of a report that need the engine or ratings."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings

from events.books.schedules import deciding_control
from events.checks.queries.members import members_of
from events.importers.findings import Finding, Place, found
from events.importers.records import ReportedEvent, ReportedSection
from events.importers.sentences import say, say_in_turn, say_list
from events.importers.time_controls import read_control
from events.models import Section
from players.models import Player
from ratings.engine.rules import NoRuleInForce, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.ledger.queries.refusals import refusal
from ratings.ledger.services.cards import SectionFacts, rules_for
from ratings.ledger.services.previews import preview_section
from ratings.matches.queries import FEWEST_GAMES, MOST_GAMES, eligibility
from ratings.matches.services import LimitedResult, limited_results, reported_match
from ratings_site.common.looks.figures import signed

LONGEST = Section._meta.get_field("time_control").max_length
# The letters of the report files, and the systems they mean.
LETTERS = {
    "R": {System.OTBR, System.OLR},
    "D": {System.OTBR, System.OTBQ},
    "Q": {System.OTBQ, System.OLQ},
    "B": {System.OTBB, System.OLB},
}


def check_time_controls(reported: ReportedEvent) -> Iterator[Finding]:
    """Say which sections have a time control that cannot be read, or be rated."""
    for section in reported.sections:
        if section.time_control.strip():
            yield from _check_time_control(reported, section)


def _check_time_control(
    reported: ReportedEvent, section: ReportedSection
) -> Iterator[Finding]:
    place = Place(section=section.number, field="time_control")
    starts, _ = reported.dates_of(section)
    if len(section.time_control.strip()) > LONGEST:
        yield found("time_control.unreadable", place, longest=LONGEST)
        return
    if may_mean := read_control(section.time_control).may_mean:
        yield found(
            "time_control.unreadable/unclear",
            place,
            written=section.time_control,
            controls=say_list(may_mean),
        )
        return
    try:
        parse_time_control(section.time_control)
        control = parse_time_control(deciding_control(section))
        if starts is None:
            return  # said by the checks of the report itself
        systems = systems_for(control, online=section.online, day=starts)
        _require_known_rules(reported, section, starts)
    except BadTimeControl as error:
        yield found("time_control.unreadable/wrong", place, problem=refusal(error))
        return
    except NoRuleInForce as error:
        yield found(
            "section.before_the_rules",
            Place(section=section.number, field="starts"),
            problem=refusal(error),
        )
        return
    except NotRatable as error:
        yield found("time_control.not_ratable", place, problem=refusal(error))
        return
    said = LETTERS.get(section.system_letter)
    if said and not set(systems) <= said:
        yield found(
            "time_control.other_system",
            place,
            system_letter=section.system_letter,
            deciding_control=deciding_control(section),
            names=say_list(say(system.label) for system in systems),
        )


def _require_known_rules(
    reported: ReportedEvent, section: ReportedSection, starts: date
) -> None:
    """Raise NoRuleInForce if the section needs a rule that nobody knows for its day.

    Every calculation needs the effective games; what else one needs shows only when
    it is done, which days long past are worth.
    """
    rules = rules_in_force(starts, settings.RATING_EDITION)
    _ = rules.effective_games
    try:
        _ = rules.blend
    except NoRuleInForce:
        preview = preview_section(reported, section, members_of(reported))
        if preview.lacks_a_rule:
            raise


def check_matches(reported: ReportedEvent) -> Iterator[Finding]:
    """Say which matches the rules do not allow, and what the limits cut of them."""
    if not any(section.kind_letter == "M" for section in reported.sections):
        return
    members = members_of(reported)
    for section in reported.sections:
        try:
            match = reported_match(reported, section, members)
            if match is not None:
                yield from _check_match(section, *match)
        except (BadTimeControl, NotRatable, NoRuleInForce):
            continue  # said by the check of time controls


def _check_match(
    section: ReportedSection, facts: SectionFacts, players: list[Player]
) -> Iterator[Finding]:
    place = Place(section=section.number, field="kind_letter")
    faults = _match_faults(facts, players)
    if faults:
        yield found("section.match_not_eligible", place, faults=say_in_turn(faults))
    for limited in limited_results(facts, players):
        where = Place(
            section=section.number,
            pairing_number=_pairing_number(section, limited),
            field=limited.system,
        )
        name = "section.match_limited" + ("" if limited.allowed else "/no_room")
        yield found(name, where, **_limits(limited))


def _match_faults(facts: SectionFacts, players: list[Player]) -> list[str]:
    """Return why these two may not play this match, system by system."""
    rules = rules_for(facts)
    faults = []
    for system in facts.systems:
        eligible = eligibility(players, system, facts.starts, rules)
        if eligible.faults:
            said = say_in_turn(eligible.faults)
            faults.append(
                say(
                    "{label}: {said} ({basis})",
                    label=say(system.label),
                    said=said,
                    basis=eligible.basis,
                )
            )
    games = len(facts.games)
    if not FEWEST_GAMES <= games <= MOST_GAMES:
        faults.append(
            say(
                "A match has {fewest_games} to {most_games} games; this one has "
                "{games}.",
                fewest_games=FEWEST_GAMES,
                most_games=MOST_GAMES,
                games=games,
            )
        )
    return faults


def _pairing_number(section: ReportedSection, limited: LimitedResult) -> int | None:
    numbers = (
        entry.pairing_number
        for entry in section.entries
        if entry.member_id == limited.member_id
    )
    return next(numbers, None)


def _limits(limited: LimitedResult) -> dict[str, object]:
    """Return what is left of a change, with the arithmetic of all three limits."""
    wins = limited.computed > 0
    half_year, three_years = (
        window.winning_room if wins else window.losing_room
        for window in limited.allowance.windows
    )
    return {
        "name": limited.name,
        "label": say(limited.system.label),
        "computed": signed(limited.computed),
        "allowed": signed(limited.allowed),
        "match_limit": limited.allowance.match_limit,
        "half_year": half_year,
        "three_years": three_years,
    }
