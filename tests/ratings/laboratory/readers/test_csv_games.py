import csv
import io
import tracemalloc
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.protocol import OnlineFacts
from ratings.laboratory.readers import csv_games
from ratings.laboratory.readers.csv_games import read_csv
from ratings.laboratory.readers.findings import MAX_PER_KIND, Effect
from ratings.laboratory.readers.lines import MAX_LINE_LENGTH
from ratings.laboratory.readers.record_builder import normalize_name
from ratings.laboratory.readers.records import GameRecord
from tests.hypothesis_settings import example_count

HEAD = "date,white,black,result\n"


def read(text, **how):
    """Return the records and the findings of a text, or of bytes."""
    data = text.encode() if isinstance(text, str) else text
    reading = read_csv(io.BytesIO(data), **how)
    return list(reading), list(reading.findings)


def day(text):
    return date.fromisoformat(text).toordinal()


def sentences(findings):
    return [str(one) for one in findings]


def test_every_column():
    records, findings = read(
        "date,white,black,result,event,white id,black id,white rating,black rating,"
        "white born,black born,minutes\n"
        "2024-05-04,Ann Lee,Bob,1/2-1/2,Open,12,13,1500,1620.5,2011,1990-03-02,90+30\n"
    )
    assert findings == []
    assert records == [
        GameRecord(
            line=2,
            day=day("2024-05-04"),
            white="Ann Lee",
            black="Bob",
            points=0.5,
            white_id="12",
            black_id="13",
            event="Open",
            white_rating=1500.0,
            black_rating=1620.5,
            white_birth_year=2011,
            black_birth_year=1990,
            minutes=120,
        )
    ]


def test_columns_for_fide_online_arena():
    records, findings = read(
        "date,white,black,result,online control,white FIDE standard,white FIDE rapid,"
        "black list change,black disconnected\n"
        "2024-05-04,Ann,Bob,1-0,10m + 10s,2001,,-3.4,61\n"
        "2024-05-05,Ann,Bob,1-0,,,,,\n"
        "2024-05-06,Ann,Bob,1-0,fast,9999,,much,soon\n"
    )
    assert [one.online for one in records] == [
        OnlineFacts((10, 10), (2001.0, None, None), black_change=-3.4, black_away=61),
        None,
        OnlineFacts(),
    ]
    assert [(one.kind, one.line, one.effect) for one in findings] == [
        ("online", 4, Effect.PARTLY)
    ] * 4


@pytest.mark.parametrize(
    "text",
    [
        "Date;White;Black;Result\r\n2024-05-04;Ann;Bob;1-0\r\n",
        "RESULT\tBLACK\tWHITE\tDATE\n1\tBob\tAnn\t5/4/2024\n",
        "\ufefffecha|blancas|negras|resultado\n4.5.2024|Ann|Bob|1:0\n",
        "sep=;\nGame date;White player;Black player;Outcome\n20240504;Ann;Bob;1.0\n",
        '"Date","White","Black","Result"\r"2024.05.04","Ann","Bob","1 - 0"\r',
        "\n\nDatum;Weiß;Schwarz;Ergebnis;\n2024/5/4;Ann;Bob;w;\n\n",
        "played on , White Name , Black Name , Score\n 2024-05-04 , Ann , Bob , 1 ",
    ],
)
def test_tables_as_people_write_them(text):
    records, findings = read(text)
    assert findings == []
    [record] = records
    assert record[1:5] == (day("2024-05-04"), "Ann", "Bob", 1.0)


def test_names_with_commas_stand_in_quotation_marks():
    records, findings = read(HEAD + '2024-05-04,"Lee, Ann ""Al""",Bob,1-0\n')
    assert [one.white for one in records] == ['Lee, Ann "Al"']
    assert findings == []


def test_ids_can_stand_alone():
    records, _ = read("date,white id,black id,result\n2024-05-04,12,13,0-1\n")
    assert [(one.white_id, one.black_id, one.points) for one in records] == [
        ("12", "13", 0.0)
    ]


@pytest.mark.parametrize("id", ["?", "-", "n.n."])
def test_an_invalid_id_leaves_the_name(id):
    text = f"date,white,black,result,white id\n2024-05-04,Ann,Bob,1-0,{id}\n"
    records, findings = read(text)
    assert (records[0].white, records[0].white_id, findings) == ("Ann", "", [])


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            ",Ann,Bob,1-0",
            "The game has no date. The game was left out. Add the date of the game.",
        ),
        (
            "2024-02-30,Ann,Bob,1-0",
            (
                "“2024-02-30” is not a date. The game was left out. Enter dates as "
                "2024-05-31."
            ),
        ),
        (
            "2024-05-04,Ann,Bob,3-0",
            "“3-0” is not a result. The game was left out. Enter 1-0, 0-1, or 1/2-1/2.",
        ),
        (
            "2024-05-04,Ann,Bob,*",
            (
                "The game has no result. The game was left out. Enter 1-0, 0-1, or "
                "1/2-1/2."
            ),
        ),
        (
            "2024-05-04,Ann,Bob,1-0F",
            (
                "“1-0F” is not the result of a played game. The game was left out. "
                "Forfeits and byes are not rated."
            ),
        ),
        (
            "2024-05-04,?,Bob,1-0",
            (
                "White is missing or not a player: “?”. The game was left out. Enter "
                "the player’s name or ID."
            ),
        ),
        (
            "2024-05-04,Ann,,1-0",
            (
                "Black is missing or not a player: “”. The game was left out. Enter "
                "the player’s name or ID."
            ),
        ),
        (
            "2024-05-04,Lee, Ann,Bob,1-0",
            (
                "The line has 5 cells, but there are 4 columns. The game was left "
                "out. Put names with a comma in quotation marks."
            ),
        ),
        (
            '2024-05-04,"Ann,Bob,1-0',
            "A quotation mark is not closed. The game was left out.",
        ),
        (
            "2024-05-04," + "A" * 101 + ",Bob,1-0",
            "White’s name is too long or has unreadable characters: “"
            + "A" * 39
            + "…”. The game was left out. Use up to 100 ordinary characters.",
        ),
        (
            "2024-05-04,Ann,B\x00b,1-0",
            (
                "Black’s name is too long or has unreadable characters: “B�b”. The "
                "game was left out. Use up to 100 ordinary characters."
            ),
        ),
        (
            "x" * (MAX_LINE_LENGTH + 1),
            "The line is longer than 10,000 bytes. The game was left out.",
        ),
    ],
)
def test_what_cannot_be_rated_is_left_out_with_its_line(row, sentence):
    good = "2024-05-04,Carl,Dora,0-1\n"
    records, findings = read(f"{HEAD}{good}{row}\n{good}")
    assert [one.line for one in records] == [2, 4]
    assert sentences(findings) == [f"Line 3: {sentence}"]
    assert findings[0].effect is Effect.LEFT_OUT


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("white rating", "9999", "“9999” is not a rating from 1 to 4000."),
        ("black rating", "-50", "“-50” is not a rating from 1 to 4000."),
        ("white rating", "strong", "“strong” is not a rating from 1 to 4000."),
        ("white born", "young", "“young” is not a birth year."),
        ("black born", "1066", "“1066” is not a birth year."),
        ("minutes", "fast", "“fast” is not a time control."),
        ("minutes", "9" * 39, f"“{'9' * 39}” is not a time control."),
        (
            "event",
            "E" * 101,
            "The event’s name is too long or has unreadable characters: "
            f"“{'E' * 39}…”.",
        ),
    ],
)
def test_what_makes_no_sense_is_left_away_and_the_game_is_taken(column, value, said):
    records, findings = read(
        f"date,white,black,result,{column}\n2024-05-04,Ann,Bob,1-0,{value}\n"
    )
    assert records == [GameRecord(2, day("2024-05-04"), "Ann", "Bob", 1.0)]
    [finding] = findings
    assert str(finding).startswith(f"Line 2: {said} The game was used without it.")
    assert finding.effect is Effect.PARTLY


@pytest.mark.parametrize("value", ["", "-", "unr.", "0", "NEW"])
def test_unrated_is_no_fault(value):
    records, findings = read(
        f"date,white,black,result,white rating\n2024-05-04,Ann,Bob,1-0,{value}\n"
    )
    assert (records[0].white_rating, findings) == (None, [])


def test_a_date_without_a_day_counts_for_the_last_it_can_be():
    records, findings = read(HEAD + "2024-02,Ann,Bob,1-0\n2023,Ann,Bob,1-0\n")
    assert [one.day for one in records] == [day("2024-02-29"), day("2023-12-31")]
    assert sentences(findings)[0] == (
        "Line 2: “2024-02” has no day. The game was dated 2024-02-29. Add the "
        "day if you know it."
    )


def test_a_missing_column_is_named():
    records, findings = read("date,white,score\n2024-05-04,Ann,1\n")
    assert records == []
    assert sentences(findings) == [
        (
            "Line 1: The file has no column named black, so no games were read. Name "
            "the columns in the first line: date, white, black, result."
        )
    ]


def test_columns_that_are_not_used_are_named():
    records, findings = read(
        "date,white,black,result,opening,date\n2024-05-04,Ann,Bob,1-0,C45,x\n"
    )
    assert len(records) == 1
    assert sentences(findings) == [
        "Line 1: The column “opening” was ignored.",
        "Line 1: The column “date” was ignored.",
    ]


def test_windows_encoding_is_read_and_reported():
    records, findings = read(
        HEAD.encode() + "2024-05-04,José,Zoë,1-0\n".encode("cp1252")
    )
    assert (records[0].white, records[0].black) == ("José", "Zoë")
    assert [one.kind for one in findings] == ["encoding"]


def test_accents_written_in_two_ways_are_one_name():
    records, _ = read(HEAD + "2024-05-04,José,Jose\u0301 X,1-0\n")
    assert records[0].black == "José X"


@pytest.mark.parametrize("data", [b"PK\x03\x04\x00\x00", "date".encode("utf-16")])
def test_what_is_no_text_is_said_to_be_none(data):
    records, findings = read(data)
    assert (records, [one.kind for one in findings]) == ([], ["no_text"])


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"sep=;\n"])
def test_an_empty_file_has_no_games(data):
    assert read(data) == ([], [])


def test_the_same_fault_in_many_lines_is_counted_and_shortened():
    records, findings = read(HEAD + "2024-05-04,Ann,Bob,2-0\n" * 1000)
    assert records == []
    assert len(findings) == MAX_PER_KIND + 1
    assert str(findings[-1]) == (
        "More issues like the one in line 21: 980. Fix the ones shown first."
    )


def test_a_file_with_too_many_games_says_where_it_stopped():
    records, findings = read(HEAD + "2024-05-04,Ann,Bob,1-0\n" * 7, max_games=5)
    assert len(records) == 5
    assert sentences(findings) == [
        (
            "Line 7: The file has more than 5 games. Games after this line were not "
            "read. Send the rest in another file."
        )
    ]


def test_as_many_games_as_are_allowed_are_no_finding():
    records, findings = read(HEAD + "2024-05-04,Ann,Bob,1-0\n" * 5, max_games=5)
    assert (len(records), findings) == (5, [])


class Endless(io.RawIOBase):
    """A file of so many bytes that is never in memory as a whole."""

    def __init__(self, head, block, blocks):
        self.parts = iter([head, *[block] * blocks])
        self.largest = 0

    def read(self, size=-1):
        self.largest = max(self.largest, size)
        return next(self.parts, b"")


def test_a_line_without_an_end_stays_small_in_memory():
    endless = Endless(HEAD.encode(), b"x" * 100_000, 500)  # 50 MB
    tracemalloc.start()
    reading = read_csv(endless)
    assert list(reading) == []
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
    assert [one.kind for one in reading.findings] == ["long_line"]
    assert 0 < endless.largest <= 1 << 20


def test_many_lines_stay_small_in_memory():
    endless = Endless(HEAD.encode(), b"2024-05-04,Ann,Bob,nobody won\n" * 1000, 30)
    tracemalloc.start()
    reading = read_csv(endless)
    assert sum(1 for _ in reading) == 0
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()
    assert reading.findings.counts == {"result": 30_000}


# --- Properties ---

names = st.text("abcxyz éñß火’'.;|-\"", max_size=20).map(lambda name: f"P{name}q")
results = st.sampled_from(
    [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5), ("½", 0.5), ("1", 1.0), ("0", 0.0)]
)
days = st.dates(date(1800, 1, 1), date(2100, 12, 31))
rows = st.tuples(days, names, names, results, st.integers(1, 4000))


@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(rows, max_size=15), st.sampled_from(csv_games.DELIMITERS))
def test_what_was_written_is_read_again(rows, delimiter):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["white", "black", "date", "white elo", "result"])
    for played, white, black, (result, _), rating in rows:
        writer.writerow([f"{white}, Ann", black, played.isoformat(), rating, result])
    records, findings = read(file.getvalue())
    assert findings == [], sentences(findings)
    assert [
        (one.day, one.white, one.black, one.points, one.white_rating) for one in records
    ] == [
        (
            played.toordinal(),
            f"{normalize_name(white)}, Ann",
            normalize_name(black),
            points,
            rating,
        )
        for played, white, black, (_, points), rating in rows
    ]


@settings(max_examples=example_count(200), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_raising(data):
    for sentence in sentences(read(data)[1]):
        assert sentence


pieces = st.sampled_from(
    [
        *(b",", b";", b"\t", b"\n", b"\r\n", b'"', b"\x00", b"\xff", b"\xc3\xa9"),
        *(b"2024-05-04", b"????.??.??", b"2024", b"99", b"1-0", b"1/2", b"0,5", b"*"),
        *(
            b"Ann",
            b"Bob",
            b"?",
            b"1500P12",
            b"G/60;d5",
            b"9" * 50,
            b" ",
            b"\xef\xbb\xbf",
        ),
        b"date,white,black,result,event,white rating,white born,minutes\n",
    ]
)


@settings(max_examples=example_count(300), deadline=None)
@given(st.lists(pieces, max_size=60))
def test_any_pieces_of_a_table_are_read_without_raising(parts):
    head = b"date,white,black,result,event,white rating,white born,minutes\n"
    data = head + b"".join(parts)
    records, findings = read(data)
    lines = len(data.splitlines())
    assert all(1 < one.line <= lines for one in records)
    assert all(0 <= one.line <= lines for one in findings)
    assert all(one.points in (0, 0.5, 1) and one.white for one in records)


@settings(max_examples=example_count(60), deadline=None)
@given(st.lists(pieces, max_size=40))
def test_every_line_is_a_game_or_a_finding(parts):
    """No line is skipped without a word, unless it is blank."""
    data = b"".join(parts)
    reading = read_csv(io.BytesIO(HEAD.encode() + data))
    records = list(reading)
    said = sum(
        count
        for kind, count in reading.findings.counts.items()
        if kind not in ("part_date", "encoding", "rating", "born", "minutes", "event")
    )
    blank = [
        line
        for line in data.splitlines()
        if not line.decode("cp1252", "replace").strip()
    ]
    left_out = {one.line for one in reading.findings if one.effect is Effect.LEFT_OUT}
    assert said >= len(left_out)
    taken = {one.line for one in records}
    if said <= MAX_PER_KIND:
        assert len(taken | left_out) + len(blank) == len(data.splitlines())
