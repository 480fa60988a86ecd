"""What the audit keeps of sign-ins and of changes to what protects an account, and the
office's acts on accounts of others.

Never the values: no address, no password, no code. django-allauth tells of each change
by a signal, and tells the account's address itself.
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
from django.db.models import Q
from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import entries_about, record
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.models import User

RESET_FACTORS = "common.reset_factors"
MAIL_LETTER = "common.mail_account_letter"
CLEAR_SESSIONS = every_night("common.clear_sessions")
# What of an authenticator opens a door: of an app, and of recovery codes.
SECRETS = ("secret", "seed")
FAILED, LOCKED = "account.sign_in_failed", "account.locked"


class NotReset(Refusal):
    """Factors are not taken away; the sentence says why."""


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
        record(FAILED, subject=user, actor=None)
        _tell_of_lock(user)


def _tell_of_lock(user: User) -> None:
    """Write to the owner once the limit is reached, at most once a day.

    Nothing of it shows on the page or in its pace: the letter is a job's.
    """
    now = timezone.now()
    kept = entries_about(user)
    lately = kept.filter(action=FAILED, at__gt=now - timedelta(hours=1))
    if lately.count() < settings.FAILED_SIGN_INS_AN_HOUR:
        return
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if kept.filter(action=LOCKED, at__gt=now - timedelta(days=1)).exists():
            return
        entry = record(LOCKED, subject=user, actor=None)
        write_letter("locked", user, key=f"locked:{entry.pk}")


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


@handles(CLEAR_SESSIONS)
def clear_sessions(job: ClaimedJob) -> None:
    """Throw away sessions that have ended, and what was kept in them."""
    with job.commit():
        SessionStore.clear_expired()


# The office's acts on accounts of others


def reset_factors(*, account_id: int, actor: User, reason: str) -> User:
    """Take away somebody's second factors, who has lost them, and end all sessions.

    The owner is told. Nobody does it to the own account, and only a superuser to one of
    a superuser.
    """
    require(actor, RESET_FACTORS)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=account_id)
        if sentence := why_not_reset(user, actor):
            raise NotReset(sentence)
        factors = Authenticator.objects.filter(user=user)
        kinds = sorted(factors.values_list("type", flat=True).distinct())
        if not kinds:
            raise NotReset(_("This account has no second factor."))
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
        write_letter("factors_reset", user, key=f"factors_reset:{entry.pk}")
    return user


def why_not_reset(user: User, actor: User) -> str:
    """Say why somebody cannot take factors away; blank if nothing is against it."""
    if user.pk == actor.pk:
        return _("This is your own account. Somebody else has to do it.")
    if user.is_superuser and not actor.is_superuser:
        return _("This is a superuser’s account: only a superuser may.")
    return ""


def encrypt_factors() -> tuple[int, int]:
    """Encrypt stored secrets by the present key; count them, and those none opens.

    What no key opens stays as it is: the key may come back.
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


def write_letter(letter: str, user: User, *, key: str) -> None:
    """Queue one of the letters about an account (see ``mail``) to its owner."""
    if user.email:
        enqueue(MAIL_LETTER, key=key, args={"letter": letter, "account": user.pk})


def link_to_set_password(user: User) -> str:
    """Return the address on which the owner sets a password, once, within days."""
    key = default_token_generator.make_token(user)
    path = reverse(
        "account_reset_password_from_key",
        kwargs={"uidb36": user_pk_to_url_str(user), "key": key},
    )
    return f"{settings.SITE_URL}{path}"
