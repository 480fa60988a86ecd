"""The new members of all reports: who they may be, and what an act does to several."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from events.checks.queries.likely import LikelyMember, likely_in_each
from events.importers.records import ReportedEvent
from events.models import PendingMember, Submission
from events.office.queries.newcomers import as_seen, newcomers_who_wait, very_same
from events.office.services.newcomers import give_numbers, link_newcomer
from events.reports.forms.edits import MEMBER_ID
from events.reports.services.submissions import reported_in
from players.models import Player
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.pages import ActOnSeveral, Looked
from ratings_site.common.acts.several import (
    MOST_AT_ONCE,
    ChosenRow,
    DoneRow,
    RefusedRow,
)
from ratings_site.common.models import User

MOST_NEWCOMERS = 60


@dataclass(frozen=True, slots=True)
class LikelyRow:
    """A member whom a newcomer may be; only the office sees whether the days agree."""

    member: LikelyMember
    birth: str


@dataclass(frozen=True, slots=True)
class NewcomerRow:
    """A newcomer without a number, and what was typed beside it."""

    newcomer: PendingMember
    likely: tuple[LikelyRow, ...]
    typed: str = ""
    was_ticked: bool | None = None

    @property
    def is_ticked(self) -> bool:
        """Tell whether the box is ticked: as it was sent, else if nobody is so alike.

        Where a member has the name and the birth date, the clerk looks twice.
        """
        if self.was_ticked is not None:
            return self.was_ticked
        return not any(one.birth == SAME_BIRTH for one in self.likely)


SAME_BIRTH = gettext_lazy("same birth date")
SAME_YEAR = gettext_lazy("same year of birth")
OTHER_BIRTH = gettext_lazy("other birth date")


def newcomer_rows(
    typed: Mapping[int, str], ticked: Collection[int] | None = None
) -> tuple[list[NewcomerRow], bool]:
    """Return the newcomers, those of the oldest report first, and whether more wait.

    *typed* and *ticked* are what was sent, to be shown again.
    """
    waiting = list(
        newcomers_who_wait().order_by("submission_id", "pk")[: MOST_NEWCOMERS + 1]
    )
    shown = waiting[:MOST_NEWCOMERS]
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
    return rows, len(waiting) > MOST_NEWCOMERS


def _likely_of(newcomers: Sequence[PendingMember]) -> dict[int, tuple[LikelyRow, ...]]:
    """Return by newcomer who of the members they may be, in four queries."""
    asked = []
    for submission, own in groupby(newcomers, key=lambda one: one.submission):
        reported = reported_in(submission)
        spots = _spots_of(reported)
        at = {one.pk: spots[one.number] for one in own if one.number in spots}
        asked.append((reported, at))
    found: dict[int, list[LikelyMember]] = {}
    each = likely_in_each([(reported, at.values()) for reported, at in asked])
    for (_reported, at), likely in zip(asked, each, strict=True):
        found |= {pk: likely[spot] for pk, spot in at.items() if spot in likely}
    births = dict(
        Player.objects.filter(
            member_id__in={one.member_id for few in found.values() for one in few}
        ).values_list("member_id", "birth_date")
    )
    return {
        one.pk: tuple(
            LikelyRow(member, _births_compared(one, births.get(member.member_id)))
            for member in found.get(one.pk, ())
        )
        for one in newcomers
    }


def _spots_of(reported: ReportedEvent) -> dict[str, tuple[int, int]]:
    """Return section and pairing number by what stands for the member ID."""
    return {
        entry.member_id: (section.number, entry.pairing_number)
        for section in reported.sections
        for entry in section.entries
    }


def _births_compared(newcomer: PendingMember, birth_date: date | None) -> str:
    if birth_date is None:
        return ""
    if newcomer.birth_date == birth_date:
        return SAME_BIRTH
    if newcomer.birth_year == birth_date.year:
        return SAME_YEAR
    return OTHER_BIRTH


# Several at once


def _waiting(keys: Sequence[str]) -> tuple[list[tuple[PendingMember, list[str]]], list]:
    """Return who waits still, each with the rest of the key, and those left out."""
    asked = {int(pk): rest for pk, *rest in (key.split(":") for key in keys)}
    found = newcomers_who_wait().filter(pk__in=asked).order_by("submission_id", "pk")
    waiting = [(one, asked[one.pk]) for one in found]
    here = {one.pk for one, _rest in waiting}
    gone = {
        one.pk: RefusedRow(one.name, _("Waits no longer, or not with the office."))
        for one in PendingMember.objects.filter(pk__in=asked.keys() - here)
    }
    nobody = RefusedRow(_("Somebody"), _("Waits no longer, or not with the office."))
    left_out = [gone.get(pk, nobody) for pk in asked if pk not in here]
    return waiting, left_out


def _row(newcomer: PendingMember, rest: str, effects: Iterable[Effect]) -> ChosenRow:
    submission = newcomer.submission
    return ChosenRow(
        key=f"{newcomer.pk}:{rest}",
        name=newcomer.name,
        about=str(submission),
        url=submission.get_absolute_url(),
        effects=(*effects, *_of_section(submission)),
    )


def _of_section(submission: Submission) -> Iterator[Effect]:
    if submission.state == Submission.State.ACCEPTED:
        yield Effect(
            "enters",
            _("The section enters the books and is rated, if nobody else waits there."),
        )


# Numbers


def _look_at_numbers(keys: Sequence[str], actor: User) -> Looked:
    """Say who gets which number, and whom of the members they may be.

    Where a member has the very name and birth date, the clerk takes that one by itself.
    """
    waiting, left_out = _waiting(keys)
    newcomers = [one for one, _rest in waiting]
    same, likely = very_same(newcomers), _likely_of(newcomers)
    rows = []
    for newcomer, (number, *shown) in _with_numbers(waiting):
        members = same[newcomer.pk]
        now = as_seen(newcomer, members)
        sentence = ""
        if number and not MEMBER_ID.fullmatch(number):
            sentence = _("“{member_id}” is not a member ID of eight digits.").format(
                member_id=number
            )
        elif any(shown) and now not in shown:
            sentence = _("What is known of them has changed: look at them again.")
        elif members and len(keys) > 1:
            sentence = _(
                "{member} has this name and birth date: say that it is this member, or "
                "give the number by itself."
            ).format(member=members[0])
        if sentence:
            url = newcomer.submission.get_absolute_url()
            left_out.append(RefusedRow(newcomer.name, sentence, url))
        else:
            effects = _of_number(newcomer, number, members, likely[newcomer.pk])
            rows.append(_row(newcomer, f"{number}:{now}", effects))
    return rows, left_out


def _with_numbers(
    waiting: Iterable[tuple[PendingMember, list[str]]],
) -> Iterator[tuple[PendingMember, list[str]]]:
    for newcomer, rest in waiting:
        yield newcomer, rest or [""]


def _of_number(
    newcomer: PendingMember,
    number: str,
    same: Sequence[Player],
    likely: Sequence[LikelyRow],
) -> Iterator[Effect]:
    if number:
        sentence = _("Gets the number {member_id}.").format(member_id=number)
    else:
        sentence = _("Gets the next free number.")
    yield Effect("number", sentence)
    for member in same:
        yield Effect(
            "same",
            _("{member} has this name and birth date.").format(member=member),
            "warning",
        )
    known = {member.member_id for member in same}
    for one in likely:
        if one.member.member_id not in known:
            yield _perhaps(one)
    if newcomer.duplicate_reason:
        yield Effect(
            "reason",
            _("The director: “{reason}”").format(reason=newcomer.duplicate_reason),
        )


def _perhaps(one: LikelyRow) -> Effect:
    told = (one.member.member_id, one.member.state, one.birth, one.member.reason)
    sentence = _("Perhaps {name} ({told}).").format(
        name=one.member.name, told=", ".join(str(each) for each in told if each)
    )
    return Effect("perhaps", sentence, "" if one.birth == OTHER_BIRTH else "note")


def _give(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    pk, number, seen = row.key.split(":")
    [player] = give_numbers(
        numbers={int(pk): number}, seen={int(pk): seen}, actor=actor, reason=reason
    )
    return DoneRow(row.name, player.member_id, player.get_absolute_url())


def _after_numbers() -> Sequence[Effect]:
    return (
        Effect("member", _("Each becomes a member; the number is never given again.")),
        Effect("told", _("The report goes on with it.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


# Members on record


def _look_at_links(keys: Sequence[str], actor: User) -> Looked:
    waiting, left_out = _waiting(keys)
    wanted = {rest[0] for _one, rest in waiting if rest}
    members = {
        member.member_id: member
        for member in Player.objects.filter(member_id__in=wanted)
    }
    rows = []
    for newcomer, rest in waiting:
        member_id = rest[0] if rest else ""
        if member_id in members:
            effects = _of_link(newcomer, members[member_id])
            rows.append(_row(newcomer, member_id, effects))
        else:
            sentence = _("No member has the ID {id}.").format(id=member_id)
            left_out.append(RefusedRow(newcomer.name, sentence))
    return rows, left_out


def _of_link(newcomer: PendingMember, member: Player) -> Iterator[Effect]:
    yield Effect("linked", _("Is {member}.").format(member=member))
    if member.search_name != newcomer.search_name:
        yield Effect("name", _("The names differ."), "warning")
    birth = _births_compared(newcomer, member.birth_date)
    if birth == OTHER_BIRTH:
        yield Effect("birth", _("The birth dates differ."), "warning")
    elif birth == SAME_YEAR:
        yield Effect("birth", _("The years of birth are the same."), "note")
    elif birth:
        yield Effect("birth", _("The birth dates are the same."))
    else:
        yield Effect("birth", _("No birth date is on record to compare."), "note")


def _link(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    pk, member_id = row.key.split(":")
    newcomer = link_newcomer(
        newcomer_id=int(pk), member_id=member_id, actor=actor, reason=reason
    )
    member = newcomer.resolved_to
    return DoneRow(row.name, str(member), member.get_absolute_url())


def _after_links() -> Sequence[Effect]:
    return (
        Effect("told", _("Nobody new is entered: the report goes on with the member.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


def certain_links(_said: QueryDict | None = None) -> list[str]:
    """Return the newcomers who have the name and birth date of exactly one member."""
    found = newcomers_who_wait().select_related(None)
    waiting = list(found.order_by("submission_id", "pk"))
    same = very_same(waiting)
    alike = [(one.pk, same[one.pk]) for one in waiting]
    keys = [f"{pk}:{few[0].member_id}" for pk, few in alike if len(few) == 1]
    return keys[: MOST_AT_ONCE + 1]


ACTS = {
    "number": ActOnSeveral(
        asks=ngettext_lazy(
            "Give {number} new member a number?",
            "Give {number} new members numbers?",
            "number",
        ),
        button=ngettext_lazy("Give {number} number", "Give {number} numbers", "number"),
        done=ngettext_lazy(
            "{number} new member has a number",
            "{number} new members have numbers",
            "number",
        ),
        look=_look_at_numbers,
        do=_give,
        after=_after_numbers,
    ),
    "link": ActOnSeveral(
        asks=ngettext_lazy(
            "Is {number} new member a member already?",
            "Are {number} new members members already?",
            "number",
        ),
        button=ngettext_lazy(
            "{number} is a member already", "{number} are members already", "number"
        ),
        done=ngettext_lazy(
            "{number} new member is on record",
            "{number} new members are on record",
            "number",
        ),
        look=_look_at_links,
        do=_link,
        after=_after_links,
        every=certain_links,
    ),
}
