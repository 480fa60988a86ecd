"""Audit entries of sign-ins and account changes, and what clerks do to accounts.

Entries never contain values: no address, password or code. django-allauth sends a
signal for each change and notifies the account's address itself.
"""

from datetime import timedelta
from typing import Any

from allauth.account import signals as account
from allauth.account.adapter import get_adapter
from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa import signals as mfa
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt, encrypt
from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.accounts.queries import find_account
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import entries_about, record
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.models import User

RESET_FACTORS = "common.reset_factors"
MAIL_LETTER = "common.mail_account_letter"
CLEAR_SESSIONS = register_nightly("common.clear_sessions")
# Keys of an authenticator's data with secrets: of apps, and of recovery codes.
SECRETS = ("secret", "seed")
FAILED, LOCKED = "account.sign_in_failed", "account.locked"
WRONG_CODE, WARNED = "account.factor_failed", "account.wrong_codes"


# Sent when the office sets a password or resets factors: (user, actor).
account_secured = Signal()
# The password has changed: what acts for the account is revoked.
PASSWORD_SIGNALS = [
    account.password_changed,
    account.password_set,
    account.password_reset,
    account_secured,
]


class ResetRefused(Refusal):
    """Second factors are not reset; the message says why."""


# Actions of an account's owner, recorded without facts.
ACCOUNT_ACTIONS: dict[Signal, str] = {
    account.user_signed_up: "account.opened",
    account.password_changed: "account.password_changed",
    account.password_set: "account.password_changed",
    account.password_reset: "account.password_reset",
}
FACTOR_ACTIONS: dict[Signal, str] = {
    mfa.authenticator_added: "account.factor_added",
    mfa.authenticator_removed: "account.factor_removed",
    mfa.authenticator_reset: "account.factor_renewed",
}


@receiver(list(ACCOUNT_ACTIONS), dispatch_uid="keep_plain_change")
def record_change(signal: Signal, user: User, **_: Any) -> None:
    record(ACCOUNT_ACTIONS[signal], subject=user, actor=user)


@receiver(list(FACTOR_ACTIONS), dispatch_uid="record_factor_change")
def record_factor_change(
    signal: Signal, user: User, authenticator: Authenticator, **_: Any
) -> None:
    facts = {"kind": authenticator.type}
    record(FACTOR_ACTIONS[signal], subject=user, actor=user, facts=facts)


@receiver(account.email_confirmed, dispatch_uid="record_verified_address")
def record_verified_address(email_address: EmailAddress, **_: Any) -> None:
    user = email_address.user
    record("account.email_verified", subject=user, actor=user)


@receiver(account.email_changed, dispatch_uid="record_changed_address")
def record_changed_address(
    user: User, from_email_address: EmailAddress | None, **_: Any
) -> None:
    """Record a changed address, but not the first one."""
    if from_email_address:
        record("account.email_changed", subject=user, actor=user)


@receiver(account.user_logged_in, dispatch_uid="record_sign_in")
def record_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Record a sign-in and its methods."""
    steps = get_authentication_records(request, user)
    means = sorted({step.get("type") or step["method"] for step in steps})
    record("account.signed_in", subject=user, actor=user, facts={"by": means})


@receiver(user_login_failed, dispatch_uid="record_failed_sign_in")
def record_failed_sign_in(credentials: dict[str, Any], **_: Any) -> None:
    """Record a wrong password of an existing account.

    The typed username is not recorded, because it may be the password.
    """
    user = find_account(credentials.get("username"), credentials.get("email"))
    if user is not None:
        record(FAILED, subject=user, actor=None)
        most = settings.FAILED_SIGN_INS_PER_HOUR
        _warn_owner(user, LOCKED, most=most, failures=FAILED, name="locked")


def _warn_owner(
    user: User, warning: str, *, most: int, failures: str, name: str
) -> None:
    """Email the owner after *most* failures in an hour, at most once a day.

    A job sends the email, so neither the page nor its timing reveals it.
    """
    now = timezone.now()
    entries = entries_about(user)
    recent = entries.filter(action=failures, at__gt=now - timedelta(hours=1))
    if recent.count() < most:
        return
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if entries.filter(action=warning, at__gt=now - timedelta(days=1)).exists():
            return
        entry = record(warning, subject=user, actor=None)
        queue_account_email(name, user, key=f"{name}:{entry.pk}")


@receiver(mfa.authentication_failed, dispatch_uid="record_failed_factor")
def record_failed_factor(user: User, authenticator: Authenticator, **_: Any) -> None:
    """Record a wrong code, which only someone with the password can enter."""
    facts = {"kind": authenticator.type}
    record(WRONG_CODE, subject=user, actor=None, facts=facts)
    most = settings.WRONG_CODES_BEFORE_LETTER
    _warn_owner(user, WARNED, most=most, failures=WRONG_CODE, name="wrong_codes")


def address_changed_by_office(*, request: HttpRequest, user: User, before: str) -> None:
    """Notify the old address, and require verification of the new one."""
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
    account_secured.send(sender=User, user=user, actor=actor)
    get_adapter(request).send_notification_mail("account/email/password_changed", user)


@handles(CLEAR_SESSIONS)
def clear_sessions(job: ClaimedJob) -> None:
    """Delete expired sessions."""
    with job.commit():
        SessionStore.clear_expired()


# What clerks do to accounts


def reset_factors(*, account_id: int, actor: User, reason: str) -> User:
    """Delete the lost second factors of an account, and end all its sessions.

    The owner is notified. Clerks cannot do this to their own account, and only a
    superuser can to a superuser's.
    """
    require_permission(actor, RESET_FACTORS)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=account_id)
        if sentence := reset_denial_reason(user, actor):
            raise ResetRefused(sentence)
        factors = Authenticator.objects.filter(user=user)
        kinds = sorted(factors.values_list("type", flat=True).distinct())
        if not kinds:
            raise ResetRefused(
                _("Two-step verification is already off for this account.")
            )
        factors.delete()
        user.sessions_ended += 1
        user.save(update_fields=["sessions_ended"])
        facts = {"kinds": kinds}
        entry = record(
            "account.factors_reset",
            subject=user,
            actor=actor,
            reason=reason,
            facts=facts,
        )
        account_secured.send(sender=User, user=user, actor=actor)
        queue_account_email("factors_reset", user, key=f"factors_reset:{entry.pk}")
    return user


def reset_denial_reason(user: User, actor: User) -> str:
    """Return why *actor* may not reset the factors of *user*, or ""."""
    if user.pk == actor.pk:
        return _("This is your own account. Another person has to do this.")
    if user.is_superuser and not actor.is_superuser:
        return _("Only a superuser can change a superuser’s account.")
    return ""


def encrypt_factors() -> tuple[int, int]:
    """Encrypt stored secrets with the current key.

    Return how many were encrypted, and how many no key decrypts. Those are kept,
    because their key may be restored.
    """
    done = lost = 0
    for pk in Authenticator.objects.values_list("pk", flat=True):
        with transaction.atomic():
            factor = Authenticator.objects.select_for_update().get(pk=pk)
            kept = [name for name in SECRETS if name in factor.data]
            if not all(
                get_mfa_adapter().is_readable(factor.data[name]) for name in kept
            ):
                lost += 1
                continue
            for name in kept:
                factor.data[name] = encrypt(decrypt(factor.data[name]))
            factor.save(update_fields=["data"])
            done += bool(kept)
    return done, lost


def queue_account_email(name: str, user: User, *, key: str, program: str = "") -> None:
    """Queue an email about an account (see ``mail``) to its owner."""
    if user.email:
        args = {"letter": name, "account": user.pk, "program": program}
        enqueue(MAIL_LETTER, key=key, args=args)


def link_to_set_password(user: User) -> str:
    """Return the one-time URL for setting a password, which expires in days."""
    key = default_token_generator.make_token(user)
    path = reverse(
        "account_reset_password_from_key",
        kwargs={"uidb36": user_pk_to_url_str(user), "key": key},
    )
    return f"{settings.SITE_URL}{path}"
