"""Writing audit entries."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import models
from django.utils.translation import override

from ratings_site.common.audit.redaction import redact_personal
from ratings_site.common.models import AuditEntry, User
from ratings_site.common.web.middleware import request_id

_shown: list[Callable[[], AbstractContextManager[None]]] = [nullcontext]


def bind_full_names(shown: Callable[[], AbstractContextManager[None]]) -> None:
    """Set the context in which members' names are written out: staff read the log."""
    _shown[:] = [shown]


def full_names() -> AbstractContextManager[None]:
    """Return the context that writes out members' names outside of a request."""
    return _shown[0]()


def record(
    action: str,
    *,
    subject: models.Model,
    actor: User | None,
    reason: str = "",
    facts: dict[str, Any] | None = None,
) -> AuditEntry:
    """Write one audit entry, in the transaction of the action.

    *action* is dotted, noun first (``submission.accepted``). *actor* is None for
    background jobs. The values of personal fields in *facts* are redacted.
    """
    entry = _entry(action, subject, actor, reason, facts)
    entry.save(force_insert=True)
    return entry


def record_all(
    action: str,
    about: Iterable[tuple[models.Model, dict[str, Any]]],
    *,
    actor: User | None,
) -> None:
    """Write an entry for each subject with its facts, in one query."""
    AuditEntry.objects.bulk_create(
        [_entry(action, subject, actor, "", facts) for subject, facts in about]
    )


def _entry(
    action: str,
    subject: models.Model,
    actor: User | None,
    reason: str,
    facts: dict[str, Any] | None,
) -> AuditEntry:
    with override(None), full_names():  # names are stored in the default language
        name = str(subject)[:200]
    return AuditEntry(
        action=action,
        actor=actor,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        subject_name=name,
        reason=reason,
        facts=redact_personal(facts or {}),
        request_id=request_id.get(),
    )


def entries_about(subject: models.Model) -> models.QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(
        subject_type=subject._meta.label_lower, subject_id=str(subject.pk)
    ).select_related("actor")
