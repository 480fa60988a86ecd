"""Lines of FIDE's report file: line ends, encodings, columns, and detection."""

import pytest

from events.formats.trf.lines import (
    TrfLine,
    looks_like_trf,
    parse_fixed_columns,
    parse_lines,
    parse_shifted_columns,
)
from tests.events.formats.trf_samples import PLAYERS, TRF16, TRF26, player


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_any_line_end_in_any_encoding_is_read(end, code):
    data = end.join(["012 Open Señor", "", "022 Zürich"]).encode(code)
    assert [(line.number, line.text) for line in parse_lines(data)] == [
        (1, "012 Open Señor"),
        (2, ""),
        (3, "022 Zürich"),
    ]


def test_characters_that_no_line_can_hold_are_left_out():
    assert parse_lines(b"012 May\x00\x1b Open\t2\x1a") == [TrfLine(1, "012 May Open 2")]


def test_fields_are_cut_at_their_columns():
    line = parse_fixed_columns(TrfLine(11, PLAYERS[0]))
    assert (line["rank"], line["name"], line["rating"]) == ("1", "Reyes, Ana", "1510")
    assert (line["federation"], line["number"]) == ("USA", "2020001")
    assert (line["points"], line["place"]) == ("2.5", "1")
    assert [
        (one.opponent, one.color, one.result, one.column) for one in line.cells
    ] == [
        ("4", "w", "1", 92),
        ("3", "b", "1", 102),
        ("2", "w", "=", 112),
    ]


@pytest.mark.parametrize("by", [-4, -1, 1, 3])
def test_line_that_moved_after_the_name_is_read_by_its_words(by):
    text = player(7, "Ek, Bo", ["12 w 1", "0000 - H", "3 b 0"], points="1.5")
    moved = text[:47] + " " * by + text[47:] if by > 0 else text[: 47 + by] + text[47:]
    assert not parse_fixed_columns(TrfLine(1, moved)).is_sound
    shifted = parse_shifted_columns(TrfLine(1, moved))
    assert shifted is not None
    assert (shifted["rank"], shifted["name"], shifted["points"]) == (
        "7",
        "Ek, Bo",
        "1.5",
    )
    assert [(one.opponent, one.color, one.result) for one in shifted.cells] == [
        ("12", "w", "1"),
        ("0000", "-", "H"),
        ("3", "b", "0"),
    ]
    assert shifted.starts["points"] == 81 + 1 + by


def test_words_with_a_blank_round_among_them_are_not_guessed():
    """Only fixed columns show which of the rounds is blank."""
    text = "001 2 m Ek, Bo 1810 USA 2099991 2.0 3 1 w 0              4 b 1"
    assert parse_shifted_columns(TrfLine(1, text)) is None


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (TRF16, True),
        (TRF26, True),
        (b"\xef\xbb\xbf" + TRF16, True),
        (b"\r\n  " + TRF16, True),
        ("\n".join(PLAYERS).encode(), True),
        (b"What a tournament\n" + TRF16, True),
        (TRF16.replace(b"012", b"12", 1), True),
        (b"1234567890" * 9 + b"\nDDD SSSS sTTT NNNN\n" + TRF16, True),
        (b"### only a comment\n", False),
        (b"", False),
        (b"\x00\xff" * 500, False),
        (b"round,result\n1,1\n", False),
        (b"Name  Rating\n001 Smith\n", False),
        (b"No  Name         Rtg  Pts\n001 Smith, Ann  1500  2.5\n", False),
        (b"ABC DEF\nGHI JKL\n", False),
    ],
)
def test_report_files_are_recognized_by_their_lines(data, looks):
    assert looks_like_trf(data) is looks
