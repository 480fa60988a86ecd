"""Bulk actions on open link requests: grant or refuse, with a preview."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.claims.queries import waiting_claims
from players.claims.services.claims import (
    PERMISSION,
    denial_reason,
    grant_claim,
    link_denial_reason,
    refuse_claim,
)
from players.guardians.queries import age_class, guardianships
from players.models import Claim
from ratings_site.common.approvals.bulk_actions import (
    BulkAction,
    ChosenRow,
    DoneRow,
    PreviewedRows,
    RefusedRow,
    register_bulk_actions,
)
from ratings_site.common.approvals.preview import PreviewLine, no_approval_line
from ratings_site.common.models import User

# The full text is on the request's own page.
MAX_TEXT_SHOWN = 300


def claims_to_decide() -> QuerySet[Claim]:
    """Return the open link requests with all that `denial_reason` needs."""
    return waiting_claims().select_related(
        "player__merged_into__account", "account__invited_by", "account__player"
    )


def _load_claims(
    keys: Sequence[str], actor: User
) -> tuple[list[Claim], list[RefusedRow]]:
    """Return the requests to decide, without the actor's own and those already gone."""
    asked = [int(key.partition(":")[0]) for key in keys]
    waiting = {claim.pk: claim for claim in claims_to_decide().filter(pk__in=asked)}
    found = [waiting[pk] for pk in asked if pk in waiting]
    own = [
        RefusedRow(claim.player.name, sentence, _url(claim))
        for claim in found
        if (sentence := denial_reason(claim, actor))
    ]
    gone = [
        RefusedRow(
            _("Link request {number}").format(number=pk), _("It is no longer open.")
        )
        for pk in asked
        if pk not in waiting
    ]
    theirs = [claim for claim in found if not denial_reason(claim, actor)]
    return theirs, [*own, *gone]


def _url(claim: Claim) -> str:
    return reverse("players_office:claim", args=[claim.pk])


def _row(claim: Claim, effects: Iterable[PreviewLine]) -> ChosenRow:
    return ChosenRow(
        key=str(claim.pk),
        name=claim.player.name,
        about=claim.player.member_id,
        url=_url(claim),
        effects=(*effects, *_message_preview(claim)),
    )


def _message_preview(claim: Claim) -> Iterator[PreviewLine]:
    if text := " ".join(claim.text.split()):
        shown = text[:MAX_TEXT_SHOWN] + ("…" if len(text) > MAX_TEXT_SHOWN else "")
        yield PreviewLine("text", _("In their words: “{words}”").format(words=shown))


# Granting

# By member: the active guardian accounts, and all guardian accounts past and present.
GuardianSets = tuple[Mapping[int, set[int]], Mapping[int, set[int]]]


def _preview_granting(keys: Sequence[str], actor: User) -> PreviewedRows:
    claims, left_out = _load_claims(keys, actor)
    now, ever = _guardians_by_member({claim.player.canonical.pk for claim in claims})
    rows = []
    for claim in claims:
        member = claim.player.canonical
        sentence = _grant_denial_reason(claim, now[member.pk], ever[member.pk])
        if sentence:
            left_out.append(RefusedRow(claim.player.name, sentence, _url(claim)))
        else:
            rows.append(_row(claim, _granting_preview(claim)))
    return rows, left_out


def _guardians_by_member(members: Collection[int]) -> GuardianSets:
    now: defaultdict[int, set[int]] = defaultdict(set)
    ever: defaultdict[int, set[int]] = defaultdict(set)
    for row in guardianships(members).select_related("player"):
        member = row.player.merged_into_id or row.player_id
        ever[member].add(row.account_id)
        if row.ended_at is None:
            now[member].add(row.account_id)
    return now, ever


def _grant_denial_reason(
    claim: Claim, guardian_ids: Collection[int], ever: Collection[int]
) -> str:
    """Return why a request cannot be granted in bulk, or "" if it can.

    A child who already has a guardian account, and a birth date that does not match,
    have to be reviewed one at a time.
    """
    member = claim.player.canonical
    if sentence := link_denial_reason(
        member, claim.account, as_guardian=claim.as_guardian, guardian_ids=ever
    ):
        return sentence
    if claim.birth_date_agrees is False:
        return _("The birth date entered doesn’t match. Open the request.")
    if _is_child(claim) and (guardian_ids or member.account_id):
        return _("This child is already linked to an account. Open the request.")
    return ""


def _is_child(claim: Claim) -> bool:
    return age_class(claim.player.canonical.latest_birth_date) in (
        "under 13",
        "13 to 17",
    )


def _granting_preview(claim: Claim) -> Iterator[PreviewLine]:
    sentence = (
        _("{account}, {email}, becomes a parent or guardian.")
        if claim.as_guardian
        else _("{account}, {email}, becomes the member’s own account.")
    )
    account = claim.account
    yield PreviewLine(
        "granted", sentence.format(account=account.username, email=account.email)
    )
    if claim.birth_date_agrees:
        yield PreviewLine("birth", _("The birth date entered matches our records."))
    else:
        yield PreviewLine(
            "birth", _("No birth date is on record to compare."), "warning"
        )
    if _is_child(claim):
        yield PreviewLine(
            "child",
            _("A child with no linked account. Read how they show who they are."),
            "warning",
        )
    if claim.tries:
        yield PreviewLine(
            "tries", _("Wrong codes: {number}.").format(number=claim.tries), "note"
        )


def _after_granting() -> Sequence[PreviewLine]:
    return (
        PreviewLine(
            "sees",
            _(
                "Each account sees the member’s exact ratings, gets notices, and can "
                "make requests for the member."
            ),
        ),
        *_notification_preview(),
    )


def _notification_preview() -> Sequence[PreviewLine]:
    return (
        PreviewLine("told", _("The people who asked are notified and see the reason.")),
        no_approval_line(),
    )


def _grant(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    claim = grant_claim(claim_id=int(row.key), actor=actor, reason=reason)
    return DoneRow(row.name, claim.account.username, row.url)


# Refusing


def _preview_refusing(keys: Sequence[str], actor: User) -> PreviewedRows:
    claims, left_out = _load_claims(keys, actor)
    return [_row(claim, _refusing_preview(claim)) for claim in claims], left_out


def _refusing_preview(claim: Claim) -> Iterator[PreviewLine]:
    yield PreviewLine(
        "refused",
        _("{account} is not linked to the member. The record doesn’t change.").format(
            account=claim.account.username
        ),
    )


def _refuse(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    claim = refuse_claim(claim_id=int(row.key), actor=actor, reason=reason)
    return DoneRow(row.name, claim.account.username, row.url)


LIST = "players_office:claims"
ACTIONS = {
    "grant": BulkAction(
        asks=ngettext_lazy(
            "Approve {number} link request?",
            "Approve {number} link requests?",
            "number",
        ),
        button=ngettext_lazy(
            "Approve {number} request", "Approve {number} requests", "number"
        ),
        done=ngettext_lazy(
            "{number} request is approved", "{number} requests are approved", "number"
        ),
        look=_preview_granting,
        do=_grant,
        after=_after_granting,
    ),
    "refuse": BulkAction(
        asks=ngettext_lazy(
            "Decline {number} link request?",
            "Decline {number} link requests?",
            "number",
        ),
        button=ngettext_lazy(
            "Decline {number} request", "Decline {number} requests", "number"
        ),
        done=ngettext_lazy(
            "{number} request is declined", "{number} requests are declined", "number"
        ),
        look=_preview_refusing,
        do=_refuse,
        after=_notification_preview,
        kind="danger",
    ),
}
register_bulk_actions(LIST, PERMISSION, ACTIONS)
