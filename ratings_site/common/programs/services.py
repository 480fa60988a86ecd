"""Granting and revoking the access of programs and other sites."""

from collections.abc import Iterable
from typing import Any

from allauth.idp.oidc.models import Client, Token
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.models import ProgramAccess, User
from ratings_site.common.programs.kinds import (
    SCOPES,
    ids_to_sign_in_for,
    may_sign_in_for,
)
from ratings_site.common.programs.queries import active_programs
from ratings_site.common.sign_in.services import PASSWORD_SIGNALS, queue_account_email

CLEAR_TOKENS = register_nightly("common.clear_tokens")


class AccessRefused(Refusal):
    """The account may not sign in for this member."""


def grant_access(
    *, owner: User, client: Client, scopes: Iterable[str], member_id: str = ""
) -> ProgramAccess:
    """Let a program act for an account within *scopes*, for one member at a time.

    The owner is notified of new access, and of more scopes.
    """
    if not may_sign_in_for(owner, member_id):
        raise AccessRefused(_("Your account can’t sign in for this member."))
    ids = ids_to_sign_in_for(owner, member_id) if member_id else ("",)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        for other in active_programs(owner).filter(client=client):
            if other.member_id not in ids:
                _end(other, actor=owner)
        known = owner.programs.filter(client=client, member_id__in=ids)
        # Under the ID of before a merge the site knows the member already.
        member_id = known.values_list("member_id", flat=True).first() or member_id
        access, _is_new = ProgramAccess.objects.get_or_create(
            owner=owner,
            client=client,
            member_id=member_id,
            defaults={"scopes": "", "revoked_at": timezone.now()},
        )
        before = set() if access.revoked_at else set(access.scope_list)
        granted = before | set(scopes)
        if granted == before:
            return access
        if access.revoked_at:
            access.granted_at = timezone.now()
        access.revoked_at = None
        access.scopes = " ".join(one for one in SCOPES if one in granted)
        access.save()
        facts = {"program": client.name, "scopes": access.scope_list}
        facts |= {"member": member_id} if member_id else {}
        entry = record(
            "account.program_allowed", subject=owner, actor=owner, facts=facts
        )
        key = f"program_allowed:{entry.pk}"
        queue_account_email("program_allowed", owner, key=key, program=client.name)
    return access


def revoke_access(*, access_id: int, actor: User, reason: str = "") -> None:
    """Revoke the access of a program at once. Doing this again changes nothing."""
    with transaction.atomic():
        access = (
            ProgramAccess.objects.select_for_update(of=("self",))
            .select_related("owner", "client")
            .get(pk=access_id)
        )
        if access.revoked_at is not None:
            return
        _end(access, actor=actor, reason=reason)


def revoke_each(
    accesses: QuerySet[ProgramAccess], *, actor: User, reason: str = ""
) -> None:
    for pk in accesses.filter(revoked_at=None).values_list("pk", flat=True):
        revoke_access(access_id=pk, actor=actor, reason=reason)


def end_unused_access(*, client_id: str, owner_id: int) -> None:
    """End access whose last token a program has given back."""
    owner = User.objects.get(pk=owner_id)
    valid = Token.objects.valid().filter(client_id=client_id, user_id=owner_id)
    if not valid.exists():
        revoke_each(active_programs(owner).filter(client_id=client_id), actor=owner)


def _end(access: ProgramAccess, *, actor: User, reason: str = "") -> None:
    Token.objects.filter(user=access.owner_id, client=access.client_id).delete()
    access.revoked_at = timezone.now()
    access.save(update_fields=["revoked_at"])
    record(
        "account.program_revoked",
        subject=access.owner,
        actor=actor,
        reason=reason,
        facts={"program": access.client.name},
    )


@receiver(PASSWORD_SIGNALS, dispatch_uid="revoke_programs_with_the_password")
def revoke_all_programs(user: User, actor: User | None = None, **_: Any) -> None:
    """Revoke all access when the password changes, as for API keys."""
    revoke_each(active_programs(user), actor=actor or user)


@handles(CLEAR_TOKENS)
def clear_tokens(job: ClaimedJob) -> None:
    """Delete expired tokens."""
    with job.commit():
        Token.objects.expired().delete()
