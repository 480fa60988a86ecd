"""Versions of a section: the accepted one, and one for each correction."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import translation

from events.formats.played_games import PlayedGame
from events.models import (
    Entry,
    Event,
    EventOfficial,
    Game,
    Section,
    SectionVersion,
    UnplayedRound,
)
from events.models.documents import (
    EntryLine,
    GameLine,
    OfficialLine,
    SectionDocument,
    UnplayedLine,
    diff,
)
from events.records.packed_section import pack
from events.records.section_rater import section_rater
from events.records.services.fees import adjust_charges
from events.records.services.packing import pack_section, unpacked_document
from players.members.rating_history import rating_history
from players.models import Player
from ratings_site.common.models import User

FIRST_REASON = "As the tournament director reported it."
# Event fields of a document, by their names in Event.
EVENT_FIELDS = {"event_name": "name", "city": "city", "state": "state"}
# Columns of an entry, by the names of their values in a document.
ENTRY_COLUMNS = {
    "player_id": "player",
    "reported_name": "name",
    "reported_member_id": "reported_member_id",
    "reported_state": "state",
    "reported_rating": "rating",
}
FIELDS = ("name", "kind", "starts", "ends", "time_control", "is_online", "rounds")


def document_of(section: Section) -> SectionDocument:
    """Return the section's current content (four queries, and the event)."""
    event = {name: getattr(section.event, own) for name, own in EVENT_FIELDS.items()}
    blank = SectionDocument(
        **{field: getattr(section, field) for field in FIELDS},
        **event,
        officials=(),
        entries=(),
        games=(),
        unplayed=(),
    )
    return blank.changed(
        officials=_officials(section).values(),
        entries=_entries(section),
        games=_games(section).values(),
        unplayed=_unplayed(section).values(),
    )


def _officials(section: Section) -> dict[int, OfficialLine]:
    rows = EventOfficial.objects.filter(event=section.event_id).select_related("player")
    return {
        row.pk: OfficialLine(
            "event" if row.section_number is None else "section",
            row.role,
            row.player.member_id,
        )
        for row in rows
        if row.section_number in (None, section.number)
    }


def _entries(section: Section) -> list[EntryLine]:
    rows = section.entries.values_list(
        "pairing_number", "player__member_id", *ENTRY_COLUMNS
    )
    return [EntryLine(*row) for row in rows]


def _games(section: Section) -> dict[int, GameLine]:
    rows = section.games.values_list(
        "pk",
        "round_number",
        "leg",
        "first__pairing_number",
        "second__pairing_number",
        "first_color",
        "first_outcome",
        "second_outcome",
    )
    return {row[0]: GameLine(*row[1:]) for row in rows}


def _unplayed(section: Section) -> dict[int, UnplayedLine]:
    rows = UnplayedRound.objects.filter(entry__section=section).values_list(
        "pk",
        "entry__pairing_number",
        "round_number",
        "kind",
        "opponent__pairing_number",
    )
    return {row[0]: UnplayedLine(*row[1:]) for row in rows}


def first_version(section: Section) -> SectionVersion:
    """Store the accepted section as version 1; repeating this has no effect."""
    version = section.versions.filter(number=1).first()
    if version is None:
        version = SectionVersion.objects.create(
            section=section,
            number=1,
            **_content(document_of(section), FIRST_REASON, None),
        )
    return version


def _content(
    document: SectionDocument, reason: str, actor: User | None
) -> dict[str, Any]:
    return {
        "document": document.to_text(),
        "digest": document.digest,
        "reason": reason,
        "made_by": actor,
    }


def apply_version(
    *, section: Section, document: SectionDocument, reason: str, actor: User | None
) -> SectionVersion:
    """Make the section match *document*, and store it as the next version.

    The caller holds the locks of the ratings and of the section's row, and has checked
    that the document is possible. *reason* is public. A change that affects ratings
    creates a pending rerate; a section not rated yet is rated from the new version.
    """
    with transaction.atomic():
        before = document_of(section)
        shared = sections_sharing_event(section, before, document)
        for one in (section, *shared):
            first_version(one)
        packed = pack_section(section).digest
        _write(section, before, document)
        version = _next_version(section, reason, actor)
        if pack_section(section).digest != packed:
            _notify_ratings(section, before, document, reason, actor)
        for sibling in shared:
            _next_version(sibling, reason, actor)
        adjust_charges(section)
    return version


def sections_sharing_event(
    section: Section, before: SectionDocument, after: SectionDocument
) -> list[Section]:
    """Return the other sections, which change with the event's facts."""
    if _event_values(before) == _event_values(after):
        return []
    return list(section.event.sections.exclude(pk=section.pk).order_by("number"))


def _event_values(document: SectionDocument) -> tuple[Any, ...]:
    """Return the document's facts of the whole event."""
    officials = [line for line in document.officials if line.scope == "event"]
    return officials, *(getattr(document, name) for name in EVENT_FIELDS)


def _next_version(section: Section, reason: str, actor: User | None) -> SectionVersion:
    section.version += 1
    section.save(update_fields=["version"])
    return SectionVersion.objects.create(
        section=section,
        number=section.version,
        **_content(document_of(section), reason, actor),
    )


def _notify_ratings(
    section: Section,
    before: SectionDocument,
    after: SectionDocument,
    reason: str,
    actor: User | None,
) -> None:
    if section.status != Section.Status.RATED:
        section_rater().section_ready(section)
        return
    rating_history().history_changed(
        kind="correction",
        section=section,
        day=first_day(before, after),
        actor=actor,
        note=correction_note(section, before, after, reason),
    )


def first_day(before: SectionDocument, after: SectionDocument) -> date:
    """Return the first day from which a correction may change ratings."""
    return min(before.ends, after.ends)


def affects_ratings(before: SectionDocument, after: SectionDocument) -> bool:
    """Return whether the difference affects ratings: it is in the packed form."""
    return pack(unpacked_document(before)) != pack(unpacked_document(after))


def correction_note(
    section: Section, before: SectionDocument, after: SectionDocument, reason: str
) -> str:
    """Return the public note of a correction and its reason.

    It has no names as reported, which a member may later want hidden.
    """
    before, after = _without_names(before), _without_names(after)
    with translation.override("en"):  # stored in English
        sentences = [difference.sentence for difference in diff(before, after)]
    return f"{section}, corrected. {' '.join(sentences)} {reason}"


def _without_names(document: SectionDocument) -> SectionDocument:
    entries = tuple(entry._replace(name="") for entry in document.entries)
    return replace(document, entries=entries)


# Writing the rows


def _write(section: Section, before: SectionDocument, after: SectionDocument) -> None:
    for field in FIELDS:
        setattr(section, field, getattr(after, field))
    section.save(update_fields=FIELDS)
    if (before.starts, before.ends) != (after.starts, after.ends):
        _move_event(section, before)
    if _event_values(before) != _event_values(after):
        _write_event(section.event, after)
    if before.officials != after.officials:
        _write_officials(section, after.officials)
    entries = {entry.pairing_number: entry for entry in section.entries.all()}
    _write_entries(section, entries, before, after)
    _write_games(section, entries, after.games)
    _write_unplayed(section, entries, after.unplayed)


def _move_event(section: Section, before: SectionDocument) -> None:
    """Set the event's days to those of its sections, if they matched before.

    An event that was reported longer than its sections stays longer.
    """
    event = section.event
    others = list(event.sections.exclude(pk=section.pk).values_list("starts", "ends"))
    first_days, last_days = [a for a, _ in others], [b for _, b in others]
    first, last = min([section.starts, *first_days]), max([section.ends, *last_days])
    if event.starts == min([before.starts, *first_days]):
        event.starts = first
    if event.ends == max([before.ends, *last_days]):
        event.ends = last
    event.starts, event.ends = min(event.starts, first), max(event.ends, last)
    event.save(update_fields=["starts", "ends"])


def _write_event(event: Event, document: SectionDocument) -> None:
    for name, own in EVENT_FIELDS.items():
        setattr(event, own, getattr(document, name))
    event.save(update_fields=EVENT_FIELDS.values())


def _write_officials(section: Section, officials: Iterable[OfficialLine]) -> None:
    stand = _officials(section)
    wanted = list(officials)
    EventOfficial.objects.filter(
        pk__in=[pk for pk, line in stand.items() if line not in wanted]
    ).delete()
    come = [line for line in wanted if line not in stand.values()]
    people = Player.objects.in_bulk(
        [line.member_id for line in come], field_name="member_id"
    )
    EventOfficial.objects.bulk_create(
        EventOfficial(
            event=section.event,
            section_number=section.number if line.scope == "section" else None,
            role=line.role,
            player=people[line.member_id],
        )
        for line in come
    )


def _write_entries(
    section: Section,
    entries: dict[int, Entry],
    before: SectionDocument,
    after: SectionDocument,
) -> None:
    """Update entries in place: ledger rows refer to them.

    New entries are added to *entries*, for the games.
    """
    changed, new = [], []
    for line in after.entries:
        if line == before.entry(line.number):
            continue
        entry = entries.get(line.number)
        if entry is None:
            entry = Entry(section=section, pairing_number=line.number)
            new.append(entry)
        else:
            changed.append(entry)
        for column, own in ENTRY_COLUMNS.items():
            setattr(entry, column, getattr(line, own))
    for entry in Entry.objects.bulk_create(new):
        entries[entry.pairing_number] = entry
    Entry.objects.bulk_update(changed, ENTRY_COLUMNS)


def _write_games(
    section: Section, entries: dict[int, Entry], games: Iterable[GameLine]
) -> None:
    stand, wanted = _games(section), set(games)
    gone = [pk for pk, line in stand.items() if line not in wanted]
    Game.objects.filter(pk__in=gone).delete()
    create_games(section, entries, sorted(wanted.difference(stand.values())))


def create_games(
    section: Section,
    entries: Mapping[int, Entry],
    games: Iterable[GameLine | PlayedGame],
) -> None:
    """Create games between entries, which are given by pairing number."""
    Game.objects.bulk_create(
        Game(
            section=section,
            round_number=line.round_number,
            leg=line.leg,
            first=entries[line.first],
            second=entries[line.second],
            first_color=line.first_color,
            first_outcome=line.first_outcome,
            second_outcome=line.second_outcome,
        )
        for line in games
    )


def _write_unplayed(
    section: Section, entries: dict[int, Entry], unplayed: Iterable[UnplayedLine]
) -> None:
    stand, wanted = _unplayed(section), set(unplayed)
    gone = [pk for pk, line in stand.items() if line not in wanted]
    UnplayedRound.objects.filter(pk__in=gone).delete()
    UnplayedRound.objects.bulk_create(
        UnplayedRound(
            entry=entries[line.number],
            round_number=line.round_number,
            kind=line.kind,
            opponent=entries[line.opponent] if line.opponent else None,
        )
        for line in sorted(wanted.difference(stand.values()), key=str)
    )
