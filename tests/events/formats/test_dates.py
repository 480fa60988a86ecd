"""Ambiguous dates in all readers."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from events.formats.ambiguous_dates import resolve_dates
from events.formats.dates import parse_date, possible_dates
from events.formats.dbf.reader import classify_files, read_dbf
from events.formats.dbf.tables import Field, write_table
from events.formats.findings import Collector, Finding, Severity
from events.formats.report import ReportedEvent
from events.formats.report_reader import read_report
from tests.events.formats.pgn_samples import game
from tests.events.formats.test_chess_results import PAIRINGS, document, element
from tests.events.formats.test_swisssys import event as swisssys_event
from tests.hypothesis_settings import example_count

CASE = Path(__file__).resolve().parents[2] / "data/field-cases"
PLAYERS = (
    "001    1      Ash, Ann                                               "
    "             1.0    1     2 w 1\n"
    "001    2      Birch, Bob                                             "
    "             0.0    2     1 b 0\n"
)
TODAY = date(2026, 11, 28)
# Spellings of a date, and whether more than one order of the numbers is possible.
SPELLINGS = [
    "{d.year}-{d.month:02}-{d.day:02}", "{d.year}/{d.month}/{d.day}",
    "{d.year}{d.month:02}{d.day:02}", "{d:%B} {d.day}, {d.year}",
    "{d.day} {d:%b} {d.year}", "{d.day}-{d:%b}-{d.year}", "{d.day}.{d.month}.{d.year}",
    "{d:%A}, {d:%B} {d.day}, {d.year}", "{d.month}/{d.day}/{d.year}",
    "{d.day}/{d.month}/{d.year}", "{d:%d.%m.%y}", "{d:%y.%m.%d}", "{d:%m/%d/%y}",
    "{d:%d/%m/%y}", "{d:%y/%m/%d}",
]  # fmt: skip
CERTAIN = SPELLINGS[:8]
MONTH_FIRST, DAY_FIRST = SPELLINGS[8:10]
WITH_FOUR_DIGITS = SPELLINGS[:10]


def dates_of(head: str, today: date | None = None):
    result = read_report(
        [("may.trf", f"012 May Open\n{head}{PLAYERS}".encode())], None, today
    )
    asked = [f for f in result.findings if f.severity.value == "confirm"]
    return result.reported.starts, result.reported.ends, asked


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dates(date(1990, 1, 1), date(2060, 12, 31)), st.sampled_from(SPELLINGS))
def test_the_right_day_is_always_among_the_readings(day, spelling):
    readings = possible_dates(spelling.format(d=day))
    assert day in readings.values()
    if spelling in CERTAIN:
        assert parse_date(spelling.format(d=day)) == day
        assert len(readings) == 1


@given(
    st.dates(date(2024, 1, 1), TODAY - timedelta(days=3)),
    st.integers(1, 3),
    st.sampled_from(SPELLINGS),
)
@example(date(2025, 5, 3), 1, "{d:%y.%m.%d}")
def test_the_right_days_are_chosen_or_asked_about(first, length, spelling):
    days = (first, first + timedelta(days=length))
    chosen = resolve_dates([spelling.format(d=day) for day in days], today=TODAY)
    assert chosen.days == days or chosen.others is not None
    if spelling in CERTAIN:
        assert chosen.others is None


@given(
    st.dates(date(2024, 1, 1), TODAY - timedelta(days=3)), st.sampled_from(SPELLINGS)
)
def test_the_days_of_the_rounds_decide(first, spelling):
    last = first + timedelta(days=1)
    rounds = [day.isoformat() for day in (first, first, last)]
    texts = [spelling.format(d=day) for day in (first, last)]
    assert resolve_dates(texts, rounds, today=TODAY) == resolve_dates(rounds[::2])


def test_file_with_the_year_first_in_two_digits():
    content = (CASE / "13-trf-year-first-dates.trf").read_bytes()
    result = read_report([("13.trf", content)], None, TODAY)
    report = result.reported
    assert (report.starts, report.ends) == (date(2025, 5, 3), date(2025, 5, 4))
    assert not [f for f in result.findings if f.severity.value == "confirm"]


def test_ambiguous_dates_are_asked_about_with_both_readings():
    starts, ends, asked = dates_of("042 03/05/2025\n052 04/05/2025\n")
    assert (starts, ends) == (date(2025, 3, 5), date(2025, 4, 5))
    assert [(f.code, f.place.field) for f in asked] == [
        ("value.date_spelling", "ends"),
        ("value.date_spelling", "starts"),
    ]
    for part in ("03/05/2025", "March 5, 2025", "May 3, 2025"):
        assert part in asked[1].message


@pytest.mark.parametrize(
    ("starts", "ends", "today", "days"),
    [
        ("11.12.24", "11.12.25", None, ("2011-12-24", "2011-12-25")),
        ("10/12/2026", "11/10/2026", TODAY, ("2026-10-12", "2026-11-10")),
        ("12/10/2026", "", TODAY, ("2026-10-12", "None")),
        ("30/04/2025", "02/05/2025", None, ("2025-04-30", "2025-05-02")),
        ("10.09.13", "11.03.13", None, ("2010-09-13", "2011-03-13")),
    ],
)
def test_only_one_order_fits(starts, ends, today, days):
    head = f"042 {starts}\n" + (f"052 {ends}\n" if ends else "")
    first, last, asked = dates_of(head, today)
    assert ((str(first), str(last)), asked) == (days, [])


# A file of each kind with the event's days and one more day of a section, a round or a
# game; chess-results and tables have the first and the last day in lines of their own.
Days = tuple[str, str, str]


def dbf_file(days: Days) -> list[tuple[str, bytes]]:
    first, between, last = days
    rows = {
        "THEXPORT.DBF": {
            "H_FORMAT": "2C", "H_NAME": "MAY OPEN", "H_AFF_ID": "A6000001",
            "H_TOT_SECT": "1", "H_BEG_DATE": first, "H_END_DATE": last,
        },
        "TSEXPORT.DBF": {
            "S_SEC_NUM": "1", "S_TIMECTL": "G/90;d5", "S_TOT_RNDS": "1",
            "S_SEC_NAME": "OPEN", "S_BEG_DATE": between, "S_END_DATE": between,
        },
        "TDEXPORT.DBF": {"D_SEC_NUM": "1", "D_PAIR_NUM": "1", "D_MEM_ID": "12345671"},
    }  # fmt: skip
    return [
        (name, write_table([Field(column, "C", 30) for column in row], [row]))
        for name, row in rows.items()
    ]


def table_file(days: Days) -> list[tuple[str, bytes]]:
    first, between, last = (f'"{day}"' for day in days)
    text = f"Event,May Open\nFirst day,{first}\nLast day,{last}\nSection,Open\n"
    text += f"Section first day,{between}\nSection last day,{between}\n\n"
    text += "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
    return [("may.csv", text.encode())]


def swisssys_file(days: Days) -> list[tuple[str, bytes]]:
    # It has no day in between.
    overview = {"Starting date": days[0], "Ending date": days[2]}
    return [("may.sjson", json.dumps(swisssys_event(overview=overview)).encode())]


def chess_results_file(days: Days) -> list[tuple[str, bytes]]:
    first, between, last = days
    text = document(PAIRINGS, **{"from": first, "to": last}).decode()
    day = element("round", {"round": "3", "date": between, "time": ""})
    return [("may.xml", text.replace("</rounds>", f"{day}</rounds>").encode())]


def trf_file(days: Days) -> list[tuple[str, bytes]]:
    first, between, last = days
    rounds = f"132 {between}\n" if " " not in between else ""
    text = f"012 May Open\n042 {first}\n052 {last}\n{rounds}{PLAYERS}"
    return [("may.trf", text.encode())]


def pgn_file(days: Days) -> list[tuple[str, bytes]]:
    games = [
        game("1. e4 e5 1-0", Date=day, Round=str(number))
        for number, day in enumerate(days, start=1)
    ]
    return [("may.pgn", "".join(games).encode())]


FILES: dict[str, Callable[[Days], list[tuple[str, bytes]]]] = {
    "dbf": dbf_file,
    "table": table_file,
    "swisssys": swisssys_file,
    "chess-results": chess_results_file,
    "trf": trf_file,
    "pgn": pgn_file,
}


def read_days(
    kind: str, days: Days, today: date | None = TODAY
) -> tuple[ReportedEvent, list[Finding]]:
    """Return the report of a file, and the questions about its dates."""
    result = read_report(FILES[kind](days), None, today)
    assert result.reported is not None
    asked = [f for f in result.findings if f.code == "value.date_spelling"]
    return result.reported, [f for f in asked if f.severity is Severity.CONFIRM]


@st.composite
def days_of_an_event(draw: st.DrawFn) -> tuple[date, date, date]:
    """Draw the first and the last day of an event, and one that has one reading."""
    between = draw(st.dates(date(2024, 2, 1), TODAY - timedelta(days=30)))
    between = between.replace(day=draw(st.integers(13, 28)))
    before, after = (timedelta(days=draw(st.integers(0, 12))) for _ in range(2))
    return between - before, between, between + after


@settings(
    max_examples=example_count(300),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.sampled_from(list(FILES)), days_of_an_event(), st.sampled_from(SPELLINGS))
def test_a_day_with_one_reading_decides_how_a_file_is_read(kind, days, spelling):
    if kind == "swisssys":
        days = (days[0], days[1], days[1])
    spelled = [spelling.format(d=day) for day in days]
    report, asked = read_days(kind, tuple(spelled))
    is_right = (report.starts, report.ends) == (days[0], days[2])
    [section] = report.sections
    if kind in ("dbf", "table"):
        is_right &= (section.starts, section.ends) == (days[1], days[1])
    assert is_right or asked
    if spelling in WITH_FOUR_DIGITS and not (kind == "dbf" and spelling == DAY_FIRST):
        assert (is_right, asked) == (True, [])


@settings(
    max_examples=example_count(300),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.sampled_from(list(FILES)),
    st.dates(date(2024, 1, 1), TODAY - timedelta(days=3)),
    st.integers(0, 3),
    st.sampled_from(SPELLINGS),
)
def test_short_events_are_read_correctly_or_asked_about(kind, first, length, spelling):
    last = first + timedelta(days=length)
    spelled = [spelling.format(d=day) for day in (first, first, last)]
    report, asked = read_days(kind, tuple(spelled))
    if kind == "dbf" and spelling == DAY_FIRST:
        return  # the layout has the month first
    assert (report.starts, report.ends) == (first, last) or asked


@pytest.mark.parametrize("kind", FILES)
def test_one_question_is_asked_about_a_day_with_two_readings(kind):
    day = "3-5-2025" if kind == "dbf" else "3/5/2025"
    report, asked = read_days(kind, (day, day, day))
    assert (report.starts, report.ends) == (date(2025, 3, 5), date(2025, 3, 5))
    assert len(asked) == (2 if kind == "trf" else 1)
    assert "March 5, 2025 or May 3, 2025" in asked[0].message


def test_the_day_of_the_upload_decides():
    for kind in FILES:
        day = "10/12/2026"
        report, asked = read_days(kind, (day, day, day))
        assert (report.starts, asked) == (date(2026, 10, 12), [])
        day = "3-12-2026" if kind == "dbf" else "3/12/2026"
        report, asked = read_days(kind, (day, day, day), date(2026, 5, 1))
        assert (report.starts, asked) == (date(2026, 3, 12), [])
        day = "12-3-2026" if kind == "dbf" else "12/3/2026"
        report, asked = read_days(kind, (day, day, day), date(2026, 5, 1))
        assert (report.starts, asked) == (date(2026, 3, 12), [])


class TestDbf:
    @pytest.mark.parametrize(
        ("text", "day", "codes"),
        [
            ("20250503", date(2025, 5, 3), []),
            ("05/03/2025", date(2025, 5, 3), ["note"]),
            ("5/3/2025", date(2025, 5, 3), ["note"]),
            ("03-MAY-2025", date(2025, 5, 3), []),
            ("May 3, 2025", date(2025, 5, 3), []),
            ("03.05.2025", date(2025, 5, 3), []),
            ("05-03-2025", date(2025, 5, 3), ["confirm"]),
            ("05/03/25", date(2025, 5, 3), ["confirm"]),
            ("05/23/25", date(2025, 5, 23), ["note"]),
            ("23/05/2025", date(2025, 5, 23), []),
            ("2025-05-03", date(2025, 5, 3), []),
        ],
    )
    def test_spellings(self, text, day, codes):
        findings = Collector(TODAY)
        files = classify_files(dbf_file((text, "", text)), findings)
        report = read_dbf(files.by_role, findings)
        assert (report.starts, report.ends) == (day, day)
        questions = [f for f in findings.in_order() if f.code == "value.date_spelling"]
        assert {f.severity.value for f in questions} == set(codes)

    def test_another_order_than_that_of_the_layout_is_asked_about(self):
        days = ("03/05/2025", "13/05/2025", "14/05/2025")
        report, asked = read_days("dbf", days)
        assert (report.starts, report.ends) == (date(2025, 5, 3), date(2025, 5, 14))
        assert "can mean May 3, 2025 or March 5, 2025" in asked[0].message


class TestTables:
    def test_days_of_schedules_have_the_order_of_the_file(self):
        text = (
            "Event,May Open\nFirst day,03/05/2025\nLast day,13/05/2025\nSection,Open\n"
            "Schedule,2-day · G/60;d5 · rounds 1-1 · 04/05/2025 · 05/05/2025\n\n"
            "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
        )
        report = read_report([("may.csv", text.encode())], None, TODAY).reported
        [schedule] = report.sections[0].schedules
        assert (schedule.starts, schedule.ends) == (date(2025, 5, 4), date(2025, 5, 5))

    def test_two_files_that_spell_a_day_differently_are_one_event(self):
        def table(name: str, day: str, section: str) -> tuple[str, bytes]:
            text = f"Event,May Open\nFirst day,{day}\nSection,{section}\n\n"
            text += "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
            return name, text.encode()

        files = [table("a.csv", "2025-05-03", "A"), table("b.csv", "3/5/2025", "B")]
        result = read_report(files, None, TODAY)
        assert "file.other_event" not in [f.code for f in result.findings]
        other = [files[0], table("b.csv", "4/5/2025", "B")]
        result = read_report(other, None, TODAY)
        assert "file.other_event" in [f.code for f in result.findings]

    def test_an_event_within_a_week_is_clear_with_the_month_first(self):
        report, asked = read_days("table", ("5/4/2025", "5/4/2025", "5/5/2025"))
        assert (report.starts, report.ends) == (date(2025, 5, 4), date(2025, 5, 5))
        assert asked == []


class TestPgn:
    """An ambiguous Date tag is compared with the other tags of the games."""

    @pytest.mark.parametrize("written", ["03/05/2025", "05.03.25", "3-5-2025"])
    def test_a_date_that_stays_unclear_is_asked_about_once(self, written):
        report, asked = read_days("pgn", (written, written, written), None)
        assert [f.place.field for f in asked] == ["line 1"]
        assert written in asked[0].message
        assert report.starts == report.ends
        assert str(report.starts.year) in asked[0].message

    @pytest.mark.parametrize(
        "tags",
        [
            {"EventDate": "2025.05.03"},
            {"UTCDate": "2025.05.03"},
            {"UTCDate": "2025.05.04"},
            {"EventDate": "2025.05.01"},
        ],
    )
    @pytest.mark.parametrize("written", ["03/05/2025", "3-5-2025", "03/05/25"])
    def test_the_games_own_dates_decide(self, written, tags):
        text = game("1. e4 e5 1-0", Date=written, **tags)
        result = read_report([("may.pgn", text.encode())], None, TODAY)
        assert result.reported.ends == date(2025, 5, 3)
        codes = {f.code for f in result.findings}
        assert not codes & {"value.date_spelling", "pgn.date"}

    def test_dates_of_another_event_do_not_matter(self):
        texts = [
            game("1. e4 e5 1-0", Date="03/05/2025"),
            game("1. d4 d5 1-0", Date="13/05/2025", Event="June Open"),
        ]
        result = read_report([("may.pgn", "".join(texts).encode())], None, TODAY)
        asked = [f for f in result.findings if f.code == "value.date_spelling"]
        assert [f.place.field for f in asked] == ["line 1"]

    def test_the_games_are_put_in_order_by_their_dates(self):
        dates = ["03/05/2025", "02/06/2025", "13/05/2025"]
        moves = ["1. e4 e5 1-0", "1. d4 d5 0-1", "1. c4 c5 1/2-1/2"]
        results = ["1-0", "0-1", "1/2-1/2"]
        text = "".join(
            game(line, Date=day, Round="?", Result=result)
            for day, line, result in zip(dates, moves, results, strict=True)
        )
        report = read_report([("may.pgn", text.encode())], None, TODAY).reported
        entry = report.sections[0].entries[0]
        assert [cell.code for cell in entry.cells] == ["W", "D", "L"]
        assert (report.starts, report.ends) == (date(2025, 5, 3), date(2025, 6, 2))


@pytest.mark.parametrize("kind", ["trf", "chess-results"])
def test_days_of_rounds_alone_are_asked_about_too(kind):
    report, asked = read_days(kind, ("", "3/5/2025", ""))
    assert report.starts == report.ends == date(2025, 3, 5)
    assert [f.place.field for f in asked] == ["rounds" if kind == "trf" else "round"]


def test_tables_compare_both_days():
    table = "Event,May Open\nFirst day,30/04/2025\nLast day,02/05/2025\n\n"
    table += "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
    report = read_report([("may.csv", table.encode())]).reported
    assert (report.starts, report.ends) == (date(2025, 4, 30), date(2025, 5, 2))
