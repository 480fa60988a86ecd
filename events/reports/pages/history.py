"""The history of a report in words: actors, actions and reasons."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.formats.dbf.layout_2c import SECTION_TYPES
from events.formats.tables.headings import COLUMN_LABELS
from events.models import PendingMember, Submission
from events.reports.forms.edits import EntryForm, EventForm, SectionForm
from players.models.name_viewer import name_viewer
from ratings_site.common.audit.redaction import CHANGED
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import AuditEntry, User
from ratings_site.common.ui.formatting import format_day

MAX_HISTORY_ENTRIES = 100
# The grid saves each result on its own. What one person types without a long
# break is one line of the history.
ENTRIES_READ = 1_000
LONG_BREAK = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A line of the report's history."""

    at: datetime
    what: str
    why: str


TYPED = "submission.cells_typed"
MAX_CELLS_SHOWN = 12
ACTION_LABELS = {
    "received": _("{who} uploaded the files"),
    "begun": _("{who} started entering results manually"),
    "cells_typed": _("{who} entered results for section {section}"),
    "round_added": _("{who} added a round to section {section}"),
    "round_removed": _("{who} removed the empty last round from section {section}"),
    "entries_added": _("{who} added players to section {section}"),
    "entry_named": _("{who} identified number {pairing_number} in section {section}"),
    "entry_removed": _("{who} removed number {pairing_number} from section {section}"),
    "sections_added": _("{who} added sections"),
    "section_deleted": _("{who} deleted the empty section {section}"),
    "files_replaced": _("{who} sent new files"),
    "columns_told": _("{who} matched the columns of the table"),
    "event_changed": _("{who} changed the event"),
    "section_changed": _("{who} changed section {section}"),
    "schedules_changed": _("{who} changed the schedules for section {section}"),
    "entry_changed": _("{who} changed number {pairing_number} in section {section}"),
    "cell_changed": _(
        "{who} changed number {pairing_number} in section {section}, round {round}"
    ),
    "record_used": _("{who} updated entries from member records"),
    "member_used": _(
        "{who} chose the member for number {pairing_number} in section {section}"
    ),
    "matches_taken": _("{who} accepted the exact matches"),
    "players_matched": _("{who} matched players without a member"),
    "entry_restored": _("{who} restored entries as reported"),
    "newcomer_told": _(
        "{who} added number {pairing_number} in section {section} as a new member"
    ),
    "newcomer_numbered": _("{who} assigned the ID of a new member"),
    "finding_overridden": _("{who} confirmed an issue"),
    "submitted": _("{who} submitted the report to the office"),
    "taken": _("{who} took the report for review"),
    "given_back": _("{who} released the report for other reviewers"),
    "returned": _("{who} returned the report for changes"),
    "accepted": _("{who} accepted the report"),
    "withdrawn": _("{who} withdrew the report"),
    "message_written": _("{who} sent a message"),
    "messages_read": _("{who} read the messages"),
}
_SENTENCE_FACTS = ("section", "pairing_number", "round", "both_sides", "occurrence")


def history_of(submission: Submission) -> list[HistoryEntry]:
    """Return the report's history, newest first."""
    runs: list[list[AuditEntry]] = []
    for entry in entries_about(submission).select_related("actor__player")[
        :ENTRIES_READ
    ]:
        if runs and _continues_run(entry, runs[-1][-1]):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [_history_entry(run) for run in runs[:MAX_HISTORY_ENTRIES]]


def _continues_run(earlier: AuditEntry, later: AuditEntry) -> bool:
    """Return whether two entries are one person's typing in one section."""
    return (
        earlier.action == later.action == TYPED
        and earlier.actor_id == later.actor_id
        and earlier.facts.get("section") == later.facts.get("section")
        and later.at - earlier.at < LONG_BREAK
    )


def _history_entry(run: list[AuditEntry]) -> HistoryEntry:
    entry = run[0]
    name = entry.action.partition(".")[2]
    # PostgreSQL does not keep the order of keys in JSON.
    facts = {key: str(entry.facts[key]) for key in sorted(entry.facts)}
    what = str(ACTION_LABELS.get(name, "{who}: " + name.replace("_", " ")))
    facts_said = {key: facts.get(key, "?") for key in _SENTENCE_FACTS}
    who = account_name(entry.actor) if entry.actor else gettext("System")
    what = what.format(who=who, **facts_said)
    said = [
        _cells_text(run) if key == "cells" else _fact_text(key, value)
        for key, value in facts.items()
        if key not in _SENTENCE_FACTS
        and (key != "finding" or name_viewer().sees_all)  # it may have a private name
    ]
    return HistoryEntry(
        at=entry.at,
        what=f"{what} ({'; '.join(said)})" if said else what,
        why=entry.reason,
    )


def account_name(account: User) -> str:
    """Return the member's name if the office knows it, else the username."""
    player = getattr(account, "player", None)
    return player.name if player else str(account)


# Labels of the facts that audit entries store.

_LABELS = {
    **{
        name: field.label
        for form in (SectionForm, EntryForm, EventForm)
        for name, field in form.base_fields.items()
    },
    "also": _("Also in"),
    "birth": _("Birth date"),
    "cell": _("Result"),
    "email": _("Email"),
    "event_id": _("Event ID"),
    "files": _("Files"),
    "from": _("Previously assigned to"),
    "instead_of": _("Replaces"),
    "newcomer": _("Temporary ID"),
    "program": _("Program"),
}
_UNLABELED_FACTS = ("columns", "entries", "finding", "how", "player", "players",
                  "schedules", "sections")  # fmt: skip
_WORDS = {
    **dict.fromkeys(("", "blank", "none"), _("blank")),
    CHANGED: _("changed"),
    "True": _("yes"),
    "False": _("no"),
}
_COLUMN_LABELS = {column.value: label for column, label in COLUMN_LABELS.items()}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_PLACE = re.compile(r"([0-9]+)/([0-9]+) (.*)", re.ASCII | re.DOTALL)
_PLACE_SEPARATOR = re.compile(r"[,;] (?=[0-9]+/[0-9]+ )", re.ASCII)
_AND_MORE = re.compile(r"(.*) and ([0-9]+) more", re.ASCII | re.DOTALL)


def _fact_text(key: str, value: str) -> str:
    said = _value_text(key, value)
    if key in _UNLABELED_FACTS:
        return said
    return f"{_LABELS.get(key, key.replace('_', ' '))}: {said}"


def _value_text(key: str, value: str) -> str:
    if key == "entries":
        entries = _PLACE_SEPARATOR.split(value)
        said = "; ".join(map(_entry_text, entries[:MAX_CELLS_SHOWN]))
        more = len(entries[MAX_CELLS_SHOWN:])
        words = gettext("{cells} and {more} more")
        return words.format(cells=said, more=more) if more else said
    if key == "columns":
        return ", ".join(
            gettext(_COLUMN_LABELS.get(name, name)) for name in value.split(", ")
        )
    if key == "other_td_ids":
        value = ", ".join(re.findall(r"[0-9]+", value))
    if key == "kind_letter" and value in SECTION_TYPES:
        return gettext(SECTION_TYPES[value])
    if key == "how" and value in PendingMember.How.values:
        return str(PendingMember.How(value).label)
    if key in ("starts", "ends") and _DAY.fullmatch(value):
        return format_day(date.fromisoformat(value))
    return str(_WORDS.get(value, value))


def _entry_text(text: str) -> str:
    match = _PLACE.fullmatch(text)
    if match is None:
        return text
    return gettext("section {section}, number {number}: {said}").format(
        section=match[1], number=match[2], said=match[3]
    )


def _cells_text(run: list[AuditEntry]) -> str:
    """Return the typed cells in their order."""
    told: list[str] = []
    more = 0
    for entry in reversed(run):
        text = str(entry.facts.get("cells", ""))
        if match := _AND_MORE.fullmatch(text):
            text, more = match[1], more + int(match[2])
        told += _PLACE_SEPARATOR.split(text)
    more += len(told[MAX_CELLS_SHOWN:])
    said = "; ".join(map(_cell_text, told[:MAX_CELLS_SHOWN]))
    return (
        gettext("{cells} and {more} more").format(cells=said, more=more)
        if more
        else said
    )


def _cell_text(text: str) -> str:
    match = _PLACE.fullmatch(text)
    if match is None:
        return text
    return gettext("number {number}, round {round}: {result}").format(
        number=match[1], round=match[2], result=_WORDS.get(match[3], match[3])
    )
