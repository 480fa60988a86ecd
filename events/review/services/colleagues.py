"""Invitations to work in the office."""

from collections import defaultdict
from collections.abc import Collection

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from events.review.groups import ACTION_PERMISSIONS, COMMITTEE
from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.accounts.queries import (
    are_different_people,
    second_approval_denial,
)
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import acquire_lock
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import queue_account_email

PERMISSION = "common.invite_staff"


class InvitationRefused(Refusal):
    """The invitation is refused; the message says why."""


class ConfirmationRefused(Refusal):
    """The confirmation is refused; the message says why."""


def grantable_groups(actor: User) -> list[str]:
    """Return the groups whose permissions the account has itself.

    Read from the database: a group has more permissions than ACTION_PERMISSIONS.
    """
    given = defaultdict(set)
    held = Permission.objects.filter(group__name__in=ACTION_PERMISSIONS)
    for name, app, codename in held.values_list(
        "group__name", "content_type__app_label", "codename"
    ):
        given[name].add(f"{app}.{codename}")
    own = actor.get_all_permissions()
    return [name for name in ACTION_PERMISSIONS if given[name] and given[name] <= own]


def invite_colleague(
    *,
    username: str,
    email: str,
    groups: Collection[str],
    actor: User | None,
    reason: str,
) -> User:
    """Add a person to office groups and email a link to sign in.

    If an account has verified the email address, it joins the groups. Otherwise an
    account without a password is created, and the link sets one. Neither has access to
    the office before a second factor is set up.
    """
    require_permission(actor, PERMISSION)
    if not groups:
        raise InvitationRefused(_("Choose at least one group."))
    if actor is not None and not set(groups) <= set(grantable_groups(actor)):
        raise NotAllowed(_("You can’t give permissions that you don’t have."))
    with transaction.atomic():
        acquire_lock("colleagues")  # so that two accounts do not get one address
        person = _account_with_email(email)
        if person is not None and person == actor:
            raise InvitationRefused(
                _("This is your own address. Ask a colleague to invite you.")
            )
        name = "joined" if person else "invited"
        person = person or _create_account(username, email)
        _require_new_groups(person, groups)
        _save_inviter(person, actor)
        person.groups.add(*Group.objects.filter(name__in=groups))
        if set(groups) != {COMMITTEE}:  # not necessarily of the office
            person.is_staff = True
            person.save(update_fields=["is_staff"])
        facts = {"groups": sorted(groups)}
        entry = record(
            "account.invited", subject=person, actor=actor, reason=reason, facts=facts
        )
        queue_account_email(name, person, key=f"{name}:{entry.pk}")
    return person


def _save_inviter(person: User, actor: User | None) -> None:
    """Store the inviter of a colleague who has none yet."""
    if actor is None or person.is_staff or person.invited_by_id:
        return
    if are_different_people(person, actor):  # so that invitations are never circular
        person.invited_by = actor
        person.save(update_fields=["invited_by"])


def confirm_colleague(*, account_id: int, actor: User, reason: str) -> User:
    """Store the confirmation of a colleague by a second person."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        acquire_lock("colleagues")
        person = User.objects.select_for_update().get(pk=account_id)
        if sentence := confirmation_denial_reason(person, actor):
            raise ConfirmationRefused(sentence)
        person.confirmed_by = actor
        person.save(update_fields=["confirmed_by"])
        record("account.confirmed", subject=person, actor=actor, reason=reason)
    return person


def confirmation_denial_reason(person: User, actor: User) -> str:
    """Return why *actor* cannot confirm a colleague, or ""."""
    if not person.invited_by_id or person.confirmed_by_id:
        return _("This account doesn’t need to be confirmed.")
    if person.pk == actor.pk:
        return _("You can’t do this for your own account. Ask a colleague.")
    return "" if actor.is_superuser else second_approval_denial(actor, person)


def unconfirmed_colleagues() -> QuerySet[User]:
    """Return the colleagues whom only their inviter knows."""
    invited = User.objects.filter(invited_by__isnull=False, confirmed_by=None)
    waiting = invited.filter(is_active=True).select_related("invited_by")
    return waiting.order_by("username")


def _account_with_email(email: str) -> User | None:
    """Return the account that has verified this address."""
    verified = EmailAddress.objects.filter(email__iexact=email, verified=True)
    holders = verified.values("user")
    holder = User.objects.filter(pk__in=holders, is_active=True).first()
    if holder is not None:
        return User.objects.select_for_update().get(pk=holder.pk)
    known = User.objects.filter(Q(email__iexact=email) | Q(pk__in=holders))
    if known.filter(is_active=True).exists():
        raise InvitationRefused(
            _(
                "An account has this address but never verified it. Its owner needs to "
                "sign in once."
            )
        )
    if known.exists():
        raise InvitationRefused(
            _(
                "The account with this address is closed. Ask a superuser to reopen "
                "it, or use another address."
            )
        )
    return None


def _create_account(username: str, email: str) -> User:
    person = User(username=username, email=email)
    person.set_unusable_password()
    try:
        person.full_clean()
        with transaction.atomic():
            person.save()
    except ValidationError as error:
        raise InvitationRefused(" ".join(error.messages)) from error
    except IntegrityError as error:  # a concurrent sign-up does not hold the lock
        raise InvitationRefused(
            _("This username was just taken. Choose another one.")
        ) from error
    return person


def _require_new_groups(person: User, groups: Collection[str]) -> None:
    if set(groups) <= set(person.groups.values_list("name", flat=True)):
        raise InvitationRefused(
            _("The account {name} is already in these groups.").format(
                name=person.username
            )
        )
