"""Whose word counts where two players report one game differently, as buttons."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from events.checks.saying import said
from events.importers.findings import Finding
from events.importers.key_in import Place, mirrored, opposite
from events.importers.outcomes import result_code
from events.importers.records import Cell, ReportedEvent, ReportedSection

CONTRADICTION = "result.not_mirrored"


@dataclass(frozen=True, slots=True)
class Ruling:
    """One player's word, and what it says of the game."""

    place: Place
    text: str


def rulings_of(reported: ReportedEvent, finding: Finding) -> tuple[Ruling, ...]:
    """Return what each of the two says, if either can be taken for both."""
    at = finding.place
    section = reported.section(at.section) if at.section is not None else None
    if finding.code != CONTRADICTION or section is None:
        return ()
    ours = Place(at.pairing_number or 0, at.round_number or 0)
    cell = _cell_at(section, ours)
    theirs = opposite(section, ours, cell)
    if theirs is None:
        return ()
    told = [(ours, cell), (theirs, _cell_at(section, theirs))]
    return tuple(
        Ruling(place, _in_words(section, place.number, word))
        for place, word in told
        if word.opponent and mirrored(section, place, word)
    )


def _cell_at(section: ReportedSection, place: Place) -> Cell:
    entry = section.entry(place.number)
    return entry.cell(place.column) if entry else Cell()


def _in_words(section: ReportedSection, number: int, cell: Cell) -> str:
    result = result_code(cell.code, section.codes_kind)
    meaning = result.meaning if result else ""
    if meaning == "draw":
        return _("A draw")
    if meaning in ("win", "loss"):
        winner = number if meaning == "win" else cell.opponent
        return _("{number} won").format(number=winner)
    return _("Number {number} is right: {meaning}").format(
        number=number, meaning=said(meaning)
    )
