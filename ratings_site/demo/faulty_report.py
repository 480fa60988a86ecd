"""A report with typical errors, for newcomers to fix."""

from datetime import date, timedelta

from events.formats.dbf.writer import write_report, zip_report
from events.formats.report import ReportedEvent, parse_cell
from players.models import Player
from ratings_site.demo.clubs import CASTLE
from ratings_site.demo.dates import saturday
from ratings_site.demo.members import TD_MEMBER_ID
from ratings_site.demo.sections import report_section

DAY = timedelta(days=1)
UPLOADED_WEEKS_AGO = 2
ROWS = ("W4W W3B D2W", "W3W W4B D1B", "L2B L1W W4W", "L1B L2W L3B")


def quads(name: str, day: date, players: list[Player]) -> ReportedEvent:
    """Return a correct report of two quads of club members, played on one day."""
    return ReportedEvent(
        program="PairPro 9",
        name=name,
        starts=day,
        ends=day,
        affiliate_id=CASTLE.affiliate_id,
        **CASTLE.address,
        country="USA",
        send_crosstable="N",
        chief_td_id=TD_MEMBER_ID,
        sections=tuple(
            report_section(
                players[4 * number - 4 : 4 * number],
                [row.split() for row in ROWS],
                number=number,
                name=f"Quad {number}",
                control="G/60;d5",
                starts=day,
                ends=day,
            )
            for number in (1, 2)
        ),
        total_sections=2,
    )


def with_faults(reported: ReportedEvent, day: date, stranger: Player) -> ReportedEvent:
    """Return the report with typical errors: an ID, a result, a date, a time control.

    - section 1: number 2 wins in round 3 where number 1 reports a draw;
    - section 1: number 4 has another member's ID, with two digits exchanged;
    - section 2: no member ID for number 3; the time control cannot be read;
    - section 2 ends before it begins.
    """
    wrong_result = reported.with_cell(1, 2, 3, parse_cell("W1B"))
    wrong_id = wrong_result.with_entry(1, 4, member_id=stranger.member_id)
    no_id = wrong_id.with_entry(2, 3, member_id="00000000")
    return no_id.with_section(2, time_control="G/sixty", ends=day - DAY)


def faulty_zip(players: list[Player], stranger: Player) -> bytes:
    """Return the faulty report as a ZIP archive."""
    day = saturday(UPLOADED_WEEKS_AGO)
    report = quads("Castle Rook Quads", day, players)
    return zip_report(with_faults(report, day, stranger))


def faulty_files(players: list[Player], stranger: Player) -> list[tuple[str, bytes]]:
    """Return a report of the week before with the same errors, as three files."""
    day = saturday(UPLOADED_WEEKS_AGO + 1)
    report = quads("Castle Bishop Quads", day, players)
    return list(write_report(with_faults(report, day, stranger)).items())
