"""Load the demo federation, through the same services and files as real reports."""

from collections.abc import Callable
from itertools import groupby

from django.db import transaction

from events.models import Entry, Event, Section
from events.reports.services.submissions import receive_submission
from players.models import Player
from ratings.ledger.services.openings import enter_openings
from ratings.models import Floor, PublishedRating
from ratings_site.common.models import User
from ratings_site.demo.accounts import make_accounts, read_old_notices
from ratings_site.demo.club import load_club
from ratings_site.demo.clubs import make_club
from ratings_site.demo.experiments import publish_demo_experiment
from ratings_site.demo.faulty import faulty_files, faulty_zip
from ratings_site.demo.people import Register
from ratings_site.demo.plans import plan_events, talk_about
from ratings_site.demo.real_sections import DemoSection, load_sections
from ratings_site.demo.sending import send_and_accept

Say = Callable[[str], None]


class NotEmpty(Exception):
    """The database holds members already; the demo does not mix with real people."""


def is_loaded() -> bool:
    """Tell whether the demo was loaded to its end: its faulty report comes last."""
    return (
        User.objects.filter(username="staff").exists()
        and Event.objects.filter(name__startswith="Castle Club").exists()
    )


def load(say: Say) -> bytes:
    """Load everything; return the faulty report that is left to be uploaded.

    All in one transaction, so that an interrupted start leaves nothing behind.
    """
    if Player.objects.exists():
        raise NotEmpty(
            "This database holds members already. The demo federation is for an "
            "empty one."
        )
    with transaction.atomic():
        return _load(say)


def _load(say: Say) -> bytes:
    register = Register()
    # The club comes first: its first two members have demo accounts.
    club = load_club(register)
    real = load_sections(register)
    register.save()
    make_club(register.players[0])
    make_accounts()
    staff = User.objects.get(username="staff")
    director = User.objects.get(username="td")
    sections = sorted([*real, *club], key=lambda s: (s.ends, s.event_name, s.number))
    _enter_openings(sections, staff)
    events = groupby(sections, key=lambda section: (section.ends, section.event_name))
    for count, (_, parts) in enumerate(events, start=1):
        _report_event(list(parts), director, staff)
        if count % 20 == 0:
            say(f"  {count} events rated")
    publish_demo_experiment(User.objects.get(username="manager"))
    members = register.players
    faulty = receive_submission(actor=director, files=faulty_files(members, members[9]))
    talk_about(faulty, director, staff)
    plan_events(director, staff)
    read_old_notices()
    return faulty_zip(members, members[9])


def _enter_openings(sections: list[DemoSection], staff: User) -> None:
    for section in sections:
        if section.openings:
            enter_openings(entries=section.openings, actor=staff)
        Floor.objects.bulk_create(
            Floor(
                player=player,
                system=system,
                kind=Floor.Kind.LIFE_MASTER if level == 2200 else Floor.Kind.OFFICE,
                level=level,
                starts=section.starts,
                reason="Inferred from the published rating, which sits on this floor.",
                granted_by=staff,
            )
            for player, system, level in section.granted_floors
        )


def _report_event(parts: list[DemoSection], director: User, staff: User) -> Event:
    """Send one event in, and note what the federation published of it."""
    event = send_and_accept(
        parts[0].event_name,
        [part.reported for part in parts],
        starts=min(part.starts for part in parts),
        ends=max(part.ends for part in parts),
        director=director,
        staff=staff,
        reason="As the public record of the section has it.",
    )
    for part in parts:
        _note_published(event.sections.get(number=part.number), part)
    return event


def _note_published(section: Section, part: DemoSection) -> None:
    entries = {
        entry.pairing_number: entry for entry in Entry.objects.filter(section=section)
    }
    PublishedRating.objects.bulk_create(
        PublishedRating(
            entry=entries[pairing_number],
            system=system,
            post_rating=post,
            decimals=part.decimals,
            source="US Chess, as published",
        )
        for (pairing_number, system), post in part.published.items()
    )
