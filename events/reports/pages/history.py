"""What was done with a report, in words: who did it, to what, and why."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.importers.dbf.layout_2c import KINDS
from events.importers.tables.headings import COLUMN_WORDS
from events.models import PendingMember, Submission
from events.reports.forms.edits import EntryForm, EventForm, SectionForm
from ratings_site.common.audit.personal import CHANGED
from ratings_site.common.audit.services import entries_about
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import AuditEntry, User

LATEST_ACTS = 100
# The grid saves each result as its field is left. What one person types without a
# long break is one line of the history.
ENTRIES_READ = 1_000
LONG_BREAK = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the report's history."""

    at: datetime
    what: str
    why: str


TYPED = "submission.cells_typed"
MOST_CELLS_SAID = 12
ACTS = {
    "received": gettext_lazy("{who} sent the files"),
    "begun": gettext_lazy("{who} began to type the report in"),
    "cells_typed": gettext_lazy("{who} typed results of section {section}"),
    "round_added": gettext_lazy("{who} added a round to section {section}"),
    "round_removed": gettext_lazy(
        "{who} took the empty last round out of section {section}"
    ),
    "entries_added": gettext_lazy("{who} added players to section {section}"),
    "entry_named": gettext_lazy(
        "{who} said who number {pairing_number} of section {section} is"
    ),
    "entry_removed": gettext_lazy(
        "{who} took number {pairing_number} out of section {section}"
    ),
    "sections_added": gettext_lazy("{who} added sections"),
    "section_deleted": gettext_lazy("{who} deleted the empty section {section}"),
    "columns_told": gettext_lazy("{who} said which column of the table is which"),
    "event_changed": gettext_lazy("{who} changed the event"),
    "section_changed": gettext_lazy("{who} changed section {section}"),
    "schedules_changed": gettext_lazy(
        "{who} changed the schedules of section {section}"
    ),
    "entry_changed": gettext_lazy(
        "{who} changed number {pairing_number} of section {section}"
    ),
    "cell_changed": gettext_lazy(
        "{who} changed number {pairing_number} of section {section} in round {round}"
    ),
    "record_used": gettext_lazy("{who} used the records of members"),
    "member_used": gettext_lazy(
        "{who} chose the member for number {pairing_number} of section {section}"
    ),
    "matches_taken": gettext_lazy("{who} took over the exact matches"),
    "newcomer_told": gettext_lazy(
        "{who} entered number {pairing_number} of section {section} as a new member"
    ),
    "newcomer_numbered": gettext_lazy("{who} gave a new member the number"),
    "finding_overridden": gettext_lazy("{who} confirmed a finding"),
    "submitted": gettext_lazy("{who} submitted the report to the office"),
    "taken": gettext_lazy("{who} took the report to decide it"),
    "given_back": gettext_lazy("{who} gave the report back to be decided by anybody"),
    "returned": gettext_lazy("{who} returned the report to the TD"),
    "accepted": gettext_lazy("{who} accepted the report"),
    "withdrawn": gettext_lazy("{who} withdrew the report"),
    "message_written": gettext_lazy("{who} wrote a message"),
    "messages_read": gettext_lazy("{who} read the messages"),
}
_IN_THE_SENTENCE = ("section", "pairing_number", "round", "both_sides", "occurrence")


def history_of(submission: Submission) -> list[Act]:
    """Return what was done with a report, the latest first."""
    runs: list[list[AuditEntry]] = []
    for entry in entries_about(submission).select_related("actor__player")[
        :ENTRIES_READ
    ]:
        if runs and _goes_on(entry, runs[-1][-1]):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [_act(run) for run in runs[:LATEST_ACTS]]


def _goes_on(earlier: AuditEntry, later: AuditEntry) -> bool:
    """Tell whether two entries are one person's typing in one section."""
    return (
        earlier.action == later.action == TYPED
        and earlier.actor_id == later.actor_id
        and earlier.facts.get("section") == later.facts.get("section")
        and later.at - earlier.at < LONG_BREAK
    )


def _act(run: list[AuditEntry]) -> Act:
    entry = run[0]
    name = entry.action.partition(".")[2]
    # PostgreSQL keeps no order of its own in JSON.
    facts = {key: str(entry.facts[key]) for key in sorted(entry.facts)}
    what = str(ACTS.get(name, "{who}: " + name.replace("_", " ")))
    facts_said = {key: facts.get(key, "?") for key in _IN_THE_SENTENCE}
    who = named(entry.actor) if entry.actor else _("The office’s worker")
    what = what.format(who=who, **facts_said)
    said = [
        _cells_said(run) if key == "cells" else _fact_said(key, value)
        for key, value in facts.items()
        if key not in _IN_THE_SENTENCE
    ]
    return Act(
        at=entry.at,
        what=f"{what} ({'; '.join(said)})" if said else what,
        why=entry.reason,
    )


def named(account: User) -> str:
    """Return the person's name where the office knows it, else the account's."""
    player = getattr(account, "player", None)
    return player.name if player else str(account)


# What an entry keeps is short and of no language; here it is said.

_LABELS = {
    **{
        name: field.label
        for form in (SectionForm, EntryForm, EventForm)
        for name, field in form.base_fields.items()
    },
    "birth": gettext_lazy("Birth date"),
    "cell": gettext_lazy("Result"),
    "email": gettext_lazy("E-mail"),
    "event_id": gettext_lazy("Event ID"),
    "from": gettext_lazy("Had it before"),
    "instead_of": gettext_lazy("Instead of"),
    "newcomer": gettext_lazy("Temporary number"),
}
_NEED_NO_LABEL = ("columns", "entries", "finding", "how", "player", "players",
                  "schedules", "sections")  # fmt: skip
_WORDS = {
    **dict.fromkeys(("", "blank", "none"), gettext_lazy("blank")),
    CHANGED: gettext_lazy("changed"),
    "True": gettext_lazy("yes"),
    "False": gettext_lazy("no"),
}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_PLACE = re.compile(r"([0-9]+)/([0-9]+) (.*)", re.ASCII | re.DOTALL)
_BEFORE_A_PLACE = re.compile(r"[,;] (?=[0-9]+/[0-9]+ )", re.ASCII)
_AND_MORE = re.compile(r"(.*) and ([0-9]+) more", re.ASCII | re.DOTALL)


def _fact_said(key: str, value: str) -> str:
    said = _value_said(key, value)
    if key in _NEED_NO_LABEL:
        return said
    return f"{_LABELS.get(key, key.replace('_', ' '))}: {said}"


def _value_said(key: str, value: str) -> str:
    if key == "entries":
        return "; ".join(map(_entry_said, _BEFORE_A_PLACE.split(value)))
    if key == "columns":
        return ", ".join(_(COLUMN_WORDS.get(name, name)) for name in value.split(", "))
    if key == "other_td_ids":
        value = ", ".join(re.findall(r"[0-9]+", value))
    if key == "kind_letter" and value in KINDS:
        return _(KINDS[value])
    if key == "how" and value in PendingMember.How.values:
        return str(PendingMember.How(value).label)
    if key in ("starts", "ends") and _DAY.fullmatch(value):
        return day_in_words(date.fromisoformat(value))
    return str(_WORDS.get(value, value))


def _entry_said(text: str) -> str:
    match = _PLACE.fullmatch(text)
    if match is None:
        return text
    return _("section {section}, number {number}: {said}").format(
        section=match[1], number=match[2], said=match[3]
    )


def _cells_said(run: list[AuditEntry]) -> str:
    """Return the cells typed, in the order in which they were."""
    told: list[str] = []
    more = 0
    for entry in reversed(run):
        text = str(entry.facts.get("cells", ""))
        if match := _AND_MORE.fullmatch(text):
            text, more = match[1], more + int(match[2])
        told += _BEFORE_A_PLACE.split(text)
    more += len(told[MOST_CELLS_SAID:])
    said = "; ".join(map(_cell_said, told[:MOST_CELLS_SAID]))
    return _("{cells} and {more} more").format(cells=said, more=more) if more else said


def _cell_said(text: str) -> str:
    match = _PLACE.fullmatch(text)
    if match is None:
        return text
    return _("number {number}, round {round}: {result}").format(
        number=match[1], round=match[2], result=_WORDS.get(match[3], match[3])
    )
