"""Services for new members: a temporary ID takes the place of the member ID."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Unpack

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from events.formats.dbf.layout_2c import ENTRY_FIELDS
from events.formats.report import ReportedEntry, ReportedEvent
from events.models import PendingMember, Submission
from events.newcomers.queries import namesakes
from events.records.exceptions import NotPossible
from events.reports.services.member_records import single_entry
from events.reports.services.submissions import Editing, edit_report
from players.models import Player

MAX_NEWCOMERS = 9999
NAME_WIDTH = next(field.width for field in ENTRY_FIELDS if field.name == "D_NAME")


@dataclass(frozen=True, slots=True)
class NewcomerDetails:
    """The details of a new member in a report: a birth date, or else a year."""

    given_name: str
    family_name: str
    birth_date: date | None = None
    birth_year: int | None = None
    state: str = ""
    email: str = ""


def enter_newcomer(
    *,
    section_number: int,
    pairing_number: int,
    details: NewcomerDetails,
    reason: str = "",
    **editing: Unpack[Editing],
) -> Submission:
    """Add a new member to a report, or change the details.

    If a member has exactly the same name, a *reason* says why it is another person. The
    same details in another entry of the report mean the same person.
    """
    if namesakes(details.given_name, details.family_name) and not reason.strip():
        raise NotPossible(
            _("A member has exactly this name. Explain why this is a different person.")
        )
    facts: dict[str, Any]
    facts = {"section": section_number, "pairing_number": pairing_number}

    def change(reported: ReportedEvent) -> ReportedEvent:
        entry = single_entry(reported, section_number, pairing_number)
        newcomer = _save_newcomer(entry, details, reason.strip(), editing)
        facts.update(_audit_facts(newcomer))
        return _with_newcomer(reported, newcomer, entry, section_number)

    return edit_report(**editing, what="newcomer_told", change=change, facts=facts)


def _save_newcomer(
    entry: ReportedEntry, details: NewcomerDetails, reason: str, editing: Editing
) -> PendingMember:
    """Save the details under the temporary ID of the entry or of the person."""
    if Player.objects.filter(member_id=entry.member_id).exists():
        raise NotPossible(
            _("{member_id} is a member’s ID. Remove it from the entry first.").format(
                member_id=entry.member_id
            )
        )
    submission_id = editing["submission_id"]
    everybody = PendingMember.objects.filter(submission=submission_id)
    known = everybody.filter(resolved_to=None)
    told = {name: getattr(details, name) for name in NewcomerDetails.__slots__}
    newcomer = known.filter(number=entry.member_id).first()
    if newcomer is None:
        newcomer = known.filter(
            given_name__iexact=details.given_name,
            family_name__iexact=details.family_name,
            birth_date=details.birth_date,
            birth_year=details.birth_year,
        ).first()
    if newcomer is None:
        newcomer = PendingMember(
            submission_id=submission_id,
            number=_next_number(everybody),
            told_by=editing["actor"],
        )
    for name, value in told.items():
        setattr(newcomer, name, value)
    newcomer.duplicate_reason = reason
    newcomer.save()
    return newcomer


def _next_number(newcomers: QuerySet[PendingMember]) -> str:
    taken = {int(number[4:]) for number in newcomers.values_list("number", flat=True)}
    following = max(taken, default=0) + 1
    if following > MAX_NEWCOMERS:
        raise NotPossible(_("This report has too many new members."))
    return f"NEW-{following}"


def _audit_facts(newcomer: PendingMember) -> dict[str, str]:
    """Return the facts for the audit: only whether birth date and email are given."""
    facts = {"newcomer": newcomer.number, "name": newcomer.name, "birth": "changed"}
    return facts | ({"email": "changed"} if newcomer.email else {})


def _with_newcomer(
    reported: ReportedEvent,
    newcomer: PendingMember,
    entry: ReportedEntry,
    section_number: int,
) -> ReportedEvent:
    """Set the temporary ID in the entry, and the name wherever the ID is."""
    name = newcomer.reported_name[:NAME_WIDTH]
    reported = reported.with_entry(
        section_number,
        entry.pairing_number,
        member_id=newcomer.number,
        state=newcomer.state or entry.state,
    )
    sections = tuple(
        replace(
            section,
            entries=tuple(
                replace(one, name=name) if one.member_id == newcomer.number else one
                for one in section.entries
            ),
        )
        for section in reported.sections
    )
    return replace(reported, sections=sections)
