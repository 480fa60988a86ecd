"""Registered events of the demo, and messages about a report."""

from collections.abc import Mapping
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
from ratings_site.demo.members import AFFILIATE_ID

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
    for name, days, length in (
        ("Castle Classic", -20, 2),
        ("Castle Club Night", -4, 1),
    ):
        register_event(
            actor=staff, plan=_plan(name, today + timedelta(days), length, director)
        )
    for name, days, length in (
        ("Castle Weekend Open", 13, 2),
        ("Castle Scholastic", 20, 1),
    ):
        register_event(
            actor=director, plan=_plan(name, today + timedelta(days), length, director)
        )
    _move("Castle Library Quads", today + timedelta(38), director)
    _cancel("Castle Simultaneous", today + timedelta(27), director)
    online = _plan(
        "Castle Online Rapid", today + timedelta(6), 1, director, online=True
    )
    register_event(actor=director, plan=online)


def plan_circuit(directors: Mapping[Club, User]) -> None:
    """Register the upcoming events of the other clubs."""
    for club, name, weeks, length, sections in UPCOMING:
        starts = saturday(0) + timedelta(weeks=weeks)
        plan = Plan(
            name=name,
            starts=starts,
            ends=starts + timedelta(length - 1),
            affiliate=Affiliate.objects.get(affiliate_id=club.affiliate_id),
            chief=directors[club].player,
            city=club.city,
            state=club.state,
            website=f"https://{club.place.lower().replace(' ', '-')}-chess.example",
            sections=sections,
        )
        register_event(actor=directors[club], plan=plan)


def _plan(
    name: str, starts: date, length: int, director: User, *, online: bool = False
) -> Plan:
    return Plan(
        name=name,
        starts=starts,
        ends=starts + timedelta(length - 1),
        affiliate=Affiliate.objects.get(affiliate_id=AFFILIATE_ID),
        chief=director.player,
        city="" if online else CASTLE.city,
        state=CASTLE.state,
        is_online=online,
        website="https://castle-chess.example",
        sections=(PlannedSection("Open", "G/15;+10"),) if online else SECTIONS,
    )


def _move(name: str, starts: date, director: User) -> None:
    made = register_event(actor=director, plan=_plan(name, starts, 1, director))
    later = _plan(name, starts + timedelta(1), 1, director)
    change_registration(
        registration_id=made.pk,
        actor=director,
        plan=later,
        reason="The library is closed on the day planned first.",
    )


def _cancel(name: str, starts: date, director: User) -> None:
    made = register_event(actor=director, plan=_plan(name, starts, 1, director))
    cancel_registration(
        registration_id=made.pk, actor=director, reason="The master has fallen ill."
    )
