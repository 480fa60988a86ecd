"""The checks of a report that need the engine or ratings."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings

from events.importers.findings import Finding, Place, Severity
from events.importers.records import EventReport, SectionReport
from events.importers.sentences import say
from events.models import Section
from events.queries import members_of
from events.registry import office_may_override, report_check
from events.schedules import deciding_control
from players.models import Player
from ratings.engine.rules import NoRuleInForce, rules_in_force
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.queries.matches import FEWEST_GAMES, MOST_GAMES, eligibility
from ratings.services.cards import SectionFacts, rules_for
from ratings.services.matches import LimitedResult, limited_results, reported_match
from ratings.services.previews import preview_section
from ratings_site.common.figures import signed

LONGEST = Section._meta.get_field("time_control").max_length
# The letters of the report files, and the systems they mean.
LETTERS = {
    "R": {System.OTBR, System.OLR},
    "D": {System.OTBR, System.OTBQ},
    "Q": {System.OTBQ, System.OLQ},
    "B": {System.OTBB, System.OLB},
}


@report_check
def check_time_controls(report: EventReport) -> Iterator[Finding]:
    """Say which sections have a time control that cannot be read, or be rated."""
    for section in report.sections:
        if section.time_control.strip():
            yield from _check_time_control(report, section)


def _check_time_control(
    report: EventReport, section: SectionReport
) -> Iterator[Finding]:
    place = Place(section=section.number, field="time_control")
    starts, _ = report.dates_of(section)
    if len(section.time_control.strip()) > LONGEST:
        yield Finding(
            Severity.ERROR,
            "time_control.unreadable",
            place,
            say(
                "The time control is longer than {longest} characters.", longest=LONGEST
            ),
            say("Write it like G/60;d5 or 40/90,SD/30;+30."),
        )
        return
    try:
        parse_time_control(section.time_control)
        control = parse_time_control(deciding_control(section))
        if starts is None:
            return  # said by the checks of the report itself
        systems = systems_for(control, online=section.online, day=starts)
        _require_known_rules(report, section, starts)
    except BadTimeControl as error:
        yield Finding(
            Severity.ERROR,
            "time_control.unreadable",
            place,
            str(error),
        )
        return
    except NoRuleInForce as error:
        yield Finding(
            Severity.ERROR,
            "section.before_the_rules",
            Place(section=section.number, field="starts"),
            say("A section of that day cannot be rated: {error}", error=error),
            say(
                "Correct the date, or ask the office to take the ratings over as they "
                "were published."
            ),
        )
        return
    except NotRatable as error:
        yield Finding(
            Severity.ERROR,
            "time_control.not_ratable",
            place,
            str(error),
            say("Correct the time control, if it was mistyped."),
        )
        return
    said = LETTERS.get(section.system_letter)
    if said and not set(systems) <= said:
        names = " and ".join(system.label for system in systems)
        yield Finding(
            Severity.NOTE,
            "time_control.other_system",
            place,
            say(
                "The report says system {system_letter}, but "
                "{deciding_control} is rated {names}.",
                system_letter=section.system_letter,
                deciding_control=deciding_control(section),
                names=names,
            ),
            say("The time control decides; nothing needs to be done."),
        )


def _require_known_rules(
    report: EventReport, section: SectionReport, starts: date
) -> None:
    """Raise NoRuleInForce if the section needs a rule that nobody knows for its day.

    Every calculation needs the effective games; what else one needs shows only when
    it is done, which days long past are worth.
    """
    rules = rules_in_force(starts, settings.RATING_EDITION)
    _ = rules.effective_games
    try:
        _ = rules.blended_start
    except NoRuleInForce:
        preview = preview_section(report, section, members_of(report))
        if preview.lacks_a_rule:
            raise


# The conditions of a match are for staff to waive; its limits are not.
MATCH_NOT_ELIGIBLE = office_may_override("section.match_not_eligible")


@report_check
def check_matches(report: EventReport) -> Iterator[Finding]:
    """Say which matches the rules do not allow, and what the limits cut of them."""
    if not any(section.kind_letter == "M" for section in report.sections):
        return
    members = members_of(report)
    for section in report.sections:
        try:
            reported = reported_match(report, section, members)
            if reported is not None:
                yield from _check_match(section, *reported)
        except (BadTimeControl, NotRatable, NoRuleInForce):
            continue  # said by the check of time controls


def _check_match(
    section: SectionReport, facts: SectionFacts, players: list[Player]
) -> Iterator[Finding]:
    place = Place(section=section.number, field="kind_letter")
    faults = _match_faults(facts, players)
    if faults:
        yield Finding(
            Severity.ERROR,
            MATCH_NOT_ELIGIBLE,
            place,
            " ".join(faults),
            say(
                "A rated match needs two players with established published ratings at "
                "most 400 points apart, and 1 to 20 games. The office can let it pass, "
                "with a reason."
            ),
        )
    for limited in limited_results(facts, players):
        yield Finding(
            Severity.NOTE,
            "section.match_limited",
            Place(
                section=section.number,
                pairing_number=_pairing_number(section, limited),
                field=limited.system,
            ),
            _limited_in_words(limited),
            say("The match is rated all the same; nothing needs to be done."),
        )


def _match_faults(facts: SectionFacts, players: list[Player]) -> list[str]:
    """Return why these two may not play this match, system by system."""
    rules = rules_for(facts)
    faults = []
    for system in facts.systems:
        found = eligibility(players, system, facts.starts, rules)
        if found.faults:
            said = " ".join(found.faults)
            faults.append(
                say(
                    "{label}: {said} (By {basis}.)",
                    label=system.label,
                    said=said,
                    basis=found.basis,
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


def _pairing_number(section: SectionReport, limited: LimitedResult) -> int | None:
    numbers = (
        entry.pairing_number
        for entry in section.entries
        if entry.member_id == limited.member_id
    )
    return next(numbers, None)


def _limited_in_words(limited: LimitedResult) -> str:
    """Say what is left of a change, with the arithmetic of all three limits."""
    allowance, wins = limited.allowance, limited.computed > 0
    rooms = [
        say("{match_limit:.0f} points in a match", match_limit=allowance.match_limit)
    ]
    for window in allowance.windows:
        room = window.winning_room if wins else window.losing_room
        rooms.append(f"{room} in {window.name}")
    left = (
        f"leave {signed(limited.allowed)}"
        if limited.allowed
        else say("leave no room, so it does not change")
    )
    return say(
        "{name}: the result would move the {label} rating by "
        "{computed}, but the limits on matches {left} "
        "({rooms}).",
        name=limited.name,
        label=limited.system.label,
        computed=signed(limited.computed),
        left=left,
        rooms="; ".join(rooms),
    )
