import json
import re
from datetime import date

import pytest
from django.core.management import call_command

from ratings.laboratory.registry import RUNNABLE
from tests.ratings.laboratory.synthetic import Federation, generate_history

GAMES = """date,white,black,result,event
2024-01-06,Ann,Bob,1-0,Winter
2024-01-06,Cid,Dee,1/2-1/2,Winter
2024-01-07,Ann,Cid,1-0,Winter
2024-01-07,Bob,Dee,0-1,Winter
2024-02-03,Ann,Dee,1-0,Spring
2024-02-03,Bob,Cid,0-1,Spring
"""

# In the last round both players lost, which cannot be rated.
REPORT = """012 Corner Open
042 2024/05/04
052 2024/05/05
XXR 3
001    1      Ann                               1500 USA                         1.5    1     2 w 1     2 b =     2 w 0
001    2      Bob                               1400 USA                         0.5    2     1 b 0     1 w =     1 b 0
"""  # noqa: E501


@pytest.fixture
def laboratory(capsys):
    """Run the command; return its exit status and both outputs."""

    def call(*arguments):
        status = 0
        try:
            call_command("laboratory", *map(str, arguments))
        except SystemExit as end:
            status = end.code
        written = capsys.readouterr()
        return status, written.out.splitlines(), written.err.splitlines()

    return call


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES)
    return path


def cases_file(tmp_path, *cases):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    return path


def dwz(name, expected):
    return {
        "id": name,
        "system": "elo.logistic",
        "inputs": {"D": 0},
        "expected": {"P": expected},
        "tolerance": 0.01,
    }


# Cases


def test_each_case_is_a_line_and_the_last_line_counts(laboratory, tmp_path):
    path = cases_file(tmp_path, dwz("even", 0.5), dwz("wrong", 0.6), {"id": "empty"})
    status, out, err = laboratory("vectors", path)
    assert out == [
        "even: passed",
        "wrong: FAILED, P: expected 0.6, got 0.5",
        "empty: FAILED, has no system, inputs, expected, tolerance.",
        "3 cases: 1 passed, 2 failed, 0 skipped.",
    ]
    assert (status, err) == (1, [])


def test_good_cases_end_well(laboratory, tmp_path):
    status, out, _ = laboratory("vectors", cases_file(tmp_path, dwz("even", 0.5)))
    assert (status, out[-1]) == (0, "1 case: 1 passed, 0 failed, 0 skipped.")


def test_every_shipped_case_passes_or_needs_a_package(laboratory):
    status, out, err = laboratory("vectors")
    assert (status, err) == (0, [])
    assert len(out) == 133
    skipped = [line for line in out if ": skipped, " in line]
    assert out[-1] == (
        f"132 cases: {132 - len(skipped)} passed, 0 failed, {len(skipped)} skipped."
    )
    packages = ("trueskill", "whole-history-rating")
    assert len(skipped) <= 3
    assert all(any(name in line for name in packages) for line in skipped)


def test_a_name_that_no_terminal_can_show_is_shown_all_the_same(laboratory, tmp_path):
    path = cases_file(tmp_path, dwz("a\ud800\n\x1b[31mb", 0.5))
    _, out, _ = laboratory("vectors", path)
    assert out[0] == "a\ufffd \ufffd[31mb: passed"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "Line 1: not JSON (Expecting value)."),
        (b"[\n1,", "Line 2: not JSON"),
        (b"{}", "The file holds no list of cases"),
        (b'["\xff"]', "is not UTF-8 (byte 2)."),
    ],
)
def test_a_file_of_no_cases_is_refused(laboratory, tmp_path, content, sentence):
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    status, out, [err] = laboratory("vectors", path)
    assert (status, out) == (2, [])
    assert str(path) in err
    assert sentence in err


@pytest.mark.parametrize("action", ["vectors", "run"])
@pytest.mark.parametrize("name", ["missing.json", "", "\0"])
def test_a_file_that_cannot_be_read_is_refused(laboratory, tmp_path, action, name):
    more = ["--system", "glicko"] if action == "run" else []
    status, out, [err] = laboratory(action, f"{tmp_path}/{name}", *more)
    assert (status, out) == (2, [])
    assert "can't be read" in err


# Experiments

# No training, no evidence needed, each system's own start.
EVERYTHING = ("--training", 0, "--least-games", 0, "--newcomers", "own")


def test_systems_are_compared_in_a_table(laboratory, games):
    status, out, err = laboratory(
        "run", games, "--system", "glicko", "--system", "elo.logistic", *EVERYTHING
    )
    assert (status, err) == (0, [])
    assert out[0] == (
        "6 games of 4 players, 2024-01-07 to 2024-02-03; 2 in 1 event are "
        "predicted by all and compared."
    )
    rows = {line.split()[0]: line.split() for line in out[2:4]}
    assert rows.keys() == {"glicko", "elo.logistic"}
    # The better players of the winter won.
    assert all(0 < float(row[1]) < 100 for row in rows.values())


def test_the_same_in_json_says_how_to_repeat_it(laboratory, games):
    arguments = ("run", games, "--system", "glicko2", *EVERYTHING, "--json")
    status, [line], err = laboratory(*arguments, "--set", "tau=0.9")
    found = json.loads(line)
    assert (status, err) == (0, [])
    assert (found["games"], found["players"], found["compared_games"]) == (6, 4, 2)
    assert (found["plan"]["training"], found["plan"]["least_games"]) == (0, 0)
    [system] = found["systems"]
    assert system["name"] == "glicko2:tau=0.9"
    assert system["parameters"]["tau"] == 0.9
    assert re.fullmatch("[0-9a-f]{64}", system["digest"])
    assert 0 < system["measures"]["scaled_deviance"]["value"] < 100
    assert laboratory(*arguments, "--set", "tau=0.9")[1] == [line]
    assert laboratory(*arguments, "--set", "tau=0.8")[1] != [line]


def test_two_variants_of_a_system_stand_beside_each_other(laboratory, games):
    _, [line], _ = laboratory(
        *("run", games, *EVERYTHING, "--json", "--set", "start=1200"),
        *("--system", "elo.logistic:k=10", "--system", "elo.logistic:k=40"),
    )
    found = json.loads(line)
    assert {one["name"]: one["parameters"]["k"] for one in found["systems"]} == {
        "elo.logistic:k=10.0,start=1200.0": 10,
        "elo.logistic:k=40.0,start=1200.0": 40,
    }
    assert found["reference"] == "elo.logistic:k=10.0,start=1200.0"


def test_what_cannot_be_read_is_told_with_its_line_and_the_rest_is_run(
    laboratory, tmp_path
):
    path = tmp_path / "games.csv"
    path.write_text(GAMES.replace("Ann,Cid,1-0", "Ann,Cid,3-0"))
    status, out, err = laboratory("run", path, "--system", "elo.logistic", *EVERYTHING)
    assert status == 1
    assert any(line.startswith("Line 4: ") and "3-0" in line for line in err)
    assert out[0].startswith("5 games of 4 players")


def test_a_game_left_out_of_a_report_is_told_by_the_status_too(laboratory, tmp_path):
    path = tmp_path / "open.trf"
    path.write_text(REPORT)
    arguments = ("run", path, "--system", "elo.logistic", "--training", 0)
    status, out, err = laboratory(*arguments, "--least-games", 0)
    assert out[0].startswith("2 games of 2 players")
    assert err == [
        (
            "Section 1, pairing number 1, round 3: The two scores don’t add up to "
            "one point. The game is left out."
        )
    ]
    assert status == 1


@pytest.mark.parametrize("content", ["", "date,white,black,result\n", "\0" * 100])
def test_a_file_without_games_is_refused(laboratory, tmp_path, content):
    path = tmp_path / "games.csv"
    path.write_text(content)
    status, out, err = laboratory("run", path, "--system", "glicko")
    assert (status, out) == (2, [])
    assert err[-1] == f"{path} has no games to rate."


def test_a_warm_up_longer_than_the_file_leaves_nothing_to_show(laboratory, games):
    status, out, err = laboratory("run", games, "--system", "glicko")
    assert (status, out) == (2, [])
    assert err[0].startswith("glicko predicts no game that counts, and is left out.")
    assert err[-1] == "No system predicts any game. Use more games or less training."


def test_a_system_that_predicts_nothing_is_named_and_the_others_shown(
    laboratory, games
):
    # Under FIDE's rules a first rating needs opponents who have one.
    arguments = ("run", games, *EVERYTHING, "--system", "fide.standard")
    status, out, err = laboratory(*arguments, "--system", "glicko")
    assert (status, len(out)) == (0, 5)
    assert err[0].startswith("fide.standard predicts no game that counts")
    status, out, err = laboratory(*arguments, "--newcomers", "ours")
    assert (status, err) == (0, [])
    assert out[2].startswith("fide.standard")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--system", "glick"], "no rating system “glick”. Did you mean glicko or"),
        (["--system", "tarot"], "no rating system “tarot”. See `laboratory systems`."),
        (["--system", "short"], "The definition of short is not published"),
        (["--system", "glicko", "--system", "glicko"], "glicko is named twice."),
        (["--system", "glicko:q=1"], "glicko has no parameter “q”. It has: "),
        (["--system", "glicko2:tau"], "“tau” is not a setting. Write NAME=VALUE."),
        (["--system", "glicko2", "--set", "=1"], "“=1” is not a setting."),
        (["--system", "glicko2", "--set", "q=1"], "None of these systems has a"),
        (["--system", "glicko2:tau=x"], "tau: “x” is not a number."),
        (["--system", "glicko2:tau=nan"], "tau: “nan” is not a number."),
        (["--system", "glicko2:tau=9"], "tau: “9” is not possible. At most 3."),
        (["--system", "elo.table:cap=7"], "Choose one of none, 350, 400."),
    ],
)
def test_what_cannot_be_asked_is_refused(laboratory, games, arguments, sentence):
    status, out, [err] = laboratory("run", games, *arguments)
    assert (status, out) == (2, [])
    assert sentence in err


def test_every_system_runs_on_a_made_up_federation(laboratory, tmp_path):
    history = generate_history(Federation(players=60, months=8)).history
    games = history.games
    results = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    lines = [
        f"{date.fromordinal(day)},P{white},P{black},"
        f"{results[points]},E{event},{1950 + white},{1950 + black}"
        for white, black, points, day, event in zip(
            games.white,
            games.black,
            games.points,
            games.days,
            games.events,
            strict=True,
        )
    ]
    path = tmp_path / "games.csv"
    head = "date,white,black,result,event,white_born,black_born"
    path.write_text("\n".join([head, *lines]))
    asked = [word for key in RUNNABLE for word in ("--system", key)]
    status, out, err = laboratory(
        *("run", path, "--warm-up", 60, "--least-games", 0, *asked)
    )
    assert status == 0
    assert not any("predicts no game" in line for line in err)
    assert {line.split()[0] for line in out[2:-2]} == set(RUNNABLE)


# The list


def test_the_list_names_every_system_with_shape_and_status(laboratory):
    status, out, _ = laboratory("systems")
    assert status == 0
    lines = {line.split()[0]: line for line in out}
    assert lines.keys() >= RUNNABLE.keys()
    assert "Glicko-2 (after each period, official)" in lines["glicko2"]
    assert "definition not published" in lines["short"]


def test_one_system_shows_its_parameters(laboratory):
    _, out, _ = laboratory("systems", "elo.table")
    assert out[1] == "  k=32.0  K (1 to 200)"
    assert out[2] == "  cap=none  Maximum rating difference (none, 350, 400)"
    status, _, [err] = laboratory("systems", "tarot")
    assert status == 2
    assert "no rating system “tarot”" in err
