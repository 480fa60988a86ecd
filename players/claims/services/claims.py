"""Link requests: proving them with a mailed code, or asking the office.

Responses never reveal the data on record: they are the same whether or not there is an
address, and never say whether a birth date matched.
"""

from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta
from secrets import token_hex

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from players.claims.queries import OPEN, address_on_record
from players.guardians.notices import is_of_age
from players.guardians.queries import guardianships
from players.guardians.services import add_guardian_account, guardian_denial_reason
from players.models import Claim, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.accounts.queries import second_approval_denial
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User
from ratings_site.common.notices.services import NoticeDraft, notify, register

PERMISSION = "players.decide_claim"
MAIL_CODE = "players.mail_claim_code"

CODE_DIGITS = 8
CODE_LIFETIME = timedelta(minutes=30)
MAX_TRIES = 5
# Limit per account, and limit of codes mailed to one member's address.
MAX_CLAIMS_PER_DAY = 5
# Limit per account within that limit of codes.
MAX_CODES_PER_ACCOUNT = 2
# Younger children have no account of their own.
MIN_ACCOUNT_AGE = 13

DECIDED = register(
    "players.claim",
    _("Link requests"),
    _("The office decided on your request to link an account to a member."),
)


class ClaimRefused(Refusal):
    """The link request cannot continue; the message says why."""


# Actions of the requester


def claim_member(*, player_id: int, as_guardian: bool, actor: User) -> Claim:
    """Create a link request and queue the mail of a code, if an address is on record.

    An earlier request that is still waiting for its code is replaced.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=actor.pk)  # one claim at a time
        player = lock_member(player_id)
        _refuse_existing_link(player, as_guardian, actor)
        _withdraw_earlier(player, actor)
        since = timezone.now() - timedelta(days=1)
        if actor.claims.filter(created_at__gt=since).count() >= MAX_CLAIMS_PER_DAY:
            raise ClaimRefused(
                gettext("You can send five link requests a day. Try again tomorrow.")
            )
        may_mail = _can_mail_code(player, actor, since)
        claim = Claim.objects.create(
            player=player, account=actor, as_guardian=as_guardian, salt=token_hex(16)
        )
        record("claim.made", subject=player, actor=actor, facts=_facts(claim))
        if may_mail:  # without telling the requester
            enqueue(MAIL_CODE, key=str(claim.pk), args={"claim": claim.pk})
    return claim


def _can_mail_code(player: Player, actor: User, since: datetime) -> bool:
    """Return whether a code may still be mailed to the member's address today.

    Other accounts cannot use up the codes of an account that has verified this address,
    and one account cannot use up the codes of all others.
    """
    address = address_on_record(player)
    own = EmailAddress.objects.filter(user=actor, verified=True, email__iexact=address)
    if address and own.exists():
        return True
    recent = Claim.objects.filter(player=player, created_at__gt=since, as_td=False)
    recent = recent.order_by()
    counts = recent.values("account").annotate(number=Count("pk"))
    mailed = {
        account: min(number, MAX_CODES_PER_ACCOUNT)
        for account, number in counts.values_list("account", "number")
    }
    is_own_left = mailed.get(actor.pk, 0) < MAX_CODES_PER_ACCOUNT
    return is_own_left and sum(mailed.values()) < MAX_CLAIMS_PER_DAY


def try_code(*, claim_id: int, code: str, actor: User) -> Claim:
    """Grant the link request if the code matches the mailed one.

    Failed attempts are counted, also when the form is submitted many times at once.
    """
    with transaction.atomic():
        claim = _lock_own_claim(claim_id, actor)
        if claim.state != Claim.State.CODE or claim.tries >= MAX_TRIES:
            raise ClaimRefused(_code_message(0))
        if timezone.now() > claim.created_at + CODE_LIFETIME:
            raise ClaimRefused(
                gettext("This code expired after 30 minutes. Send a new code.")
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
        raise ClaimRefused(_code_message(MAX_TRIES - claim.tries))
    return claim


def ask_office(*, claim_id: int, text: str, birth_date: date, actor: User) -> Claim:
    """Pass the request to the office; store only whether the birth date matches."""
    with transaction.atomic():
        claim = _lock_own_claim(claim_id, actor)
        if claim.state != Claim.State.CODE:
            raise ClaimRefused(gettext("This request was already sent or closed."))
        known = claim.player.birth_date
        claim.birth_date_agrees = None if known is None else known == birth_date
        claim.state, claim.text = Claim.State.ASKED, text
        claim.asked_at = timezone.now()
        claim.save()
        record("claim.asked", subject=claim.player, actor=actor, facts=_facts(claim))
    return claim


def code_of(claim: Claim) -> str:
    """Return the code that proves a request; only the address on record receives it."""
    digest = salted_hmac(
        "players.claims.code", f"{claim.pk}:{claim.salt}", algorithm="sha256"
    )
    return str(int(digest.hexdigest(), 16))[-CODE_DIGITS:]


# Actions of the office


def grant_claim(*, claim_id: int, actor: User, reason: str) -> Claim:
    """Link the account to the member, as the member or as a guardian."""
    return _decide(claim_id, actor, reason, _grant)


def refuse_claim(*, claim_id: int, actor: User, reason: str) -> Claim:
    """Refuse the request and leave the member unchanged; the requester sees why."""

    def refuse(claim: Claim, *, actor: User, reason: str) -> None:
        close(claim, Claim.State.REFUSED, actor=actor, by=actor, reason=reason)

    return _decide(claim_id, actor, reason, refuse)


def denial_reason(claim: Claim, actor: User) -> str:
    """Return why *actor* cannot decide a request, or "" if they can."""
    if claim.account_id == actor.pk:
        return gettext("This is your own request. Another clerk has to decide it.")
    return second_approval_denial(actor, claim.account)


def _decide(
    claim_id: int, actor: User, reason: str, decide: Callable[..., None]
) -> Claim:
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        claim = lock_request(claim_id, actor)
        decide(claim, actor=actor, reason=reason)
        notify([_notice(claim)])
    return claim


def lock_request(claim_id: int, actor: User, *, as_td: bool = False) -> Claim:
    """Lock an open request for the office's decision; raise ClaimRefused if denied."""
    claims = Claim.objects.select_for_update(of=("self",)).filter(as_td=as_td)
    claim = claims.get(pk=claim_id)
    if claim.state != Claim.State.ASKED:
        raise ClaimRefused(gettext("This request is no longer open."))
    if sentence := denial_reason(claim, actor):
        raise ClaimRefused(sentence)
    return claim


def _notice(claim: Claim) -> NoticeDraft:
    def write() -> tuple[str, str]:
        if claim.state == Claim.State.GRANTED:
            title = gettext("Your account is now linked to {name}.")
            return title.format(name=claim.player.full_name), claim.reason
        title = gettext("Your account was not linked to {name}.")
        return title.format(name=claim.player.public_name), claim.reason

    return NoticeDraft(
        DECIDED, claim.account_id, f"claim:{claim.pk}", "/players/claim/", write
    )


# Shared helpers


def lock_member(player_id: int) -> Player:
    """Lock and return the canonical record of a member."""
    player = Player.objects.get(pk=player_id)
    survivor = player.merged_into_id or player.pk
    return Player.objects.select_for_update(of=("self",)).get(pk=survivor)


def _lock_own_claim(claim_id: int, actor: User) -> Claim:
    claims = Claim.objects.select_for_update(of=("self",)).select_related("player")
    return claims.get(pk=claim_id, account=actor)


def _refuse_existing_link(player: Player, as_guardian: bool, actor: User) -> None:
    guardian_ids = guardianships([player.pk]).filter(account=actor, ended_at=None)
    if player.account_id == actor.pk or (as_guardian and guardian_ids.exists()):
        raise ClaimRefused(
            gettext("Your account is already linked to {name}.").format(
                name=player.name
            )
        )


def _withdraw_earlier(player: Player, actor: User) -> None:
    mine = actor.claims.filter(player=player, as_td=False)
    earlier = mine.filter(state__in=OPEN).first()
    if earlier and earlier.state == Claim.State.ASKED:
        raise ClaimRefused(
            gettext("The office already has your request for this member.")
        )
    if earlier:
        earlier.state = Claim.State.WITHDRAWN
        earlier.save(update_fields=["state"])


def _is_code_of(claim: Claim, code: str) -> bool:
    # Always compared, so that the response takes as long when nothing was mailed.
    is_right = constant_time_compare("".join(code.split()), code_of(claim))
    return is_right and claim.mailed_at is not None


def _grant(claim: Claim, *, actor: User, reason: str = "") -> None:
    player = lock_member(claim.player_id)
    link_account(player, claim.account, as_guardian=claim.as_guardian, actor=actor)
    by = None if actor == claim.account else actor
    close(claim, Claim.State.GRANTED, actor=actor, by=by, reason=reason)


def link_account(
    player: Player, account: User, *, as_guardian: bool, actor: User
) -> None:
    """Link an account to a locked member, as the member or as a guardian."""
    guardian_ids = guardianships([player.pk]).values_list("account", flat=True)
    if sentence := link_denial_reason(
        player, account, as_guardian=as_guardian, guardian_ids=set(guardian_ids)
    ):
        raise ClaimRefused(sentence)
    if as_guardian:
        add_guardian_account(player=player, account=account, actor=actor)
        return
    player.account = account
    player.save(update_fields=["account"])


def link_denial_reason(
    player: Player, account: User, *, as_guardian: bool, guardian_ids: Collection[int]
) -> str:
    """Return why an account cannot be linked to a member, or "" if it can.

    *guardian_ids* are the accounts that are or were guardians of the member.
    """
    if player.status == Player.Status.DECEASED:
        return gettext("This member’s record is closed.")
    if as_guardian:
        return guardian_denial_reason(player)
    born = player.latest_birth_date
    is_young = born is not None and not is_of_age(
        born, timezone.localdate(), MIN_ACCOUNT_AGE
    )
    if is_young:
        return gettext(
            "Members under 13 need a parent or guardian’s account. Link the member as "
            "a parent or guardian."
        )
    if player.account_id not in (None, account.pk):
        return gettext(
            "This member is already linked to another account. Contact the "
            "ratings office."
        )
    # A guardian account that the office ended cannot become the child's own account.
    if account.pk in guardian_ids:
        return gettext(
            "Your account is or was linked to {name} as a parent or guardian. "
            "The member "
            "needs their own account."
        ).format(name=player.name)
    own = getattr(account, "player", None)
    if own is not None:
        return gettext(
            "This account is already linked to {name}. An account can be one "
            "member only."
        ).format(name=own.name)
    return ""


def close(
    claim: Claim, state: Claim.State, *, actor: User, by: User | None, reason: str
) -> None:
    claim.decide(state, by=by, reason=reason)
    claim.save()
    record(
        f"claim.{state.value}",
        subject=claim.player,
        actor=actor,
        reason=reason,
        facts=_facts(claim) | {"by_code": by is None},
    )


def _facts(claim: Claim) -> dict[str, str]:
    kind = "td" if claim.as_td else role(claim.as_guardian)
    return {"account": claim.account.username, "as": kind}


def role(as_guardian: bool) -> str:
    return "guardian" if as_guardian else "member"


def _code_message(left: int) -> str:
    if not left:
        return gettext(
            "This code no longer works. Send a new code, or ask the ratings office."
        )
    return ngettext(
        "That code isn’t right. You have {left} more try.",
        "That code isn’t right. You have {left} more tries.",
        left,
    ).format(left=left)
