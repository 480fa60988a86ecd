"""Newcomers of reports get their members: a new number, one on record, the feed's."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.books.refusals import NotPossible
from events.checks.saying import finding_said
from events.checks.services import (
    blocking_findings,
    drop_outdated_overrides,
    findings_of,
    note_counts,
)
from events.models import PendingMember, Submission
from events.office.queries.newcomers import (
    as_seen,
    newcomers_who_wait,
    person,
    very_same,
)
from events.office.services.acceptance import enter_waiting_sections
from events.reports.services.submissions import REVIEW, reported_in, store_report
from players.guardians.services import keep_reported_guardian
from players.members.arrivals import matches_newcomers
from players.members.services import NumberRefused, enter_member
from players.models import Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User


def give_numbers(
    *,
    numbers: Mapping[int, str],
    actor: User,
    reason: str = "",
    seen: Mapping[int, str] | None = None,
) -> list[Player]:
    """Enter newcomers as members, all or none.

    *numbers* has for each newcomer (primary key) the member ID typed, or nothing for
    the next free one. The same person of several reports, by name and birth date, gets
    one number. *seen* has what was known of each when somebody decided (``as_seen``);
    a member of the same name and birth date who has come in since is not passed over.
    """
    require(actor, REVIEW)
    with transaction.atomic():
        hold("member-ids")  # before the reports, so that two clerks never cross
        waiting = _locked(numbers)
        entered: dict[tuple | int, Player] = {}
        for newcomer in waiting:
            key, number = person(newcomer) or newcomer.pk, numbers[newcomer.pk]
            if key not in entered or number:
                entered[key] = _came_in_since(
                    newcomer, (seen or {}).get(newcomer.pk), number
                ) or _entered(newcomer, number, actor)
            how = PendingMember.How.ISSUED
            _resolve(newcomer, entered[key], how, actor, reason)
    return list(dict.fromkeys(entered.values()))


def _came_in_since(
    newcomer: PendingMember, seen: str | None, number: str
) -> Player | None:
    """Return the member whom the newcomer's twin of another report has become.

    Anybody else of this name and birth date is for the office to look at.
    """
    same = very_same([newcomer])[newcomer.pk]
    if seen is None or as_seen(newcomer, same) == seen:
        return None
    if len(same) == 1 and not number:
        twins = PendingMember.objects.filter(resolved_to=same[0])
        if person(newcomer) in map(person, twins):
            return same[0]
    raise NotPossible(
        _(
            "What is known of {name} has changed since the list was made: look at them "
            "again."
        ).format(name=newcomer.name)
    )


def link_newcomer(
    *, newcomer_id: int, member_id: str, actor: User, reason: str = ""
) -> PendingMember:
    """Say that a newcomer is a member on record."""
    require(actor, REVIEW)
    with transaction.atomic():
        (newcomer,) = _locked([newcomer_id])
        player = Player.objects.filter(member_id=member_id).first()
        if player is None:
            raise NotPossible(_("No member has the ID {id}.").format(id=member_id))
        _resolve(newcomer, player, PendingMember.How.LINKED, actor, reason)
    return newcomer


@matches_newcomers
def match_new_members(players: Sequence[Player]) -> int:
    """Give newcomers the numbers of members who have just come in.

    Name and birth date must both be the same, and nobody else's among *players*; who
    is known by the year only is left to the office. Where the report then says what
    cannot be, the newcomer waits on.
    """
    by_key: dict[tuple, list[Player]] = {}
    for player in players:
        by_key.setdefault((player.search_name, player.birth_date), []).append(player)
    days = {player.birth_date for player in players} - {None}
    waiting = newcomers_who_wait(open_too=True).filter(birth_date__in=days)
    return sum(
        _match(newcomer.pk, found[0])
        for newcomer in waiting.order_by("submission_id", "pk")
        if len(found := by_key.get(person(newcomer), [])) == 1
    )


def _match(newcomer_id: int, player: Player) -> bool:
    try:
        with transaction.atomic():
            (newcomer,) = _locked([newcomer_id])
            _resolve(newcomer, player, PendingMember.How.MATCHED, None)
    except NotPossible:
        return False
    return True


def _locked(newcomer_ids: Sequence[int] | Mapping[int, str]) -> list[PendingMember]:
    """Lock the reports, then look: each newcomer must still wait."""
    ids = list(newcomer_ids)
    reports = Submission.objects.filter(newcomers__in=ids).values("pk")
    locked = Submission.objects.filter(pk__in=reports).order_by("pk")
    by_pk = {report.pk: report for report in locked.select_for_update()}
    newcomers = list(
        PendingMember.objects.filter(pk__in=ids)
        .select_related("resolved_to")
        .order_by("submission_id", "pk")
    )
    if len(newcomers) != len(ids):
        raise NotPossible(_("A new member was taken out of the report meanwhile."))
    for newcomer in newcomers:
        newcomer.submission = by_pk[newcomer.submission_id]
        if newcomer.resolved_to:
            raise NotPossible(
                _("{name} has the number {member_id} by now.").format(
                    name=newcomer.name, member_id=newcomer.resolved_to.member_id
                )
            )
    return newcomers


def _entered(newcomer: PendingMember, member_id: str, actor: User) -> Player:
    try:
        player = enter_member(
            given_name=newcomer.given_name,
            family_name=newcomer.family_name,
            birth_date=newcomer.birth_date,
            state=newcomer.state,
            member_id=member_id,
            actor=actor,
        )
    except NumberRefused as refusal:
        raise NotPossible(f"{newcomer.name}: {refusal}") from refusal
    keep_reported_guardian(player=player, email=newcomer.email)
    return player


def _resolve(
    newcomer: PendingMember,
    player: Player,
    how: PendingMember.How,
    actor: User | None,
    reason: str = "",
) -> None:
    """Put the member in the place of the temporary number, and enter what waited."""
    submission = newcomer.submission
    if submission.state == Submission.State.WITHDRAWN:
        raise NotPossible(_("The report was withdrawn; nobody waits there."))
    before = _blocking(submission)
    newcomer.resolved_to, newcomer.resolved_how = player, how
    newcomer.resolved_at, newcomer.resolved_by = timezone.now(), actor
    newcomer.save()
    submission.version += 1
    changed = reported_in(submission).with_number(newcomer.number, player.member_id)
    store_report(submission, changed)
    findings = findings_of(submission)
    drop_outdated_overrides(submission, findings)
    if not submission.is_editable:
        _refuse_what_is_new(submission, findings, before, newcomer)
    note_counts(submission, findings)
    record(
        "submission.newcomer_numbered",
        subject=submission,
        actor=actor,
        reason=reason,
        facts={
            "newcomer": newcomer.number,
            "member_id": player.member_id,
            "how": str(how),
        },
    )
    if submission.state == Submission.State.ACCEPTED:
        enter_waiting_sections(submission)


def _blocking(submission: Submission) -> set[str]:
    return {one.key for one in blocking_findings(submission)}


def _refuse_what_is_new(
    submission: Submission,
    findings: Sequence,
    before: set[str],
    newcomer: PendingMember,
) -> None:
    """Refuse a member whom the report cannot have there; nobody could confirm it."""
    new = [
        one for one in blocking_findings(submission, findings) if one.key not in before
    ]
    if new:
        raise NotPossible(
            _("{name} cannot be this member. {finding}").format(
                name=newcomer.name, finding=finding_said(new[0]).message
            ),
            findings,
        )
