"""Four reports in the clerk's queue, each in a different state."""

from collections.abc import Mapping, Sequence

from events.formats.report import ReportedEvent
from events.models import Submission
from events.newcomers.services import NewcomerDetails, enter_newcomer
from events.reports.services.messages import write_message
from players.identity.services import merge_players
from players.models import Player
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from ratings_site.demo.circuit import Circuit
from ratings_site.demo.clubs import CEDAR, HARBOR, RIVERSIDE, UNION, Club
from ratings_site.demo.dates import saturday
from ratings_site.demo.faulty_report import ROWS
from ratings_site.demo.reports import confirm_and_submit, report_event, upload
from ratings_site.demo.sections import report_section

NEWCOMER = 3  # the pairing number of the player without a member ID


def submit_pending_reports(
    circuit: Circuit, directors: Mapping[Club, User], staff: User
) -> None:
    """Submit a clean report, one with a confirmation, a duplicate and a newcomer."""
    _submit("Harbor Quad", HARBOR, circuit.members[HARBOR][1:5], directors)
    renewed = [*circuit.members[RIVERSIDE][4:7], circuit.lapsed]
    _submit("Riverside Park Quad", RIVERSIDE, renewed, directors)
    _submit_with_duplicate(circuit, directors, staff)
    _submit_with_newcomer(circuit.members[CEDAR][4:8], directors[CEDAR])


def _submit(
    name: str, club: Club, players: Sequence[Player], directors: Mapping[Club, User]
) -> Submission:
    director = directors[club]
    submission = upload(_report(name, club, players, director), director)
    confirm_and_submit(
        submission, director, "Renewed at the door; the form is in the mail."
    )
    return submission


def _submit_with_duplicate(
    circuit: Circuit, directors: Mapping[Club, User], staff: User
) -> None:
    """Submit a report with a member ID that is merged afterward."""
    members = circuit.members[UNION]
    players = [members[3], circuit.twin, members[4], members[5]]
    submission = _submit("Union Street Quad", UNION, players, directors)
    write_message(
        submission=submission,
        actor=directors[UNION],
        text="Number 2 says that this is an old ID. Which one counts?",
        place="section 1, number 2",
    )
    merge_players(
        kept_id=members[2].pk,
        merged_id=circuit.twin.pk,
        actor=staff,
        reason="Same name and birth date; the member confirms it by telephone.",
    )
    run_due_jobs()  # updates the review queue


def _submit_with_newcomer(players: Sequence[Player], director: User) -> None:
    """Submit a report in which a child plays for the first time."""
    report = _report("Cedar Beginners’ Quad", CEDAR, players, director)
    report = report.with_entry(1, NEWCOMER, member_id="", name="QUILL, TOBIN")
    submission = upload(report, director)
    submission = enter_newcomer(
        submission_id=submission.pk,
        actor=director,
        version=submission.version,
        section_number=1,
        pairing_number=NEWCOMER,
        details=NewcomerDetails(
            "Tobin", "Quill", birth_year=saturday(0).year - 9, state="IA"
        ),
    )
    confirm_and_submit(submission, director, "As on the entry forms.")


def _report(
    name: str, club: Club, players: Sequence[Player], director: User
) -> ReportedEvent:
    day = saturday(0)
    quad = report_section(
        players,
        [row.split() for row in ROWS],
        starts=day,
        ends=day,
        control="G/90;d5",
        name="Quad",
        kind="R",
    )
    return report_event(
        name, [quad], starts=day, ends=day, director=director, club=club
    )
