"""Services for new members: a temporary ID takes the place of the member ID."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Unpack

from django.utils.translation import gettext as _

from events.checks.queries.member_records import EntryKey, player_places
from events.formats.dbf.layout_2c import ENTRY_FIELDS
from events.formats.report import ReportedEvent
from events.models import PendingMember, Submission
from events.newcomers.queries import names_of_members
from events.records.exceptions import NotPossible
from events.reports.services.member_records import (
    member_changes,
    playing_members,
    single_entry,
    with_changes,
)
from events.reports.services.submissions import Editing, edit_report, entry_changes
from players.models import Player
from ratings_site.common.names.phonetics import searchable

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


# With the reason why this is not the member of the same name.
Newcomer = tuple[NewcomerDetails, str]


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
    _require_other_people([(details, reason)])
    facts: dict[str, Any]
    facts = {"section": section_number, "pairing_number": pairing_number}

    place = section_number, pairing_number

    def change(reported: ReportedEvent) -> ReportedEvent:
        saved = _save_newcomers(reported, {place: (details, reason)}, editing)
        facts.update(_audit_facts(saved[place]))
        return _with_newcomers(reported, saved)

    return edit_report(**editing, what="newcomer_told", change=change, facts=facts)


def match_players(
    *,
    members: Mapping[EntryKey, str],
    newcomers: Mapping[EntryKey, Newcomer],
    **editing: Unpack[Editing],
) -> Submission | None:
    """Set players to members, and others to new members, in all their sections.

    New members come with the reason that a member of the same name needs. Return None
    if nothing is chosen. Clerks can choose members in a report in review too.
    """
    if not members and not newcomers:
        return None
    players = playing_members(set(members.values()))
    _require_other_people(newcomers.values())
    facts: dict[str, Any] = {}

    def change(reported: ReportedEvent) -> ReportedEvent:
        chosen = {place: players[member_id] for place, member_id in members.items()}
        changed = with_changes(reported, member_changes(reported, chosen))
        saved = _save_newcomers(changed, newcomers, editing)
        changed = _with_newcomers(changed, saved)
        facts["entries"] = "; ".join(entry_changes(reported, changed))
        return changed

    return edit_report(
        **editing,
        what="players_matched",
        change=change,
        facts=facts,
        office_may=not newcomers,
    )


def _require_other_people(newcomers: Collection[Newcomer]) -> None:
    names = {_search_name(details): details for details, reason in newcomers
             if not reason.strip()}  # fmt: skip
    for name in sorted(names_of_members(names)):
        raise NotPossible(
            _(
                "A member is named {name}. Explain why this is a different person."
            ).format(name=f"{names[name].given_name} {names[name].family_name}")
        )


def _search_name(details: NewcomerDetails) -> str:
    return searchable(f"{details.family_name} {details.given_name}")


def _save_newcomers(
    reported: ReportedEvent, newcomers: Mapping[EntryKey, Newcomer], editing: Editing
) -> dict[EntryKey, PendingMember]:
    """Save the details under the temporary IDs of the entries or of the people."""
    entries = {place: single_entry(reported, *place) for place in newcomers}
    _require_no_members({entry.member_id for entry in entries.values()})
    submission_id = editing["submission_id"]
    everybody = list(PendingMember.objects.filter(submission=submission_id))
    numbers = _free_numbers(everybody)
    known = {one.number: one for one in everybody if one.resolved_to_id is None}
    people = {_person(one): one for one in known.values()}
    saved, added = {}, []
    for place, (details, reason) in newcomers.items():
        newcomer = known.get(entries[place].member_id) or people.get(_person(details))
        if newcomer is None:
            newcomer = PendingMember(
                submission_id=submission_id,
                number=next(numbers),
                told_by=editing["actor"],
            )
            added.append(newcomer)
            people[_person(details)] = newcomer
        for name in NewcomerDetails.__slots__:
            setattr(newcomer, name, getattr(details, name))
        newcomer.duplicate_reason = reason.strip()
        saved[place] = newcomer
    fields = [*NewcomerDetails.__slots__, "duplicate_reason"]
    changed = [one for one in known.values() if one in saved.values()]
    PendingMember.objects.bulk_update(changed, fields)
    PendingMember.objects.bulk_create(added)
    return saved


def _person(one: NewcomerDetails | PendingMember) -> tuple[object, ...]:
    names = one.given_name.casefold(), one.family_name.casefold()
    return *names, one.birth_date, one.birth_year


def _require_no_members(member_ids: set[str]) -> None:
    if player := Player.objects.filter(member_id__in=member_ids).first():
        raise NotPossible(
            _("{member_id} is a member’s ID. Remove it from the entry first.").format(
                member_id=player.member_id
            )
        )


def _free_numbers(newcomers: list[PendingMember]) -> Iterator[str]:
    last = max((int(one.number[4:]) for one in newcomers), default=0)
    for number in range(last + 1, MAX_NEWCOMERS + 1):
        yield f"NEW-{number}"
    raise NotPossible(_("This report has too many new members."))


def _audit_facts(newcomer: PendingMember) -> dict[str, str]:
    """Return the facts for the audit: only whether birth date and email are given."""
    facts = {"newcomer": newcomer.number, "name": newcomer.name, "birth": "changed"}
    return facts | ({"email": "changed"} if newcomer.email else {})


def _with_newcomers(
    reported: ReportedEvent, newcomers: Mapping[EntryKey, PendingMember]
) -> ReportedEvent:
    """Set the temporary IDs in the entries, and the names wherever the IDs are."""
    places = player_places(reported)
    for own, newcomer in newcomers.items():
        for place in places.get(own, (own,)):
            state = newcomer.state or single_entry(reported, *place).state
            reported = reported.with_entry(
                *place, member_id=newcomer.number, state=state
            )
    names = {one.number: one.reported_name[:NAME_WIDTH] for one in newcomers.values()}
    sections = tuple(
        replace(
            section,
            entries=tuple(
                replace(one, name=names.get(one.member_id, one.name))
                for one in section.entries
            ),
        )
        for section in reported.sections
    )
    return replace(reported, sections=sections)
