"""The two versions of a result that players report differently, as buttons."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from events.checks.messages import translated
from events.formats.findings import Finding
from events.formats.report import Cell, ReportedEvent, ReportedSection
from events.formats.result_codes import result_code
from events.formats.results_entry import CellPosition, mirrored_cell, opponent_position

CONTRADICTION = "result.not_mirrored"


@dataclass(frozen=True, slots=True)
class ResultChoice:
    """One player's version of the result."""

    place: CellPosition
    text: str


def result_choices_of(
    reported: ReportedEvent, finding: Finding
) -> tuple[ResultChoice, ...]:
    """Return both versions, if either can be applied to both players."""
    at = finding.place
    section = reported.section(at.section) if at.section is not None else None
    if finding.code != CONTRADICTION or section is None:
        return ()
    ours = CellPosition(at.pairing_number or 0, at.round_number or 0)
    cell = _cell_at(section, ours)
    theirs = opponent_position(section, ours, cell)
    if theirs is None:
        return ()
    told = [(ours, cell), (theirs, _cell_at(section, theirs))]
    return tuple(
        ResultChoice(place, _in_words(section, place.number, word))
        for place, word in told
        if word.opponent and mirrored_cell(section, place, word)
    )


def _cell_at(section: ReportedSection, place: CellPosition) -> Cell:
    entry = section.entry(place.number)
    return entry.cell(place.column) if entry else Cell()


def _in_words(section: ReportedSection, number: int, cell: Cell) -> str:
    result = result_code(cell.code, section.codes_kind)
    meaning = result.meaning if result else ""
    if meaning == "draw":
        return _("It was a draw")
    if meaning in ("win", "loss"):
        winner = number if meaning == "win" else cell.opponent
        return _("{number} won").format(number=winner)
    return _("Use number {number}’s result: {meaning}").format(
        number=number, meaning=translated(meaning)
    )
