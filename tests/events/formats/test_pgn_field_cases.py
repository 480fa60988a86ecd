"""PGN files from the field, and variants of their faults.

Each class of problem has its variants here, with the correct result of each.
"""

import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats.findings import Collector, Finding, Severity
from events.formats.pgn.reader import read_pgn
from events.formats.places import with_parsed_place
from events.formats.report import ReportedEvent, format_cell
from tests.events.formats.pgn_samples import game
from tests.hypothesis_settings import example_count

FIELD_CASES = Path(__file__).parents[2] / "data" / "field-cases"
MOVES = "1. e4 e5 2. Nf3 Nc6"
HOLDS = {Severity.ERROR, Severity.CONFIRM}


def read(*texts: str | bytes) -> tuple[ReportedEvent | None, list[Finding]]:
    findings = Collector()
    files = [
        (f"{number}.pgn", text if isinstance(text, bytes) else text.encode())
        for number, text in enumerate(texts, start=1)
    ]
    report = read_pgn(files, findings)
    return report and with_parsed_place(report), findings.in_order()


def field_case(name: str) -> tuple[ReportedEvent | None, list[Finding]]:
    return read((FIELD_CASES / f"{name}.pgn").read_bytes())


def rows(report: ReportedEvent, section: int = 0) -> dict[str, str]:
    return {
        entry.name: " ".join(format_cell(cell) for cell in entry.cells)
        for entry in report.sections[section].entries
    }


def codes(findings: list[Finding]) -> list[str]:
    return [one.code for one in findings if one.code != "pgn.time_control"]


def asked(findings: list[Finding], code: str) -> bool:
    """Return whether a blocking finding of *code* names the players."""
    return any(
        one.code == code and one.severity in HOLDS and "Roe, Cid" in one.message
        for one in findings
    )


PLAYED = game(f"{MOVES} 1-0")


def other_game(moves: str, /, **tags: str) -> str:
    return game(moves, Round="2", White="Roe, Cid", Black="Loe, Di", **tags)


class TestUnplayedGames:
    def test_field_case(self):
        report, findings = field_case("01-pgn-unplayed")
        assert rows(report) == {
            "Abara, Ada": "W2W W3W W4B",
            "Abara, Boris": "L1B X4 W3W",
            "Abara, Dara": "D4W L1B L2B",
            "Abara, Esther": "D3B F2 L1W",
        }
        assert codes(findings) == ["pgn.unplayed", "pgn.no_moves"]
        unplayed, no_moves, *_ = findings
        assert "Abara, Esther – Abara, Boris, round 2.2" in unplayed.message
        assert "Abara, Boris – Abara, Dara, round 3.2" in no_moves.message
        assert {unplayed.severity, no_moves.severity} <= HOLDS

    @pytest.mark.parametrize(
        "words",
        [
            *("Unplayed", "unplayed", "Not played", "No show", "no-show", "Walkover"),
            *("walk over", "w.o.", "W.O", "w/o", "Default", "Aborted", "Absent"),
            *("Did not appear", "Black didn't show", "Never played", "No game"),
            *("kampflos", "Kampfloser Sieg", "nicht angetreten", "Nicht gespielt"),
            *("forfait", "Non joué", "absente", "Forfeit", "won by forfeit", "Bye"),
            *("No presentado", "No se presentó", "Incomparecencia", "no jugada"),
            *("non giocata", "Assente", "não jogada", "Não compareceu", "withdrawn"),
            *("Withdrew before the round", "reglementair", "niet opgekomen", "afwezig"),
            *(
                "walkower",
                "неявка",
                "abandoned before start",
                "forfeit win",
                "Game was not played",
                "UNPLAYED",
                "No_show",
                "Did not come",
                "Game never started",
                "Black not present",
                "Cancelled",
                "zurückgezogen",
                "Ritirato",
                "udeblev",
            ),
        ],
    )
    @pytest.mark.parametrize("moves", ["", "1. e4 "])
    @pytest.mark.parametrize(
        ("result", "cells"), [("1-0", "X F"), ("0-1", "F X"), ("1/2-1/2", "Z Z")]
    )
    @pytest.mark.parametrize("in_comment", [False, True])
    def test_remarks_on_a_game_without_moves_make_it_a_forfeit(
        self, words, moves, result, cells, in_comment
    ):
        if in_comment:
            text = other_game(f"{moves}{{{words}}} {result}", Result=result)
        else:
            text = other_game(f"{moves}{result}", Result=result, Termination=words)
        report, findings = read(PLAYED, text)
        read_cells = [entry.cell(2).code for entry in report.sections[0].entries]
        assert read_cells[2:] == cells.split()
        assert asked(findings, "pgn.unplayed")

    @pytest.mark.parametrize(
        "words",
        [
            *("Rules infraction", "cheat detected", "Cheat Detected", "abandoned"),
            *("Roe won - game abandoned", "fair play violation", "forfeit", "default"),
            *("disqualified", "death", "emergency", "unterminated", "Unplayed", "w.o."),
            *("DQ", "ff", "computer assistance", "Did not come", "lost by forfeiture"),
        ],
    )
    @pytest.mark.parametrize("place", ["tag", "comment"])
    def test_remarks_on_a_game_with_moves_are_asked_about(self, words, place):
        if place == "tag":
            text = other_game(f"{MOVES} 1-0", Termination=words)
        else:
            text = other_game(f"{MOVES} {{{words}}} 1-0")
        report, findings = read(PLAYED, text)
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert asked(findings, "pgn.termination")

    @pytest.mark.parametrize(
        "words",
        [
            *("normal", "Normal", "time forfeit", "Time forfeit", "resigned", "mate"),
            *("Black forfeits on time", "Roe won by checkmate", "adjudication"),
            *("Roe won on time", "White resigns", "Draw by repetition", "stalemate"),
            *("a wonderful game", "he had no time", "Abserved"),
        ],
    )
    @pytest.mark.parametrize("place", ["tag", "comment"])
    def test_usual_endings_are_not_asked_about(self, words, place):
        if place == "tag":
            text = other_game(f"{MOVES} 1-0", Termination=words)
        else:
            text = other_game(f"{MOVES} {{{words}}} 1-0")
        report, findings = read(PLAYED, text)
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert codes(findings) == []

    @pytest.mark.parametrize(
        ("moves", "tags"),
        [
            ("1-0", {}),
            ("1-0", {"PlyCount": "0"}),
            ("1-0", {"PlyCount": "1"}),
            ("1. e4 1-0", {}),
            ("1.e4 {[%clk 1:30:00]} 1-0", {}),
            ("1. e4 (1. d4 d5 2. c4) 1-0", {}),
            ("1. ♘f3 1-0", {}),
            ("1. Sf3 1-0", {"PlyCount": "1"}),
            ("{e4 e5 was analyzed later} 1-0", {}),
            ("{[%clk 1:30:00]} 1-0", {}),
            ("1-0", {"Termination": "normal"}),
        ],
    )
    def test_a_result_without_moves_is_asked_about(self, moves, tags):
        report, findings = read(PLAYED, other_game(moves, **tags))
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert asked(findings, "pgn.no_moves")

    @pytest.mark.parametrize("ply_count", [{}, {"PlyCount": "64"}, {"PlyCount": "0"}])
    def test_a_file_of_results_without_any_moves_is_read_as_it_is(self, ply_count):
        report, findings = read(
            game("1-0", **ply_count), other_game("1-0", **ply_count)
        )
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert codes(findings) == []

    def test_words_are_believed_in_a_file_without_moves(self):
        texts = [game("1-0"), other_game("1-0", Termination="No show")]
        report, findings = read(*texts)
        assert rows(report)["Roe, Cid"] == "U0 X4"
        assert asked(findings, "pgn.unplayed")
        # "Forfeit" may mean loss on time if no game has moves.
        report, findings = read(game("1-0"), other_game("1-0", Termination="Forfeit"))
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert asked(findings, "pgn.termination")

    @pytest.mark.parametrize(
        ("ending", "is_asked"),
        [
            *((words, True) for words in ("sick", "late", "TD ruling", "disqual.")),
            *((words, True) for words in ("болел", "Spieler krank", "see notes")),
            *((words, False) for words in ("normal", "Roe won by checkmate", "Remis")),
            *((words, False) for words in ("time forfeit", "por rendición", "Aufgabe")),
        ],
    )
    def test_only_usual_endings_of_games_without_moves_are_not_asked_about(
        self, ending, is_asked
    ):
        report, findings = read(game("1-0"), other_game("1-0", Termination=ending))
        assert rows(report)["Roe, Cid"] == "U0 W4W"
        assert asked(findings, "pgn.termination") is is_asked

    def test_many_games_without_moves_are_one_question(self):
        texts = [
            game("1-0", White=f"Player, {number}", Black=f"Other, {number}")
            for number in range(20)
        ]
        _, findings = read(PLAYED, *texts)
        assert codes(findings) == ["pgn.no_moves"]
        assert findings[0].message.startswith("20 games")


@st.composite
def rounds_of_games(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Draw games of a round, each with White's expected code, or "?" for a question."""
    kinds = {
        "played": (f"{MOVES} 1-0", "normal", "W"),
        "without moves": ("1-0", "normal", "?"),
        "one half-move": ("1. d4 1-0", "", "?"),
        "unplayed": ("1-0", "Unplayed", "X"),
        "comment": ("{kampflos} 1-0", "", "X"),
        "forfeit": ("1-0", "Forfeit", "X"),
        "cheat": (f"{MOVES} 1-0", "Cheat detected", "?"),
    }
    drawn = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=8))
    games = []
    for number, kind in enumerate(["played", *drawn]):
        moves, termination, code = kinds[kind]
        players = {"White": f"White, {number}x", "Black": f"Black, {number}x"}
        tags = {"Termination": termination} if termination else {}
        games.append((game(moves, **players, **tags), code))
    order = draw(st.permutations(games))
    return list(order)


@settings(max_examples=example_count(300), deadline=None)
@given(rounds_of_games())
def test_no_unplayed_game_is_rated_without_a_question(games: list[tuple[str, str]]):
    report, findings = read("".join(text for text, _ in games))
    entries = report.sections[0].entries
    whites = [entry.cell(1).code for entry in entries if entry.name.startswith("White")]
    assert whites == [code if code != "?" else "W" for _, code in games]
    held = Counter(one.code for one in findings if one.severity in HOLDS)
    right = Counter(code for _, code in games)
    assert held["pgn.unplayed"] == right["X"]
    assert held["pgn.no_moves"] + held["pgn.termination"] == right["?"]


WITH_RATING = {"WhiteFideId": "2012345", "WhiteElo": "2410"}


class TestOnlinePlay:
    @pytest.mark.parametrize(
        "site",
        [
            *("https://lichess.org/AbCd1234", "http://lichess.org/", "lichess.org"),
            *("lichess.org INT", "Lichess", "Chess.com", "chess.com INT"),
            *("https://www.chess.com/game/live/123", "www.chess.com", "Chess.com INT"),
            *("Internet Chess Club", "ICC", "ICC INT", "www.chessclub.com"),
            *("queen.chessclub.com", "FICS", "freechess.org", "FICS, San Jose, CA USA"),
            *("Free Internet Chess Server", "playchess.com", "Playchess.com INT"),
            *("www.playchess.de", "https://play.chessbase.com/x", "chess24.com"),
            *("https://chess24.com/en/game/x", "USChessLive", "US Chess Live"),
            *("World Chess Network", "chesskid.com", "gameknot.com", "chess24"),
            *("arena.myfide.net", "FIDE Online Arena", "ChessCube.com", "playok.com"),
        ],
    )
    @pytest.mark.parametrize("tag", ["Site", "Link"])
    def test_a_server_makes_the_section_online(self, site, tag):
        report, findings = read(game(**WITH_RATING, **{"Site": "?", tag: site}))
        [section] = report.sections
        assert section.online
        assert section.entries[0].fide_rating == ""
        assert (report.city, report.state, report.country) == ("", "", "")
        assert codes(findings) == []

    @pytest.mark.parametrize(
        "tags",
        [
            {"Site": "https://chess.example.edu/game/7"},
            {"Site": "www.ourclub.org"},
            {"Site": "playwithme.io"},
            {"Site": "Internet"},
            {"Site": "Online"},
            {"Site": "Tornelo"},
            {"Site": "https://tornelo.com/chess/may"},
            {"Site": "https://lichess.org/study/abc/def"},
            {"Site": "Oakland, CA USA", "Event": "Oakland Online Open"},
            {"Site": "Oakland, CA USA", "Event": "Chess.com Titled Tuesday"},
            {"Site": "?", "Event": "Live Chess"},
            {"Site": "?", "Event": "Rated Blitz game"},
            {"Site": "?", "Event": "ICC 5 0"},
            {"Site": "?", "Event": "Hourly Rapid Arena"},
            {"Site": "?", "Link": "https://some.server.net/g/1"},
            {"Site": "?", "WhiteRatingDiff": "+6"},
            {"Site": "Oakland, CA USA", "Mode": "EM"},
            {
                "Site": "https://lichess.org/broadcast/x/round-1/abc",
                "Event": "Titled Tuesday",
            },
        ],
    )
    def test_possible_server_is_asked_about(self, tags):
        report, findings = read(game(**{**WITH_RATING, **tags}))
        assert [one.severity for one in findings if one.code == "pgn.online"] == [
            Severity.CONFIRM
        ]
        assert not report.sections[0].online
        assert report.sections[0].entries[0].fide_rating == ""
        assert report.city == ("Oakland" if "Oakland" in tags["Site"] else "")

    @pytest.mark.parametrize(
        ("tags", "city"),
        [
            ({"Site": "Oakland, CA USA"}, "Oakland"),
            ({"Site": "Springfield, IL USA", "Mode": "OTB"}, "Springfield"),
            ({"Site": "https://lichess.org/broadcast/x/round-1/abc"}, ""),
            ({"Site": "https://www.chess.com/events/2026-open/01/A-B"}, ""),
            ({"Site": "https://view.livechesscloud.com/#abc"}, ""),
            ({"Site": "Chess.com", "Mode": "OTB"}, ""),
            ({"Site": "Marshall Chess Club, New York, NY"}, None),
            ({"Site": "Comstock, MI USA"}, "Comstock"),
            ({"Site": "St. Louis, MO"}, "St. Louis"),
            ({"Site": "Webster, NY USA"}, "Webster"),
            ({"Site": "Iccaville, TX"}, "Iccaville"),
            ({"Site": "Oakland, CA USA", "Event": "Chess.community Open"}, "Oakland"),
        ],
    )
    def test_play_over_the_board_is_not_asked_about(self, tags, city):
        report, findings = read(game(**{**WITH_RATING, **tags}))
        assert "pgn.online" not in codes(findings)
        assert not report.sections[0].online
        assert report.sections[0].entries[0].fide_rating == "2410"
        if city is not None:
            assert report.city == city

    @pytest.mark.parametrize("first", ["Oakland, CA USA", "www.ourclub.org"])
    @pytest.mark.parametrize("in_order", [False, True])
    def test_games_online_among_others_are_asked_about(self, first, in_order):
        texts = [game(Site=first), game(Round="2", Site="lichess.org", **WITH_RATING)]
        report, findings = read(*(texts if in_order else texts[::-1]))
        assert codes(findings).count("pgn.online") == 1
        assert "Some games were played online" in str(findings)
        assert report.sections[0].entries[0].fide_rating == ""
        assert report.city == ""


LINE = [
    *("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4"),
    *("Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6"),
]


def written(moves: list[str], style: str) -> str:
    """Write moves in the style of a program or annotator."""
    texts = []
    for number, move in enumerate(moves):
        mark = f"{number // 2 + 1}." if number % 2 == 0 else ""
        texts.append(
            {
                "plain": f"{mark} {move}",
                "tight": f"{mark}{move}",
                "clocks": f"{mark} {move} {{[%clk 1:29:{number:02}]}}",
                "numbers": f"{number // 2 + 1}{'.' if mark else '...'} {move}",
                "annotated": f"{mark} {move}! $14 {{good}} ({mark} h4 h5 (h3 a3))",
                "lines": f"{mark} {move}\n",
            }[style]
        )
    return " ".join(texts)


STYLES = ["plain", "tight", "clocks", "numbers", "annotated", "lines"]


class TestTheSameGameTwice:
    @pytest.mark.parametrize("first", STYLES)
    @pytest.mark.parametrize("second", STYLES)
    @pytest.mark.parametrize(
        "tags",
        [
            {},
            {"Round": "1.4"},
            {"Round": "?"},
            {"White": "Cid  ROE", "Black": "Loe,Di"},
            {"Annotator": "Poe", "ECO": "C84", "Date": "2024-05-04"},
            {"Site": "https://lichess.org/broadcast/x/y/z"},
        ],
    )
    def test_however_it_is_written(self, first, second, tags):
        players = {"White": "Roe, Cid", "Black": "Loe, Di"}
        report, findings = read(
            game(f"{written(LINE, first)} 1-0", **players),
            game(f"{written(LINE, second)} 1-0", **{**players, **tags}),
        )
        assert codes(findings).count("pgn.twice") == 1
        assert rows(report) == {"Roe, Cid": "W2W", "Loe, Di": "L1B"}

    @pytest.mark.parametrize(
        ("white", "black"), [("Roe, C.", "Loe, D."), ("", "?"), ("C Roe", "Loe")]
    )
    def test_players_are_compared_by_their_ids_too(self, white, black):
        ids = {"WhiteUSCFId": "12345671", "BlackUSCFId": "12345672"}
        text = f"{written(LINE, 'plain')} 1-0"
        report, findings = read(
            game(text, White="Roe, Cid", Black="Loe, Di", **ids),
            game(text, White=white, Black=black, **ids),
        )
        assert codes(findings) == ["pgn.twice"]
        assert rows(report) == {"Roe, Cid": "W2W", "Loe, Di": "L1B"}

    @pytest.mark.parametrize(
        "tags",
        [
            {"Round": "2"},
            {"Result": "0-1"},
            {"Event": "Another Open"},
            {"Section": "Open"},
        ],
    )
    def test_a_likely_copy_is_counted_and_asked_about(self, tags):
        tags = {"Result": "1-0", **tags}
        moves = written(LINE, "plain")
        report, findings = read(
            game(f"{moves} 1-0"), game(f"{moves} {tags['Result']}", **tags)
        )
        likely = [one for one in findings if one.code == "pgn.twice"]
        assert [one.severity for one in likely] == [Severity.CONFIRM]
        assert "We used both." in likely[0].message
        assert (
            sum(
                cell.code in "WL"
                for section in report.sections
                for entry in section.entries
                for cell in entry.cells
            )
            == 4
        )

    @pytest.mark.parametrize(
        "tags",
        [
            {"Date": "2024.05.05"},
            {"White": "Poe, Andy"},
            {"White": "Doe, Bob", "Black": "Poe, Ann"},
        ],
    )
    def test_the_same_moves_of_others_are_another_game(self, tags):
        moves = f"{written(LINE, 'plain')} 1-0"
        _, findings = read(game(moves), game(moves, **{"Round": "2", **tags}))
        assert "pgn.twice" not in codes(findings)

    def test_other_moves_in_one_round_are_two_games(self):
        other = [*LINE[:-1], "h6"]
        report, findings = read(
            game(f"{written(LINE, 'plain')} 1-0"),
            game(f"{written(other, 'plain')} 1-0"),
        )
        assert codes(findings) == ["pgn.rounds_in_order"]
        assert rows(report)["Poe, Ann"] == "W2W W2W"

    def test_the_copy_with_moves_is_kept(self):
        texts = [game("1-0"), game(f"{MOVES} 1-0"), other_game(f"{MOVES} 1-0")]
        for order in (texts, texts[1::-1] + texts[2:]):
            report, findings = read(*order)
            assert codes(findings) == ["pgn.twice"]
            assert rows(report)["Poe, Ann"] == "W2W U0"


@st.composite
def copied_games(draw: st.DrawFn) -> tuple[int, list[str]]:
    """Draw games of two players, some written several times in other styles."""
    lines = draw(
        st.lists(st.permutations(LINE).map(tuple), min_size=1, max_size=5, unique=True)
    )
    texts = []
    for number, line in enumerate(lines, start=1):
        styles = draw(st.lists(st.sampled_from(STYLES), min_size=1, max_size=3))
        texts += [
            game(f"{written(list(line), style)} 1-0", Round=str(number))
            for style in styles
        ]
    return len(lines), list(draw(st.permutations(texts)))


@settings(max_examples=example_count(200), deadline=None)
@given(copied_games())
def test_each_game_counts_once_however_often_it_is_written(
    drawn: tuple[int, list[str]],
) -> None:
    games, texts = drawn
    report, findings = read("".join(texts))
    assert rows(report)["Poe, Ann"] == " ".join(["W2W"] * games)
    assert codes(findings) == ["pgn.twice"] * (len(texts) - games)


class TestByes:
    def test_field_case(self):
        report, findings = field_case("18-pgn-bye-words")
        assert rows(report) == {
            "Ash, Ann": "W2W L3W",
            "Birch, Bob": "L1B H0",
            "Cedar, Cy": "B0 W1B",
        }
        assert codes(findings) == []

    @pytest.mark.parametrize(
        "word",
        [
            *("BYE", "bye", "Bye #1", "BYE 1", "Bye Bye", "(bye)", "-bye-", "*BYE*"),
            *("BYE, BYE", "Bye.", "No Player", "No Opponent", "spielfrei", "Freilos"),
            *("exempt", "Exempte", "Exento", "Libre", "descansa", "Descanso", "riposo"),
            *("Folga", "Vrij", "Frirunde", "bye bye", "BYE2", "Pauza"),
            *("Walkover", "Pairing-allocated bye", "No-one", "Свободен", "Êxempt"),
        ],
    )
    @pytest.mark.parametrize("side", ["White", "Black"])
    @pytest.mark.parametrize(
        ("points", "code"), [("1", "B"), ("1/2", "H"), ("0", "U"), ("+", "B")]
    )
    def test_words_for_a_bye(self, word, side, points, code):
        other_side = {"1": "0", "1/2": "1/2", "0": "1", "+": "-"}[points]
        pair = (other_side, points) if side == "White" else (points, other_side)
        other = {"White": "Black", "Black": "White"}[side]
        result = "-".join(pair)
        text = game("*", Result=result, **{side: word, other: "Roe, Cid"})
        report, findings = read(PLAYED, text)
        assert rows(report) == {
            "Poe, Ann": "W2W",
            "Doe, Bob": "L1B",
            "Roe, Cid": f"{code}0",
        }
        assert codes(findings) == []

    @pytest.mark.parametrize(
        ("word", "code"),
        [
            *(("Half-point bye", "H"), ("1/2 bye", "H"), ("½ point bye", "H")),
            *(
                ("HPB", "H"),
                ("Full Point Bye", "B"),
                ("1-point bye", "B"),
                ("PAB", "B"),
            ),
            *(("Zero-point bye", "U"), ("0 point bye", "U"), ("ZPB", "U")),
            *(("Unpaired", "U"), ("Not paired", "U")),
        ],
    )
    def test_points_of_the_word_for_a_bye(self, word, code):
        results = {"B": "1-0", "H": "1/2-1/2", "U": "0-1"}
        for result in ("*", results.pop(code)):
            report, findings = read(
                other_game("*", Result=result).replace("Loe, Di", word)
            )
            assert rows(report) == {"Roe, Cid": f"U0 {code}0"}
            assert "pgn.no_player" not in codes(findings)
        for result in results.values():
            _, findings = read(other_game("*", Result=result).replace("Loe, Di", word))
            assert asked(findings, "pgn.no_player")

    @pytest.mark.parametrize("word", ["TBD", "vacant", "N.N.", "?", "Unknown", "NN"])
    def test_an_opponent_that_is_not_named_is_an_error(self, word):
        report, findings = read(PLAYED, other_game("1-0").replace("Loe, Di", word))
        assert rows(report) == {
            "Poe, Ann": "W2W",
            "Doe, Bob": "L1B",
            "Roe, Cid": "U0",
        }
        assert asked(findings, "pgn.no_player")

    @pytest.mark.parametrize(
        "name",
        [
            "Bye, Ann",
            "Libre, Jo",
            "Robert Bye",
            "Byers, Al",
            "Free",
            "libre",
            "Vrij, J",
        ],
    )
    def test_players_with_such_names_stay_players(self, name):
        report, findings = read(
            PLAYED, other_game(f"{MOVES} 1-0").replace("Loe, Di", name)
        )
        assert rows(report)[name] == "U0 L3B"
        assert codes(findings) == []


FOUR_GAMES = {
    "Ash, Ann": "W2W L3W",
    "Birch, Bob": "L1B W4W",
    "Cedar, Cy": "W4W W1B",
    "Dogwood, Di": "L3B L2B",
}


class TestOneSection:
    def test_field_case(self):
        report, findings = field_case("27-pgn-event-per-round")
        assert [section.name for section in report.sections] == ["Maple Open"]
        assert rows(report) == FOUR_GAMES
        assert codes(findings) == []

    @pytest.mark.parametrize(
        "event",
        [
            *("Open, Round {}", "Open: Round {}", "Open - Round {}", "Open Rd {}"),
            *("Open R{}", "Open (Round {})", "Open Rd. {}", "Open | Ronda {}"),
            *("Open, {}. Runde", "Round {}: Open", "Open Rnd #{}", "Open round 0{}"),
            *("Open, Tour {}", "Open, ronde {}", "Open [R{}]", "R{} Open"),
            *("OPEN – ROUND {}", "Open, kolo {}", "Open, тур {}", "Open Round {}.1"),
        ],
    )
    @pytest.mark.parametrize("round_tag", ["{}", "{}.1", "0{}", "?"])
    def test_the_round_in_the_event_is_no_other_section(self, event, round_tag):
        report, findings = read(
            *(
                game(
                    f"{MOVES} 1-0",
                    Event=event.format(number),
                    Round=round_tag.format(number),
                )
                for number in (1, 2)
            )
        )
        assert [section.name.lower() for section in report.sections] == ["open"]
        assert rows(report)["Poe, Ann"] == "W2W W2W"
        assert codes(findings) == []

    @pytest.mark.parametrize(
        ("first", "second", "name"),
        [
            ("Open, Round One", "Open, Round Two", "Open"),
            ("Open - Round I", "Open - Round II", "Open"),
            ("Open | Round 1 | Board 2", "Open | Round 2 | Board 1", "Open"),
            ("Round 1", "Round 2", ""),
        ],
    )
    def test_the_round_may_be_a_word_a_roman_number_or_the_whole_event(
        self, first, second, name
    ):
        report, findings = read(
            game(f"{MOVES} 1-0", Event=first, Round="1"),
            game(f"{MOVES} 1-0", Event=second, Round="2"),
        )
        assert [section.name for section in report.sections] == [name]
        assert rows(report)["Poe, Ann"] == "W2W W2W"
        assert codes(findings) == []

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Quad 1", "Quad 2"),
            ("Open, Round 5", "Open, Round 6"),
            ("Under 1200", "Under 1400"),
            ("Open, Round 1", "Reserve, Round 2"),
            ("Board 1", "Board 2"),
            ("Tournament 1", "Tournament 2"),
            ("Chapter 1", "Chapter 2"),
        ],
    )
    def test_other_numbers_are_other_sections(self, first, second):
        report, findings = read(
            game(Event=first, Round="1"), game(Event=second, Round="2")
        )
        assert [section.name for section in report.sections] == [first, second]
        assert "pgn.several_events" in codes(findings)

    @pytest.mark.parametrize(
        "event", ["Summer Tour 2", "Maple 2 Round Swiss", "Open, Round 2", "R2"]
    )
    def test_a_number_in_the_name_of_all_games_stays(self, event):
        report, _ = read(
            *(game(f"{MOVES} 1-0", Event=event, Round=str(n)) for n in (1, 2, 3))
        )
        assert [section.name for section in report.sections] == [event]
        assert rows(report)["Poe, Ann"] == "W2W W2W W2W"


class TestLetters:
    def test_composed_and_decomposed_field_case(self):
        report, findings = field_case("24-pgn-composed-and-not")
        assert rows(report) == {
            "Müller, Jo": "W2W W3B",
            "Birch, Bob": "L1B W4W",
            "Cedar, Cy": "W4W L1W",
            "Dogwood, Di": "L3B L2B",
        }
        assert codes(findings) == []

    def test_two_encodings_field_case(self):
        report, findings = field_case("15-pgn-two-encodings")
        assert rows(report) == {
            "Bürch, Bøb": "W2W L3W",
            "Ash, Ann": "L1B W4W",
            "Cedar, Cy": "W4W W1B",
            "Dogwood, Di": "L3B L2B",
        }
        assert codes(findings) == ["pgn.encoding"]
        assert "Line 27 " in findings[0].message

    def test_byte_order_mark_field_case(self):
        report, findings = field_case("23-pgn-mark-in-the-middle")
        assert [section.name for section in report.sections] == ["Maple Open"]
        assert rows(report) == FOUR_GAMES
        assert codes(findings) == []


_FORMS = ("utf-8", "cp1252", "decomposed")


@settings(max_examples=example_count(300), deadline=None)
@given(
    st.text("aeinoüéøñçÅö", min_size=3, max_size=8),
    st.lists(
        st.tuples(st.sampled_from(_FORMS), st.booleans(), st.sampled_from("\r\n")),
        min_size=1,
        max_size=5,
    ),
)
def test_a_name_is_one_player_however_its_letters_are_written(
    name: str, forms: list[tuple[str, bool, str]]
) -> None:
    """Each game has its own encoding, some after a byte order mark."""
    data = b""
    for number, (form, has_mark, line_end) in enumerate(forms, start=1):
        text = game(f"{MOVES} 1-0", Round=str(number), White=f"{name}, Jo")
        if form == "decomposed":
            encoded = unicodedata.normalize("NFD", text).encode()
        else:
            encoded = text.encode(form)
        mark = b"\xef\xbb\xbf" if has_mark else b""
        data += mark + encoded.replace(b"\n", line_end.encode())
    report, _ = read(data)
    rounds = len(forms)
    assert rows(report) == {
        f"{name}, Jo": " ".join(["W2W"] * rounds),
        "Doe, Bob": " ".join(["L1B"] * rounds),
    }


_NAMES = ("Poe, Ann", "Doe, Bob", "Roe, Cid", "Ann Poe", "Bye", "spielfrei", "?", "TBD")
_games = st.builds(
    lambda white, black, moves, result, termination, number, event, site: game(
        f"{moves} {result}",
        White=white,
        Black=black,
        Result=result,
        Termination=termination,
        Round=number,
        Event=event,
        Site=site,
    ),
    st.sampled_from(_NAMES),
    st.sampled_from(_NAMES),
    st.sampled_from(("", "1. e4", MOVES, written(LINE, "clocks"), "{walkover}")),
    st.sampled_from(("1-0", "0-1", "1/2-1/2", "*")),
    st.sampled_from(("", "Unplayed", "forfeit", "abandoned", "time forfeit")),
    st.sampled_from(("1", "2", "3.1", "?", "120")),
    st.sampled_from(("Open", "Open, Round 1", "Open, Round 2")),
    st.sampled_from(("Oakland, CA", "lichess.org", "https://lichess.org/abc")),
)
_LEFT_OUT = {"pgn.no_player", "pgn.one_player", "pgn.no_room", "pgn.no_result"}


@settings(max_examples=example_count(1200), deadline=None)
@given(st.lists(_games, min_size=1, max_size=8))
def test_each_result_is_a_cell_or_a_question_that_shows_it(texts: list[str]) -> None:
    report, findings = read("".join(texts))
    sections = report.sections if report else ()
    cells = [c for s in sections for e in s.entries for c in e.cells if c.code]
    pairs = sum(cell.opponent is not None for cell in cells)
    byes = sum(cell.opponent is None and cell.code in "BHU" for cell in cells)
    left_out = [
        one
        for one in findings
        if one.code in _LEFT_OUT or "used it once" in one.message
    ]
    assert all(one.severity in HOLDS for one in left_out)
    assert pairs % 2 == 0
    assert pairs // 2 + byes + len(left_out) >= len(texts)
