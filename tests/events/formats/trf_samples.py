"""Sample TRF files, written by hand, and lines set column by column."""

from __future__ import annotations

from collections.abc import Sequence


def at(*pieces: tuple[int, str]) -> str:
    """Return a line with each text at its column, counted from 1."""
    line = ""
    for column, text in pieces:
        line = line.ljust(column - 1)[: column - 1] + text
    return line


def player(
    rank: int | str,
    name: str,
    rounds: Sequence[str] = (),
    *,
    points: str = "",
    rating: str = "",
    fide_id: str = "",
) -> str:
    """Return a 001 line; each round is opponent, color and result (``"2 w 1"``)."""
    cells = []
    for number, text in enumerate(rounds):
        opponent, color, result = text.split(" ")
        column = 92 + 10 * number
        cells += [
            (column, f"{opponent:>4}"),
            (column + 5, color),
            (column + 7, result),
        ]
    return at(
        (1, "001"),
        (5, f"{rank:>4}"),
        (10, "m"),
        (15, name),
        (49, f"{rating:>4}"),
        (54, "USA"),
        (58, f"{fide_id:>11}"),
        (81, f"{points:>4}"),
        (86, f"{rank:>4}"),
        *cells,
    ).rstrip()


def national(rank: int, member_id: str, *, rating: str = "", state: str = "") -> str:
    return at(
        (1, "USA"),
        (5, f"{rank:>4}"),
        (49, f"{rating:>4}"),
        (54, state),
        (58, member_id),
    )


HEADING = (
    "012 May Open",
    "022 Oakland, CA 94601",
    "032 USA",
    "042 2024/05/04",
    "052 2024/05/05",
    "062 4",
    "092 Individual: Swiss-System",
    "102 Roe, Jan (USA 12345680)",
    "112 Poe, Kim (USA 12345681)",
    "122 90 min + 30 sec per move",
)
PLAYERS = (
    player(
        1,
        "Reyes, Ana",
        ["4 w 1", "3 b 1", "2 w ="],
        points="2.5",
        rating="1510",
        fide_id="2020001",
    ),
    player(2, "Cohen, Levi", ["3 w +", "4 b 0", "1 b ="], points="1.5"),
    player(3, "Adeyemi, Tolu", ["2 b -", "1 w 0", "0000 - H"], points="0.5"),
    player(4, "Novak, Petra", ["1 b 0", "2 w 1", "0000 - U"], points="2.0"),
)
NATIONAL = (
    national(1, "12345671", rating="1523", state="CA"),
    national(2, "12345672", rating="1480", state="NV"),
    national(3, "12345673"),
    national(4, "12345674", rating="1390", state="CA"),
)
OF_2026 = (
    "### Made by hand",
    "132" + " " * 88 + "24/05/04  24/05/04  24/05/05",
    "142 3",
    "182 TESTPAIR",
    "192 FIDE_DUTCH_2025",
    "202 BH:GP/C1,SB",
    "222 5400+30",
    "250      01.0 001 002 0001 0002",
    "260 001 002 0001 0002",
)


def file_of(*lines: str, end: str = "\r\n") -> bytes:
    return "".join(f"{line}{end}" for line in lines).encode()


TRF16 = file_of(*HEADING, *PLAYERS)
TRF26 = file_of(*OF_2026[:1], *HEADING, *OF_2026[1:], *PLAYERS, *NATIONAL)
