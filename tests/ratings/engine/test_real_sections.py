"""Real rated sections: most published ratings must be reproduced."""

import json
from pathlib import Path

import pytest

from ratings.engine.verify import Tally, replay, table, verify

SECTIONS = json.loads(
    (Path(__file__).parents[2] / "data" / "real-sections.json").read_text("utf-8")
)


@pytest.fixture(scope="module")
def report():
    return verify(SECTIONS)


def test_published_ratings_come_out(report):
    total = report.total
    assert total.checked == 913
    assert total.exact >= 627
    assert total.close >= 817


def test_complete_sections_come_out_within_a_point_for_every_player(report):
    part = report.parts["2021, complete and all rated"]
    assert (part.checked, part.close) == (320, 320)


@pytest.mark.parametrize("year", ["2015", "2022", "2026"])
def test_every_checked_player_of_the_other_years_comes_out(report, year):
    part = report.parts[year]
    assert part.close == part.checked > 0


@pytest.mark.parametrize("name", ["real-2026-novice-R", "real-2026-novice-Q"])
def test_the_2026_section_comes_out_to_two_decimals_in_both_systems(name):
    (section,) = [section for section in SECTIONS if section["name"] == name]
    tally = replay(section)
    assert (tally.checked, tally.close) == (6, 6)


def test_a_wrong_multiplier_is_found_out(report):
    for tally in report.wrong_multipliers.values():
        assert tally.exact < 420
        assert tally.close < 600


def test_table_shows_every_count(report):
    lines = table(report).splitlines()
    assert lines[0].split() == ["sections", "checked", "exact", "within", "1", "point"]
    all_of_them = [line.split() for line in lines if line.startswith("all  ")]
    assert all_of_them == [["all", *map(str, report.total)]]
    assert any(line.startswith("all, if B were 16") for line in lines)


def test_an_unknown_opponent_keeps_a_player_out_of_the_count():
    section = {
        "name": "real-2021-made-up",
        "start_date": None,
        "end_date": None,
        "system": None,
        "time_control": None,
        "bonus_multiplier": 14,
        "players": [
            {"pair": 1, "pre": 1500, "post": 1500, "results": [[1, "D", 2, None]]},
            {"pair": 2, "results": [[1, "D", 1, None]]},
        ],
    }
    assert replay(section) == Tally(0, 0, 0)
