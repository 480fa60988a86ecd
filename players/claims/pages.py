"""Claims that wait, several at once: what granting them does, what refusing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from players.claims.queries import waiting_claims
from players.claims.services.claiming import (
    grant_claim,
    refuse_claim,
    why_not_decide,
    why_not_speak,
)
from players.guardians.queries import age_class, guardianships
from players.models import Claim
from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.pages import ActOnSeveral, Looked
from ratings_site.common.acts.several import ChosenRow, DoneRow, RefusedRow
from ratings_site.common.models import User

# The rest of a long text is on the claim's own page.
MOST_OF_A_TEXT = 300


def claims_to_decide() -> QuerySet[Claim]:
    """Return what waits, with all that tells whether somebody may decide it."""
    return waiting_claims().select_related(
        "player__merged_into__account", "account__invited_by", "account__player"
    )


def _found(keys: Sequence[str], actor: User) -> tuple[list[Claim], list[RefusedRow]]:
    """Return the claims to decide; the actor's own and what is gone are left out."""
    asked = [int(key.partition(":")[0]) for key in keys]
    waiting = {claim.pk: claim for claim in claims_to_decide().filter(pk__in=asked)}
    found = [waiting[pk] for pk in asked if pk in waiting]
    own = [
        RefusedRow(claim.player.name, sentence, _url(claim))
        for claim in found
        if (sentence := why_not_decide(claim, actor))
    ]
    gone = [
        RefusedRow(
            _("Claim {number}").format(number=pk),
            _("It no longer waits for the office."),
        )
        for pk in asked
        if pk not in waiting
    ]
    theirs = [claim for claim in found if not why_not_decide(claim, actor)]
    return theirs, [*own, *gone]


def _url(claim: Claim) -> str:
    return reverse("players_office:claim", args=[claim.pk])


def _row(claim: Claim, effects: Iterable[Effect]) -> ChosenRow:
    return ChosenRow(
        key=str(claim.pk),
        name=claim.player.name,
        about=claim.player.member_id,
        url=_url(claim),
        effects=(*effects, *_of_their_words(claim)),
    )


def _of_their_words(claim: Claim) -> Iterator[Effect]:
    if text := " ".join(claim.text.split()):
        shown = text[:MOST_OF_A_TEXT] + ("…" if len(text) > MOST_OF_A_TEXT else "")
        yield Effect("text", _("In their words: “{words}”").format(words=shown))


# Granting

# By member, the accounts that are guardians now, and those that are or were.
Guards = tuple[Mapping[int, set[int]], Mapping[int, set[int]]]


def _look_at_granting(keys: Sequence[str], actor: User) -> Looked:
    claims, left_out = _found(keys, actor)
    now, ever = _guards_of({claim.player.canonical.pk for claim in claims})
    rows = []
    for claim in claims:
        member = claim.player.canonical
        sentence = _why_not_grant(claim, now[member.pk], ever[member.pk])
        if sentence:
            left_out.append(RefusedRow(claim.player.name, sentence, _url(claim)))
        else:
            rows.append(_row(claim, _of_granting(claim)))
    return rows, left_out


def _guards_of(members: Collection[int]) -> Guards:
    now: defaultdict[int, set[int]] = defaultdict(set)
    ever: defaultdict[int, set[int]] = defaultdict(set)
    for row in guardianships(members).select_related("player"):
        member = row.player.merged_into_id or row.player_id
        ever[member].add(row.account_id)
        if row.ended_at is None:
            now[member].add(row.account_id)
    return now, ever


def _why_not_grant(claim: Claim, guards: Collection[int], ever: Collection[int]) -> str:
    """Say why a claim is not granted with others; blank if nothing is against it.

    The record of a child for whom somebody speaks already, and a birth date that is
    another, are looked at one by one.
    """
    member = claim.player.canonical
    if sentence := why_not_speak(
        member, claim.account, as_guardian=claim.as_guardian, guards=ever
    ):
        return sentence
    if claim.birth_date_agrees is False:
        return _("The birth date that was typed is another one: open the claim.")
    if _is_child(claim) and (guards or member.account_id):
        return _("Somebody speaks for this child already: open the claim.")
    return ""


def _is_child(claim: Claim) -> bool:
    return age_class(claim.player.canonical.birth_date) in ("under 13", "13 to 17")


def _of_granting(claim: Claim) -> Iterator[Effect]:
    sentence = (
        _("{account}, {email}, becomes a parent or guardian.")
        if claim.as_guardian
        else _("{account}, {email}, becomes the member’s own account.")
    )
    account = claim.account
    yield Effect(
        "granted", sentence.format(account=account.username, email=account.email)
    )
    if claim.birth_date_agrees:
        yield Effect("birth", _("The birth date that was typed agrees."))
    else:
        yield Effect("birth", _("No birth date is on record to compare."), "warning")
    if _is_child(claim):
        yield Effect(
            "child",
            _("A child, for whom nobody speaks yet: read how they show who they are."),
            "warning",
        )
    if claim.tries:
        yield Effect(
            "tries", _("Wrong codes: {number}.").format(number=claim.tries), "note"
        )


def _after_granting() -> Sequence[Effect]:
    return (
        Effect(
            "sees",
            _(
                "Each account sees what is hidden of the member’s start, gets the "
                "notices and makes the wishes."
            ),
        ),
        *_told(),
    )


def _told() -> Sequence[Effect]:
    return (
        Effect("told", _("The claimants are told, and read the reason.")),
        Effect("alone", _("Nobody else has to agree.")),
    )


def _grant(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    claim = grant_claim(claim_id=int(row.key), actor=actor, reason=reason)
    return DoneRow(row.name, claim.account.username, row.url)


# Refusing


def _look_at_refusing(keys: Sequence[str], actor: User) -> Looked:
    claims, left_out = _found(keys, actor)
    return [_row(claim, _of_refusing(claim)) for claim in claims], left_out


def _of_refusing(claim: Claim) -> Iterator[Effect]:
    yield Effect(
        "refused",
        _("{account} does not speak for the member; the record stays as it is.").format(
            account=claim.account.username
        ),
    )


def _refuse(row: ChosenRow, actor: User, reason: str) -> DoneRow:
    claim = refuse_claim(claim_id=int(row.key), actor=actor, reason=reason)
    return DoneRow(row.name, claim.account.username, row.url)


ACTS = {
    "grant": ActOnSeveral(
        asks=ngettext_lazy("Grant {number} claim?", "Grant {number} claims?", "number"),
        button=ngettext_lazy("Grant {number} claim", "Grant {number} claims", "number"),
        done=ngettext_lazy(
            "{number} claim is granted", "{number} claims are granted", "number"
        ),
        look=_look_at_granting,
        do=_grant,
        after=_after_granting,
    ),
    "refuse": ActOnSeveral(
        asks=ngettext_lazy(
            "Refuse {number} claim?", "Refuse {number} claims?", "number"
        ),
        button=ngettext_lazy(
            "Refuse {number} claim", "Refuse {number} claims", "number"
        ),
        done=ngettext_lazy(
            "{number} claim is refused", "{number} claims are refused", "number"
        ),
        look=_look_at_refusing,
        do=_refuse,
        after=_told,
        kind="danger",
    ),
}
