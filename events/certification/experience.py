"""Experience credits of a director: what each assignment counts for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from events.certification.rules import (
    EVENTS_A_YEAR,
    LEVELS,
    REQUIREMENTS,
    TERM_YEARS,
    Requirement,
    add_months,
    category_of,
    in_force,
)

CHIEF, ASSISTANT = "chief", "assistant"


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """A director's role at an accepted event, or at one of its sections.

    *entrants* and *rounds* are those that count for experience: over the board, rated
    regular, no matches. *section* is a name, or "" for the whole event.
    """

    day: date
    role: str
    entrants: int
    rounds: int
    event_id: str = ""
    event: str = ""
    section: str = ""

    @property
    def category(self) -> str:
        return category_of(self.entrants, self.day) if self.entrants else ""

    @property
    def leads(self) -> bool:
        return self.role in (CHIEF, ASSISTANT)


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a requirement: what is there, and what it takes."""

    kind: str
    have: int
    needed: int

    @property
    def missing(self) -> int:
        return max(0, self.needed - self.have)


@dataclass(frozen=True, slots=True)
class Renewal:
    """The events of the current term, and those for a renewal without a test."""

    since: date
    events: Step


def credits_for(
    requirement: Requirement, assignments: Iterable[Assignment]
) -> list[Assignment]:
    """Return the credits: of each day one assignment, as chief if possible."""
    best: dict[date, Assignment] = {}
    for one in assignments:
        is_large = one.entrants and one.entrants >= requirement.entrants
        if one.leads and is_large and one.rounds >= requirement.rounds:
            best[one.day] = max(best.get(one.day, one), one, key=_worth)
    return list(best.values())


def _worth(one: Assignment) -> tuple[bool, int]:
    return one.role == CHIEF, one.entrants


def credits_by_level(
    assignments: Iterable[Assignment], today: date
) -> Mapping[str, list[Assignment]]:
    assignments = list(assignments)
    return {
        level: credits_for(requirement, assignments)
        for level in LEVELS
        if (requirement := in_force(REQUIREMENTS.get(level, ()), today))
    }


def next_level(level: str) -> str:
    """Return the level above, or "" above the highest."""
    return dict(pairwise(LEVELS)).get(level, "")


def steps_to(level: str, credits: Iterable[Assignment], today: date) -> list[Step]:
    """Return the parts of a level's requirement; none if it is not known."""
    requirement = in_force(REQUIREMENTS.get(level, ()), today)
    if requirement is None:
        return []
    credits = list(credits)
    steps = [
        Step("credits", len(credits), requirement.credits),
        Step("chief", sum(one.role == CHIEF for one in credits), requirement.chief),
        Step("players", sum(one.entrants for one in credits), requirement.together),
    ]
    return [step for step in steps if step.needed]


def renewal(
    level: str, until: date, assignments: Iterable[Assignment]
) -> Renewal | None:
    """Return what a renewal takes, or None if the level does not expire."""
    years = in_force(TERM_YEARS.get(level, ()), until)
    if years is None:
        return None
    since = add_months(until, -12 * years)
    # Two events on one day are two, unlike for credits.
    events = {
        one.event_id
        for one in assignments
        if one.leads and one.entrants and since < one.day <= until
    }
    needed = years * (in_force(EVENTS_A_YEAR, until) or 0)
    return Renewal(since, Step("events", len(events), needed))
