"""The sentences for why a row of ratings or a report is not taken."""

import json
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.checks.saying import finding_said, place_said
from events.importers.findings import Finding

COLUMNS = {
    "system": gettext_lazy("System"),
    "rating": gettext_lazy("Rating"),
    "games": gettext_lazy("Games"),
    "as_of": gettext_lazy("As of"),
    "record": gettext_lazy("Record"),
    "wins": gettext_lazy("Wins"),
    "draws": gettext_lazy("Draws"),
    "losses": gettext_lazy("Losses"),
    "three_game_events": gettext_lazy("Events of three games"),
    "peak": gettext_lazy("Peak"),
    "floor": gettext_lazy("Floor"),
    "floor_kind": gettext_lazy("Kind of floor"),
    "floor_from": gettext_lazy("Floor from"),
    "floor_evidence": gettext_lazy("Evidence"),
    "file": gettext_lazy("File"),
    "sections": gettext_lazy("Sections"),
    "players": gettext_lazy("Players"),
    "becomes": gettext_lazy("What becomes of it"),
    "report": gettext_lazy("Report number"),
}


def _finding(text: str) -> str:
    """Say a stored finding, with its place and what to do."""
    finding = finding_said(Finding.from_json(json.loads(text)))
    sentence = f"{finding.message} {finding.hint}".strip()
    place = place_said(finding.place)
    if finding.place.file and finding.place.file in finding.message:
        place = place_said(replace(finding.place, file=""))
    return f"{place}: {sentence}" if place else sentence


def _becomes(what: str) -> str:
    if what == "imported":
        return _("taken over, shown and not rated")
    return _("to the office’s queue, to be accepted and rated")


VALUES = {"finding": _finding, "becomes": _becomes}

SENTENCES = {
    "system_unknown": gettext_lazy(
        "“{cell}” is no rating system. Write OTBR, OTBQ, OTBB, OLR, OLQ, OLB, FIDE or "
        "CFC."
    ),
    "rating_out_of_range": gettext_lazy(
        "A rating lies between 100 and 3500, and {cell} does not."
    ),
    "rating_without_games": gettext_lazy(
        "The rating rests on no games. An unrated member needs no row."
    ),
    "more_results_than_games": gettext_lazy(
        "Wins, draws and losses are {cell} together, and the games only {games}."
    ),
    "day_out_of_range": gettext_lazy(
        "{column}: {cell} lies before the first ratings, or is still to come."
    ),
    "record_unknown": gettext_lazy(
        "Record: “{cell}” is not known. Write mixed, all wins or all losses."
    ),
    "floor_kind_unknown": gettext_lazy(
        "Kind of floor: “{cell}” is not known. Write office, money or life master."
    ),
    "floor_not_possible": gettext_lazy(
        "There is no such floor: {cell}. A granted floor is at a hundred, up to 2200; "
        "a money floor up to 2000; that of a Life Master is 2200 in the Regular system."
    ),
    "member_unknown": gettext_lazy(
        "No member has the ID “{cell}”. Take in the members first."
    ),
    "rating_twice": gettext_lazy(
        "Line {line} has a rating of this member in this system already."
    ),
    "rated_already": gettext_lazy(
        "The member is rated already, with {cell}. What is in the books is corrected "
        "by an adjustment."
    ),
    "needs_a_person": gettext_lazy(
        "A granted floor names who entered it. Say who it is: --by and a user name."
    ),
    "totals_differ": gettext_lazy(
        "The totals of the books would not be those of the file: {cell}. Nothing was "
        "entered."
    ),
    # Reports
    "archive_is_empty": gettext_lazy("The archive holds no files."),
    "report_faulty": gettext_lazy("The report has a fault. {finding}"),
    "report_has_faults": gettext_lazy(
        "The report has {faults} faults. The first: {finding}"
    ),
    "report_twice": gettext_lazy("Report {line} of this archive has the same files."),
    "players_unknown": gettext_lazy(
        "Entries of nobody on record ({number}): {players}. Take in the members first, "
        "or put their IDs into the report."
    ),
    "report_not_entered": gettext_lazy(
        "The report {cell} cannot be entered, so nothing was. {refusal}"
    ),
    "event_to_come": gettext_lazy("The event ends on {cell}, which is still to come."),
    "report_without_affiliate": gettext_lazy(
        "The report names no affiliate. Send the archive again and choose one for "
        "reports without."
    ),
    "event_of_our_time": gettext_lazy(
        "The event ends after {cell}, since when ratings here are the office’s own. "
        "State the day from which history is ours."
    ),
    "report_needs_a_person": gettext_lazy(
        "A report names who sent it. Say who it is: --by and a user name."
    ),
}
