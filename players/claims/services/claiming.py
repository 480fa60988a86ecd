"""Claiming a member's record: by a code mailed to the address on record, or by asking.

Nobody learns from it what is on record: every claim is answered the same way, whether
or not there is an address, and nobody is told whether a birth date was right.
"""

from collections.abc import Callable, Collection
from datetime import date, timedelta
from secrets import token_hex

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.claims.queries import OPEN
from players.guardians.notices import is_of_age
from players.guardians.queries import guardianships
from players.guardians.services import become_guardian, why_no_guardian
from players.models import Claim, Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.accounts.queries import why_not_second
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User
from ratings_site.common.notices.services import Kind, News, notify, register

PERMISSION = "players.decide_claim"
MAIL_CODE = "players.mail_claim_code"

CODE_DIGITS = 8
CODE_LASTS = timedelta(minutes=30)
MOST_TRIES = 5
# Of one account, and codes mailed to one member's address.
CLAIMS_A_DAY = 5
# Younger children have no account of their own.
OWN_ACCOUNT_FROM = 13

DECIDED = register(
    Kind(
        "players.claim",
        gettext_lazy("Claims"),
        gettext_lazy("What the office decided on your claim to be a member."),
    )
)


class ClaimRefused(Refusal):
    """The claim cannot go on like this; the sentence says why."""


# What the claimant does


def claim_member(*, player_id: int, as_guardian: bool, actor: User) -> Claim:
    """Open a claim and have a code mailed, if there is an address on record.

    An earlier claim that still waits for its code makes room for this one.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=actor.pk)  # one claim at a time
        player = locked_member(player_id)
        _refuse_what_is_so_already(player, as_guardian, actor)
        _make_room(player, actor)
        since = timezone.now() - timedelta(days=1)
        if actor.claims.filter(created_at__gt=since).count() >= CLAIMS_A_DAY:
            raise ClaimRefused(
                _("An account claims five times a day at most. Come again tomorrow.")
            )
        mailed = Claim.objects.filter(player=player, created_at__gt=since).count()
        claim = Claim.objects.create(
            player=player, account=actor, as_guardian=as_guardian, salt=token_hex(16)
        )
        record("claim.made", subject=player, actor=actor, facts=_facts(claim))
        if mailed < CLAIMS_A_DAY:  # and say nothing of it if not
            enqueue(MAIL_CODE, key=str(claim.pk), args={"claim": claim.pk})
    return claim


def try_code(*, claim_id: int, code: str, actor: User) -> Claim:
    """Grant the claim if this is the code that was mailed for it.

    A wrong one is counted, also if the form is sent many times at once.
    """
    with transaction.atomic():
        claim = _mine(claim_id, actor)
        if claim.state != Claim.State.CODE or claim.tries >= MOST_TRIES:
            raise ClaimRefused(_used_up())
        if timezone.now() > claim.created_at + CODE_LASTS:
            raise ClaimRefused(
                _("The code counted for half an hour. Claim the member again.")
            )
        claim.tries += 1
        claim.save(update_fields=["tries"])
        is_right = _is_code_of(claim, code)
        if is_right:
            _grant(claim, actor=actor)
        else:
            facts = {"tries": claim.tries}
            record("claim.wrong_code", subject=claim.player, actor=actor, facts=facts)
    if not is_right:
        raise ClaimRefused(_wrong(MOST_TRIES - claim.tries))
    return claim


def ask_office(*, claim_id: int, text: str, birth_date: date, actor: User) -> Claim:
    """Leave the claim to the office; keep of the birth date whether it agrees."""
    with transaction.atomic():
        claim = _mine(claim_id, actor)
        if claim.state != Claim.State.CODE:
            raise ClaimRefused(_("This claim no longer waits for you."))
        known = claim.player.birth_date
        claim.birth_date_agrees = None if known is None else known == birth_date
        claim.state, claim.text = Claim.State.ASKED, text
        claim.asked_at = timezone.now()
        claim.save()
        record("claim.asked", subject=claim.player, actor=actor, facts=_facts(claim))
    return claim


def code_of(claim: Claim) -> str:
    """Return the code that proves a claim; only the address on record gets it."""
    digest = salted_hmac(
        "players.claims.code", f"{claim.pk}:{claim.salt}", algorithm="sha256"
    )
    return str(int(digest.hexdigest(), 16))[-CODE_DIGITS:]


# What the office does


def grant_claim(*, claim_id: int, actor: User, reason: str) -> Claim:
    """Link the account with the member, or make it a guardian's."""
    return _decide(claim_id, actor, reason, _grant)


def refuse_claim(*, claim_id: int, actor: User, reason: str) -> Claim:
    """Leave the member as they are; the claimant reads the reason."""

    def refuse(claim: Claim, *, actor: User, reason: str) -> None:
        _close(claim, Claim.State.REFUSED, actor=actor, by=actor, reason=reason)

    return _decide(claim_id, actor, reason, refuse)


def why_not_decide(claim: Claim, actor: User) -> str:
    """Say why somebody cannot decide a claim; blank if nothing is against it."""
    if claim.account_id == actor.pk:
        return _("This claim is your own: somebody else decides it.")
    return why_not_second(actor, claim.account)


def _decide(
    claim_id: int, actor: User, reason: str, decide: Callable[..., None]
) -> Claim:
    require(actor, PERMISSION)
    with transaction.atomic():
        claim = Claim.objects.select_for_update(of=("self",)).get(pk=claim_id)
        if claim.state != Claim.State.ASKED:
            raise ClaimRefused(_("This claim does not wait for the office."))
        if sentence := why_not_decide(claim, actor):
            raise ClaimRefused(sentence)
        decide(claim, actor=actor, reason=reason)
        notify([_news(claim)])
    return claim


def _news(claim: Claim) -> News:
    def write() -> tuple[str, str]:
        if claim.state == Claim.State.GRANTED:
            title = _("Your account now speaks for {name}.")
        else:
            title = _("Your account was not linked with {name}.")
        return title.format(name=claim.player.name), claim.reason

    return News(
        DECIDED, claim.account_id, f"claim:{claim.pk}", "/players/claim/", write
    )


# What all rest on


def locked_member(player_id: int) -> Player:
    """Lock the member whose record goes on."""
    player = Player.objects.get(pk=player_id)
    goes_on = player.merged_into_id or player.pk
    return Player.objects.select_for_update(of=("self",)).get(pk=goes_on)


def _mine(claim_id: int, actor: User) -> Claim:
    claims = Claim.objects.select_for_update(of=("self",)).select_related("player")
    return claims.get(pk=claim_id, account=actor)


def _refuse_what_is_so_already(player: Player, as_guardian: bool, actor: User) -> None:
    guards = guardianships([player.pk]).filter(account=actor, ended_at=None)
    if player.account_id == actor.pk or (as_guardian and guards.exists()):
        raise ClaimRefused(
            _("Your account speaks for {name} already.").format(name=player.name)
        )


def _make_room(player: Player, actor: User) -> None:
    earlier = actor.claims.filter(player=player, state__in=OPEN).first()
    if earlier and earlier.state == Claim.State.ASKED:
        raise ClaimRefused(_("The office has this claim of yours already."))
    if earlier:
        earlier.state = Claim.State.WITHDRAWN
        earlier.save(update_fields=["state"])


def _is_code_of(claim: Claim, code: str) -> bool:
    # Compared in any case, so that it takes no less time where nothing was mailed.
    is_right = constant_time_compare("".join(code.split()), code_of(claim))
    return is_right and claim.mailed_at is not None


def _grant(claim: Claim, *, actor: User, reason: str = "") -> None:
    player = locked_member(claim.player_id)
    give(player, claim.account, as_guardian=claim.as_guardian, actor=actor)
    by = None if actor == claim.account else actor
    _close(claim, Claim.State.GRANTED, actor=actor, by=by, reason=reason)


def give(player: Player, account: User, *, as_guardian: bool, actor: User) -> None:
    """Let an account speak for a member that is locked."""
    guards = guardianships([player.pk]).values_list("account", flat=True)
    if sentence := why_not_speak(
        player, account, as_guardian=as_guardian, guards=set(guards)
    ):
        raise ClaimRefused(sentence)
    if as_guardian:
        become_guardian(player=player, account=account, actor=actor)
        return
    player.account = account
    player.save(update_fields=["account"])


def why_not_speak(
    player: Player, account: User, *, as_guardian: bool, guards: Collection[int]
) -> str:
    """Say why an account cannot speak for a member; blank if nothing is against it.

    *guards* are the accounts that are guardians of the member, or were.
    """
    if player.status == Player.Status.DECEASED:
        return _("The record of this member is closed.")
    if as_guardian:
        return why_no_guardian(player)
    is_young = player.birth_date is not None and not is_of_age(
        player.birth_date, timezone.localdate(), OWN_ACCOUNT_FROM
    )
    if is_young:
        return _(
            "Until 13 a parent’s account speaks for the member. Claim the member as a "
            "parent or guardian."
        )
    if player.account_id not in (None, account.pk):
        return _("Another account speaks for this member. The office can look into it.")
    # An account that the office ended for the child is no more the child's.
    if account.pk in guards:
        return _(
            "Your account is, or was, that of a guardian of {name}. The member needs "
            "an account of their own."
        ).format(name=player.name)
    own = getattr(account, "player", None)
    if own is not None:
        return _("This account is that of {name}: one account, one member.").format(
            name=own.name
        )
    return ""


def _close(
    claim: Claim, state: Claim.State, *, actor: User, by: User | None, reason: str
) -> None:
    claim.state, claim.decided_by, claim.reason = state, by, reason
    claim.decided_at = timezone.now()
    claim.save()
    record(
        f"claim.{state.value}",
        subject=claim.player,
        actor=actor,
        reason=reason,
        facts=_facts(claim) | {"by_code": by is None},
    )


def _facts(claim: Claim) -> dict[str, str]:
    return {"account": claim.account.username, "as": role(claim.as_guardian)}


def role(as_guardian: bool) -> str:
    return "guardian" if as_guardian else "member"


def _used_up() -> str:
    return _("This code no longer counts. Claim the member again, or ask the office.")


def _wrong(left: int) -> str:
    if not left:
        return _used_up()
    return ngettext(
        "This is not the code. You have {left} more try.",
        "This is not the code. You have {left} more tries.",
        left,
    ).format(left=left)
