"""What the audit keeps of sign-ins and of changes to what protects an account.

Never the values: no address, no password, no code. django-allauth tells of each change
by a signal, and tells the account's address itself.
"""

from typing import Any

from allauth.account import signals as account
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_login_failed
from django.db.models import Q
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from ratings_site.common.audit.services import record
from ratings_site.common.models import User

# Acts of an account's holder that are kept without further facts.
PLAIN: dict[Signal, str] = {
    account.user_signed_up: "account.opened",
    account.password_changed: "account.password_changed",
    account.password_set: "account.password_changed",
    account.password_reset: "account.password_reset",
}
FACTORS: dict[Signal, str] = {
    mfa.authenticator_added: "account.factor_added",
    mfa.authenticator_removed: "account.factor_removed",
    mfa.authenticator_reset: "account.factor_renewed",
}


@receiver(list(PLAIN), dispatch_uid="keep_plain_change")
def keep_change(signal: Signal, user: User, **_: Any) -> None:
    record(PLAIN[signal], subject=user, actor=user)


@receiver(list(FACTORS), dispatch_uid="keep_change_of_factor")
def keep_change_of_factor(
    signal: Signal, user: User, authenticator: Authenticator, **_: Any
) -> None:
    facts = {"kind": authenticator.type}
    record(FACTORS[signal], subject=user, actor=user, facts=facts)


@receiver(account.email_confirmed, dispatch_uid="keep_verified_address")
def keep_verified_address(email_address: EmailAddress, **_: Any) -> None:
    user = email_address.user
    record("account.email_verified", subject=user, actor=user)


@receiver(account.email_changed, dispatch_uid="keep_changed_address")
def keep_changed_address(
    user: User, from_email_address: EmailAddress | None, **_: Any
) -> None:
    """Keep that an address took another's place; the first one takes nobody's."""
    if from_email_address:
        record("account.email_changed", subject=user, actor=user)


@receiver(account.user_logged_in, dispatch_uid="keep_sign_in")
def keep_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Keep that somebody came in, and by what."""
    steps = get_authentication_records(request, user)
    means = sorted({step.get("type") or step["method"] for step in steps})
    record("account.signed_in", subject=user, actor=user, facts={"by": means})


@receiver(user_login_failed, dispatch_uid="keep_failed_sign_in")
def keep_failed_sign_in(credentials: dict[str, Any], **_: Any) -> None:
    """Keep a wrong password for an account that is there; of others there is no record.

    What was typed as a name is not kept: it may be the password.
    """
    named = (credentials.get("username"), credentials.get("email"))
    wanted = Q()
    for name in filter(None, named):
        wanted |= Q(username__iexact=name) | Q(email__iexact=name)
    user = User.objects.filter(wanted).order_by("pk").first() if wanted else None
    if user is not None:
        record("account.sign_in_failed", subject=user, actor=None)


@receiver(mfa.authentication_failed, dispatch_uid="keep_failed_factor")
def keep_failed_factor(user: User, authenticator: Authenticator, **_: Any) -> None:
    facts = {"kind": authenticator.type}
    record("account.factor_failed", subject=user, actor=None, facts=facts)


def address_changed_by_office(*, request: HttpRequest, user: User, before: str) -> None:
    """Tell the old address, and have the new one verified at the next sign-in."""
    EmailAddress.objects.filter(user=user).delete()
    if before:
        get_adapter(request).send_notification_mail(
            "account/email/email_changed",
            user,
            context={"from_email": before, "to_email": user.email},
            email=before,
        )


def password_changed_by_office(
    *, request: HttpRequest, user: User, actor: User
) -> None:
    record("account.password_changed", subject=user, actor=actor)
    get_adapter(request).send_notification_mail("account/email/password_changed", user)
