"""Four reports that wait for the clerk on day one, each for a reason of its own."""

from collections.abc import Mapping, Sequence

from events.importers.records import ReportedEvent
from events.models import Submission
from events.newcomers.services import Details, tell_newcomer
from events.reports.services.messages import write_message
from players.identity.services import merge_players
from players.models import Player
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from ratings_site.demo.circuit import Circuit
from ratings_site.demo.clubs import CEDAR, HARBOR, RIVERSIDE, UNION, Club
from ratings_site.demo.days import saturday
from ratings_site.demo.faulty import ROWS
from ratings_site.demo.sections import report_section
from ratings_site.demo.sending import hand_in, report_event, upload

NEWCOMER = 3  # the pairing number of who has no number yet


def hand_in_reports(
    circuit: Circuit, directors: Mapping[Club, User], staff: User
) -> None:
    """Hand in one clean report, one confirmed, one that fails now, one newcomer's."""
    _hand_in("Harbor Quad", HARBOR, circuit.members[HARBOR][1:5], directors)
    renewed = [*circuit.members[RIVERSIDE][4:7], circuit.lapsed]
    _hand_in("Riverside Park Quad", RIVERSIDE, renewed, directors)
    _hand_in_a_duplicate(circuit, directors, staff)
    _hand_in_a_newcomer(circuit.members[CEDAR][4:8], directors[CEDAR])


def _hand_in(
    name: str, club: Club, players: Sequence[Player], directors: Mapping[Club, User]
) -> Submission:
    director = directors[club]
    submission = upload(_report(name, club, players, director), director)
    hand_in(submission, director, "Renewed at the door; the form is in the mail.")
    return submission


def _hand_in_a_duplicate(
    circuit: Circuit, directors: Mapping[Club, User], staff: User
) -> None:
    """The office finds out after the report came that a player has two numbers."""
    members = circuit.members[UNION]
    players = [members[3], circuit.twin, members[4], members[5]]
    submission = _hand_in("Union Street Quad", UNION, players, directors)
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
    work_off()  # the queue hears of it


def _hand_in_a_newcomer(players: Sequence[Player], director: User) -> None:
    """The third player is a child who plays for the first time, without a number."""
    report = _report("Cedar Beginners’ Quad", CEDAR, players, director)
    report = report.with_entry(1, NEWCOMER, member_id="", name="QUILL, TOBIN")
    submission = upload(report, director)
    submission = tell_newcomer(
        submission_id=submission.pk,
        actor=director,
        version=submission.version,
        section_number=1,
        pairing_number=NEWCOMER,
        details=Details("Tobin", "Quill", birth_year=_year_of_a_child(), state="IA"),
    )
    hand_in(submission, director, "As on the entry forms.")


def _year_of_a_child() -> int:
    return saturday(0).year - 9


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
