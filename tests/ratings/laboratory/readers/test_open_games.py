"""The office's own open data as a file of games, and player data for a file."""

import gzip
from datetime import date
from io import BytesIO, StringIO

import pytest
from django.core.management import call_command

from events.models import Game
from ratings.laboratory.readers.csv_games import read_csv
from ratings.laboratory.readers.history_loader import load_history
from ratings.laboratory.readers.open_games import HEAD, read_open_games
from ratings.open_data.queries import TABLES
from ratings.open_data.services import write_table
from ratings.research.experiments.services.game_files import read_games_stream
from tests.factories import make_player, make_td
from tests.ratings.rerates.factories import play


def games_of(*rows):
    return read_open_games(BytesIO("\n".join([HEAD, *rows]).encode()))


def test_colors_and_results_are_those_of_the_table():
    reading = games_of(
        "202405041234,2,1,1,1,2,W,W,L",
        "202405041234,2,2,1,1,2,B,D,D",
        "202405041234,2,3,1,1,2,B,L,W",
    )
    found = [(one.white_id, one.black_id, one.points) for one in reading]
    assert found == [("1", "2", 1.0), ("2", "1", 0.5), ("2", "1", 1.0)]


def test_where_no_color_is_reported_the_sides_stand_as_in_the_table():
    reading = games_of(
        "202405041234,2,1,1,1,2,,W,L",
        "202405041234,2,2,1,1,2,,L,W",
        "202405041234,2,3,1,1,2,W,L,W",
    )
    found = [(one.white_id, one.points, one.is_colored) for one in reading]
    assert found == [("1", 1.0, False), ("1", 0.0, False), ("1", 0.0, True)]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("202405041234,2,1,1,1,2,W,W,W", "result"),
        ("209913991234,2,1,1,1,2,W,W,L", "date"),
        ("x,2,1,1,1,2,W,W,L", "date"),
        ("202405041234,2,1", "cells"),
        ("202405041234,2,1,1,,2,W,W,L", "unknown_player"),
    ],
)
def test_what_cannot_be_is_named_with_its_line(row, kind):
    reading = games_of(row)
    assert list(reading) == []
    assert [(one.kind, one.line) for one in reading.findings] == [(kind, 2)]


@pytest.mark.django_db
def test_the_open_data_are_taken_as_they_are(tmp_path):
    """The nightly job's compressed file has the games of the ledger."""
    players = [make_player(ratings={"OTBR": (1500.0, 30)}) for _ in range(4)]
    play(make_td(), players, ends=date(2024, 5, 4), rounds=2)
    table = next(one for one in TABLES if one.name == "games")
    paths, _rows = write_table(table, tmp_path)
    path = next(one for one in paths.values() if one.name.endswith(".csv.gz"))
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    with path.open("rb") as stream:
        found = read_games_stream(path.name, stream)
    played = {one.member_id for one in players}
    assert len(found.history) == Game.objects.count() == 4
    assert set(found.history.ids) == played
    assert set(found.history.rated_days) == {date(2024, 5, 4).toordinal()}
    wins = {("W", "L"): 1.0, ("L", "W"): 1.0, ("D", "D"): 0.5}
    scored = sum(
        wins[one.first_outcome, one.second_outcome] for one in Game.objects.all()
    )
    assert sum(max(one, 1 - one) for one in found.history.games.points) == scored


def test_a_file_packed_with_gzip_is_read_by_the_command(tmp_path):
    rows = [
        f"2024{month:02}011234,1,{game},1,{game},{game + 1},W,W,L"
        for month in range(1, 13)
        for game in range(1, 10)
    ]
    path = tmp_path / "games.csv.gz"
    path.write_bytes(gzip.compress("\n".join([HEAD, *rows]).encode()))
    out = StringIO()
    call_command(
        *("laboratory", "run", str(path), "--system", "elo.logistic"),
        *("--warm-up", "30", "--newcomers", "ours"),
        stdout=out,
        stderr=StringIO(),
    )
    assert out.getvalue().startswith("108 games of 10 players")


def test_a_broken_gzip_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "games.csv.gz"
    path.write_bytes(gzip.compress(HEAD.encode() * 500)[:-20])
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command(
            *("laboratory", "run", str(path), "--system", "glicko"),
            stdout=said,
            stderr=said,
        )
    assert "can't be read: " in said.getvalue()


def loaded(rows, head="date,white,white_id,black,black_id,result"):
    return load_history(read_csv(BytesIO("\n".join([head, *rows]).encode()))).findings


def test_a_name_under_two_numbers_is_told():
    findings = loaded(["2024-05-04,Ann,A1,Bob,B1,1-0", "2024-06-04,Bob,B1,Ann,A2,1-0"])
    told = [one for one in findings if one.kind == "two_ids"]
    assert [str(one) for one in told] == [
        (
            "Line 3: “Ann” has the ID A2 here and A1 earlier. These are treated as "
            "two players. If this is one player, use one ID in every game."
        )
    ]


@pytest.mark.parametrize(("games", "is_told"), [(99, False), (100, True)])
def test_many_rows_of_one_player_are_told(games, is_told):
    rows = [f"2024-05-04,Ann,A1,X{game},X{game},1-0" for game in range(games)]
    told = [one for one in loaded(rows) if one.kind == "one_player"]
    assert bool(told) is is_told
    if is_told:
        assert "“Ann” plays in 100 of 100 games" in str(told[0])
