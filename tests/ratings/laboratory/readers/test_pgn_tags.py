import io
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.laboratory.readers.pgn_tags import read_pgn
from ratings.laboratory.readers.record_builder import normalize_name
from ratings.laboratory.readers.records import GameRecord
from tests.hypothesis_settings import example_count

# The example game of the PGN standard (1994), section 8.1.1 and 3.2.4, cut short.
STANDARD = """[Event "F/S Return Match"]
[Site "Belgrade, Serbia JUG"]
[Date "1992.11.04"]
[Round "29"]
[White "Fischer, Robert J."]
[Black "Spassky, Boris V."]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 {This opening is called the Ruy Lopez.} 3... a6 4. Ba4
Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 1/2-1/2
"""


def read(text, **how):
    data = text.encode() if isinstance(text, str) else text
    reading = read_pgn(io.BytesIO(data), **how)
    return list(reading), list(reading.findings)


def day(text):
    return date.fromisoformat(text).toordinal()


def tags(**values):
    usual = {"Date": "2024.05.04", "White": "Ann", "Black": "Bob", "Result": "1-0"}
    return "".join(f'[{name} "{value}"]\n' for name, value in (usual | values).items())


def sentences(findings):
    return [str(one) for one in findings]


def test_the_game_of_the_standard():
    assert read(STANDARD) == (
        [
            GameRecord(
                line=1,
                day=day("1992-11-04"),
                white="Fischer, Robert J.",
                black="Spassky, Boris V.",
                points=0.5,
                event="F/S Return Match",
            )
        ],
        [],
    )


def test_ratings_ids_and_time_controls():
    text = tags(
        WhiteElo="2850",
        BlackElo="-",
        WhiteFideId="1503014",
        BlackFideId="5202213",
        TimeControl="5400+30",
    )
    [record], findings = read(text)
    assert findings == []
    told = ("1503014", "5202213", "", 2850.0, None, None, None, 120, True, None)
    assert record[5:] == told


def test_games_follow_each_other():
    records, findings = read(3 * (STANDARD + "\n"))
    assert [one.line for one in records] == [1, 12, 23]
    assert findings == []


@pytest.mark.parametrize(
    "between", ["", "\n", "\n1-0\n\n", "\n{[%clk 1:00]\n[%eval 0]}\n"]
)
def test_games_are_told_apart_with_or_without_moves(between):
    records, findings = read(tags() + between + tags(White="Cid") + between)
    assert [one.white for one in records] == ["Ann", "Cid"]
    assert findings == []


def test_tags_can_share_a_line_and_be_indented():
    line = ' [Date "2024.05.04"][White "Ann"] [Black "Bob"]\t[Result "0-1"]\r\n'
    records, findings = read("\ufeff" + line + "\r\n0-1\r\n")
    assert [(one.white, one.black, one.points) for one in records] == [
        ("Ann", "Bob", 0.0)
    ]
    assert findings == []


def test_quotation_marks_within_a_name():
    records, _ = read(tags(White='Ann \\"A\\" \\\\ Lee') + tags(White='Bo "B" Roe'))
    assert [one.white for one in records] == ['Ann "A" \\ Lee', 'Bo "B" Roe']


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"Date": "2024.05.??"}, "2024-05-31"),
        ({"Date": "2023.02.??"}, "2023-02-28"),
        ({"Date": "2024.??.??"}, "2024-12-31"),
        ({"Date": "2024.??.05"}, "2024-12-31"),
    ],
)
def test_dates_with_question_marks_count_for_the_last_day(dates, expected):
    records, findings = read(tags(**dates))
    assert [one.day for one in records] == [day(expected)]
    assert sentences(findings) == [
        f"Line 1: “{dates['Date']}” has no day. The game was dated "
        f"{expected}. Add the day if you know it."
    ]


@pytest.mark.parametrize(
    "dates",
    [
        {"Date": "????.??.??", "EventDate": "2024.05.04"},
        {"Date": "", "UTCDate": "2024.05.04", "EventDate": "2020.01.01"},
    ],
)
def test_a_game_without_a_date_has_that_of_the_event(dates):
    records, findings = read(tags(**dates))
    assert [one.day for one in records] == [day("2024-05-04")]
    assert findings == []


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"Date": "????.??.??"}, "undated"),
        ({"Date": "2024.13.01"}, "date"),
        ({"Result": "*"}, "unfinished"),
        ({"Result": "2-0"}, "result"),
        ({"Result": "+/-"}, "unplayed"),
        ({"White": "?"}, "unknown_player"),
        ({"Black": "N.N."}, "unknown_player"),
    ],
)
def test_what_cannot_be_rated_is_left_out_with_its_line(changed, kind):
    records, findings = read(tags(White="Cid") + "\n1-0\n\n" + tags(**changed))
    assert [one.white for one in records] == ["Cid"]
    assert [(one.kind, one.line) for one in findings] == [(kind, 8)]


def test_moves_without_tags_are_told_once():
    records, findings = read("1. e4 e5\n2. Nf3 1-0\n\n" + tags())
    assert len(records) == 1
    assert [(one.kind, one.line) for one in findings] == [("no_tags", 1)]


def test_a_broken_tag_is_told_and_the_game_read():
    records, findings = read(
        '[Event "Open]\n' + tags() + "\n1-0\n\n[Event Open\n" + tags()
    )
    assert len(records) == 2
    assert [(one.kind, one.line) for one in findings] == [("tag", 1), ("tag", 9)]
    assert str(findings[0]) == (
        'Line 1: This is not a PGN tag: [Event "Open] Enter tags such as [White '
        "“Ann”], with straight quotation marks."
    )


def test_commands_in_comments_are_no_tags():
    moves = "\n1. e4 {\n[%clk 0:10:00]\n[%eval 0.2] } e5\n[a note in brackets]\n1-0\n\n"
    records, findings = read(tags() + moves + tags())
    assert (len(records), findings) == (2, [])


def test_lines_that_are_escaped_say_nothing():
    records, findings = read("% made by a program\n" + tags())
    assert (len(records), findings) == (1, [])


def test_moves_in_one_long_line_are_no_fault():
    records, findings = read(tags() + "\n" + "1. e4 e5 " * 50_000 + "1-0\n\n" + tags())
    assert (len(records), findings) == (2, [])


def test_windows_encoding_is_read_and_reported():
    records, findings = read(tags(White="José").encode("cp1252"))
    assert records[0].white == "José"
    assert [(one.kind, one.line) for one in findings] == [("encoding", 2)]


def test_a_file_with_too_many_games_says_where_it_stopped():
    records, findings = read((tags() + "\n1-0\n\n") * 4, max_games=2)
    assert len(records) == 2
    assert [(one.kind, one.line) for one in findings] == [("limit", 15)]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_has_no_games(data):
    assert read(data) == ([], [])


# --- Properties ---

names = st.text("abcxyz éñß火’'.;,[]{}%\\\"-", max_size=20).map(
    lambda name: f"P{name}q"
)
results = st.sampled_from([("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5)])
days = st.dates(date(1800, 1, 1), date(2100, 12, 31))
games = st.tuples(days, names, names, results, st.integers(1, 4000))
moves = st.sampled_from(["", "\n", "\n1. e4 1-0\n\n", "\n{a\n[%clk 1]}\n*\n"])


def escaped(name):
    return name.replace("\\", "\\\\").replace('"', '\\"')


@settings(max_examples=example_count(100), deadline=None)
@given(st.lists(st.tuples(games, moves), max_size=10))
def test_what_was_written_is_read_again(rows):
    text = "".join(
        tags(
            Date=f"{played:%Y.%m.%d}" if played.year > 999 else "",
            White=escaped(white),
            Black=escaped(black),
            Result=result,
            WhiteElo=rating,
        )
        + between
        for (played, white, black, (result, _), rating), between in rows
    )
    records, findings = read(text)
    assert findings == [], sentences(findings)
    assert [
        (one.day, one.white, one.black, one.points, one.white_rating) for one in records
    ] == [
        (
            played.toordinal(),
            normalize_name(white),
            normalize_name(black),
            points,
            rating,
        )
        for (played, white, black, (_, points), rating), _ in rows
    ]


pieces = st.sampled_from(
    [
        *(b"[", b"]", b'"', b"\\", b"\n", b"\r\n", b"{", b"}", b"%", b" ", b"\x00"),
        *(b"\xff", b"\xc3\xa9", b'[White "', b'[Date "2024.05.', b'??"]', b'[Event "'),
        *(b'[Result "1-0"]\n', b'[Result "3-0"]\n', b"1. e4 e5 1-0\n", b"\n\n"),
        *(b'[White "Ann"]\n', b'[Black "Bob"]\n', b'[Date "2024.05.04"]\n', b"9" * 50),
        *(b'[TimeControl "40/7200:x"]\n', b'[WhiteElo "99999"]\n', b'[UTCDate "?"]'),
    ]
)


@settings(max_examples=example_count(300), deadline=None)
@given(st.lists(pieces, max_size=60).map(b"".join) | st.binary(max_size=400))
def test_any_bytes_are_read_without_raising(data):
    records, findings = read(data)
    lines = len(data.splitlines())
    assert all(1 <= one.line <= lines for one in records)
    assert all(0 <= one.line <= lines for one in findings)
    assert all(sentences(findings))
