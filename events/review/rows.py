"""The new members of all reports, and previews of bulk actions on them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from events.checks.queries.likely_members import LikelyMember, likely_members_in_reports
from events.formats.report import ReportedEvent
from events.models import PendingMember, Submission
from events.reports.services.submissions import REVIEW, reported_in
from events.review.forms import not_a_member_id
from events.review.queries.newcomers import (
    newcomer_fingerprint,
    pending_newcomers,
    same_identity_members,
)
from events.review.services.newcomers import assign_member_ids, link_newcomer
from players.formats.member_ids import MEMBER_ID
from players.models import Player
from ratings_site.common.approvals.bulk_actions import (
    MAX_ROWS,
    BulkAction,
    ChosenRow,
    DoneRow,
    PreviewedRows,
    RefusedRow,
    register_bulk_actions,
)
from ratings_site.common.approvals.preview import PreviewLine, no_approval_line
from ratings_site.common.models import User

MAX_NEWCOMERS = 60
# Each checks its report again, which takes 0.8 seconds with 800 players.
MAX_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class LikelyRow:
    """A likely member; only the office sees whether the birth dates match."""

    member: LikelyMember
    birth: str | Promise


@dataclass(frozen=True, slots=True)
class NewcomerRow:
    """A new member without a member ID, and the typed one."""

    newcomer: PendingMember
    likely: tuple[LikelyRow, ...]
    typed: str = ""
    was_ticked: bool | None = None

    @property
    def is_ticked(self) -> bool:
        """Return whether the box is ticked: as sent, or if no member is similar.

        A member of the same name and birth date needs an individual check.
        """
        if self.was_ticked is not None:
            return self.was_ticked
        return not any(one.birth == SAME_BIRTH for one in self.likely)


SAME_BIRTH = gettext_lazy("same birth date")
SAME_YEAR = gettext_lazy("same birth year")
OTHER_BIRTH = gettext_lazy("different birth date")


def newcomer_rows(
    typed: Mapping[int, str], ticked: Collection[int] | None = None
) -> tuple[list[NewcomerRow], bool]:
    """Return new members by report, oldest first, and whether there are more.

    *typed* and *ticked* are submitted values, to show them again.
    """
    waiting = list(
        pending_newcomers().order_by("submission_id", "pk")[: MAX_NEWCOMERS + 1]
    )
    shown = waiting[:MAX_NEWCOMERS]
    likely = _likely_of(shown)
    rows = [
        NewcomerRow(
            newcomer,
            likely[newcomer.pk],
            typed.get(newcomer.pk, ""),
            None if ticked is None else newcomer.pk in ticked,
        )
        for newcomer in shown
    ]
    return rows, len(waiting) > MAX_NEWCOMERS


def _likely_of(newcomers: Sequence[PendingMember]) -> dict[int, tuple[LikelyRow, ...]]:
    """Return the likely members by new member, in four queries."""
    asked = []
    for submission, own in groupby(newcomers, key=lambda one: one.submission):
        reported = reported_in(submission)
        entry_keys = _entry_keys(reported)
        at = {one.pk: entry_keys[one.number] for one in own if one.number in entry_keys}
        asked.append((reported, at))
    found: dict[int, list[LikelyMember]] = {}
    each = likely_members_in_reports(
        [(reported, at.values()) for reported, at in asked]
    )
    for (_reported, at), likely in zip(asked, each, strict=True):
        found |= {
            pk: likely[entry_key] for pk, entry_key in at.items() if entry_key in likely
        }
    members = Player.objects.only("member_id", "birth_date", "birth_year").in_bulk(
        {one.member_id for few in found.values() for one in few},
        field_name="member_id",
    )
    return {
        one.pk: tuple(
            LikelyRow(member, _compare_births(one, members[member.member_id]))
            for member in found.get(one.pk, ())
        )
        for one in newcomers
    }


def _entry_keys(reported: ReportedEvent) -> dict[str, tuple[int, int]]:
    """Return section and pairing number by temporary ID."""
    return {
        entry.member_id: (section.number, entry.pairing_number)
        for section in reported.sections
        for entry in section.entries
    }


def _compare_births(newcomer: PendingMember, member: Player) -> str | Promise:
    if member.year_of_birth is None:
        return ""
    if newcomer.birth_date and member.birth_date:
        same = newcomer.birth_date == member.birth_date
        return SAME_BIRTH if same else OTHER_BIRTH
    told = newcomer.birth_date.year if newcomer.birth_date else newcomer.birth_year
    return SAME_YEAR if told == member.year_of_birth else OTHER_BIRTH


# Bulk actions


def _waiting(
    keys: Sequence[str],
) -> tuple[list[tuple[PendingMember, list[str]]], list[RefusedRow]]:
    """Return pending new members, each with the rest of the key, and the others."""
    asked = {int(pk): rest for pk, *rest in (key.split(":") for key in keys)}
    found = pending_newcomers().filter(pk__in=asked).order_by("submission_id", "pk")
    waiting = [(one, asked[one.pk]) for one in found]
    here = {one.pk for one, _rest in waiting}
    gone = {
        one.pk: RefusedRow(one.name, _("No longer waiting for an ID."))
        for one in PendingMember.objects.filter(pk__in=asked.keys() - here)
    }
    nobody = RefusedRow(_("New member"), _("No longer waiting for an ID."))
    left_out = [gone.get(pk, nobody) for pk in asked if pk not in here]
    return waiting, left_out


def _row(
    newcomer: PendingMember, rest: str, effects: Iterable[PreviewLine]
) -> ChosenRow:
    submission = newcomer.submission
    return ChosenRow(
        key=f"{newcomer.pk}:{rest}",
        name=newcomer.name,
        about=str(submission),
        url=submission.get_absolute_url(),
        effects=(*effects, *_rating_lines(submission)),
    )


def _rating_lines(submission: Submission) -> Iterator[PreviewLine]:
    if submission.state == Submission.State.ACCEPTED:
        yield PreviewLine(
            "enters", _("The section is rated if no other new member is waiting in it.")
        )


# Member IDs


def _preview_numbers(keys: Sequence[str], actor: User) -> PreviewedRows:
    """Preview the assigned member IDs, with likely members.

    A new member with exactly the name and birth date of a member is left out of a bulk
    action.
    """
    waiting, left_out = _waiting(keys)
    newcomers = [one for one, _rest in waiting]
    same, likely = same_identity_members(newcomers), _likely_of(newcomers)
    rows = []
    for newcomer, rest in waiting:
        number, *shown = rest or [""]
        members = same[newcomer.pk]
        now = newcomer_fingerprint(newcomer, members)
        sentence = ""
        if number and not MEMBER_ID.whole.fullmatch(number):
            sentence = not_a_member_id(number)
        elif any(shown) and now not in shown:
            sentence = _("Their data has changed. Check it again.")
        elif members and len(keys) > 1:
            sentence = _(
                "{member} has the same name and birth date. Choose “It’s this "
                "member,” or assign an ID to this person alone."
            ).format(member=members[0])
        if sentence:
            url = newcomer.submission.get_absolute_url()
            left_out.append(RefusedRow(newcomer.name, sentence, url))
        else:
            effects = _number_lines(newcomer, number, members, likely[newcomer.pk])
            rows.append(_row(newcomer, f"{number}:{now}", effects))
    return rows, left_out


def _number_lines(
    newcomer: PendingMember,
    number: str,
    same: Sequence[Player],
    likely: Sequence[LikelyRow],
) -> Iterator[PreviewLine]:
    if number:
        sentence = _("Gets member ID {member_id}.").format(member_id=number)
    else:
        sentence = _("Gets the next available member ID.")
    yield PreviewLine("number", sentence)
    for member in same:
        yield PreviewLine(
            "same",
            _("{member} has the same name and birth date.").format(member=member),
            "warning",
        )
    known = {member.member_id for member in same}
    for one in likely:
        if one.member.member_id not in known:
            yield _possible_match_line(one)
    if newcomer.duplicate_reason:
        yield PreviewLine(
            "reason",
            _("The TD says: “{reason}”").format(reason=newcomer.duplicate_reason),
        )


def _possible_match_line(one: LikelyRow) -> PreviewLine:
    told = (one.member.member_id, one.member.state, one.birth, one.member.reason)
    sentence = _("Possible match: {name} ({told}).").format(
        name=one.member.name, told=", ".join(str(each) for each in told if each)
    )
    return PreviewLine("perhaps", sentence, "" if one.birth == OTHER_BIRTH else "note")


def _assign_number(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    pk, number, seen = row.key.split(":")
    [player] = assign_member_ids(
        numbers={int(pk): number}, seen={int(pk): seen}, actor=actor, reason=reason
    )
    return DoneRow(row.name, player.member_id, player.get_absolute_url())


def _after_numbers() -> Sequence[PreviewLine]:
    return (
        PreviewLine("member", _("Each becomes a member. Member IDs are never reused.")),
        PreviewLine("told", _("The report uses the new member ID.")),
        no_approval_line(),
    )


# Existing members


def _preview_links(keys: Sequence[str], actor: User) -> PreviewedRows:
    waiting, left_out = _waiting(keys)
    wanted = {rest[0] for _one, rest in waiting if rest}
    members = Player.objects.in_bulk(wanted, field_name="member_id")
    rows = []
    for newcomer, rest in waiting:
        member_id = rest[0] if rest else ""
        if member_id in members:
            effects = _link_lines(newcomer, members[member_id])
            rows.append(_row(newcomer, member_id, effects))
        else:
            sentence = _("No member has the ID {id}.").format(id=member_id)
            left_out.append(RefusedRow(newcomer.name, sentence))
    return rows, left_out


def _link_lines(newcomer: PendingMember, member: Player) -> Iterator[PreviewLine]:
    yield PreviewLine("linked", _("Matched to {member}.").format(member=member))
    if member.search_name != newcomer.search_name:
        yield PreviewLine("name", _("The names differ."), "warning")
    birth = _compare_births(newcomer, member)
    if birth == OTHER_BIRTH:
        yield PreviewLine("birth", _("The birth dates differ."), "warning")
    elif birth == SAME_YEAR:
        yield PreviewLine("birth", _("The birth years are the same."), "note")
    elif birth:
        yield PreviewLine("birth", _("The birth dates are the same."))
    else:
        yield PreviewLine(
            "birth", _("There’s no birth date on record to compare."), "note"
        )


def _link(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    pk, member_id = row.key.split(":")
    newcomer = link_newcomer(
        newcomer_id=int(pk), member_id=member_id, actor=actor, reason=reason
    )
    member = newcomer.resolved_to
    url = member.get_absolute_url() if member else ""
    return DoneRow(row.name, str(member), url)


def _after_links() -> Sequence[PreviewLine]:
    return (
        PreviewLine(
            "told", _("No new member is created. The report uses the existing member.")
        ),
        no_approval_line(),
    )


def certain_links(_said: QueryDict | None = None) -> list[str]:
    """Return the new members with the name and birth date of exactly one member."""
    found = pending_newcomers().select_related(None)
    waiting = list(found.order_by("submission_id", "pk"))
    same = same_identity_members(waiting)
    alike = [(one.pk, same[one.pk]) for one in waiting]
    keys = [f"{pk}:{few[0].member_id}" for pk, few in alike if len(few) == 1]
    return keys[: MAX_ROWS + 1]


LIST = "events:newcomers"
BULK_ACTIONS = {
    "number": BulkAction(
        asks=ngettext_lazy(
            "Assign an ID to {number} new member?",
            "Assign IDs to {number} new members?",
            "number",
        ),
        button=ngettext_lazy("Assign {number} ID", "Assign {number} IDs", "number"),
        done=ngettext_lazy(
            "ID assigned to {number} new member",
            "IDs assigned to {number} new members",
            "number",
        ),
        look=_preview_numbers,
        do=_assign_number,
        after=_after_numbers,
        most_at_once=MAX_AT_ONCE,
    ),
    "link": BulkAction(
        asks=ngettext_lazy(
            "Match {number} new member to an existing member?",
            "Match {number} new members to existing members?",
            "number",
        ),
        button=ngettext_lazy(
            "Match {number} member", "Match {number} members", "number"
        ),
        done=ngettext_lazy(
            "{number} new member matched to an existing one",
            "{number} new members matched to existing ones",
            "number",
        ),
        look=_preview_links,
        do=_link,
        after=_after_links,
        every=certain_links,
        most_at_once=MAX_AT_ONCE,
    ),
}
register_bulk_actions(LIST, REVIEW, BULK_ACTIONS)
