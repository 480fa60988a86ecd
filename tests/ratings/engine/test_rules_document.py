import re
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from ratings.engine.classes import CLASSES
from ratings.engine.inputs import Competitor, Game, Kind, RatingInput, Record
from ratings.engine.rule_history import DatedValue
from ratings.engine.rules import DEFAULT_EDITION, EDITIONS, PARAMETERS, rules_in_force
from ratings.engine.rules_document import render
from ratings.engine.rules_document.__main__ import main
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/rules.md").read_text(encoding="utf-8")

LIST_OF_2020 = """
    2002-??-?? 20??-??-?? 2004-??-?? 2006-??-?? 2008-08-07 2008-08-07 2010-04-01
    2012-08-04 2013-??-?? 2013-05-08 2014-03-20 2015-06-01 2017-06-01 2020-??-??
    2020-??-?? 20??-??-??
"""
LIST_OF_2025 = """
    2002-??-?? 20??-??-?? 2004-??-?? 2006-??-?? 2008-06-06 2008-08-07 2010-04-01
    2012-08-03 2013-03-01 2013-05-08 2014-03-20 2014-09-01 2014-10-01 2015-03-01
    2015-06-01 2017-06-01 2020-06-01 2020-06-01 2023-02-01 2024-03-01 2025-01-01
"""


def section(title: str) -> str:
    """Return the text below a heading, up to the next one."""
    return re.split(r"^#+ ", PAGE.partition(f"# {title}\n")[2], flags=re.M)[0]


def cells(title: str) -> list[list[str]]:
    """Return the rows of the table below a heading."""
    lines = [one for one in section(title).splitlines() if one.startswith("|")]
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def test_the_committed_document_is_up_to_date():
    assert render(PAGE) == PAGE, (
        "docs/rules.md is out of date. "
        "Run: python -m ratings.engine.rules_document docs/rules.md"
    )


def test_every_parameter_stands_in_one_group():
    grouped = Counter(re.findall(r"\(`(\w+)`\) \|", PAGE))
    assert grouped == Counter(PARAMETERS.keys())


def test_every_edition_is_described():
    assert [f"`{one}`" for one in EDITIONS] == [row[0] for row in cells("Editions")]
    assert f"`{DEFAULT_EDITION}` is the default" in PAGE


def test_every_line_of_both_history_lists_is_answered():
    rows = cells("The history lists, line by line")
    in_2020, in_2025 = (
        Counter(row[column] for row in rows if row[column] != "—") for column in (0, 1)
    )
    assert in_2020 == Counter(LIST_OF_2020.split())
    assert in_2025 == Counter(LIST_OF_2025.split())
    assert all(change and answer for _old, _new, change, answer in rows)


def test_every_section_of_the_text_has_its_code():
    rows = cells("Where each rule is calculated")
    named = {one for row in rows for one in row[0].split(", ")}
    parts = "Introduction 1 2 2.1 2.2 2.3 3 4.1 4.2 5 6 7 8"
    assert named == set(parts.split())
    assert all(
        "`ratings." in row[2] or "`events." in row[2] or "`players." in row[2]
        for row in rows
    )


def test_every_class_is_listed():
    lowest = [re.match("[0-9]+", row[1])[0] for row in cells("Classes")]
    assert [row[0] for row in cells("Classes")] == [one.name for one in CLASSES]
    assert lowest == [str(one.lowest) for one in CLASSES]


@pytest.mark.parametrize(
    "row",
    [
        "|  | February 1, 2023 | 12 | 2025 paper, sections 4.2 and 8 "
        f"| {', '.join(EDITIONS[1:])} |",
        "| Lowest peak floor (`lowest_peak_floor`) | always | 1400 "
        "| 2020 and 2025 papers, section 8: “had been 1400” | all |",
        "|  | March 1, 2024 | −1073 + 1.5667 × rating up to 2000; "
        "20 + 1.02 × rating beyond | 2025 paper, sections 2.1 and 8 "
        f"| {', '.join(EDITIONS[1:])} |",
        "| Effective-games formula (`effective_games`) | May 8, 2013 "
        "| N* = 50 ÷ √(0.662 + 0.00000739 × (2569 − R)²); 50 if R > 2355 "
        "| 2020 and 2025 papers, sections 3 and 8 | all |",
        "| Senior Master | 2400+ |",
        "| Class J | 100–199 |",
    ],
)
def test_values_are_written_as_people_write_them(row):
    assert row in render(PAGE).splitlines()


def test_tables_have_as_many_cells_in_every_row():
    table: list[int] = []
    for line in [*PAGE.splitlines(), ""]:
        if line.startswith("|"):
            table.append(line.count("|"))
        else:
            assert len(set(table)) <= 1
            table = []


def test_every_source_is_shown():
    entries: list[DatedValue[object]] = [
        since for parameter in PARAMETERS.values() for since in parameter.history
    ]
    assert [since for since in entries if since.source not in PAGE] == []


def counter_example(half_points: int):
    """Rate the section of the document with A scoring *half_points* against B."""
    day = date(2025, 8, 2)
    rating_input = RatingInput(
        system=System.OTBR,
        kind=Kind.ROUND_ROBIN,
        time_control=parse_time_control("G/90;+30"),
        start_date=day,
        end_date=day,
        competitors=(
            Competitor("A", 1300.0, 40),
            Competitor("B", None, record=Record.NONE),
            Competitor("C", 1900.0, 4),
            Competitor("D", None, record=Record.NONE),
        ),
        games=(
            Game("A", "B", half_points, 2 - half_points),
            Game("A", "C", 2, 0),
            Game("A", "D", 2, 0),
            Game("B", "C", 1, 1),
            Game("B", "D", 2, 0),
            Game("D", "C", 2, 0),
        ),
    )
    return rate_section(rating_input, rules_in_force(day))


def test_half_a_point_more_lowers_the_rating_in_the_counter_example():
    draw, win = counter_example(1), counter_example(2)
    assert (draw[0].score, win[0].score) == (5, 6)
    assert win[0].post < draw[0].post - 12
    assert cells("Can half a point more lower a rating?") == [
        [
            drawn.id,
            *(f"{one:.1f}" for one in (drawn.intermediate, drawn.post)),
            *(f"{one:.1f}" for one in (won.intermediate, won.post)),
        ]
        for drawn, won in zip(draw, win, strict=True)
    ]
    rise = f"from {draw[0].expected:.2f} to {win[0].expected:.2f}, by more than half"
    assert rise in PAGE


def test_the_program_writes_the_values(tmp_path):
    target = tmp_path / "rules.md"
    target.write_text(PAGE.replace("| 2700 |", "| 2800 |"), encoding="utf-8")
    main([str(target)])
    assert target.read_text(encoding="utf-8") == PAGE


def test_the_program_writes_the_table_of_variables(tmp_path):
    page = (ROOT / "docs/laboratory.md").read_text(encoding="utf-8")
    target = tmp_path / "laboratory.md"
    target.write_text(page.replace("| Bonus points |", "| Points |"), encoding="utf-8")
    main([str(target)])
    assert target.read_text(encoding="utf-8") == page


def test_the_program_says_how_to_call_it():
    command = [sys.executable, "-m", "ratings.engine.rules_document"]
    answer = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == (
        "Name the file to write: python -m ratings.engine.rules_document docs/rules.md"
    )
