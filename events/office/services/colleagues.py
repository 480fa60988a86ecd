"""Inviting people to work in the office."""

from collections import defaultdict
from collections.abc import Collection

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from events.office.groups import COMMITTEE, MAY_DO
from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.accounts.queries import are_two_people, why_not_second
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import write_letter

PERMISSION = "common.invite_staff"


class NotInvited(Refusal):
    """Nobody is invited; the sentence says why."""


class NotConfirmed(Refusal):
    """A colleague is not confirmed; the sentence says why."""


def groups_to_give(actor: User) -> list[str]:
    """Return the groups an account may put others in: it may all that they may.

    That is looked up in the database: a group is given more than the acts of MAY_DO.
    """
    given = defaultdict(set)
    held = Permission.objects.filter(group__name__in=MAY_DO)
    for name, app, codename in held.values_list(
        "group__name", "content_type__app_label", "codename"
    ):
        given[name].add(f"{app}.{codename}")
    own = actor.get_all_permissions()
    return [name for name in MAY_DO if given[name] and given[name] <= own]


def invite_colleague(
    *,
    username: str,
    email: str,
    groups: Collection[str],
    actor: User | None,
    reason: str,
) -> User:
    """Let somebody work in the office, and write them how to come in.

    With an address that an account has verified, that account joins the groups.
    Otherwise an account is opened that has no password: its link sets one. Nothing of
    the office opens to either before a second factor is set up.
    """
    require(actor, PERMISSION)
    if not groups:
        raise NotInvited(_("Choose a group at least."))
    if actor is not None and not set(groups) <= set(groups_to_give(actor)):
        raise NotAllowed(_("Nobody gives others more than their own account may."))
    with transaction.atomic():
        hold("colleagues")  # so that one address is not given to two accounts
        person = _holder_of(email)
        if person is not None and person == actor:
            raise NotInvited(_("This is your own address: somebody else invites you."))
        letter = "joined" if person else "invited"
        person = person or _opened(username, email)
        _refuse_member_of(person, groups)
        _keep_who_invited(person, actor)
        person.groups.add(*Group.objects.filter(name__in=groups))
        if set(groups) != {COMMITTEE}:  # which need not be of the office
            person.is_staff = True
            person.save(update_fields=["is_staff"])
        facts = {"groups": sorted(groups)}
        entry = record(
            "account.invited", subject=person, actor=actor, reason=reason, facts=facts
        )
        write_letter(letter, person, key=f"{letter}:{entry.pk}")
    return person


def _keep_who_invited(person: User, actor: User | None) -> None:
    """Keep who brought somebody into the office; of those who are in, nothing new."""
    if actor is None or person.is_staff or person.invited_by_id:
        return
    if are_two_people(person, actor):  # so that it never goes in a circle
        person.invited_by = actor
        person.save(update_fields=["invited_by"])


def confirm_colleague(*, account_id: int, actor: User, reason: str) -> User:
    """Keep that somebody else than who invited knows a colleague as another person."""
    require(actor, PERMISSION)
    with transaction.atomic():
        hold("colleagues")
        person = User.objects.select_for_update().get(pk=account_id)
        if sentence := why_not_confirm(person, actor):
            raise NotConfirmed(sentence)
        person.confirmed_by = actor
        person.save(update_fields=["confirmed_by"])
        record("account.confirmed", subject=person, actor=actor, reason=reason)
    return person


def why_not_confirm(person: User, actor: User) -> str:
    """Say why somebody cannot confirm a colleague; blank if nothing is against it."""
    if not person.invited_by_id or person.confirmed_by_id:
        return _("Nothing is to be confirmed of this account.")
    if person.pk == actor.pk:
        return _("This is your own account. Somebody else has to do it.")
    return "" if actor.is_superuser else why_not_second(actor, person)


def unconfirmed_colleagues() -> QuerySet[User]:
    """Return the colleagues whom nobody has confirmed beside who invited them."""
    invited = User.objects.filter(invited_by__isnull=False, confirmed_by=None)
    waiting = invited.filter(is_active=True).select_related("invited_by")
    return waiting.order_by("username")


def _holder_of(email: str) -> User | None:
    """Return the account that has shown this address to be its own."""
    verified = EmailAddress.objects.filter(email__iexact=email, verified=True)
    holders = verified.values("user")
    holder = User.objects.filter(pk__in=holders, is_active=True).first()
    if holder is not None:
        return User.objects.select_for_update().get(pk=holder.pk)
    known = User.objects.filter(Q(email__iexact=email) | Q(pk__in=holders))
    if known.filter(is_active=True).exists():
        raise NotInvited(
            _("An account has this address and never verified it: sign in there once.")
        )
    if known.exists():
        raise NotInvited(
            _(
                "The account with this address is closed: a superuser can open it "
                "again, or invite another address."
            )
        )
    return None


def _opened(username: str, email: str) -> User:
    person = User(username=username, email=email)
    person.set_unusable_password()
    try:
        person.full_clean()
        with transaction.atomic():
            person.save()
    except ValidationError as error:
        raise NotInvited(" ".join(error.messages)) from error
    except IntegrityError as error:  # who signs up by themselves holds no lock
        raise NotInvited(
            _("Somebody has just opened an account with this user name.")
        ) from error
    return person


def _refuse_member_of(person: User, groups: Collection[str]) -> None:
    if set(groups) <= set(person.groups.values_list("name", flat=True)):
        raise NotInvited(
            _("The account {name} is in these groups already.").format(
                name=person.username
            )
        )
