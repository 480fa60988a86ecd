"""FIDE's report files as domestic reports: both editions, and broken files."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.checks.report import check_report
from events.formats.dbf.writer import write_report
from events.formats.findings import Finding, Severity
from events.formats.report import ReportedEntry, format_cell
from events.formats.report_reader import AcceptedFile, ReadResult, read_report
from tests.events.formats.samples import cells, report
from tests.events.formats.trf_samples import (
    HEADING,
    NATIONAL,
    OF_2026,
    PLAYERS,
    TRF16,
    TRF26,
    at,
    file_of,
    national,
    player,
)
from tests.hypothesis_settings import example_count


def read(*lines: str) -> ReadResult:
    return read_report([("may.trf", file_of(*lines))])


def all_findings(result: ReadResult) -> list[Finding]:
    """Return the findings of the reader and of the checks."""
    return [
        *result.findings,
        *(check_report(result.reported) if result.reported else []),
    ]


def blocking(result: ReadResult) -> list[tuple[str, int | None]]:
    """Return the errors that block the report, and their rounds."""
    return [
        (finding.code, finding.place.round_number)
        for finding in all_findings(result)
        if finding.severity is Severity.ERROR
    ]


def sentences(result: ReadResult) -> list[str]:
    return [str(finding) for finding in all_findings(result)]


def rows(result: ReadResult) -> list[str]:
    return [
        " ".join(format_cell(cell) for cell in entry.cells)
        for entry in result.reported.sections[0].entries
    ]


class TestEditionOf2016:
    def test_heading_is_the_event(self):
        report = read_report([("may.trf", TRF16)]).reported
        assert (report.layout, report.name) == ("TRF16", "May Open")
        assert (report.city, report.state, report.zip_code) == (
            "Oakland",
            "CA",
            "94601",
        )
        assert (report.starts, report.ends) == (date(2024, 5, 4), date(2024, 5, 5))
        assert (report.chief_td_id, report.assistant_td_id) == ("12345680", "12345681")
        section = report.sections[0]
        assert (section.kind_letter, section.time_control) == ("S", "G/90;+30")
        assert (section.rounds, section.last_pairing_number) == (3, 4)

    def test_player_lines_are_entries(self):
        entries = read_report([("may.trf", TRF16)]).reported.sections[0].entries
        assert entries[0] == ReportedEntry(
            1,
            name="Reyes, Ana",
            cells=cells("W4W", "W3B", "D2W"),
            fide_id="2020001",
            fide_rating="1510",
        )
        assert entries[2] == ReportedEntry(
            3, name="Adeyemi, Tolu", cells=cells("F2B", "L1W", "H0")
        )

    def test_players_without_a_member_id_are_asked_for(self):
        result = read_report([("may.trf", TRF16)])
        assert [finding.code for finding in result.findings] == ["trf.time_control"]
        assert [
            (finding.place.pairing_number, finding.place.field)
            for finding in check_report(result.reported)
            if finding.code == "entry.member_id_missing"
        ] == [(1, "member_id"), (2, "member_id"), (3, "member_id"), (4, "member_id")]

    def test_member_ids_of_another_program_are_read(self):
        """Tornelo has separate lines for them."""
        result = read(*HEADING, *PLAYERS, "DAT 0002 ID:USCF 12345672")
        assert [entry.member_id for entry in result.reported.sections[0].entries] == [
            "",
            "12345672",
            "",
            "",
        ]


class TestEditionOf2026:
    def test_national_lines_have_the_member_ids(self):
        result = read_report([("may.trf", TRF26)])
        assert result.reported.layout == "TRF26"
        assert [
            (entry.member_id, entry.rating, entry.state)
            for entry in result.reported.sections[0].entries
        ] == [
            ("12345671", "1523", "CA"),
            ("12345672", "1480", "NV"),
            ("12345673", "", ""),
            ("12345674", "1390", "CA"),
        ]

    def test_lines_without_a_place_in_the_report_are_kept(self):
        report = read_report([("may.trf", TRF26)]).reported
        assert report.program == "TESTPAIR"
        kept = report.sections[0].trf_lines
        assert [line for line in OF_2026 if line not in kept] == [
            "142 3",
            "182 TESTPAIR",
        ]
        note = next(
            finding
            for finding in read_report([("may.trf", TRF26)]).findings
            if finding.code == "trf.kept"
        )
        assert note.message.startswith("The lines ###, 132, 202, 250, 260 hold nothing")

    def test_days_of_the_rounds_serve_where_the_event_has_none(self):
        lines = [line for line in HEADING if line[:3] not in ("042", "052")]
        report = read(*lines, *OF_2026, *PLAYERS).reported
        assert (report.starts, report.ends) == (date(2024, 5, 4), date(2024, 5, 5))

    def test_comments_of_ours_name_event_section_and_affiliate(self):
        report = read(
            "### Event: May Open",
            "### Section 2: Under 1200",
            "### Affiliate: A6051416",
            "### Online: yes",
            "012 May Open - Under 1200",
            *PLAYERS,
        ).reported
        section = report.sections[0]
        assert (report.name, report.affiliate_id) == ("May Open", "A6051416")
        assert (section.number, section.name, section.online) == (2, "Under 1200", True)

    @pytest.mark.parametrize(
        ("line", "cell"),
        [
            ("162  W 1.0    D 0.5    P 0.5", "H0"),
            ("162  W 1.0    D 0.5    P 0.0", "U0"),
            ("XXS PAB=.5", "H0"),
            ("162  W 3.0    D 1.0    P 3.0", "B0"),
        ],
    )
    def test_allocated_bye_has_the_points_of_the_file(self, line, cell):
        report = read(*HEADING, line, *PLAYERS).reported
        assert format_cell(report.sections[0].entry(4).cell(3)) == cell


class TestSeveralFiles:
    FIRST = file_of("012 May Open - Open", "042 2024/05/04", "052 2024/05/05", *PLAYERS)
    SECOND = file_of(
        "012 May Open - Under 1200", "042 2024/05/05", "052 2024/05/05", *PLAYERS
    )

    def test_each_is_a_section_of_one_event(self):
        result = read_report([("a.trf", self.FIRST), ("b.trf", self.SECOND)])
        report = result.reported
        assert (report.name, report.starts, report.ends) == (
            "May Open",
            date(2024, 5, 4),
            date(2024, 5, 5),
        )
        assert [
            (section.number, section.name, section.starts, section.ends)
            for section in report.sections
        ] == [(1, "Open", None, None), (2, "Under 1200", date(2024, 5, 5), None)]
        assert result.accepted_files == (
            AcceptedFile("a.trf", "TRF"),
            AcceptedFile("b.trf", "TRF"),
        )

    def test_another_file_is_skipped_and_named(self):
        result = read_report([("a.trf", self.FIRST), ("holiday.jpg", b"\xff\xd8\xff")])
        assert [
            entry.pairing_number for entry in result.reported.sections[0].entries
        ] == [
            1,
            2,
            3,
            4,
        ]
        assert [
            finding.message
            for finding in result.findings
            if finding.code == "file.ignored"
        ] == ["We read the report from a.trf and skipped holiday.jpg."]

    def test_dbf_files_take_precedence(self):
        """Pairing programs write both into one folder; the DBF files have more data."""
        files = [("a.trf", self.FIRST), *write_report(report()).items()]
        result = read_report(files)
        assert result.reported == report()
        assert [finding.message for finding in result.findings] == [
            "We read the report from THEXPORT.DBF and skipped a.trf."
        ]


class TestRounds:
    @pytest.mark.parametrize(
        ("text", "cell"),
        [
            ("2 w 1", "W2W"),
            ("2 b 0", "L2B"),
            ("2 w =", "D2W"),
            ("2 w +", "X2W"),
            ("2 b -", "F2B"),
            ("0000 - +", "X0"),
            ("0000 - -", "F0"),
            ("2 w W", "X2W"),
            ("2 w l", "F2W"),
            ("2 w D", "H0"),
            ("0000 - H", "H0"),
            ("0000 - f", "B0"),
            ("0000 - U", "B0"),
            ("2 - 1", "W2"),
            # As in files from before 2006.
            ("0000 - 1", "B0"),
            ("0000 - =", "H0"),
            ("0 - =", "H0"),
            (" - =", "H0"),
        ],
    )
    def test_each_result_has_its_code(self, text, cell):
        result = read(*HEADING, player(1, "Ek, Bo", [text]), player(2, "Ny, Al"))
        assert rows(result)[0] == cell

    def test_game_without_a_move_is_reported(self):
        result = read(*HEADING, player(1, "Ek, Bo", ["2 w D"]), player(2, "Ny, Al"))
        assert (
            "may.trf, section 1, pairing number 1, round 1: line 11, column 92 has D, "
            "a result with no rated game. We read it as a half-point bye."
        ) in sentences(result)

    @pytest.mark.parametrize("absent", ["0000 - 0", "0000 - Z", "0000 - "])
    def test_absent_player_is_not_paired(self, absent):
        line = player(1, "Ek, Bo", [absent, "2 w 1"])
        assert rows(read(line, player(2, "Ny, Al")))[0] == "U0 W2W"

    def test_color_without_an_opponent_is_an_error(self):
        result = read(player(1, "Ek, Bo", ["0000 w 1", "2 w 1"]), player(2, "Ny, Al"))
        assert ("result.no_opponent", 1) in blocking(result)
        torn = player(1, "Ek, Bo", ["0000 w 1", "2 w 1"]).replace("w 1", "w  ", 1)
        assert ("result.unreadable", 1) in blocking(read(torn, player(2, "Ny, Al")))

    def test_rounds_beyond_the_limit_are_rejected(self):
        line = player(1, "Ek, Bo", ["2 w 1"] * 100)
        codes = [(one.code, one.severity) for one in read(line).findings]
        assert ("trf.rounds", Severity.ERROR) in codes

    def test_who_has_no_more_rounds_was_not_paired(self):
        lines = [player(1, "A", ["2 w 1", "2 b 1"]), player(2, "B", ["1 b 0", "1 w 0"])]
        assert rows(read(*lines, player(3, "C", ["0000 - Z"])))[2] == "U0 U0"

    def test_empty_rounds_are_dropped_unless_the_heading_counts_them(self):
        lines = [
            player(1, "A", ["2 w 1", "0000 - Z"]),
            player(2, "B", ["1 b 0", "0000 - Z"]),
        ]
        assert rows(read(*lines)) == ["W2W", "L1B"]
        assert rows(read("142 2", *lines)) == ["W2W U0", "L1B U0"]


SPELLINGS = [
    ("90 min + 30 sec per move from move 1", "G/90;+30"),
    ("90'+30\"", "G/90;+30"),
    ("G/60;d5", "G/60;d5"),
    ("5 minutes", "G/5;d0"),
    ("40 moves in 90 min, then 30 min", "40/90,SD/30;d0"),
    ("40 moves in 90 min", "40 moves in 90 min"),
]


@pytest.mark.parametrize(("spelling", "control"), SPELLINGS)
def test_time_control_is_put_into_our_spelling(spelling, control):
    result = read(f"122 {spelling}", *PLAYERS)
    assert result.reported.sections[0].time_control == control
    is_noted = "trf.time_control" in {finding.code for finding in result.findings}
    assert is_noted is (spelling != control)


@pytest.mark.parametrize(
    ("written", "day", "code"),
    [
        ("2024/05/04", date(2024, 5, 4), None),
        ("2024-05-04", date(2024, 5, 4), None),
        ("20240504", date(2024, 5, 4), None),
        ("04.05.2024", date(2024, 5, 4), None),
        ("5/4/2024", date(2024, 5, 4), "value.date_spelling"),
        ("24/5/2024", date(2024, 5, 24), None),
        ("3 Floréal 2020", None, "value.unreadable"),
        ("May 29, 2020", date(2020, 5, 29), None),
        ("29-May-2020", date(2020, 5, 29), None),
        ("28. 07. 2005", date(2005, 7, 28), None),
        ("2025/9/13", date(2025, 9, 13), None),
        ("10.09.13", date(2013, 9, 10), "value.date_spelling"),
        ("13/09/10", date(2013, 9, 10), "value.date_spelling"),
        ("2024/13/45", None, "value.unreadable"),
        ("28.07.98", date(1998, 7, 28), "value.date_spelling"),
        ("Sept. 3, 2020", date(2020, 9, 3), None),
        ("May 32, 2020", None, "value.unreadable"),
        ("Marzo 3, 2020", date(2020, 3, 3), None),
        ("5/4/2024 - 5/5/2024", None, "value.unreadable"),
    ],
)
def test_days_in_any_spelling(written, day, code):
    result = read(f"042 {written}", *PLAYERS)
    assert result.reported.starts == day
    codes = [f.code for f in result.findings if f.place.field == "starts"]
    assert codes == ([code] if code else [])


@pytest.mark.parametrize(
    "written",
    [
        "2005/07/28 - 2005/07/31",
        "28.-31.07.2005",
        "28.07. - 31.07.2005",
        "July 28-31, 2005",
        "Jul 28 - Jul 31, 2005",
        "28 to 31 July 2005",
    ],
)
@pytest.mark.parametrize("tag", ["042", "052"])
def test_both_days_in_one_line(tag, written):
    report = read(f"{tag} {written}", *PLAYERS).reported
    assert (report.starts, report.ends) == (date(2005, 7, 28), date(2005, 7, 31))


CUT = (
    file_of(*HEADING, *PLAYERS[:3]).decode().rstrip() + "\r\n" + PLAYERS[3][:40]
).encode()

BROKEN = [
    pytest.param(
        CUT,
        "may.trf, section 1: line 14 ends at column 26, before the points and rounds. "
        "We read no games for this player. Enter the results by hand, or upload the "
        "whole file.",
        id="cut off in a line",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS[:3]),
        "may.trf, section 1: line 6, column 5 says there are 4 players, but the file "
        "has 3 player lines. The file may be cut off. Check the list of players.",
        id="cut off between lines",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS[:3], PLAYERS[3][:97]),
        "may.trf, section 1, pairing number 4, round 1: line 14, column 92 has a "
        "pairing with 1 as Black, but no result. If the game was played, enter the "
        "result.",
        id="cut off in a round",
    ),
    pytest.param(
        file_of(*HEADING, PLAYERS[0], PLAYERS[1][:47] + "  " + PLAYERS[1][47:]),
        "may.trf, section 1: line 12 does not follow the columns. We guessed its "
        "fields from what they contain. Compare the entry of Cohen, Levi with the wall "
        "chart.",
        id="shifted columns",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS[:3], player(4, "Novak", ["9 b 0"], points="0.0")),
        "Section 1, pairing number 4, round 1: the opponent, 9, is not in the section. "
        "Enter the opponent’s pairing number.",
        id="opponent who does not exist",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", ["2 w 1"]), player(2, "B", ["0000 - Z"])),
        "Section 1, pairing number 1, round 1: a win against 2, but 2 shows no game. "
        "Check the wall chart and correct one of them.",
        id="result of one side",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", ["2 w 1"]), player(2, "B", ["1 b ="])),
        "Section 1, pairing number 1, round 1: a win against 2, but 2 shows a draw. "
        "Check the wall chart and correct one of them.",
        id="results that disagree",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", ["2 w 1"]), player(2, "B", ["1 w 0"])),
        "Section 1, pairing number 1, round 1: shows White against 2, but 2 shows "
        "White too. Check the wall chart and correct one of them.",
        id="two Whites",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS, player(2, "Poe, Al", ["1 w 1"])),
        "Section 1, pairing number 2: the pairing number 2 is taken, but Poe, Al has "
        "it too. Give each entry its own number.",
        id="starting rank twice",
    ),
    pytest.param(
        file_of(*HEADING, player("x", "Poe, Al", ["1 w 1"])),
        "may.trf, section 1, pairing number 0: line 11, column 5 has “x”, which is not "
        "a starting rank. The line may be cut off or shifted. Correct the file and "
        "upload it again.",
        id="starting rank unreadable",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", rating="19x0"), *PLAYERS[1:]),
        "may.trf, section 1, pairing number 1: line 11, column 49 has “19x0”, which is "
        "not a rating. Enter it by hand if you need it.",
        id="rating unreadable",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", ["2 w 1", "3 w ?"]), *PLAYERS[1:]),
        "may.trf, section 1, pairing number 1, round 2: line 11, column 102 has “3 w "
        "?”, which is not a round. Enter the result by hand.",
        id="result unreadable",
    ),
    pytest.param(
        file_of(*HEADING, player(1, "A", ["4 w 1"], points="3.5"), *PLAYERS[1:]),
        "may.trf, section 1, pairing number 1: line 11, column 81 gives 3.5 points, "
        "but the results add up to 1. Check the results against the wall chart.",
        id="points that differ",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS, national(9, "12345679")),
        "may.trf, section 1: line 15, column 5 has “9”, but no player line has that "
        "rank. Enter the member ID by hand for the right player.",
        id="national line of nobody",
    ),
    pytest.param(
        file_of(*HEADING, *PLAYERS, "What a nice tournament"),
        "may.trf, section 1: line 15 starts with “What a nice ”, which is not a code "
        "of this format. We skipped the line.",
        id="line of no kind",
    ),
    pytest.param(
        file_of("042 4 May", *PLAYERS),
        "may.trf: line 1, column 5 has “4 May”, which is not a date such as "
        "2024/05/04. Enter it by hand.",
        id="day unreadable",
    ),
    pytest.param(
        file_of("102 Roe, Jan (13400304)", *PLAYERS),
        "may.trf: line 1, column 5 names “Roe, Jan (13400304)” as an arbiter, but "
        "gives no member ID. Enter the TD’s member ID by hand.",
        id="arbiter without a member ID",
    ),
    pytest.param(
        file_of(*HEADING),
        "may.trf has no player lines. Player lines start with 001. Export the event "
        "again from your pairing program.",
        id="no players",
    ),
    pytest.param(
        b"",
        "may.trf is empty. Copy or export it again. It may have been cut off.",
        id="empty",
    ),
]


@pytest.mark.parametrize(("data", "sentence"), BROKEN)
def test_broken_file_is_reported_with_place_and_message(data, sentence):
    assert sentence in sentences(read_report([("may.trf", data)]))


def test_readable_parts_of_a_broken_file_are_read():
    result = read_report([("may.trf", CUT)])
    assert [entry.name for entry in result.reported.sections[0].entries] == [
        "Reyes, Ana",
        "Cohen, Levi",
        "Adeyemi, Tolu",
        "Novak, Petra",
    ]
    assert rows(result) == ["W4W W3B D2W", "X3W L4B D1B", "F2B L1W H0", "U0 U0 U0"]


def test_faultless_file_has_no_errors_except_missing_fields():
    result = read("### Affiliate: A6051416", *HEADING, *OF_2026, *PLAYERS, *NATIONAL)
    assert [
        finding.code
        for finding in all_findings(result)
        if finding.severity in (Severity.ERROR, Severity.CONFIRM)
    ] == []


def test_too_many_players_are_reported_and_the_first_ones_read():
    line = player(1, "A")
    data = file_of(*[line.replace("   1", f"{n:>4}", 1) for n in range(1, 5_003)])
    result = read_report([("big.trf", data)])
    assert len(result.reported.sections[0].entries) == 5_000
    assert "big.trf has 5,002 player lines. A section has 5,000 at most" in "".join(
        sentences(result)
    )


def test_misplaced_digits_are_no_fide_id():
    """A shifted line with digits in the name cannot be split by its words."""
    line = player(1, "Ek2, Bo", ["2 w 1"], points="1.0", fide_id="20200015")
    moved = line[:47] + "    " + line[47:]
    result = read(moved, player(2, "Ny, Al", ["1 b 0"]))
    entry = result.reported.sections[0].entries[0]
    assert (entry.name, entry.fide_id, entry.fide_rating) == ("Ek2, Bo", "", "")
    fields = [
        one.place.field for one in result.findings if one.code == "value.unreadable"
    ]
    assert "fide_id" in fields
    assert [code for code, _ in blocking(result) if code == "result.unreadable"]


def test_too_many_rounds_are_rejected_unread():
    cells = "   2 w 1  " * 99
    lines = [f"{player(number, 'Ek, Bo'):<91}{cells}" for number in range(1, 1_012)]
    result = read_report([("big.trf", file_of("012 Big", *lines))])
    assert result.reported is None
    assert [one.code for one in result.findings] == ["trf.too_many_results"]
    assert read_report([("big.trf", file_of("012 Big", *lines[:1_010]))]).reported


# For any input, the reader raises nothing and returns an error or a report that can be
# stored and checked.


def survives(data: bytes) -> None:
    result = read_report([("fuzz.trf", data)])
    if result.reported is None:
        assert Severity.ERROR in {finding.severity for finding in result.findings}
        return
    assert "\x00" not in str(result.reported.to_json())
    assert type(result.reported).from_json(result.reported.to_json()) == result.reported
    for finding in all_findings(result):
        assert finding.message
        assert "\x00" not in finding.message


@settings(max_examples=example_count(150), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_after_a_heading_are_survived(data):
    survives(b"012 Open\n" + data)
    survives(TRF26 + data)


@settings(max_examples=example_count(150), deadline=None)
@given(
    st.lists(
        st.sampled_from([*HEADING, *OF_2026, *PLAYERS, *NATIONAL]).flatmap(
            lambda line: st.tuples(
                st.just(line),
                st.integers(0, len(line)),
                st.integers(0, 6),
                st.text("0123456789 =+-wbHUZ.,/ABé²\x00\t", max_size=8),
            )
        ),
        max_size=8,
    )
)
def test_lines_with_pieces_torn_out_and_put_in_are_survived(torn):
    lines = [line[:at_] + new + line[at_ + cut :] for line, at_, cut, new in torn]
    survives(file_of("012 Open", "001    1", *lines))


@settings(max_examples=example_count(60), deadline=None)
@given(st.integers(0, len(TRF26)))
def test_file_cut_off_anywhere_is_survived(length):
    survives(TRF26[:length])


def test_line_without_columns_is_read_at_its_columns():
    line = at((1, "001"), (5, "   1"), (15, "Å" * 33), (58, "2020001"))
    assert read(line).reported.sections[0].entries == (
        ReportedEntry(1, name="Å" * 33, fide_id="2020001"),
    )


@pytest.mark.parametrize(
    ("name", "day", "codes"),
    [
        ("May Open - Under 1200", "2003/05/04", []),
        ("May Open - Under 1200", "2003/05/10", []),
        ("Autumn Open", "2003/05/03", ["file.other_event"]),
        ("May Open", "2004/05/03", ["file.other_event"]),
    ],
)
def test_files_of_other_events_are_reported(name, day, codes):
    player = "001    1      Adams, Ada"
    first = f"012 May Open\n042 2003/05/03\n052 2003/05/04\n{player}\n"
    other = f"012 {name}\n042 {day}\n052 {day}\n{player}\n"
    files = [("a.trf", first.encode()), ("b.trf", other.encode())]
    all_codes = [one.code for one in read_report(files).findings]
    assert [code for code in all_codes if code.startswith("file.other")] == codes
