"""Registered events of the demo, and messages about a report."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

from django.utils import timezone

from events.calendar.services import (
    Plan,
    PlannedSection,
    cancel_registration,
    change_registration,
    register_event,
)
from events.models import Affiliate, Submission
from events.reports.services.messages import write_message
from ratings_site.common.models import User
from ratings_site.demo.clubs import (
    CASTLE,
    CEDAR,
    HARBOR,
    RIVERSIDE,
    SUMMIT,
    UNION,
    Club,
)
from ratings_site.demo.dates import saturday

SECTIONS = (
    PlannedSection("Open", "G/90;+30"),
    PlannedSection("Reserve (under 1600)", "G/60;d5"),
)
# Events of other clubs: club, name, weeks from now, days, sections.
UPCOMING = (
    (HARBOR, "Harbor Two-Day Swiss", 1, 2, SECTIONS),
    (UNION, "Union Street Blitz", 2, 1, (PlannedSection("Open", "G/3;+2"),)),
    (CEDAR, "Cedar School Rapid", 3, 1, (PlannedSection("Grades K–12", "G/25;d5"),)),
    (RIVERSIDE, "Riverside Masters and Open", 5, 2, SECTIONS),
    (SUMMIT, "Summit Mountain Open", 9, 3, SECTIONS),
)  # fmt: skip
# Events of the Castle Club: name, days from now, days. Past ones were never reported.
CASTLE_EVENTS = (
    ("Castle Classic", -20, 2),
    ("Castle Club Night", -4, 1),
    ("Castle Weekend Open", 13, 2),
    ("Castle Scholastic", 20, 1),
    ("Castle Library Quads", 38, 1),
    ("Castle Simultaneous", 27, 1),
)
MESSAGES = (
    (True, "section 1, number 4", "Is this the right member? Two digits may have been "
     "exchanged: there is a member with this name and another ID."),
    (False, "section 1, number 4", "I’ll check the entry form tonight."),
    (True, "", "Thank you. The dates of section 2 cannot be right either."),
)  # fmt: skip


def exchange_messages(submission: Submission, director: User, staff: User) -> None:
    """Create messages between the office and the TD, the last one unanswered."""
    for from_office, place, text in MESSAGES:
        actor = staff if from_office else director
        write_message(submission=submission, actor=actor, text=text, place=place)


def plan_events(director: User, staff: User) -> None:
    """Register events around today: unreported, upcoming, rescheduled, canceled.

    Staff registers past events, because a TD can only announce future ones.
    """
    today = timezone.localdate()
    made = {}
    for name, days, length in CASTLE_EVENTS:
        plan = _plan(CASTLE, director, name, today + timedelta(days), length)
        made[name] = register_event(actor=director if days > 0 else staff, plan=plan)
    quads, moved = made["Castle Library Quads"], today + timedelta(39)
    change_registration(
        registration_id=quads.pk,
        actor=director,
        plan=_plan(CASTLE, director, quads.name, moved, 1),
        reason="The library is closed on the day planned first.",
    )
    cancel_registration(
        registration_id=made["Castle Simultaneous"].pk,
        actor=director,
        reason="The master has fallen ill.",
    )
    rapid = (PlannedSection("Open", "G/15;+10"),)
    starts = today + timedelta(6)
    online = _plan(CASTLE, director, "Castle Online Rapid", starts, 1, rapid)
    register_event(actor=director, plan=replace(online, city="", is_online=True))


def plan_circuit(directors: Mapping[Club, User]) -> None:
    """Register the upcoming events of the other clubs."""
    for club, name, weeks, length, sections in UPCOMING:
        starts = saturday(0) + timedelta(weeks=weeks)
        plan = _plan(club, directors[club], name, starts, length, sections)
        register_event(actor=directors[club], plan=plan)


def _plan(
    club: Club,
    director: User,
    name: str,
    starts: date,
    length: int,
    sections: tuple[PlannedSection, ...] = SECTIONS,
) -> Plan:
    return Plan(
        name=name,
        starts=starts,
        ends=starts + timedelta(length - 1),
        affiliate=Affiliate.objects.get(affiliate_id=club.affiliate_id),
        chief=director.player,
        city=club.city,
        state=club.state,
        website=f"https://{club.place.lower().replace(' ', '-')}-chess.example",
        sections=sections,
    )
