"""The estimate endpoint: the contract of `rate_section`, over HTTP."""

import json

import pytest
from django.test import Client

from ratings.api import estimate as api
from ratings.engine.section_json import rate_json
from tests.cpu_time import cpu_time

URL = "/api/v1/estimate/section"

pytestmark = pytest.mark.django_db


def section(**changes):
    """Two established players of 1500 who drew: no rating changes."""
    return {
        "id": "A",
        "system": "OTBR",
        "time_control": "G/90;d5",
        "start_date": "2024-05-04",
        "end_date": "2024-05-05",
        "players": [
            {"id": 1, "rating": 1500, "games": 40},
            {"id": 2, "rating": 1500, "games": 40},
        ],
        "games": [{"a": 1, "b": 2, "score_a": 0.5}],
        **changes,
    }


def post(body, content_type="application/json"):
    if not isinstance(body, bytes | str):
        body = json.dumps(body)
    return Client().post(URL, body, content_type=content_type)


def test_rates_a_section_without_looking_anything_up(django_assert_num_queries):
    post(section())  # the first request of the day sweeps
    with django_assert_num_queries(1):  # the count of requests
        response = post(section())
    assert response.status_code == 200
    answer = response.json()
    assert answer["id"] == "A"
    assert [(one["id"], one["post"], one["expected"]) for one in answer["players"]] == [
        (1, 1500.0, 0.5),
        (2, 1500.0, 0.5),
    ]


def test_answers_the_numbers_of_the_engine_unrounded():
    given = section(games=[{"a": 1, "b": 2, "score_a": 1}] * 2)
    expected, _ = rate_json(given)
    assert post(given).json() == expected
    # K is 800 / (N' + 2), and 2 points are 1 more than expected in the first pass.
    first = expected["players"][0]
    assert first["intermediate"] == 1500 + 800 / (first["effective_games"] + 2)


def test_the_example_of_the_documentation_can_be_rated():
    assert [one["id"] for one in post(api.EXAMPLE).json()["players"]] == [1, 2, 3]


def test_all_faults_come_back_as_sentences():
    given = section(system="OTBX", end_date="2024-05-03")
    given["players"][1]["games"] = 0
    response = post(given)
    assert response.status_code == 422
    assert response.headers["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["title"] == "The section cannot be rated."
    places = [error.split(":")[0] for error in problem["errors"]]
    assert places == ["system", "end_date", "players[1].games"]


def test_time_control_of_another_system_is_a_fault():
    errors = post(section(time_control="G/5;d0")).json()["errors"]
    assert errors == [
        "time_control: G/5;d0 is rated in OTBB, not in OTBR. "
        "Correct the system or the time control."
    ]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        b"\xff\xfe{}",
        "[" * 100_000,
        '{"id": NaN}',
        '{"id": 1' + "0" * 5000 + "}",
        '{"id": 1e999}',
        '{"id": 1, "id": 2}',
        "\x00",
    ],
    ids=str,
)
def test_what_is_no_section_is_refused_in_a_sentence(body):
    response = post(body)
    assert response.status_code == 422
    errors = response.json()["errors"]
    assert errors
    assert all(error.endswith(".") for error in errors)


def test_one_section_at_a_time():
    line = json.dumps(section())
    response = post(f"{line}\n{line}")
    assert response.status_code == 422
    assert response.json()["errors"] == ["Send one section at a time."]


def test_a_section_may_span_lines():
    assert post(json.dumps(section(), indent=2)).status_code == 200


def test_too_large_a_body_is_refused():
    response = post(section(id="x" * api.MAX_BODY_BYTES))
    assert response.status_code == 413
    assert response.json()["errors"] == [
        "Send at most 1,000,000 bytes. Estimate one section at a time."
    ]


def test_endless_faults_are_cut_short():
    errors = post(section(games=[{"a": 9, "b": 2, "score_a": 7}] * 500)).json()[
        "errors"
    ]
    assert len(errors) == api.MAX_ERRORS + 1
    assert errors[-1].endswith("more errors are not listed.")


def filled(unit, size=990_000):
    return unit * (size // len(unit))


NAMES = ",".join(f'"a{number}":1' for number in range(60_000))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (filled("junk\n"), "This is not JSON at line 1, column 1 (Expecting value)"),
        (filled("{\n"), "This is not JSON at line 2, column 1"),
        (filled("{}\n"), "Send one section at a time."),
        (filled("1\n"), "Send one section at a time."),
        (filled(" \n"), "The request is empty."),
        (filled("["), "The brackets are nested too deeply."),
        ('{"id":1' + "0" * 5_000 + "}\n" + filled("{\n", 900_000), "Send one section"),
        ('{"players":[' + filled("{},\n") + "x", "This is not JSON at line 247,501"),
        ('{"players":[' + filled("1,") + "1]}", "players: There are 495,001; at most"),
        (section(games=[{}] * 40_000), "games: In 40,000 of 40,000, something is"),
        (section(players=[{"sources": [1] * 300_000}]), "sources: There are 300,000"),
        ("{" + NAMES + ',"a1":1}', "An object has 60,001 names; at most 50 are read."),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_megabyte_of_faults_is_refused_at_once(body, sentence):
    body = body if isinstance(body, str) else json.dumps(body)
    assert len(body) <= api.MAX_BODY_BYTES
    post(section())  # the first request initializes
    with cpu_time() as spent:
        response = post(body)
    assert spent.seconds < 1
    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert error.startswith(sentence)
