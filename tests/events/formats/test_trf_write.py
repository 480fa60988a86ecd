"""Reports as FIDE's report files, and back."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from events.formats.report import (
    Cell,
    ReportedEntry,
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.formats.report_reader import read_report
from events.formats.trf.writer import write_trf, write_trf_files, zip_trf_files
from tests.events.formats.samples import cells, report, section, texts
from tests.events.formats.trf_samples import NATIONAL, OF_2026, PLAYERS, TRF16, TRF26
from tests.hypothesis_settings import example_count


def round_trip(reported: ReportedEvent, layout: str = "TRF26") -> ReportedEvent:
    files = list(write_trf_files(reported, layout).items())
    result = read_report(files)
    assert result.findings == []
    return without_lines(result.reported)


def without_lines(reported: ReportedEvent) -> ReportedEvent:
    sections = tuple(replace(one, trf_lines=()) for one in reported.sections)
    return replace(reported, sections=sections)


def lines(reported: ReportedEvent, layout: str = "TRF26") -> list[str]:
    return write_trf(reported, reported.sections[0], layout).decode().split("\r\n")


class TestWriting:
    @pytest.mark.parametrize("layout", ["TRF16", "TRF26"])
    def test_section_without_games_states_no_rounds(self, layout):
        """bbpPairings refuses a file of 0 rounds."""
        entries = [replace(one, cells=()) for one in section().entries]
        written = lines(report(section(entries=tuple(entries))), layout)
        assert [line for line in written if line.startswith(("142", "132"))] == []
        assert sum(line.startswith("001") for line in written) == 4

    def test_edition_of_2026_line_by_line(self):
        """The expected lines follow the columns of the format, not earlier output."""
        ana = replace(
            section().entries[0], fide_id="2020001", fide_rating="1510", rating="1523"
        )
        reported = report(section(entries=(ana, *section().entries[1:])))
        assert lines(reported) == [
            "### Event: MAY OPEN",
            "### Section 1: OPEN",
            "### Affiliate: A6051416",
            "012 MAY OPEN",
            "022 OAKLAND, CA 94601",
            "032 USA",
            "042 2024/05/04",
            "052 2024/05/05",
            "062 4",
            "072 1",
            "092 Individual: Swiss-System",
            "102 USA 12345680",
            "112 USA 12345681",
            "112 USA 12345682",
            "112 USA 12345683",
            "122 G/90;d5",
            "142 3",
            "172 USA OTHER",
            "182 TESTPAIR",
            "192 CUSTOM_SWISS",
            "001    1      REYES, ANA                        1510         2020001"
            "             2.5    1     4 w 1     3 b 1     2 w =",
            "001    2      COHEN, LEVI                                           "
            "             1.5    3     3 w 1     4 b 0     1 b =",
            "001    3      ADEYEMI, TOLU                                         "
            "             0.5    4     2 b 0     1 w 0  0000 - H",
            "001    4      NOVAK, PETRA                                          "
            "             2.0    2     1 b 0     2 w 1  0000 - U",
            "USA    1                                        1523 CA     12345671",
            "USA    2                                        1500 CA     12345672",
            "USA    3                                        1500 CA     12345673",
            "USA    4                                        1500 CA     12345674",
            "",
        ]

    def test_edition_of_2016_has_nothing_that_came_later(self):
        written = lines(report(), "TRF16")
        assert {line[:3] for line in written if line} == {
            *("012", "022", "032", "042", "052", "062", "072", "092"),
            *("102", "112", "122", "001"),
        }

    def test_standing_shares_a_rank_among_equals(self):
        entries = (
            ReportedEntry(1, cells=cells("D2W")),
            ReportedEntry(2, cells=cells("D1B")),
            ReportedEntry(3, cells=cells("U0")),
        )
        written = lines(report(section(entries=entries)))
        assert [line[85:89] for line in written if line.startswith("001")] == [
            "   1",
            "   1",
            "   3",
        ]

    def test_two_full_point_byes_of_a_round_are_not_both_the_pairing_s(self):
        entries = tuple(ReportedEntry(n, cells=cells("B0")) for n in (1, 2))
        written = lines(report(section(entries=entries)))
        assert [line[98] for line in written if line.startswith("001")] == ["F", "F"]

    def test_both_games_of_a_double_round_have_a_round(self):
        entries = (
            ReportedEntry(1, cells=cells("#2W", "H0")),
            ReportedEntry(2, cells=cells("D1B", "X0")),
        )
        written = lines(report(section(kind_letter="2", entries=entries)))
        assert [line[91:].split() for line in written if line.startswith("001")] == [
            ["2", "w", "1", "2", "b", "=", *("0000", "-", "H") * 2],
            ["1", "b", "0", "1", "w", "=", *("0000", "-", "+") * 2],
        ]

    def test_text_cannot_break_a_line(self):
        reported = report(name="May\r\n001 Open", city="Oak\x00land")
        assert lines(reported)[0] == "### Event: May 001 Open"
        assert "022 Oak land, CA 94601" in lines(reported)

    def test_increment_is_also_written_in_seconds(self):
        written = lines(report(section(time_control="40/90,SD/30;+30")))
        assert "222 40/5400+30:1800+30" in written

    def test_archive_has_a_file_for_each_section(self):
        reported = report(section(1), section(2))
        files = write_trf_files(reported, "TRF16")
        assert list(files) == ["TRF16-01.trf", "TRF16-02.trf"]
        assert b"012 MAY OPEN - OPEN\r\n" in files["TRF16-01.trf"]
        assert read_report(
            [("may.zip", zip_trf_files(reported, "TRF16"))]
        ).reported == (read_report(list(files.items())).reported)


class TestRoundTrip:
    def test_faultless_report_survives_a_round_trip(self):
        """Except for data that the format does not have."""
        reported = report(layout="TRF26", event_id="")
        reported = reported.with_section(1, system_letter="", scholastic_level="")
        assert round_trip(reported) == reported

    def test_edition_of_2016_loses_members_section_names_and_affiliate(self):
        reported = report(layout="TRF16", event_id="", program="", affiliate_id="")
        entries = tuple(
            replace(entry, member_id="", state="", rating="")
            for entry in section().entries
        )
        reported = reported.with_section(
            1,
            name=reported.name,
            system_letter="",
            scholastic_level="",
            entries=entries,
        )
        assert round_trip(reported, "TRF16") == reported

    def test_sections_with_days_of_their_own(self):
        reported = report(
            section(1, name="OPEN", ends=date(2024, 5, 4)),
            section(2, name="U1200", starts=date(2024, 5, 5), online=True),
        )
        back = round_trip(reported)
        assert back.name == "MAY OPEN"
        assert [
            (one.number, one.name, one.starts, one.ends, one.online)
            for one in back.sections
        ] == [
            (1, "OPEN", None, date(2024, 5, 4), False),
            (2, "U1200", date(2024, 5, 5), None, True),
        ]

    @pytest.mark.parametrize("letter", ["S", "R", "D", "M"])
    @pytest.mark.parametrize("layout", ["TRF16", "TRF26"])
    def test_type_survives_a_round_trip(self, letter, layout):
        back = round_trip(report(section(kind_letter=letter)), layout)
        assert back.sections[0].kind_letter == letter


class TestUnknownLines:
    @pytest.mark.parametrize("data", [TRF16, TRF26])
    def test_file_keeps_every_line_in_a_round_trip(self, data):
        """Except for sex and birth date, and for values that were not in the file."""
        reported = read_report([("may.trf", data)]).reported
        back = (
            write_trf(reported, reported.sections[0], reported.layout)
            .decode()
            .split("\r\n")
        )
        came = [line for line in data.decode().split("\r\n") if line[:3] != "001"]
        assert [
            line for line in came if line.rstrip() not in collapse_whitespace(back)
        ] == []

    def test_unknown_lines_are_written_back_as_they_came(self):
        odd = ["XXQ  something   new", "RUS    1     kept", "what a day"]
        data = "\r\n".join(["012 Open", *PLAYERS, *odd]).encode()
        reported = read_report([("may.trf", data)]).reported
        assert [line for line in lines(reported, "TRF16") if line in odd] == odd

    def test_line_is_replaced_when_the_report_changes(self):
        reported = read_report([("may.trf", TRF26)]).reported
        assert "122 90 min + 30 sec per move" in lines(reported)
        reported = reported.with_section(1, time_control="G/60;d5", kind_letter="R")
        reported = reported.with_event(chief_td_id="12345699")
        control = [
            line for line in lines(reported) if line[:3] in ("092", "102", "122")
        ]
        assert control == [
            "092 Individual: Round-Robin",
            "102 USA 12345699",
            "122 G/60;d5",
        ]
        assert not [line for line in lines(reported) if line.startswith("222")]

    def test_lines_of_2026_are_written_in_the_words_of_2016(self):
        lines = TRF26.decode().split("\r\n")
        data = "\r\n".join(line for line in lines if line[:3] not in ("092", "122"))
        reported = read_report([("may.trf", data.encode())]).reported
        files = write_trf_files(reported, "TRF16")
        back = read_report(list(files.items())).reported.sections[0]
        assert (back.kind_letter, back.time_control) == ("S", "G/90;+30")

    def test_lines_of_2026_are_left_out_of_a_file_of_2016(self):
        reported = read_report([("may.trf", TRF26)]).reported
        kept = {line[:3] for line in lines(reported, "TRF16")}
        assert kept.isdisjoint({line[:3] for line in (*OF_2026[2:], *NATIONAL)})
        assert "132" in kept


def collapse_whitespace(lines: list[str]) -> set[str]:
    """Return the lines, with those of our federation also aligned to the left."""
    left = [
        f"{line[:57]}{line[57:].strip()}" for line in lines if line.startswith("USA")
    ]
    return {line.rstrip() for line in [*lines, *left]}


# Any report that the format can represent survives a round trip.

_PLAYED = (("W", "L"), ("L", "W"), ("D", "D"), ("X", "F"), ("F", "X"), ("F", "F"))


@st.composite
def pairings(draw: st.DrawFn, players: int) -> list[Cell]:
    """Draw one round: each player has an opponent, a bye, or no cell."""
    order = draw(st.permutations(range(1, players + 1)))
    round_ = [Cell("U")] * players
    for white, black in zip(order[::2], order[1::2], strict=False):
        if draw(st.booleans()):
            ours, theirs = draw(st.sampled_from(_PLAYED))
            round_[white - 1] = Cell(ours, black, "W")
            round_[black - 1] = Cell(theirs, white, "B")
        else:
            round_[white - 1] = Cell(draw(st.sampled_from("HBU")))
            round_[black - 1] = Cell(draw(st.sampled_from("HBXFU")))
    return round_


@st.composite
def carried_lines(draw: st.DrawFn) -> ReportedSection:
    players = draw(st.integers(1, 6))
    rounds = draw(st.lists(pairings(players), min_size=1, max_size=5))
    one_line = st.text("ABCabc 'éß-", max_size=30).map(
        lambda text: " ".join(text.split())
    )
    return ReportedSection(
        number=1,
        name=draw(texts(20).filter(lambda text: "  " not in text)),
        time_control=draw(st.sampled_from(["G/60;d5", "G/90;+30", "40/90,SD/30;d10"])),
        kind_letter=draw(st.sampled_from("SRDM")),
        rounds=len(rounds),
        last_pairing_number=players,
        online=draw(st.booleans()),
        entries=tuple(
            ReportedEntry(
                number,
                member_id=draw(st.sampled_from(["", "12345678", "00012345"])),
                name=draw(one_line),
                state=draw(st.sampled_from(["", "CA"])),
                rating=draw(st.sampled_from(["", "100", "2310"])),
                cells=tuple(round_[number - 1] for round_ in rounds),
                fide_id=draw(st.sampled_from(["", "2020009"])),
                fide_rating=draw(st.sampled_from(["", "1410"])),
            )
            for number in range(1, players + 1)
        ),
    )


@settings(max_examples=example_count(60), deadline=None)
@given(carried_lines())
def test_any_supported_report_survives_a_round_trip(drawn):
    assume(any(cell != Cell("U") for one in drawn.entries for cell in one.cells))
    event = report(drawn, layout="TRF26", event_id="", program="TESTPAIR")
    back = round_trip(event)
    assert [
        [format_cell(cell) for cell in one.cells] for one in back.sections[0].entries
    ] == [[format_cell(cell) for cell in one.cells] for one in drawn.entries]
    assert back == event
