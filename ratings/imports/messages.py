"""The reasons for refusing a row of ratings or a report."""

import json
from dataclasses import replace
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.checks.messages import translated_finding, translated_place
from events.formats.findings import Finding
from ratings.imports.files import WIDE_SYSTEMS

COLUMNS: dict[str, Any] = {
    "system": gettext_lazy("System"),
    "rating": gettext_lazy("Rating"),
    "games": gettext_lazy("Games"),
    "as_of": gettext_lazy("As of"),
    "record": gettext_lazy("Record"),
    "wins": gettext_lazy("Wins"),
    "draws": gettext_lazy("Draws"),
    "losses": gettext_lazy("Losses"),
    "three_game_events": gettext_lazy("Events with three games"),
    "peak": gettext_lazy("Peak"),
    "floor": gettext_lazy("Floor"),
    "floor_kind": gettext_lazy("Floor type"),
    "floor_from": gettext_lazy("Floor from"),
    "floor_evidence": gettext_lazy("Evidence"),
    "file": gettext_lazy("File"),
    "sections": gettext_lazy("Sections"),
    "only_sections": gettext_lazy("Only section"),
    "players": gettext_lazy("Players"),
    "becomes": gettext_lazy("Result"),
    "report": gettext_lazy("Report number"),
}


def _finding(text: str) -> str:
    """Return the sentence of a stored finding, with its place and what to do."""
    finding = translated_finding(Finding.from_json(json.loads(text)))
    sentence = f"{finding.message} {finding.hint}".strip()
    place = translated_place(finding.place)
    if finding.place.file and finding.place.file in finding.message:
        place = translated_place(replace(finding.place, file=""))
    return f"{place}: {sentence}" if place else sentence


def _becomes(what: str) -> str:
    if what == "imported":
        return _("imported: shown but not rated")
    if what == "added":
        return _("sections added to an imported event")
    return _("sent to the report queue for acceptance and rating")


# Columns of lists with a row for each member; systems have one name in all languages.
for _system in WIDE_SYSTEMS:
    COLUMNS[_system] = _system
    for _name, _word in (
        ("games", gettext_lazy("Games")),
        ("about", gettext_lazy("about")),
    ):
        COLUMNS[f"{_system}_{_name}"] = format_lazy("{}: {}", _system, _word)

VALUE_FORMATS = {"finding": _finding, "becomes": _becomes}

MESSAGES = {
    "system_unknown": gettext_lazy(
        "“{cell}” is not a rating system. Use OTBR, OTBQ, OTBB, OLR, OLQ, OLB, "
        "FIDE, or CFC."
    ),
    "rating_out_of_range": gettext_lazy(
        "{cell} is out of range. Enter a rating between 100 and 3500."
    ),
    "rating_without_games": gettext_lazy(
        "The number of games is 0. Remove the row if the member is unrated."
    ),
    "more_results_than_games": gettext_lazy(
        "Wins, draws, and losses add up to {cell}, but there are only {games} games."
    ),
    "day_out_of_range": gettext_lazy(
        "{column}: {cell} is before the first ratings or in the future."
    ),
    "record_unknown": gettext_lazy(
        "Record: “{cell}” is not valid. Use mixed, all wins, or all losses."
    ),
    "floor_kind_unknown": gettext_lazy(
        "Floor type: “{cell}” is not valid. Use office, money, or life master."
    ),
    "floor_not_possible": gettext_lazy(
        "{cell} is not a valid floor. Office floors are multiples of 100 up to "
        "2200, money floors up to 2000; Life Master floors are 2200, Regular only."
    ),
    "ratings_without_day": gettext_lazy(
        "The list has no day. Upload it again and enter its day (as of)."
    ),
    "rating_is_about": gettext_lazy(
        "{cell} is shown to the nearest 50 only, so it is not the rating. Enter the "
        "member’s rating in a row of its own."
    ),
    "games_not_in_list": gettext_lazy(
        "The list has no number of games for the rating {cell}. Upload it again and "
        "enter the number for ratings without one."
    ),
    "member_unknown": gettext_lazy(
        "No member has the ID “{cell}”. Import the members first."
    ),
    "rating_twice": gettext_lazy(
        "Line {line} already has a rating for this member in this system."
    ),
    "rated_already": gettext_lazy(
        "The member already has a rating of {cell}. To change it, use a rating "
        "adjustment."
    ),
    "needs_a_person": gettext_lazy(
        "Floors need the account of the person who enters them. Add --by and a "
        "username."
    ),
    "totals_differ": gettext_lazy(
        "Totals would not match the file: {cell}. Nothing was imported."
    ),
    # Reports
    "archive_is_empty": gettext_lazy("The archive is empty."),
    "report_faulty": gettext_lazy("The report has an error. {finding}"),
    "report_has_faults": gettext_lazy(
        "The report has {faults} errors. The first: {finding}"
    ),
    "report_twice": gettext_lazy("Report {line} in this archive has the same files."),
    "players_unknown": gettext_lazy(
        "Players not on record ({number}): {players}. Import these members first, "
        "or add their IDs to the report."
    ),
    "section_players_unknown": gettext_lazy(
        "Section {section} is left out. Players not on record ({number}): {players}. "
        "Import these members, then upload the same archive again."
    ),
    "event_imported_in_part": gettext_lazy(
        "This event was imported from another version of this report, without "
        "sections that had players not on record. Upload that version again after "
        "importing the members, or undo its import."
    ),
    "report_not_entered": gettext_lazy(
        "Report {cell} can’t be imported, so nothing was imported. {refusal}"
    ),
    "event_to_come": gettext_lazy("The event ends on {cell}, which is in the future."),
    "report_without_affiliate": gettext_lazy(
        "The report has no affiliate. Upload the archive again and choose a "
        "default affiliate."
    ),
    "event_of_our_time": gettext_lazy(
        "The event ends after {cell}, when this office started its own ratings. "
        "Check the start date of your own records."
    ),
    "report_needs_a_person": gettext_lazy(
        "Reports need the account of the person who sends them. Add --by and a "
        "username."
    ),
}
