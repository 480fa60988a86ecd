"""Reported sections of the demo."""

from collections.abc import Sequence
from datetime import date

from events.formats.report import ReportedEntry, ReportedSection, parse_cell
from players.models import Player


def reported_name(player: Player) -> str:
    return f"{player.family_name}, {player.given_name}".upper()[:30]


def report_section(
    players: Sequence[Player],
    rows: Sequence[Sequence[str]],
    *,
    starts: date,
    ends: date,
    control: str,
    number: int = 1,
    name: str = "Open",
    kind: str = "S",
    online: bool = False,
    level: str = "",
    system: str = "R",
    ratings: Sequence[str] = (),
) -> ReportedSection:
    """Return a reported section; *rows* are the cells of each player."""
    return ReportedSection(
        number=number,
        name=name,
        system_letter=system,
        time_control=control,
        kind_letter=kind,
        rounds=max(map(len, rows)),
        last_pairing_number=len(players),
        starts=starts,
        ends=ends,
        online=online,
        scholastic_level=level,
        entries=tuple(
            ReportedEntry(
                pairing_number=place,
                member_id=player.member_id,
                name=reported_name(player),
                state=player.state,
                rating=rating,
                cells=tuple(map(parse_cell, row)),
            )
            for place, (player, row, rating) in enumerate(
                zip(players, rows, ratings or [""] * len(players), strict=True), start=1
            )
        ),
    )
