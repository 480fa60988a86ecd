"""Load the demo federation, through the same services and files as real reports."""

from collections.abc import Callable
from itertools import groupby

from django.db import transaction

from events.importers.findings import Severity
from events.importers.records import EventReport
from events.importers.write_report import write_report
from events.models import Entry, Event, Section
from events.services.acceptance import accept_report
from events.services.findings import blocking_findings
from events.services.submissions import (
    override_finding,
    receive_submission,
    submit_report,
)
from players.models import Player
from ratings.models import Floor, PublishedRating
from ratings.services.openings import enter_openings
from ratings_site.common.jobs import work_off
from ratings_site.common.models import User
from ratings_site.demo.accounts import make_accounts
from ratings_site.demo.club import load_club
from ratings_site.demo.faulty import faulty_files, faulty_zip
from ratings_site.demo.people import AFFILIATE_ID, TD_MEMBER_ID, Register, make_club
from ratings_site.demo.real_sections import DemoSection, load_sections

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
    members = register.players
    receive_submission(actor=director, files=faulty_files(members, members[9]))
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
    """Send one event in, accept it and have it rated, as a TD and the office do."""
    first = parts[0]
    report = EventReport(
        program="demo",
        name=first.event_name,
        starts=min(part.starts for part in parts),
        ends=max(part.ends for part in parts),
        affiliate_id=AFFILIATE_ID,
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        send_crosstable="N",
        chief_td_id=TD_MEMBER_ID,
        sections=tuple(part.report for part in parts),
        total_sections=len(parts),
    )
    files = list(write_report(report).items())
    submission = receive_submission(actor=director, files=files)
    for finding in blocking_findings(submission):
        if finding.severity == Severity.CONFIRM:
            override_finding(
                submission_id=submission.pk,
                actor=director,
                finding_key=finding.key,
                reason="As the public record of the section has it.",
            )
    submit_report(submission_id=submission.pk, actor=director)
    event = accept_report(submission_id=submission.pk, actor=staff)
    work_off()
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
