import copy
import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import manage as command_line
from ratings.engine.inputs import Competitor, Game, Kind, Record
from ratings.engine.rules import DEFAULT_EDITION, EDITIONS, rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.section_json import (
    parse_section,
    rate_json,
    rate_text,
    section_to_json,
)
from tests.hypothesis_settings import example_count
from tests.ratings.engine import strategies

ROOT = Path(__file__).parents[3]
SECTION = {
    "id": {"any": ["thing"]},
    "system": "OTBR",
    "time_control": "G/60;d5",
    "start_date": "2024-05-04",
    "end_date": "2024-05-05",
    "players": [
        {"id": 1, "rating": 1654.31, "games": 31, "floor": 1400},
        {
            "id": "two",
            "rating": None,
            "birth_date": "2011-03-02",
            "sources": [
                {"system": "OTBQ", "rating": 1500, "games": 12, "date": "2023-01-15"},
                {"system": "FIDE", "rating": 1720, "date": "2024-05-01"},
            ],
        },
        {"id": 3, "rating": None, "initial": {"rating": 1300, "games": 0}},
        {"id": 4, "rating": 812, "games": 3, "record": "all_losses"},
    ],
    "games": [
        {"a": 1, "b": "two", "score_a": 0.5},
        {"a": 3, "b": 1, "score_a": 0},
        {"a": 3, "b": "two", "score_a": 1, "score_b": 0.5},
    ],
}


def changed(path, value):
    """Return the section with the value at *path* replaced."""
    document = copy.deepcopy(SECTION)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


def without(path):
    document = copy.deepcopy(SECTION)
    place = document
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return document


def faults_of(document):
    answer, faults = rate_json(document)
    assert answer is None
    return [str(fault) for fault in faults]


class TestAnswer:
    def test_has_every_figure_of_the_engine_unrounded(self):
        answer, faults = rate_json(SECTION)
        given_input, _ = parse_section(SECTION)
        rated = rate_section(given_input.rating_input, given_input.rules)
        first = rated[0]
        assert faults == []
        assert answer["id"] == {"any": ["thing"]}
        assert [player["id"] for player in answer["players"]] == [1, "two", 3, 4]
        assert answer["players"][0] == {
            "id": 1,
            "initial": 1654.31,
            "initial_games": 31,
            "effective_games": first.effective_games,
            "formula": "standard",
            "score": 1.5,
            "games": 2,
            "expected": first.expected,
            "k": first.k,
            "bonus": 0.0,
            "intermediate": first.intermediate,
            "post": first.post,
            "post_games": 33,
            "floor": None,
            "ceiling": None,
        }

    def test_a_player_without_games_keeps_the_rating(self):
        answer, _ = rate_json(SECTION)
        figures = {"formula", "expected", "k", "bonus", "intermediate"}
        idle = answer["players"][3]
        assert (idle["post"], idle["post_games"], idle["games"]) == (812.0, 3, 0)
        assert {name for name, value in idle.items() if value is None} == (
            figures | {"floor", "ceiling"}
        )

    def test_the_special_formula_has_no_k_expectation_and_bonus(self):
        answer, _ = rate_json(SECTION)
        newcomer = answer["players"][2]
        assert newcomer["formula"] == "special"
        assert [newcomer[name] for name in ("expected", "k", "bonus")] == [None] * 3

    def test_a_floor_request_is_said_in_a_match_only(self):
        players = [
            {"id": 1, "rating": 1500, "games": 40, "floor": 1500},
            {"id": 2, "rating": 1500, "games": 40},
        ]
        games = [{"a": 1, "b": 2, "score_a": 0}]
        match = {**SECTION, "kind": "match", "players": players, "games": games}
        swiss = {**match, "kind": "swiss"}
        answers = [rate_json(document)[0]["players"] for document in (match, swiss)]
        assert [answer[0].get("floor_request") for answer in answers] == [True, None]
        assert [answer[0]["floor"] for answer in answers] == [1500.0, 1500.0]
        assert "floor_request" not in answers[0][1]

    def test_the_assigned_games_decide_between_8_and_9(self):
        def formula(games):
            path = ("players", 2, "initial", "games")
            return rate_json(changed(path, games))[0]["players"][2]["formula"]

        assert [formula(8), formula(9)] == ["special", "standard"]


class TestDefaults:
    def test_of_a_section_and_its_players(self):
        given_input, _ = parse_section(SECTION)
        assert given_input.edition == DEFAULT_EDITION
        assert given_input.rating_input.kind is Kind.SWISS
        assert given_input.rating_input.competitors[0] == Competitor(
            1, 1654.31, 31, Record.MIXED, 1400.0, None, None, False, None, ()
        )
        assert given_input.rating_input.competitors[2].record is Record.NONE

    def test_the_default_edition_can_be_set(self):
        given_input, _ = parse_section(SECTION, "2020-09-02")
        assert given_input.edition == "2020-09-02"
        assert given_input.rules is rules_in_force(date(2024, 5, 4), "2020-09-02")

    def test_score_b_is_what_is_left_of_the_point(self):
        given_input, _ = parse_section(SECTION)
        assert given_input.rating_input.games == (
            Game(1, "two", 1, 1),
            Game(3, 1, 0, 2),
            Game(3, "two", 2, 1),
        )

    def test_null_is_as_good_as_leaving_out(self):
        document = copy.deepcopy(SECTION)
        document |= {"kind": None, "edition": None}
        document["players"][3] |= {
            "floor": None,
            "ceiling": None,
            "birth_date": None,
            "adult": None,
            "initial": None,
            "sources": None,
        }
        assert parse_section(document) == parse_section(SECTION)

    def test_sources_of_a_rated_player_do_not_count(self):
        source = {"system": "OTBR", "rating": 100, "games": 9, "date": "2024-01-01"}
        document = changed(("players", 0, "sources"), [source])
        assert rate_json(document) == rate_json(SECTION)


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (
            ("system",),
            "Regular",
            '"Regular" is none of OTBR, OTBQ, OTBB, OLR, OLQ, OLB.',
        ),
        (("system",), ["OTBR"], "a list is none of OTBR, OTBQ, OTBB, OLR, OLQ, OLB."),
        (("edition",), "2019", f'"2019" is none of {", ".join(EDITIONS)}.'),
        (
            ("start_date",),
            "2024-5-4",
            '"2024-5-4" is not a day. Write it like 2024-05-04.',
        ),
        (("start_date",), 20240504, "20240504 is not a day. Write it like 2024-05-04."),
        (
            ("end_date",),
            "2024-02-30",
            '"2024-02-30" is not a day. Write it like 2024-05-04.',
        ),
        (("end_date",), "9999-01-01", '"9999-01-01" is not in the years 1850 to 2199.'),
        (
            ("end_date",),
            "2024-05-03",
            "The section ends before it starts; check both days.",
        ),
        (("players", 0, "rating"), "1500", '"1500" is not a number.'),
        (("players", 0, "rating"), True, "true is not a number."),
        (("players", 0, "rating"), -1, "-1 is not between 0 and 5000."),
        (
            ("players", 0, "rating"),
            10**400,
            f"1{'0' * 36}... is not between 0 and 5000.",
        ),
        (("players", 0, "rating"), float("nan"), "NaN is not between 0 and 5000."),
        (("players", 0, "rating"), float("inf"), "Infinity is not between 0 and 5000."),
        (
            ("players", 0, "games"),
            0,
            "A rated player has at least 1 game. Give the number.",
        ),
        (("players", 0, "games"), 3.5, "3.5 is not a whole number."),
        (("players", 0, "games"), None, "This is missing and must be given."),
        (
            ("players", 2, "games"),
            4,
            "An unrated player has no games. Give the rating, or 0 games.",
        ),
        (
            ("players", 0, "record"),
            "wins",
            '"wins" is none of mixed, all_wins, all_losses, none.',
        ),
        (("players", 0, "floor"), 99, "99 is not between 100 and 5000."),
        (("players", 0, "ceiling"), {}, "an object is not a number."),
        (("players", 0, "adult"), 1, "1 is neither true nor false."),
        (("players", 0, "birth_date"), "02.03.2011", None),
        (("players", 0, "id"), 1.0, "1.0 is no id. Give a whole number or a text."),
        (("players", 0, "id"), None, "This is missing and must be given."),
        (("players", 2, "initial"), 1300, "1300 is not a JSON object."),
        (
            ("players", 2, "initial", "games"),
            None,
            "This is missing and must be given.",
        ),
        (("players", 1, "sources"), "none", '"none" is not a list.'),
        (("players", 1, "sources", 0), 7, "7 is not a JSON object."),
        (
            ("players", 1, "sources", 0, "system"),
            "OTBR",
            "This is the system being rated; give other ratings only.",
        ),
        (("players", 1, "sources", 0, "system"), "FIDE", None),
        (
            ("players", 1, "sources", 0, "system"),
            "ECF",
            '"ECF" is none of OTBR, OTBQ, OTBB, OLR, OLQ, OLB, FIDE, CFC.',
        ),
        (
            ("players", 1, "sources", 0, "date"),
            "2024-05-06",
            "This is after the end of the section; check both days.",
        ),
        (
            ("players", 1, "sources", 0, "games"),
            None,
            "This is missing and must be given.",
        ),
        (("games", 0, "score_a"), 0.75, "0.75 is no score. Give 1, 0.5 or 0."),
        (("games", 0, "score_a"), True, "true is no score. Give 1, 0.5 or 0."),
        (("games", 2, "score_b"), "1/2", '"1/2" is no score. Give 1, 0.5 or 0.'),
        (("games", 0, "b"), 9, "No player of this section has the id 9."),
        (("games", 0, "b"), "1", 'No player of this section has the id "1".'),
        (("games", 0, "b"), [1], "a list is no id. Give a whole number or a text."),
        (("games", 0, "b"), 1, "1 cannot be their own opponent."),
    ],
)
def test_faults_name_the_place_and_say_what_is_wrong(path, value, fault):
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    (line,) = faults_of(changed(path, value))
    if fault is None:
        assert line.startswith(place[1:].rsplit("[", 1)[0])
    else:
        assert line == f"{place[1:]}: {fault}"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((name,), name)
        for name in (
            "system",
            "time_control",
            "start_date",
            "end_date",
            "players",
            "games",
        )
    ]
    + [
        (("players", 0, "id"), "players[0].id"),
        (("games", 1, "a"), "games[1].a"),
        (("games", 1, "score_a"), "games[1].score_a"),
    ],
)
def test_what_is_required_must_be_given(path, place):
    assert f"{place}: This is missing and must be given." in faults_of(without(path))


class TestFaults:
    def test_the_rating_must_be_there_even_if_null(self):
        lines = faults_of(without(("players", 0, "rating")))
        assert lines[0] == (
            "players[0].rating: This is missing. Give null for an unrated player."
        )

    def test_a_person_is_listed_once(self):
        assert faults_of(changed(("players", 3, "id"), 1)) == [
            "players[3].id: 1 is also the id of players[0]. "
            "List a person once, with all games."
        ]

    def test_the_time_control_must_give_the_system(self):
        assert faults_of(changed(("system",), "OTBB")) == [
            "time_control: G/60;d5 is rated in OTBR and OTBQ, not in OTBB. "
            "Correct the system or the time control."
        ]

    def test_an_unreadable_time_control_is_one_line(self):
        (line,) = faults_of(changed(("time_control",), "G/60\nd\x00five\ud800"))
        assert line.startswith("time_control: ")
        assert line.isprintable()

    def test_too_fast_games_are_not_rated(self):
        (line,) = faults_of(changed(("time_control",), "G/1;d0"))
        assert line.startswith("time_control: G/1;d0 is too fast")

    def test_a_misspelled_field_is_found(self):
        assert faults_of(changed(("players", 0, "birthdate"), "2011-03-02")) == [
            "players[0].birthdate: There is no such field. Write birth_date."
        ]

    def test_other_fields_are_left_alone(self):
        assert rate_json(changed(("players", 0, "name"), "A")) == rate_json(SECTION)

    def test_every_fault_is_listed(self):
        document = changed(("players", 0, "rating"), "x")
        document["games"][1]["score_a"] = 7
        assert len(faults_of(document)) == 2

    def test_a_missing_rule_is_a_fault(self):
        document = changed(("start_date",), "2012-01-07")
        (line,) = faults_of(document)
        assert line.startswith("start_date: The ")
        assert "January 7, 2012" in line

    @pytest.mark.parametrize("document", [None, 3, "x", [], [SECTION], True])
    def test_anything_but_an_object_is_refused(self, document):
        (line,) = faults_of(document)
        assert line.startswith("Give one JSON object, not ")


class TestText:
    def test_an_object_may_span_lines(self):
        answers, faults = rate_text("\n" + json.dumps(SECTION, indent=2) + "\n")
        assert faults == []
        assert [json.loads(answer) for answer in answers] == [rate_json(SECTION)[0]]

    def test_good_lines_are_answered_beside_bad_ones(self):
        line = json.dumps(SECTION)
        bad = json.dumps(changed(("players", 3, "rating"), "x"))
        answers, faults = rate_text(f"{line}\n\n{bad}\r\noops\n{line}")
        expected = json.dumps(rate_json(SECTION)[0])
        assert answers == [expected, expected]
        assert faults == [
            'line 3: players[3].rating: "x" is not a number.',
            "line 4: This is not JSON at column 1 (Expecting value). "
            "Check quotes, commas and brackets there.",
        ]

    def test_a_bad_first_line_does_not_hide_the_rest(self):
        answers, faults = rate_text(f"oops\n{json.dumps(SECTION)}\n")
        assert (len(answers), len(faults)) == (1, 1)

    def test_a_broken_object_over_lines_is_one_fault_at_its_line(self):
        broken = json.dumps(SECTION, indent=1).replace('"OTBR",', '"OTBR"')
        answers, faults = rate_text(broken)
        lines = broken.split("\n")
        number = lines.index(' "time_control": "G/60;d5",') + 1
        assert answers == []
        assert faults == [
            f"line {number}: This is not JSON at column 2 (Expecting ',' delimiter). "
            "Check quotes, commas and brackets there."
        ]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("", "There is nothing here. Give one JSON object per line."),
            (" \n\n", "There is nothing here. Give one JSON object per line."),
            ('{"x": NaN}', "NaN is not a JSON number. Give null if there is no value."),
            ('{"x": -Infinity}', None),
            ('{"x": 1e999}', "1e999 is too large for a number."),
            ('{"x": ' + "9" * 5000 + "}", "A number has too many digits to be read."),
            ('{"x": 1, "x": 2}', '"x" appears twice in one object. Keep one.'),
            ("[" * 100_000, "The brackets are nested too deeply."),
            ('{"id": "\udcff"}', "This is not UTF-8. Save it as UTF-8."),
        ],
    )
    def test_what_cannot_be_read_is_a_fault_of_line_1(self, text, fault):
        answers, faults = rate_text(text)
        assert answers == []
        assert len(faults) == 1
        assert faults[0].startswith("line 1: ")
        assert fault is None or faults[0] == f"line 1: {fault}"

    def test_a_byte_order_mark_is_skipped(self):
        assert rate_text("\ufeff" + json.dumps(SECTION))[1] == []


class TestStoredInputs:
    def test_earlier_matches_come_back_and_count(self):
        players = [
            {"id": 1, "rating": 1500, "games": 40},
            {"id": 2, "rating": 1900, "games": 40},
        ]
        players[0]["match_changes"] = [{"date": "2024-04-01", "change": 80.0}]
        games = [{"a": 1, "b": 2, "score_a": 1}] * 2
        match = {**SECTION, "kind": "match", "players": players, "games": games}
        given_input, _ = parse_section(match)
        stored = section_to_json(
            given_input.rating_input, given_input.edition, given_input.id
        )
        answer, _ = rate_json(stored)
        assert answer == rate_json(match)[0]
        assert answer["players"][0]["post"] == 1520.0
        assert "match_changes" not in stored["players"][1]

    def test_every_field_comes_back(self):
        given_input, _ = parse_section(SECTION)
        stored = section_to_json(
            given_input.rating_input, given_input.edition, given_input.id
        )
        assert stored["players"][1]["sources"][1] == {
            "system": "FIDE",
            "rating": 1720.0,
            "games": 0,
            "date": "2024-05-01",
        }
        again, faults = parse_section(json.loads(json.dumps(stored)))
        assert (again, faults) == (given_input, [])


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["2024-05-04", "OTBR", "G/60;d5", "match", 0.5, 1, 1500]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "rating", "games", "a", "b", "system", "date"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def paths(value, path=()):
    """Return every place in a JSON value."""
    children = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    found = [path] if path else []
    for key, child in children:
        found += paths(child, (*path, key))
    return found


@given(st.sampled_from(paths(SECTION)), JSON_VALUES)
@settings(max_examples=example_count(300), deadline=None)
def test_no_value_anywhere_makes_the_engine_stumble(path, value):
    answer, faults = rate_json(changed(path, value))
    assert (answer is None) == bool(faults)
    for fault in faults:
        assert str(fault).isprintable()
        assert fault.sentence.endswith(".")
    if answer is not None:
        json.dumps(answer, allow_nan=False)


@given(st.text(max_size=60) | JSON_VALUES.map(json.dumps))
@settings(max_examples=example_count(200), deadline=None)
def test_no_text_makes_it_stumble(text):
    answers, faults = rate_text(text)
    assert answers or faults
    for fault in faults:
        assert fault.startswith("line ")
        assert fault.isprintable()


@given(strategies.sections())
@settings(max_examples=example_count(60), deadline=None)
def test_one_line_out_per_line_in(document):
    line = json.dumps(document)
    answers, faults = rate_text(f"{line}\n{line}\n")
    assert (len(answers), faults) == (2, [])
    assert answers[0] == answers[1]
    assert "\n" not in answers[0]


def run(monkeypatch, capsys, *arguments) -> tuple[int, str, str]:
    """Run the command line here; another process is slower to start than to rate."""
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    code = 0
    try:
        command_line.main()
    except SystemExit as exit_:
        code = exit_.code
    return code, *capsys.readouterr()


class TestCommand:
    def test_rates_standard_input(self):
        done = subprocess.run(
            [sys.executable, "manage.py", "rate_section"],
            cwd=ROOT,
            input=json.dumps(SECTION).encode(),
            capture_output=True,
            check=False,
        )
        assert json.loads(done.stdout) == rate_json(SECTION)[0]
        assert (done.returncode, done.stderr) == (0, b"")

    def test_rates_a_file_and_exits_with_1_if_an_input_is_bad(
        self, tmp_path, monkeypatch, capsys
    ):
        path = tmp_path / "sections.jsonl"
        path.write_bytes(json.dumps(SECTION).encode() + b'\n{"id": "\xff"}\n{}\n')
        code, out, err = run(monkeypatch, capsys, "rate_section", str(path))
        assert len(out.splitlines()) == 1
        assert code == 1
        lines = err.splitlines()
        assert lines[0] == "line 2: This is not UTF-8. Save it as UTF-8."
        assert lines[1] == "line 3: system: This is missing and must be given."

    def test_a_missing_file_is_a_sentence(self, tmp_path, monkeypatch, capsys):
        missing = str(tmp_path / "none.json")
        code, _, err = run(monkeypatch, capsys, "rate_section", missing)
        assert code == 1
        assert err.endswith("can't be read: No such file or directory.\n")

    def test_verify_prints_the_table(self, monkeypatch, capsys):
        code, out, _ = run(monkeypatch, capsys, "verify")
        assert code == 0
        assert "913      627             817" in out

    def test_verify_refuses_what_is_no_json(self, tmp_path, monkeypatch, capsys):
        path = tmp_path / "sections.json"
        path.write_text("oops")
        code, _, err = run(monkeypatch, capsys, "verify", str(path))
        assert code == 1
        assert "cannot be read as JSON" in err
        assert "Traceback" not in err
