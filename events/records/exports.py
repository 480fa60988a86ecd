"""Accepted events as files for pairing programs and FIDE."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Prefetch

from events.formats.dbf.writer import zip_report
from events.formats.json.writer import write_json
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
)
from events.formats.result_codes import OTHER_COLOR
from events.formats.tables.writer import write_crosstables
from events.formats.trf import headers
from events.formats.trf.writer import write_trf, zip_trf_files
from events.models import (
    Entry,
    Event,
    EventOfficial,
    Game,
    Schedule,
    Section,
    UnplayedRound,
)
from events.models.documents import SectionDocument
from events.records.kinds import KINDS
from players.models.player import PRIVATE_NAME

PROGRAM = "RATINGS"
KIND_LETTERS = {kind: letter for letter, kind in KINDS.items()} | {
    Section.Kind.OTHER: ""
}
MIRRORED = frozenset({("W", "L"), ("L", "W"), ("D", "D")})
# Codes for one side of a game with a separate result for the opponent.
ONE_SIDED = {"W": "N", "D": "R", "L": "S"}
# Codes for both games of a double-game round.
DOUBLE_CODES = {
    "WW": "$",
    "WD": "#",
    "DW": "#",
    "DD": "%",
    "WL": "W",
    "LW": "W",
    "LD": "D",
    "DL": "D",
    "LL": "L",
}
UNPAIRED = Cell("U")
# Teams, days, points, tie-breaks, acceleration and forbidden pairings of FIDE's file.
PUBLIC_TRF_LINES = headers.PARTLY_STORED | {
    *("013", "082", "132", "152", "162", "202", "212"),
    *("250", "260", "310", "352", "362"),
}

Rounds = dict[int, Cell]
# Section number (None for the event), role and member ID of each director.
Officials = Sequence[tuple[int | None, str, str]]


def export_event(event: Event) -> bytes:
    """Return the event's three files in a ZIP archive."""
    return zip_report(event_as_reported(event))


def export_crosstables(event: Event) -> bytes:
    """Return the event as CSV: its facts, and the crosstable of each section."""
    return write_crosstables(event_as_reported(event))


def export_json(event: Event) -> bytes:
    """Return the event as JSON that the API accepts as a report."""
    return write_json(event_as_reported(event))


def export_tournament(event: Event, layout: str) -> tuple[str, bytes]:
    """Return the event as FIDE's report file, and the file name's extension.

    A file holds one section; several sections are in a ZIP archive.
    """
    report = _with_fide_facts(event, event_as_reported(event))
    if len(report.sections) == 1:
        return "trf", write_trf(report, report.sections[0], layout)
    return "zip", zip_trf_files(report, layout)


def _with_fide_facts(event: Event, reported: ReportedEvent) -> ReportedEvent:
    """Return *reported* with the facts that only FIDE's report file holds.

    These are the members' FIDE IDs, and those lines of the original file that the
    database has no fields for. Lines of unknown kinds may hold anything, so they are
    not published. Directors have their names on record, unless these are hidden.
    """
    tds = [one.player for one in event.officials.select_related("player")]
    directors = {
        td.member_id: f"{td.name} ({headers.member_id_line(td.member_id)})"
        for td in tds
        if not td.is_name_hidden
    }
    fide_ids = {
        (entry.section.number, entry.pairing_number): entry.player.shown_fide_id or ""
        for entry in Entry.objects.filter(section__event=event).select_related(
            "section", "player"
        )
    }
    submitted = ReportedEvent.from_json(event.submission.content or {})
    sections = []
    for section in reported.sections:
        came = submitted.section(section.number)
        lines = tuple(
            _public_line(line, directors)
            for line in (came.trf_lines if came else ())
            if line[:3] in PUBLIC_TRF_LINES
        )
        entries = tuple(
            replace(entry, fide_id=fide_ids[section.number, entry.pairing_number])
            for entry in section.entries
        )
        sections.append(replace(section, trf_lines=lines, entries=entries))
    return replace(reported, sections=tuple(sections))


def _public_line(line: str, directors: dict[str, str]) -> str:
    if line[:3] not in (headers.CHIEF, headers.DEPUTY):
        return line
    return line[:4] + directors.get(headers.find_member_id(line[4:]), "")


def event_as_reported(event: Event) -> ReportedEvent:
    """Return the accepted event as a report (six queries).

    Reading and accepting its files gives the same event. A round robin is exported by
    rounds, even if its TD reported it by opponents.
    """
    officials = [
        (one.section_number, one.role, one.player.member_id)
        for one in event.officials.select_related("player").order_by("pk")
    ]
    cells = _cells(event)
    entries = Entry.objects.order_by("pairing_number").select_related(
        "player__merged_into"
    )
    sections = [
        _section(section, officials, cells)
        for section in event.sections.order_by("number").prefetch_related(
            Prefetch("entries", entries), "schedules__entries"
        )
    ]
    return replace(event_report(event, sections, officials), send_crosstable="N")


def event_report(
    event: Event, sections: Sequence[ReportedSection], officials: Officials
) -> ReportedEvent:
    """Return the report of an event with these sections."""
    chiefs, assistants, others = (
        _td_ids(officials, None, role) for role in EventOfficial.Role.values
    )
    return ReportedEvent(
        program=PROGRAM,
        event_id=event.event_id,
        name=event.name,
        starts=event.starts,
        ends=event.ends,
        affiliate_id=event.affiliate.affiliate_id,
        city=event.city,
        state=event.state,
        zip_code=event.zip_code,
        country=event.country,
        chief_td_id=next(iter(chiefs), ""),
        assistant_td_id=next(iter(assistants), ""),
        other_td_ids=others,
        sections=tuple(sections),
        total_sections=len(sections),
    )


def section_report(
    section: Section,
    facts: Section | SectionDocument,
    entries: Sequence[ReportedEntry],
    officials: Officials,
    **more: Any,
) -> ReportedSection:
    """Return the report of a section, with the *facts* of its rows or of a version."""
    Role = EventOfficial.Role
    chiefs, assistants = (
        _td_ids(officials, section.number, role)
        for role in (Role.CHIEF, Role.ASSISTANT)
    )
    report = ReportedSection(
        number=section.number,
        name=facts.name,
        system_letter=section.reported_system,
        time_control=facts.time_control,
        chief_td_id=next(iter(chiefs), ""),
        assistant_td_id=next(iter(assistants), ""),
        kind_letter=KIND_LETTERS[Section.Kind(facts.kind)],
        rounds=facts.rounds,
        last_pairing_number=max((e.pairing_number for e in entries), default=None),
        starts=facts.starts,
        ends=facts.ends,
        scholastic_level=section.scholastic_level,
        online=facts.is_online,
        entries=tuple(entries),
        **more,
    )
    return by_rounds(report)


def _td_ids(
    officials: Officials, section_number: int | None, role: str
) -> tuple[str, ...]:
    return tuple(one for *place, one in officials if place == [section_number, role])


def _section(
    section: Section, officials: Officials, cells: dict[int, Rounds]
) -> ReportedSection:
    entries = [
        _entry(entry, cells.get(entry.pk, {}), section.rounds)
        for entry in section.entries.all()
    ]
    return section_report(
        section,
        section,
        entries,
        officials,
        grand_prix=section.grand_prix == "Y",
        grand_prix_points=int(section.grand_prix_points or 0) or None,
        fide=section.fide == "Y",
        schedules=tuple(_schedule(schedule) for schedule in section.schedules.all()),
    )


def _schedule(schedule: Schedule) -> ReportedSchedule:
    return ReportedSchedule(
        name=schedule.name,
        time_control=schedule.time_control,
        first_round=schedule.first_round,
        last_round=schedule.last_round,
        starts=schedule.starts,
        ends=schedule.ends,
        entries=tuple(schedule.pairing_numbers),
    )


def _entry(entry: Entry, played: Rounds, rounds: int) -> ReportedEntry:
    """Return an entry; a round without a game is unpaired, a missing result an error.

    A name that was deleted or is hidden is not taken from the original report.
    """
    player, person = entry.player, entry.player.canonical
    name = person.name if person.is_anonymized else entry.reported_name
    return ReportedEntry(
        pairing_number=entry.pairing_number,
        member_id=player.member_id,
        name=PRIVATE_NAME if person.is_name_hidden else name,
        state=person.state if person.is_anonymized else entry.reported_state,
        rating=entry.reported_rating,
        cells=tuple(played.get(r, UNPAIRED) for r in range(1, rounds + 1)),
    )


def by_rounds(reported: ReportedSection) -> ReportedSection:
    """Keep a tiny round robin of forfeits from being read as one by opponents.

    In a game, at most one side has the round's number as its opponent; only a forfeit
    that one side reports can decide this, so it loses its opponent.
    """
    if not reported.has_opponent_columns:
        return reported
    return replace(
        reported,
        entries=tuple(
            replace(
                entry,
                cells=tuple(
                    Cell(cell.code) if cell.code in "XFZ" else cell
                    for cell in entry.cells
                ),
            )
            for entry in reported.entries
        ),
    )


def _cells(event: Event) -> dict[int, Rounds]:
    """Return each entry's cells by round."""
    cells: defaultdict[int, Rounds] = defaultdict(dict)
    for first_leg, second_leg in _games_by_round(event):
        first, second = first_leg.first, first_leg.second
        first_code, second_code = _codes(first_leg, second_leg)
        color = first_leg.first_color
        cells[first.pk][first_leg.round_number] = Cell(
            first_code, second.pairing_number, color
        )
        cells[second.pk][first_leg.round_number] = Cell(
            second_code, first.pairing_number, OTHER_COLOR[color]
        )
    unplayed = UnplayedRound.objects.filter(entry__section__event=event)
    for mark in unplayed.select_related("opponent"):
        opponent = mark.opponent.pairing_number if mark.opponent else None
        cells[mark.entry_id][mark.round_number] = Cell(mark.kind, opponent)
    return cells


def _games_by_round(event: Event) -> Iterator[tuple[Game, Game | None]]:
    """Yield each game, with the second game of the same round if there is one."""
    games = Game.objects.filter(section__event=event).select_related("first", "second")
    meetings: defaultdict[tuple[int, int, int], list[Game]] = defaultdict(list)
    for game in games.order_by("round_number", "leg", "pk"):
        meetings[game.first_id, game.second_id, game.round_number].append(game)
    for legs in meetings.values():
        yield legs[0], legs[1] if len(legs) > 1 else None


def _codes(first_leg: Game, second_leg: Game | None) -> tuple[str, str]:
    ours, theirs = first_leg.first_outcome, first_leg.second_outcome
    if second_leg is not None:
        return (
            DOUBLE_CODES[ours + second_leg.first_outcome],
            DOUBLE_CODES[theirs + second_leg.second_outcome],
        )
    if (ours, theirs) in MIRRORED:
        return ours, theirs
    return ONE_SIDED[ours], ONE_SIDED[theirs]
