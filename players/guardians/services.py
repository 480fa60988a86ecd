"""A child's guardians: the address for notices, and guardian accounts."""

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from players.guardians.notices import is_child, is_of_age
from players.guardians.queries import (
    children_of,
    consents,
    open_to_others,
)
from players.members.queries import same_person
from players.models import (
    Contact,
    Follow,
    Guardian,
    GuardianAccount,
    GuardianConsent,
    Invitation,
    Player,
    ShareLink,
)
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.models import ProgramAccess, User
from ratings_site.common.programs.services import revoke_each


class GuardianRefused(Refusal):
    """The address or the account is refused; the message says why."""


def set_guardian_email(*, player_id: int, email: str, actor: User) -> Guardian:
    """Save the address for notices about a child, entered from the member's account.

    Only the office changes it afterward (in the admin): a child must not redirect a
    parent's mail to their own address. The address is stored nowhere else, not in the
    audit.
    """
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player.account_id != actor.pk:
            raise GuardianRefused(_("Your account isn’t linked to this member."))
        if email.casefold() == actor.email.casefold():
            raise GuardianRefused(
                _("This is your account’s own address. Enter the parent or guardian’s.")
            )
        if Guardian.objects.filter(player=player).exists():
            raise GuardianRefused(
                _(
                    "We already have an address on record. Ask the ratings "
                    "office to change it."
                )
            )
        guardian = Guardian.objects.create(player=player, email=email)
        record("player.guardian_stated", subject=player, actor=actor)
    return guardian


def guardian_denial_reason(player: Player) -> str:
    """Return why a member cannot get a guardian, or "" if they can."""
    if is_of_age(player.latest_birth_date, timezone.localdate()):
        return _("{name} is an adult and needs no guardian.").format(name=player.name)
    return ""


def add_guardian_account(
    *, player: Player, account: User, actor: User | None
) -> GuardianAccount:
    """Make an account a child's guardian, in the transaction that locked *player*.

    Its address receives the notices about the child, if there is none on record.
    """
    if sentence := guardian_denial_reason(player):
        raise GuardianRefused(sentence)
    guardian, is_new = GuardianAccount.objects.get_or_create(
        player=player, account=account, ended_at=None
    )
    if account.email and not Guardian.objects.filter(player=player).exists():
        Guardian.objects.create(player=player, email=account.email)
    if is_new:
        facts = {"account": account.username}
        record("player.guardian_account", subject=player, actor=actor, facts=facts)
    return guardian


def revoke_guardian_access(*, guardian: GuardianAccount, actor: User) -> None:
    """Close the ways in which an ended guardian account could regain access.

    Runs in the transaction that ended it. Codes, letters and links go to addresses on
    record, so the account's own addresses are deleted there.
    """
    player = guardian.player.canonical
    numbers = same_person([player.pk])
    addresses = _addresses_of(guardian.account)
    for kept in (Guardian, Contact):
        for row in kept.objects.filter(numbers):
            if row.email.casefold() in addresses:
                row.delete()
    for invitation in Invitation.objects.filter(numbers, used_at=None):
        handed_over = invitation.as_guardian and not invitation.email
        offered = invitation.at_age is not None  # offered again tonight
        if handed_over or offered or invitation.email.casefold() in addresses:
            invitation.delete()
    for consent in GuardianConsent.objects.filter(numbers, account=guardian.account):
        _withdraw(player, consent.kind, actor)
    revoke_each(_programs_about(player).filter(owner=guardian.account), actor=actor)
    facts = {"account": guardian.account.username}
    record("player.guardian_account_ended", subject=player, actor=actor, facts=facts)


def _programs_about(player: Player) -> QuerySet[ProgramAccess]:
    """Return the access of sites that are told about a member, or a duplicate."""
    numbers = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player))
    return ProgramAccess.objects.filter(member_id__in=numbers.values("member_id"))


def _addresses_of(account: User) -> set[str]:
    others = EmailAddress.objects.filter(user=account).values_list("email", flat=True)
    return {email.casefold() for email in [account.email, *others]} - {""}


def set_consent(*, player_id: int, kind: str, is_allowed: bool, actor: User) -> None:
    """Save whether others may follow a child, and so for each kind of consent.

    Only a guardian decides, not the child's own account. Withdrawing a consent ends
    existing follows and share links.
    """
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player not in children_of(actor):
            raise GuardianRefused(_("Only a parent or guardian can change this."))
        if is_allowed and consents([player.pk]).filter(kind=kind).exists():
            return
        # What an earlier guardian's consent allowed doesn't come back with a new one.
        _withdraw(player, kind, actor)
        if not is_allowed:
            return
        GuardianConsent.objects.create(player=player, kind=kind, account=actor)
        facts = {"kind": kind}
        record("player.consent_given", subject=player, actor=actor, facts=facts)


def _withdraw(player: Player, kind: str, actor: User) -> None:
    """Delete consents, and what only they allowed: an adult's own choices stay."""
    rows = same_person([player.pk])
    withdrawn, _rows = GuardianConsent.objects.filter(rows, kind=kind).delete()
    is_open = player.pk in open_to_others([player.pk], kind)
    if kind == GuardianConsent.Kind.SIGN_IN:
        if not is_open and player.account:
            own = _programs_about(player).filter(owner=player.account)
            revoke_each(own, actor=actor)
    elif not is_open:
        allowed = Follow if kind == GuardianConsent.Kind.FOLLOW else ShareLink
        allowed.objects.filter(rows).delete()
    if withdrawn:
        facts = {"kind": kind}
        record("player.consent_withdrawn", subject=player, actor=actor, facts=facts)


def save_reported_guardian(*, player: Player, email: str) -> None:
    """Save the guardian's address that a report gave for a child who is new.

    Only for a member under the age of children's notices, and never replacing an
    address on record.
    """
    if email and is_child(player.latest_birth_date, timezone.localdate()):
        Guardian.objects.get_or_create(player=player, defaults={"email": email})
