"""Assign members to the new members of reports: new, existing or from a feed."""

from collections.abc import Mapping, Sequence
from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.checks.messages import translated_finding
from events.checks.services import blocking_findings, save_finding_counts
from events.formats.findings import Finding
from events.models import PendingMember, Submission
from events.records.exceptions import NotPossible
from events.reports.services.submissions import REVIEW, reported_in, store_new_version
from events.review.queries.newcomers import (
    identity_key,
    newcomer_fingerprint,
    pending_newcomers,
    same_identity_members,
)
from events.review.services.acceptance import enter_waiting_sections
from players.guardians.services import save_reported_guardian
from players.members.newcomers import register_newcomer_matcher
from players.members.services import MemberIdRefused, enter_member
from players.models import Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User


def assign_member_ids(
    *,
    numbers: Mapping[int, str],
    actor: User,
    reason: str = "",
    seen: Mapping[int, str] | None = None,
) -> list[Player]:
    """Create members for new members of reports, all or none.

    *numbers* has the typed member ID by primary key, or "" for the next free one. The
    same person in several reports, by name and birth date, gets one member ID. *seen*
    has the fingerprints that were shown (``newcomer_fingerprint``); a member of the
    same name and birth date who was added since is used instead.
    """
    require_permission(actor, REVIEW)
    with transaction.atomic():
        acquire_lock("member-ids")  # before the reports, to avoid deadlocks
        waiting = _locked(numbers)
        entered: dict[tuple[str, date] | int, Player] = {}
        for newcomer in waiting:
            key, number = identity_key(newcomer) or newcomer.pk, numbers[newcomer.pk]
            if key not in entered or number:
                entered[key] = _member_created_since(
                    newcomer, (seen or {}).get(newcomer.pk), number
                ) or _create_member(newcomer, number, actor)
            how = PendingMember.How.ISSUED
            _resolve(newcomer, entered[key], how, actor, reason)
    return list(dict.fromkeys(entered.values()))


def _member_created_since(
    newcomer: PendingMember, seen: str | None, number: str
) -> Player | None:
    """Return the member created from the same person in another report.

    Other members of this name and birth date need a clerk's decision.
    """
    same = same_identity_members([newcomer])[newcomer.pk]
    if seen is None or newcomer_fingerprint(newcomer, same) == seen:
        return None
    if len(same) == 1 and not number:
        twins = PendingMember.objects.filter(resolved_to=same[0])
        if identity_key(newcomer) in map(identity_key, twins):
            return same[0]
    raise NotPossible(
        _(
            "The data of {name} has changed since you opened the list. Check it again."
        ).format(name=newcomer.name)
    )


def link_newcomer(
    *, newcomer_id: int, member_id: str, actor: User, reason: str = ""
) -> PendingMember:
    """Link a new member of a report to an existing member."""
    require_permission(actor, REVIEW)
    with transaction.atomic():
        (newcomer,) = _locked([newcomer_id])
        player = Player.objects.filter(member_id=member_id).first()
        if player is None:
            raise NotPossible(_("No member has the ID {id}.").format(id=member_id))
        _resolve(newcomer, player, PendingMember.How.LINKED, actor, reason)
    return newcomer


@register_newcomer_matcher
def match_new_members(players: Sequence[Player]) -> int:
    """Link new members of reports to members who were just added.

    Name and birth date must match, and those of only one of *players*; new members with
    only a birth year are left to the office. If the report would get new errors, the
    new member stays pending.
    """
    by_key: dict[tuple[str, date | None], list[Player]] = {}
    for player in players:
        by_key.setdefault((player.search_name, player.birth_date), []).append(player)
    days = {player.birth_date for player in players} - {None}
    waiting = pending_newcomers(include_drafts=True).filter(birth_date__in=days)
    return sum(
        _match(newcomer.pk, found[0])
        for newcomer in waiting.order_by("submission_id", "pk")
        if (key := identity_key(newcomer)) and len(found := by_key.get(key, [])) == 1
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
    """Lock the reports, then the new members, who must still be pending."""
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
        raise NotPossible(_("This new member was removed from the report."))
    for newcomer in newcomers:
        newcomer.submission = by_pk[newcomer.submission_id]
        if newcomer.resolved_to:
            raise NotPossible(
                _("{name} already has member ID {member_id}.").format(
                    name=newcomer.name, member_id=newcomer.resolved_to.member_id
                )
            )
    return newcomers


def _create_member(newcomer: PendingMember, member_id: str, actor: User) -> Player:
    try:
        player = enter_member(
            given_name=newcomer.given_name,
            family_name=newcomer.family_name,
            birth_date=newcomer.birth_date,
            birth_year=newcomer.birth_year,
            state=newcomer.state,
            member_id=member_id,
            actor=actor,
        )
    except MemberIdRefused as refusal:
        raise NotPossible(f"{newcomer.name}: {refusal}") from refusal
    save_reported_guardian(player=player, email=newcomer.email)
    return player


def _resolve(
    newcomer: PendingMember,
    player: Player,
    how: PendingMember.How,
    actor: User | None,
    reason: str = "",
) -> None:
    """Replace the temporary ID by the member's, and create waiting sections."""
    submission = newcomer.submission
    if submission.state == Submission.State.WITHDRAWN:
        raise NotPossible(_("The report was withdrawn, so no ID is needed."))
    before = {one.key for one in blocking_findings(submission)}
    newcomer.resolved_to, newcomer.resolved_how = player, how
    newcomer.resolved_at, newcomer.resolved_by = timezone.now(), actor
    newcomer.save()
    changed = reported_in(submission).with_member_id(newcomer.number, player.member_id)
    findings = store_new_version(submission, changed)
    if not submission.is_editable:
        _require_no_new_findings(submission, findings, before, newcomer)
    save_finding_counts(submission, findings)
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


def _require_no_new_findings(
    submission: Submission,
    findings: Sequence[Finding],
    before: set[str],
    newcomer: PendingMember,
) -> None:
    """Refuse a member who causes new blocking findings in the report."""
    new = [
        one for one in blocking_findings(submission, findings) if one.key not in before
    ]
    if new:
        raise NotPossible(
            _("{name} can’t be this member. {finding}").format(
                name=newcomer.name, finding=translated_finding(new[0]).message
            ),
            findings,
        )
