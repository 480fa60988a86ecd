"""Search, display and export of the audit log."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from operator import attrgetter
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings_site.common.accounts.permissions import LOCAL_APPS, require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import AuditEntry, User
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.web.files import csv_piece

ENTRIES_PER_PAGE = 50
MAX_EXPORTED = 10_000
# Limits for one entry on a page; the export is complete.
MAX_FACTS = 12
MAX_VALUE_LENGTH = 160

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def subject_types() -> list[tuple[str, str]]:
    """Return labels and names of the admin's models: ("events.event", "event")."""
    return sorted(
        (
            (model._meta.label_lower, str(model._meta.verbose_name))
            for model in apps.get_models()
            if model._meta.app_label in LOCAL_APPS and admin.site.is_registered(model)
        ),
        key=lambda kind: kind[1].lower(),
    )


@dataclass(frozen=True, slots=True)
class AuditSearch:
    """Criteria for audit entries. Empty ones are ignored."""

    action: str = ""
    person: str = ""
    own_tasks: bool = False
    subject_type: str = ""
    subject_id: str = ""
    subject_name: str = ""
    reason: str = ""
    since: date | None = None
    until: date | None = None

    def entries(self) -> QuerySet[AuditEntry]:
        """Return matching entries, the newest first."""
        return self.among(AuditEntry.objects.select_related("actor").order_by("-pk"))

    def among(self, found: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        """Return the matching entries of *found*."""
        if self.action:
            found = found.filter(action__startswith=self.action.strip().lower())
        if self.own_tasks:
            found = found.filter(actor=None)
        if self.person:
            found = found.filter(actor__in=_matching_users(self.person))
        for name in ("subject_type", "subject_id"):
            if value := getattr(self, name):
                found = found.filter(**{name: value.strip()})
        for name in ("subject_name", "reason"):
            if value := getattr(self, name):
                found = found.filter(**{f"{name}__icontains": value.strip()})
        if self.since:
            found = found.filter(at__gte=_midnight(self.since))
        if self.until:
            found = found.filter(at__lt=_midnight(self.until + timedelta(days=1)))
        return found

    def in_words(self) -> dict[str, str]:
        """Return the criteria that are set, by name."""
        return {
            name: str(value)
            for name in self.__slots__
            if (value := getattr(self, name))
        }


def _matching_users(text: str) -> list[int]:
    words = Q()
    for word in text.split():
        words &= (
            Q(username__icontains=word)
            | Q(first_name__icontains=word)
            | Q(last_name__icontains=word)
        )
    return list(User.objects.filter(words).values_list("pk", flat=True))


def _midnight(day_wanted: date) -> datetime:
    return timezone.make_aware(datetime.combine(day_wanted, time.min))


# Display


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of an entry: a change from *before* to *after*, or just *after*."""

    label: str
    after: str
    before: str | None = None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.label}: {self.after}"
        return f"{self.label}: {self.before} → {self.after}"


def lines(entries: list[AuditEntry]) -> list[dict[str, Any]]:
    """Return the entries as the page shows them."""
    kinds = dict(subject_types())
    return [_line(entry, kinds) for entry in entries]


def _line(entry: AuditEntry, kinds: dict[str, str]) -> dict[str, Any]:
    facts = facts_in_words(entry.facts)
    return {
        "entry": entry,
        "what": action_in_words(entry.action),
        "kind": kinds.get(entry.subject_type, entry.subject_type),
        "facts": [_shortened(fact) for fact in facts[:MAX_FACTS]],
        "more_facts": max(len(facts) - MAX_FACTS, 0),
    }


def action_in_words(action: str) -> str:
    """Return ``floors.grant_money.proposed`` as "floors: grant money, proposed"."""
    noun, *rest = action.replace("_", " ").split(".")
    return f"{noun}: {', '.join(rest)}" if rest else noun


def facts_in_words(facts: dict[str, Any]) -> list[Fact]:
    """Return the facts sorted by name, because jsonb does not preserve order."""
    return [_fact(name, facts[name]) for name in sorted(facts)]


def _fact(name: str, value: Any) -> Fact:
    label = name.replace("_", " ")
    if isinstance(value, dict) and set(value) == {"from", "to"}:
        return Fact(label, _in_words(value["to"]), before=_in_words(value["from"]))
    return Fact(label, _in_words(value))


def _in_words(value: Any) -> str:
    if value in (None, "", [], {}):
        return "blank"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        parts = (f"{name}: {_in_words(value[name])}" for name in sorted(value))
        return "; ".join(parts).replace("_", " ")
    if isinstance(value, list):
        return ", ".join(_in_words(part) for part in value)
    text = str(value)
    if _ISO_DAY.fullmatch(text):
        try:
            return format_day(date.fromisoformat(text))
        except ValueError:  # not a real date
            return text
    return text


def _shortened(fact: Fact) -> Fact:
    before = None if fact.before is None else _short(fact.before)
    return Fact(fact.label, _short(fact.after), before)


def _short(text: str) -> str:
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 1]}…"


# Export

# The columns of the file.
COLUMNS: tuple[tuple[Promise, Callable[[AuditEntry], str]], ...] = (
    (_("Number"), lambda entry: str(entry.pk)),
    (_("Time"), lambda entry: entry.at.isoformat(timespec="seconds")),
    (_("Account"), lambda entry: entry.actor.username if entry.actor else ""),
    (_("Action"), attrgetter("action")),
    (_("Record type"), attrgetter("subject_type")),
    (_("Record"), attrgetter("subject_id")),
    (_("Record name"), attrgetter("subject_name")),
    (_("Reason"), attrgetter("reason")),
    (_("Details"), lambda entry: "; ".join(map(str, facts_in_words(entry.facts)))),
    (_("Request ID"), attrgetter("request_id")),
)


def export(*, wanted: AuditSearch, actor: User) -> Iterator[str]:
    """Return the pieces of a CSV file of matching entries, the newest first.

    At most ``MAX_EXPORTED`` entries. The export itself is audited first.
    """
    require_permission(actor, "common.view_auditentry")
    found = wanted.entries()
    numbers = list(found.values_list("pk", flat=True)[:MAX_EXPORTED])
    record(
        "audit.exported",
        subject=actor,
        actor=actor,
        facts={"entries": len(numbers), **wanted.in_words()},
    )
    if numbers:  # new entries do not shift the range
        found = found.filter(pk__lte=numbers[0], pk__gte=numbers[-1])
    entries = found.iterator(chunk_size=500) if numbers else ()
    return iter(partial(csv_piece, _rows(entries)), "")


def _rows(entries: Iterable[AuditEntry]) -> Iterator[list[str]]:
    yield [str(heading) for heading, _value in COLUMNS]
    for entry in entries:
        yield [value(entry) for _heading, value in COLUMNS]
