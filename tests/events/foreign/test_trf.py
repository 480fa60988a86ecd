"""FIDE's report file: fixed columns, rounds of ten characters, errors with places."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from events.formats.foreign.reader import read_foreign
from events.formats.foreign.report import (
    ForeignEventHeader,
    ReportedForeignGame,
    ReportedUnplayedRound,
)
from events.formats.foreign.trf import read_trf
from events.formats.trf.lines import looks_like_trf


def player_line(rank, name, rating, federation, fide_id, cells, *, points="0.0"):
    """Return a 001 line, built by column as the format numbers them from 1."""
    line = [" "] * (91 + 10 * len(cells))

    def put(column, text):
        line[column - 1 : column - 1 + len(text)] = text

    put(1, "001")
    put(5, f"{rank:>4}")
    put(10, "m")
    put(11, " GM")
    put(15, f"{name:<33}")
    put(49, f"{rating:>4}")
    put(54, federation)
    put(58, f"{fide_id:>11}")
    put(70, "1990/01/01")
    put(81, f"{points:>4}")
    put(86, f"{rank:>4}")
    for number, (opponent, color, result) in enumerate(cells):
        put(92 + 10 * number, f"{opponent:>4}")
        put(97 + 10 * number, color)
        put(99 + 10 * number, result)
    return "".join(line)


HEADS = [
    "012 Open de Paris",
    "022 Paris",
    "032 FRA",
    "042 2024/05/04",
    "052 2024/05/12",
    "062 3",
]
PLAYERS = [
    player_line(
        1,
        "Lind, Ada",
        2210,
        "USA",
        "2012345",
        [(2, "w", "1"), (3, "b", "="), ("0000", "-", "H"), (2, "b", "0")],
    ),
    player_line(
        2,
        "Dupont, Jean",
        2300,
        "FRA",
        "611111",
        [(1, "b", "0"), ("0000", "-", "U"), (3, "w", "+"), (1, "w", "1")],
    ),
    player_line(
        3,
        "Rossi, Élena",
        0,
        "ITA",
        "",
        [("0000", "-", "Z"), (1, "w", "="), (2, "b", "-")],
    ),
]


def file_of(*lines):
    return ("\n".join(lines) + "\n").encode()


def test_tournament_is_read_from_its_columns():
    report = read_foreign(file_of(*HEADS, *PLAYERS))
    assert report.layout == "TRF"
    assert report.remarks == ()
    assert report.event == ForeignEventHeader(
        "Open de Paris", "Paris", "FRA", date(2024, 5, 4), date(2024, 5, 12)
    )
    ada = report.players[0]
    assert (ada.fide_id, ada.name, ada.remarks) == ("2012345", "Lind, Ada", ())
    assert ada.games == (
        ReportedForeignGame(1, "Dupont, Jean", "611111", "FRA", 2300, "W", 2),
        ReportedForeignGame(2, "Rossi, Élena", "", "ITA", None, "B", 1),
        ReportedForeignGame(4, "Dupont, Jean", "611111", "FRA", 2300, "B", 0),
    )
    assert ada.rounds_off == (ReportedUnplayedRound(3, "half-point bye"),)


def test_forfeits_and_byes_are_no_games():
    report = read_trf(file_of(*HEADS, *PLAYERS))
    jean, elena = report.players[1:]
    assert [one.round_number for one in jean.games] == [1, 4]
    assert jean.rounds_off == (
        ReportedUnplayedRound(2, "bye"),
        ReportedUnplayedRound(3, "won by forfeit"),
    )
    assert elena.rounds_off == (
        ReportedUnplayedRound(1, "absent"),
        ReportedUnplayedRound(3, "lost by forfeit"),
    )


def test_games_without_a_move_are_no_games():
    """W, D and L mean that the scheduled game is not rated."""
    lines = [
        player_line(1, "A", 2000, "USA", "1", [(2, "w", "W"), (2, "w", "D")]),
        player_line(2, "B", 2000, "FRA", "2", [(1, "b", "L"), (1, "b", "D")]),
    ]
    players = read_trf(file_of(*HEADS, *lines)).players
    assert [one.games for one in players] == [(), ()]
    assert players[0].rounds_off[0] == ReportedUnplayedRound(
        1, "won without a rated game"
    )


def test_latin_letters_of_old_programs_are_read():
    data = "\r\n".join([*HEADS, *PLAYERS]).encode("cp1252")
    assert read_foreign(data).players[2].name == "Rossi, Élena"


def test_line_with_shifted_columns_is_read_by_its_contents_and_named():
    shifted = PLAYERS[1].replace("001", "001  ", 1)
    told = read_trf(file_of(*HEADS, *PLAYERS))
    report = read_trf(file_of(*HEADS, PLAYERS[0], shifted, PLAYERS[2]))
    assert report.players == told.players
    assert [one.place for one in report.remarks] == ["Line 8"]


def test_round_that_cannot_be_read_is_left_out_and_the_others_count():
    torn = PLAYERS[0].replace("2 w 1", "2 x 1")
    ada = read_trf(file_of(*HEADS, torn, *PLAYERS[1:])).players[0]
    assert [one.round_number for one in ada.games] == [2, 4]
    assert ada.rounds_off[0] == ReportedUnplayedRound(1, "cannot be read")
    assert [one.place for one in ada.remarks] == ["Line 7, round 1"]


def test_invalid_number_is_ignored_and_the_games_count():
    torn = PLAYERS[0].replace("2210", "22x0").replace("2012345", "20x2345")
    report = read_trf(file_of(*HEADS, torn, *PLAYERS[1:]))
    assert (report.players[0].fide_id, len(report.players[0].games)) == ("", 3)
    assert report.players[1].games[0].stated_rating is None
    assert [one.sentence for one in report.remarks] == [
        "The rating “22x0” isn’t a FIDE rating.",
        "The FIDE ID “20x2345” isn’t a number that FIDE uses.",
    ]


def test_byes_with_results_of_games_are_no_games():
    """Files of before 2006 have them."""
    cells = [("0000", "-", "1"), ("0000", "-", "="), ("0000", "-", "0")]
    line = player_line(1, "Lind, Ada", 2210, "USA", "2012345", cells)
    ada = read_trf(file_of(*HEADS, line)).players[0]
    assert (ada.games, ada.remarks) == ((), ())
    assert [one.what for one in ada.rounds_off] == [
        "full-point bye",
        "half-point bye",
        "absent",
    ]


def test_days_in_other_spellings_are_read():
    event = read_trf(file_of(HEADS[0], "042 28.-31.07.2005", *PLAYERS)).event
    assert (event.starts, event.ends) == (date(2005, 7, 28), date(2005, 7, 31))


def test_line_without_a_rank_is_left_out_and_named():
    shifted = PLAYERS[1].replace("001    2", "001    x", 1)
    report = read_trf(file_of(*HEADS, PLAYERS[0], shifted, PLAYERS[2]))
    assert [one.fide_id for one in report.players] == ["2012345", ""]
    assert [one.place for one in report.remarks] == ["Line 8"]
    ada = report.players[0]
    assert [one.round_number for one in ada.games] == [2]
    assert ada.rounds_off[0] == ReportedUnplayedRound(1, "opponent cannot be read")
    assert [one.place for one in ada.remarks] == [
        "Line 7, round 1",
        "Line 7, round 4",
    ]


def test_file_cut_off_keeps_the_whole_lines():
    report = read_trf(file_of(*HEADS, *PLAYERS)[:-90])
    assert [one.name for one in report.players[:2]] == ["Lind, Ada", "Dupont, Jean"]


def test_days_with_two_readings_are_compared_and_named():
    report = read_trf(file_of("042 30/04/2025", "052 02/05/2025", *PLAYERS))
    event = report.event
    assert (event.starts, event.ends) == (date(2025, 4, 30), date(2025, 5, 2))
    assert report.remarks == ()
    report = read_trf(file_of("042 03/05/2025", "052 03/05/2025", *PLAYERS))
    assert report.event.starts == date(2025, 3, 5)
    assert [remark.sentence for remark in report.remarks] == [
        "“03/05/2025” may be March 5, 2025 or May 3, 2025."
    ]


def test_missing_days_are_named():
    report = read_trf(file_of(HEADS[0], "042 4 May", *PLAYERS))
    assert (report.event.starts, report.event.ends) == (None, None)
    assert [one.sentence for one in report.remarks] == [
        "The first or the last day is missing, or we can’t read it."
    ]


def test_result_that_the_opponent_reports_otherwise_is_remarked_on():
    lines = [
        player_line(1, "A", 2000, "USA", "1", [(2, "w", "1")]),
        player_line(2, "B", 2000, "FRA", "2", [(1, "b", "=")]),
    ]
    first, second = read_trf(file_of(*HEADS, *lines)).players
    assert [str(one) for one in first.remarks] == [
        "Line 7, round 1: The opponent, number 2, has another result. Compare it with "
        "the published crosstable."
    ]
    assert len(second.remarks) == 1


def test_starting_rank_that_stands_twice_is_named():
    report = read_trf(file_of(*HEADS, PLAYERS[0], PLAYERS[0]))
    assert [one.sentence for one in report.remarks] == [
        "The file already has starting rank 1."
    ]


def test_report_without_players_is_refused():
    report = read_trf(file_of(*HEADS))
    assert [one.fatal for one in report.remarks] == [True]


def test_only_report_files_look_like_one():
    assert looks_like_trf(file_of(*HEADS))
    assert looks_like_trf(b"\xef\xbb\xbf" + file_of(*HEADS))
    assert not looks_like_trf(b"round,result\n1,1\n")
    assert not looks_like_trf(b"")


@given(st.binary(max_size=300))
def test_reader_never_fails(data):
    for report in (read_foreign(data), read_trf(b"001 " + data)):
        assert report.players or report.remarks


@given(st.text(alphabet="0123456789 =+-wbHUZ.ABé\x00²\n", max_size=200))
def test_reader_never_fails_on_texts_like_a_report(text):
    report = read_trf(f"{PLAYERS[0]}\n001    2 {text}".encode())
    assert report.players or report.remarks
