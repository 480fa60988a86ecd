"""Load the demo federation through the services that real reports use."""

from collections.abc import Callable
from datetime import date
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.utils import timezone

from events.models import Entry, Event, Section
from events.reports.services.submissions import receive_submission
from players.models import Player
from ratings.ledger.services.rating import enter_openings
from ratings.lists.queries.official import cut_off_for
from ratings.models import Floor, PublishedRating
from ratings_site.common.models import Office as Federation
from ratings_site.common.models import User
from ratings_site.demo.accounts import make_accounts, read_old_notices
from ratings_site.demo.actions import publish_current_list
from ratings_site.demo.calendar import exchange_messages, plan_circuit, plan_events
from ratings_site.demo.circuit import Circuit, load_circuit
from ratings_site.demo.club import load_club
from ratings_site.demo.clubs import CASTLE, make_club, open_club
from ratings_site.demo.experiments import compare_last_months, publish_demo_experiment
from ratings_site.demo.faulty_report import faulty_files, faulty_zip
from ratings_site.demo.kit_members import add_kit_members
from ratings_site.demo.members import Register
from ratings_site.demo.office import Office, apply_corrections, months_to_publish
from ratings_site.demo.pending_reports import submit_pending_reports
from ratings_site.demo.real_sections import DemoSection, load_sections
from ratings_site.demo.reports import send_and_accept

Say = Callable[[str], None]


class NotEmpty(Exception):
    """The database already has members, which the demo must not mix with."""


def is_loaded() -> bool:
    """Return whether the demo has been loaded."""
    return (
        User.objects.filter(username="staff").exists()
        and Event.objects.filter(name__startswith="Castle Club").exists()
    )


def load(say: Say) -> bytes:
    """Load everything in one transaction; return the faulty report for uploading."""
    if Player.objects.exists():
        raise NotEmpty(
            "This database already has members. The demo federation needs an empty "
            "database."
        )
    with transaction.atomic():
        Federation.objects.create(
            name="Demo Chess Federation", time_zone="America/Chicago", issues_ids=True
        )
        Federation.refresh()
        with timezone.override(Federation.time()):
            return _load(say)


def _load(say: Say) -> bytes:
    register = Register()
    # The club comes first: its first two members have demo accounts.
    club = load_club(register)
    real = load_sections(register)
    circuit = load_circuit(register)
    kit_openings = add_kit_members(register)
    register.save()
    make_club(register.players[0])
    make_accounts()
    office = _open_office(circuit)
    sections = sorted(
        [*real, *club, *circuit.sections],
        key=lambda section: (section.ends, section.event_name, section.number),
    )
    _enter_openings(sections, office.staff)
    enter_openings(entries=kit_openings, actor=office.staff)
    _rate_and_publish(sections, circuit, office, say)
    publish_demo_experiment(office.manager)
    compare_last_months()
    members = register.players
    faulty = receive_submission(
        actor=office.director, files=faulty_files(members, members[9])
    )
    exchange_messages(faulty, office.director, office.staff)
    submit_pending_reports(circuit, office.directors, office.staff)
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
    """Rate the events in order, and publish the monthly lists in between.

    Each list comes after the events that end by its scheduled cutoff. The cutoff that
    the list states is the time of publication, today.
    """
    months = months_to_publish()
    events = groupby(sections, key=lambda section: (section.ends, section.event_name))
    for count, ((ends, _), parts) in enumerate(events, start=1):
        while months and ends > cut_off_for(months[0]).date():
            _close_month(months.pop(0), circuit, office, is_last=not months)
        _report_event(list(parts), office)
        if count % 20 == 0:
            say(f"  {count} events rated")
    for month in months:
        _close_month(month, circuit, office, is_last=month == months[-1])


def _close_month(
    month: date, circuit: Circuit, office: Office, *, is_last: bool
) -> None:
    """Publish the list of a month; the newest after late reports and corrections."""
    if is_last:
        _report_event(circuit.late, office)
        apply_corrections(circuit, office)
    publish_current_list(
        month,
        manager=office.manager,
        reason="All events up to the cutoff.",
    )


def _report_event(parts: list[DemoSection], office: Office) -> Event:
    """Report one event, and store the ratings that the federation published."""
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
