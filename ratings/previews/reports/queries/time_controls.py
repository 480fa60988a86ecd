"""The checks of a report that need the engine or ratings."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.conf import settings

from events.checks.queries.members import members_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.time_controls import read_time_control
from events.formats.translatable_text import (
    join_translatable,
    translatable,
    translatable_list,
)
from events.models import Section
from events.records.schedules import deciding_control
from players.models import Player
from ratings.decisions.matches.queries import MAX_GAMES, MIN_GAMES, eligibility
from ratings.decisions.matches.services import (
    LimitedResult,
    limited_results,
    reported_match,
)
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.ledger.queries.engine_errors import refusal
from ratings.ledger.services.previews import preview_section
from ratings.ledger.services.rating_inputs import SectionFacts, rules_for
from ratings_site.common.ui.formatting import signed

LONGEST = Section._meta.get_field("time_control").max_length or 0
# The findings of what the engine refuses, and the fields they are about.
REFUSALS: dict[type[Exception], tuple[str, str]] = {
    BadTimeControl: ("time_control.unreadable/wrong", "time_control"),
    NoRuleInForce: ("section.before_the_rules", "starts"),
    NotRatable: ("time_control.not_ratable", "time_control"),
}
# The letters of the report files, and the systems they mean.
LETTERS = {
    "R": {System.OTBR, System.OLR},
    "D": {System.OTBR, System.OTBQ},
    "Q": {System.OTBQ, System.OLQ},
    "B": {System.OTBB, System.OLB},
}


def check_time_controls(reported: ReportedEvent) -> Iterator[Finding]:
    """Find sections with an unreadable or unrated time control."""
    for section in reported.sections:
        if section.time_control.strip():
            yield from _check_time_control(reported, section)


def _check_time_control(
    reported: ReportedEvent, section: ReportedSection
) -> Iterator[Finding]:
    place = Place(section=section.number, field="time_control")
    starts, _ = reported.dates_of(section)
    if len(section.time_control.strip()) > LONGEST:
        yield make_finding("time_control.unreadable", place, longest=LONGEST)
        return
    if candidates := read_time_control(section.time_control).candidates:
        yield make_finding(
            "time_control.unreadable/unclear",
            place,
            written=section.time_control,
            controls=translatable_list(candidates),
        )
        return
    try:
        parse_time_control(section.time_control)
        control = parse_time_control(deciding_control(section))
        if starts is None:
            return  # reported by the checks of the report itself
        systems = systems_for(control, online=section.online, day=starts)
        _require_known_rules(reported, section, starts)
    except (BadTimeControl, NoRuleInForce, NotRatable) as error:
        name, field = REFUSALS[type(error)]
        place = Place(section=section.number, field=field)
        yield make_finding(name, place, problem=refusal(error))
        return
    allowed = LETTERS.get(section.system_letter)
    if allowed and not set(systems) <= allowed:
        yield make_finding(
            "time_control.other_system",
            place,
            system_letter=section.system_letter,
            deciding_control=deciding_control(section),
            names=translatable_list(translatable(system.label) for system in systems),
        )


def _require_known_rules(
    reported: ReportedEvent, section: ReportedSection, starts: date
) -> None:
    """Raise NoRuleInForce if the section needs a rule that is unknown for its day.

    Every calculation needs the effective games; other rules show only when the section
    is calculated, which is done for days without a known blend.
    """
    rules = rules_in_force(starts, settings.RATING_EDITION)
    _ = rules.effective_games
    try:
        _ = rules.blend
    except NoRuleInForce:
        preview = preview_section(reported, section, members_of(reported))
        if preview.is_missing_rule:
            raise


def check_matches(reported: ReportedEvent) -> Iterator[Finding]:
    """Find matches that the rules do not allow, and changes cut by the limits."""
    if not any(section.kind_letter == "M" for section in reported.sections):
        return
    members = members_of(reported)
    for section in reported.sections:
        try:
            match = reported_match(reported, section, members)
            if match is not None:
                yield from _check_match(section, *match)
        except (BadTimeControl, NotRatable, NoRuleInForce):
            continue  # reported by the check of time controls


def _check_match(
    section: ReportedSection, facts: SectionFacts, players: list[Player]
) -> Iterator[Finding]:
    place = Place(section=section.number, field="kind_letter")
    faults = _match_faults(facts, players)
    if faults:
        yield make_finding(
            "section.match_not_eligible", place, faults=join_translatable(faults)
        )
    for limited in limited_results(facts, players):
        where = Place(
            section=section.number,
            pairing_number=_pairing_number(section, limited),
            field=limited.system,
        )
        name = "section.match_limited" + ("" if limited.allowed else "/no_room")
        yield make_finding(name, where, **_limits(limited))


def _match_faults(facts: SectionFacts, players: list[Player]) -> list[str]:
    """Return the reasons why these two may not play this match, by system."""
    rules = rules_for(facts)
    faults: list[str] = []
    for system in facts.systems:
        eligible = eligibility(players, system, facts.starts, rules)
        if eligible.faults:
            said = join_translatable(eligible.faults)
            faults.append(
                translatable(
                    "{label}: {said} ({basis})",
                    label=translatable(system.label),
                    said=said,
                    basis=eligible.basis,
                )
            )
    games = len(facts.games)
    if not MIN_GAMES <= games <= MAX_GAMES:
        faults.append(
            translatable(
                "A match has {fewest_games} to {most_games} games; this one has "
                "{games}.",
                fewest_games=MIN_GAMES,
                most_games=MAX_GAMES,
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


def _limits(limited: LimitedResult) -> dict[str, Any]:
    """Return the allowed part of a change, with the arithmetic of all three limits."""
    wins = limited.computed > 0
    half_year, three_years = (
        window.gain_formula if wins else window.loss_formula
        for window in limited.allowance.windows
    )
    return {
        "name": limited.name,
        "label": translatable(limited.system.label),
        "computed": signed(limited.computed),
        "allowed": signed(limited.allowed),
        "match_limit": limited.allowance.match_limit,
        "half_year": half_year,
        "three_years": three_years,
    }
