"""Load the demo federation, through the same services and files as real reports."""

from collections.abc import Callable
from datetime import date
from itertools import groupby
from operator import attrgetter

from django.db import transaction

from events.models import Entry, Event, Section
from events.reports.services.submissions import receive_submission
from players.models import Player
from ratings.ledger.services.openings import enter_openings
from ratings.lists.queries.official import cut_off_for
from ratings.models import Floor, PublishedRating
from ratings_site.common.models import User
from ratings_site.demo.accounts import make_accounts, read_old_notices
from ratings_site.demo.acts import publish_books
from ratings_site.demo.circuit import Circuit, load_circuit
from ratings_site.demo.club import load_club
from ratings_site.demo.clubs import CASTLE, make_club, open_club
from ratings_site.demo.experiments import compare_last_months, publish_demo_experiment
from ratings_site.demo.faulty import faulty_files, faulty_zip
from ratings_site.demo.office import Office, months_to_publish, put_right
from ratings_site.demo.people import Register
from ratings_site.demo.plans import plan_circuit, plan_events, talk_about
from ratings_site.demo.real_sections import DemoSection, load_sections
from ratings_site.demo.sending import send_and_accept
from ratings_site.demo.waiting import hand_in_reports

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
    circuit = load_circuit(register)
    register.save()
    make_club(register.players[0])
    make_accounts()
    office = _open_office(circuit)
    sections = sorted(
        [*real, *club, *circuit.sections],
        key=lambda section: (section.ends, section.event_name, section.number),
    )
    _enter_openings(sections, office.staff)
    _rate_and_publish(sections, circuit, office, say)
    publish_demo_experiment(office.manager)
    compare_last_months()
    members = register.players
    faulty = receive_submission(
        actor=office.director, files=faulty_files(members, members[9])
    )
    talk_about(faulty, office.director, office.staff)
    hand_in_reports(circuit, office.directors, office.staff)
    plan_events(office.director, office.staff)
    plan_circuit(office.directors)
    read_old_notices()
    return faulty_zip(members, members[9])


def _open_office(circuit: Circuit) -> Office:
    directors = {CASTLE: User.objects.get(username=CASTLE.director)}
    for club, members in circuit.members.items():
        directors[club] = open_club(members[0], club)
    return Office(
        staff=User.objects.get(username="staff"),
        manager=User.objects.get(username="manager"),
        directors=directors,
    )


def _enter_openings(sections: list[DemoSection], staff: User) -> None:
    by_source = attrgetter("source")
    openings = [opening for section in sections for opening in section.openings]
    for _, entries in groupby(sorted(openings, key=by_source), key=by_source):
        enter_openings(entries=list(entries), actor=staff)
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
        for section in sections
        for player, system, level in section.granted_floors
    )


def _rate_and_publish(
    sections: list[DemoSection], circuit: Circuit, office: Office, say: Say
) -> None:
    """Rate the events in their order; publish each month's list where it belongs.

    What the calendar has rated by a list's cut-off is rated before it. The cut-off
    that the list states is the moment at which that was done, today.
    """
    months = months_to_publish()
    events = groupby(sections, key=lambda section: (section.ends, section.event_name))
    for count, ((ends, _), parts) in enumerate(events, start=1):
        while months and ends > cut_off_for(months[0]).date():
            _close_books(months.pop(0), circuit, office, is_last=not months)
        _report_event(list(parts), office)
        if count % 20 == 0:
            say(f"  {count} events rated")
    for month in months:
        _close_books(month, circuit, office, is_last=month == months[-1])


def _close_books(
    month: date, circuit: Circuit, office: Office, *, is_last: bool
) -> None:
    """Publish the list of a month; the newest after all that the office put right."""
    if is_last:
        _report_event(circuit.late, office)
        put_right(circuit, office)
    publish_books(
        month,
        manager=office.manager,
        reason="The events that had ended by the cut-off of the calendar.",
    )


def _report_event(parts: list[DemoSection], office: Office) -> Event:
    """Send one event in, and note what the federation published of it."""
    first = parts[0]
    event = send_and_accept(
        first.event_name,
        [part.reported for part in parts],
        starts=min(part.starts for part in parts),
        ends=max(part.ends for part in parts),
        director=office.directors[first.club],
        staff=office.staff,
        reason="As the public record of the section has it.",
        club=first.club,
    )
    for part in parts:
        if part.published:
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
