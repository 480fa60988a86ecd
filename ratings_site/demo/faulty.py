"""A report with the faults that real reports have, for a newcomer to put right."""

from dataclasses import replace
from datetime import date

from events.importers.dbf.write import write_report, zip_report
from events.importers.records import (
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from players.models import Player
from ratings_site.demo.people import AFFILIATE_ID, TD_MEMBER_ID

ROWS = (
    "W4W W3B D2W",
    "W3W W4B D1B",
    "L2B L1W W4W",
    "L1B L2W L3B",
)


def autumn_quads(players: list[Player]) -> ReportedEvent:
    """Two quads of club members without a fault, played on one November Saturday."""
    return ReportedEvent(
        program="PairPro 9",
        name="Castle Autumn Quads",
        starts=date(2026, 11, 7),
        ends=date(2026, 11, 7),
        affiliate_id=AFFILIATE_ID,
        city="Springfield",
        state="IL",
        zip_code="62701",
        country="USA",
        send_crosstable="N",
        chief_td_id=TD_MEMBER_ID,
        sections=tuple(
            _quad(number, players[4 * number - 4 : 4 * number]) for number in (1, 2)
        ),
        total_sections=2,
    )


def _quad(number: int, players: list[Player]) -> ReportedSection:
    return ReportedSection(
        number=number,
        name=f"Quad {number}",
        system_letter="R",
        time_control="G/60;d5",
        kind_letter="S",
        rounds=3,
        last_pairing_number=4,
        starts=date(2026, 11, 7),
        ends=date(2026, 11, 7),
        entries=tuple(
            ReportedEntry(
                pairing_number=seat,
                member_id=player.member_id,
                name=f"{player.family_name}, {player.given_name}".upper()[:30],
                state=player.state,
                cells=tuple(parse_cell(text) for text in row.split()),
            )
            for seat, (player, row) in enumerate(
                zip(players, ROWS, strict=True), start=1
            )
        ),
    )


def with_faults(reported: ReportedEvent, stranger: Player) -> ReportedEvent:
    """Put in what goes wrong most: a wrong ID, a result, a date, a time control.

    - section 1: number 2 wins in round 3 where number 1 reports a draw;
    - section 1: number 4 has two digits of the ID exchanged, and so another's ID;
    - section 2: no member ID for number 3; the time control cannot be read;
    - section 2 ends before it begins.
    """
    wrong_result = reported.with_cell(1, 2, 3, parse_cell("W1B"))
    wrong_id = wrong_result.with_entry(1, 4, member_id=stranger.member_id)
    no_id = wrong_id.with_entry(2, 3, member_id="00000000")
    return no_id.with_section(2, time_control="G/sixty", ends=date(2026, 11, 6))


def faulty_zip(players: list[Player], stranger: Player) -> bytes:
    """The faulty report as the ZIP archive a TD would upload."""
    return zip_report(with_faults(autumn_quads(players), stranger))


def faulty_files(players: list[Player], stranger: Player) -> list[tuple[str, bytes]]:
    """Another report with the same faults, of the week before, as three files."""
    day = date(2026, 10, 31)
    report = autumn_quads(players)
    earlier = replace(
        report,
        name="Castle October Quads",
        starts=day,
        ends=day,
        sections=tuple(
            replace(section, starts=day, ends=day) for section in report.sections
        ),
    )
    wrong = with_faults(earlier, stranger).with_section(2, ends=date(2026, 10, 30))
    return list(write_report(wrong).items())
