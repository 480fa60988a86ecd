"""Sample reports: a small one without faults, and random ones."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from events.formats.online_play import Venue, detect_venue, is_address
from events.formats.places import with_parsed_place
from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    parse_cell,
)
from events.formats.time_controls import normalize_time_control


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(parse_cell(text) for text in texts)


def section(number: int = 1, **changes: object) -> ReportedSection:
    """Return a section of four players and three rounds, without faults."""
    rows = (
        ("12345671", "REYES, ANA", "W4W", "W3B", "D2W"),
        ("12345672", "COHEN, LEVI", "W3W", "L4B", "D1B"),
        ("12345673", "ADEYEMI, TOLU", "L2B", "L1W", "H0"),
        ("12345674", "NOVAK, PETRA", "L1B", "W2W", "B0"),
    )
    faultless = ReportedSection(
        number=number,
        name="OPEN",
        system_letter="R",
        time_control="G/90;d5",
        kind_letter="S",
        rounds=3,
        last_pairing_number=4,
        scholastic_level="N",
        entries=tuple(
            ReportedEntry(index, member_id, name, "CA", "1500", cells(*texts))
            for index, (member_id, name, *texts) in enumerate(rows, start=1)
        ),
    )
    return replace(faultless, **changes)


def report(*sections: ReportedSection, **changes: object) -> ReportedEvent:
    sections = sections or (section(),)
    faultless = ReportedEvent(
        program="TESTPAIR",
        event_id="202405050011",
        name="MAY OPEN",
        starts=date(2024, 5, 4),
        ends=date(2024, 5, 5),
        affiliate_id="A6051416",
        city="OAKLAND",
        state="CA",
        zip_code="94601",
        country="USA",
        send_crosstable="N",
        chief_td_id="12345680",
        assistant_td_id="12345681",
        other_td_ids=("12345682", "12345683"),
        sections=sections,
        total_sections=len(sections),
    )
    return replace(faultless, **changes)


def big_report(players: int, rounds: int) -> ReportedEvent:
    """Return a large but valid report: neighbors play each other in every round."""
    entries = []
    for number in range(1, players + 1):
        opponent = number + 1 if number % 2 else number - 1
        text = f"W{opponent}W" if number % 2 else f"L{opponent}B"
        entries.append(
            ReportedEntry(
                number,
                f"{20_000_000 + number}",
                f"PLAYER, NUMBER {number}",
                "TX",
                "1200",
                (parse_cell(text),) * rounds,
            )
        )
    big = section(rounds=rounds, last_pairing_number=players, entries=tuple(entries))
    return report(big)


# Text that the files can store: printable, code page 1252, without outer blanks.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcxyz0123456789 .,'-/+;éÉñßØ½€"


def texts(width: int) -> st.SearchStrategy[str]:
    return st.text(_LETTERS, max_size=width).map(lambda text: text.strip(" "))


def is_no_control(text: str) -> bool:
    """Return whether no reader takes a text for a time control, as “0m” for G/0."""
    return normalize_time_control(text) == text


def _codes(width: int) -> st.SearchStrategy[str]:
    return st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", max_size=width)


_days = st.none() | st.dates(date(1900, 1, 1), date(2155, 12, 31))
_cells = st.one_of(
    st.builds(
        Cell,
        st.sampled_from("WLDXFZBHUNSRI$#%"),
        st.none() | st.integers(1, 9999),
        st.sampled_from(["", "W", "B"]),
    ),
    st.just(Cell()),
    st.sampled_from(["won", "1-0", "W12Q", "?", "½"]).map(parse_cell),
)


@st.composite
def entry_reports(draw: st.DrawFn, pairing_number: int, rounds: int) -> ReportedEntry:
    return ReportedEntry(
        pairing_number=pairing_number,
        member_id=draw(st.text("0123456789", max_size=8)),
        name=draw(texts(30)),
        state=draw(_codes(2)),
        rating=draw(st.text("0123456789P", max_size=4)),
        cells=tuple(draw(st.lists(_cells, min_size=rounds, max_size=rounds))),
        fide_id=draw(st.sampled_from(["", "2020009"])),
        fide_rating=draw(st.sampled_from(["", "2211"])),
        cfc_id=draw(st.sampled_from(["", "106488"])),
        cfc_rating=draw(st.sampled_from(["", "1845"])),
    )


def _is_over_the_board(name: str) -> bool:
    """Return whether an event of this name keeps ratings without a FIDE ID."""
    return detect_venue((), [name]) is Venue.BOARD


@st.composite
def section_reports(draw: st.DrawFn, number: int) -> ReportedSection:
    rounds = draw(st.integers(1, 12))
    players = draw(st.integers(0, 4))
    return ReportedSection(
        number=number,
        name=draw(texts(30).filter(_is_over_the_board)),
        system_letter=draw(_codes(1)),
        time_control=draw(texts(40).filter(is_no_control)),
        chief_td_id=draw(_codes(8)),
        assistant_td_id=draw(_codes(8)),
        kind_letter=draw(_codes(1)),
        rounds=rounds,
        last_pairing_number=draw(st.none() | st.integers(0, 9999)),
        starts=draw(_days),
        ends=draw(_days),
        scholastic_level=draw(_codes(1)),
        grand_prix=draw(st.booleans()),
        grand_prix_points=draw(st.none() | st.integers(0, 999)),
        fide=draw(st.booleans()),
        online=draw(st.booleans()),
        entries=tuple(
            draw(entry_reports(index, rounds)) for index in range(1, players + 1)
        ),
    )


@st.composite
def event_reports(draw: st.DrawFn) -> ReportedEvent:
    sections = draw(st.integers(0, 3))
    towns = texts(21).filter(lambda text: not is_address(text))
    drawn = ReportedEvent(
        program=draw(texts(10)),
        event_id=draw(_codes(12)),
        name=draw(texts(35).filter(_is_over_the_board)),
        starts=draw(_days),
        ends=draw(_days),
        affiliate_id=draw(_codes(8)),
        city=draw(towns),
        state=draw(_codes(2)),
        zip_code=draw(_codes(10)),
        country=draw(towns),
        send_crosstable=draw(_codes(1)),
        chief_td_id=draw(_codes(8)),
        assistant_td_id=draw(_codes(8)),
        other_td_ids=tuple(
            draw(st.lists(st.text("0123456789", min_size=1, max_size=8), max_size=28))
        ),
        sections=tuple(
            draw(section_reports(number)) for number in range(1, sections + 1)
        ),
        total_sections=draw(st.none() | st.integers(0, 99)),
    )
    # Readers split a city such as “0/AA” into city and state.
    return with_parsed_place(drawn)


def rezipped(data: bytes, name: str, content: bytes | None) -> bytes:
    """Return the same workbook with one part replaced or removed."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.namelist():
            if part != name:
                new.writestr(part, old.read(part))
        if content is not None:
            new.writestr(name, content)
    return out.getvalue()


def zipped(files: dict[str, bytes], **options: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as file:
        for name, content in files.items():
            # Without the hour, so that parallel test processes have the same value.
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
