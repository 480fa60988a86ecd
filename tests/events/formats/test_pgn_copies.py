"""Copies of a game with abbreviated names, without a date or without a round."""

from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.formats.findings import Severity
from tests.events.formats.pgn_samples import game
from tests.events.formats.test_pgn import seconds
from tests.events.formats.test_pgn_field_cases import (
    LINE,
    codes,
    read,
    rows,
    written,
)
from tests.hypothesis_settings import example_count

LONG, SHORT = f"{written(LINE, 'plain')} 1-0", "1. e4 e5 1-0"
GAMES = {"long": LONG, "short": SHORT, "none": "1-0"}
DRAW = "1. Nf3 Nf6 2. Ng1 Ng8 1/2-1/2"


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("moves", GAMES)
class TestCertainCopies:
    @pytest.mark.parametrize(
        ("white", "black"),
        [
            ("Poe, A.", "Doe, B."),
            ("A Poe", "B Doe"),
            ("A. Poe", "Doe, Bob"),
            ("Poe, Ann", "B.Doe"),
            ("POE A", "doe b"),
        ],
    )
    def test_abbreviated_names(self, moves, is_first, white, black):
        copies = [
            game(GAMES[moves], White=white, Black=black),
            game(GAMES[moves]),
        ]
        report, findings = read(*(copies if is_first else copies[::-1]))
        assert codes(findings) == ["pgn.twice"]
        assert "used it once" in findings[0].message
        assert rows(report) == {"Poe, Ann": "W2W", "Doe, Bob": "L1B"}

    @pytest.mark.parametrize("written_date", ["????.??.??", "2024.??.??", "", "2024"])
    def test_without_a_date(self, moves, is_first, written_date):
        copies = [game(GAMES[moves], Date=written_date), game(GAMES[moves])]
        report, findings = read(*(copies if is_first else copies[::-1]))
        assert codes(findings) == ["pgn.twice"]
        assert rows(report) == {"Poe, Ann": "W2W", "Doe, Bob": "L1B"}
        assert str(report.starts) == str(report.ends) == "2024-05-04"

    def test_without_a_date_and_with_short_names(self, moves, is_first):
        short = game(GAMES[moves], White="Poe, A.", Black="Doe, B.", Date="?")
        copies = [short, game(GAMES[moves], WhiteUSCFId="12345671")]
        report, findings = read(*(copies if is_first else copies[::-1]))
        assert codes(findings) == ["pgn.twice"]
        assert rows(report) == {"Poe, Ann": "W2W", "Doe, Bob": "L1B"}
        assert report.sections[0].entries[0].member_id == "12345671"


@pytest.mark.parametrize("is_first", [True, False])
def test_a_copy_without_a_round_gets_the_other_copys_round(is_first):
    copies = [game(LONG, Round="?"), game(LONG, Round="2")]
    report, findings = read(
        *(copies if is_first else copies[::-1]),
        game(SHORT, Round="1", White="Doe, Bob", Black="Poe, Ann"),
    )
    assert codes(findings) == ["pgn.twice"]
    assert rows(report)["Poe, Ann"] == "L2B W2W"


def test_a_copy_with_the_same_ids_does_not_change_the_name():
    ids = {"WhiteUSCFId": "12345671", "BlackUSCFId": "12345672"}
    copy = game(LONG, White="annthegreat1999", Black="Robert J. Doe", **ids)
    report, findings = read(game(LONG, **ids), copy)
    assert codes(findings) == ["pgn.twice"]
    assert list(rows(report)) == ["Poe, Ann", "Doe, Bob"]


def test_names_that_long_moves_make_clear():
    others = game(SHORT, White="Poe, Al", Black="Doe, Bea")
    report, findings = read(
        game(LONG, Round="2"),
        game(LONG, Round="2", White="Poe, A.", Black="Doe, B."),
        others,
    )
    assert codes(findings) == ["pgn.twice"]
    assert rows(report)["Poe, Ann"] == "U0 W2W"


class TestLikelyCopies:
    """Two entries that may be one game raise a question."""

    @staticmethod
    def asked(*texts: str) -> list[str]:
        report, findings = read(*texts)
        likely = [one for one in findings if one.code == "pgn.twice"]
        assert [one.severity for one in likely] == [Severity.CONFIRM] * len(likely)
        assert all("We used both." in one.message for one in likely)
        assert len(likely) == 1
        return [
            cell.code
            for section in report.sections
            for entry in section.entries
            for cell in entry.cells
            if cell.code in "WD"
        ]

    @pytest.mark.parametrize("moves", ["short", "none"])
    def test_an_initial_that_two_players_have(self, moves):
        text = GAMES[moves]
        counted = self.asked(
            game(text),
            game(text, White="Poe, Al", Black="Roe, Cid"),
            game(text, White="Poe, A."),
        )
        assert counted == ["W"] * 3

    def test_short_games_without_rounds(self):
        draw = game(DRAW, Round="-", Result="1/2-1/2")
        assert self.asked(draw, draw) == ["D"] * 4

    def test_games_without_moves_and_rounds(self):
        draw = game("1/2-1/2", Round="-", Result="1/2-1/2")
        assert self.asked(draw, draw) == ["D"] * 4

    def test_short_games_with_numbers_within_the_round(self):
        draws = [game(DRAW, Round=f"1.{one}", Result="1/2-1/2") for one in (1, 2)]
        assert self.asked(*draws) == ["D"] * 4

    def test_namesakes_with_other_ids(self):
        other = {"WhiteUSCFId": "12345675"}
        texts = game(SHORT, WhiteUSCFId="12345671"), game(SHORT, **other)
        assert self.asked(*texts) == ["W"] * 2


class TestTwoGames:
    """Games that are certainly different raise no question."""

    @pytest.mark.parametrize(
        "tags",
        [
            {"Round": "4"},
            {"Round": "4", "White": "Poe, A.", "Black": "Doe, B."},
            {"Round": "4", "Date": "????.??.??"},
            {"Date": "2024.05.05"},
            {"White": "Poe, Al"},
            {"White": "Poe, B."},
            {"White": "A. Roe"},
            {"White": "Poe"},
            {"White": "Doe, B.", "Black": "Poe, A."},
            {"Result": "1-0"},
            {"UTCTime": "12:30:00"},
        ],
    )
    def test_short_draws(self, tags):
        first = {"Result": "1/2-1/2"}
        if "UTCTime" in tags:
            first["UTCTime"] = "12:00:00"
        second = {**first, **tags}
        moves = DRAW.replace("1/2-1/2", second["Result"])
        report, findings = read(game(DRAW, **first), game(moves, **second))
        assert "pgn.twice" not in codes(findings)
        codes_of_cells = [
            cell.code
            for entry in report.sections[0].entries
            for cell in entry.cells
            if cell.code in "WDL"
        ]
        assert len(codes_of_cells) == 4

    def test_double_round_robin_of_short_draws(self):
        names = ["Poe, Ann", "Doe, Bob", "Roe, Cid"]
        pairs = [*combinations(names, 2), *combinations(names[::-1], 2)]
        pairs += pairs[::-1]
        texts = [
            game(DRAW, White=white, Black=black, Round=str(number), Result="1/2-1/2")
            for number, (white, black) in enumerate(pairs, start=1)
        ]
        report, findings = read(*texts)
        assert "pgn.twice" not in codes(findings)
        assert [row.count("D") for row in rows(report).values()] == [8, 8, 8]


def test_a_word_may_be_in_a_name_twice():
    pairs = [
        ("Mohammed, Ali Mohammed", "Poe, Ann"),
        ("Hassan, Mohammed Ali", "Poe, Ann"),
    ]
    texts = [game("1. e4 e5 1-0", White=white, Black=black) for white, black in pairs]
    report, _ = read("".join(texts))
    assert len(report.sections[0].entries) == 3


PLAYERS = ["Poe, Ann", "Doe, Bob", "Roe, Cid", "Loe, Di", "Ng, Eve Maria", "Zoe, Flo"]


def variants(name: str) -> st.SearchStrategy[str]:
    """Draw a name as another file may write it."""
    family, _, given_name = name.partition(", ")
    return st.sampled_from([
        name, name.upper(), f"{family}, {given_name[0]}.",
        f"{given_name[0]} {family}", f"{family} {given_name[0]}",
    ])  # fmt: skip


@st.composite
def events_with_copies(draw: st.DrawFn) -> tuple[list[tuple[str, str, int]], list[str]]:
    """Draw a round robin, each game of which is written once or more."""
    texts, games = [], []
    day = draw(st.integers(1, 20))
    for number, (white, black) in enumerate(combinations(PLAYERS, 2), start=1):
        games.append((white, black, number))
        # Each game has its own moves, or the same short ones as all others.
        line = [*LINE, *["h6", "h5"][: number % 2], f"a{number % 8 + 1}", f"Q{number}1"]
        moves = draw(st.sampled_from([written(line, "plain"), "1. e4 e5", ""]))
        for copy in range(draw(st.integers(1, 3))):
            date = f"2024.05.{day + number % 3:02}"
            if copy:
                date = draw(st.sampled_from([date, "????.??.??", "2024.05.??"]))
            names = (white, black)
            if copy:
                names = draw(variants(white)), draw(variants(black))
            tags = {"White": names[0], "Black": names[1], "Date": date}
            texts.append(game(f"{moves} 1-0", Round=str(number), **tags))
    return games, list(draw(st.permutations(texts)))


@settings(
    max_examples=example_count(200),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(events_with_copies())
def test_each_game_counts_once_however_its_copies_name_the_players(drawn):
    games, texts = drawn
    report, findings = read("".join(texts))
    twice = [one for one in findings if one.code == "pgn.twice"]
    assert len(twice) == len(texts) - len(games)
    assert all("used it once" in one.message for one in twice)
    [section] = report.sections
    won = sum(cell.code == "W" for entry in section.entries for cell in entry.cells)
    assert won == len(games)
    assert len(section.entries) == len(PLAYERS)
    assert "pgn.rounds_in_order" not in codes(findings)


def test_many_abbreviated_games_are_read_within_seconds():
    names = [f"Kim, {letter}{other}x" for letter in "abcdefghij" for other in "uvwxyz"]
    texts = [
        game(
            f"{written(LINE, 'plain')} 1-0",
            White=white[: 6 if number % 2 else None],
            Black=black,
            Round=str(number % 90 + 1),
            Date=["2024.05.04", "?"][number % 3 == 0],
        )
        for number, (white, black) in enumerate(combinations(names, 2))
    ]
    assert seconds("".join(texts).encode()) < 5
