import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ratings.engine.rule_history import DatedValue
from ratings.engine.rules import EDITIONS, PARAMETERS
from ratings.engine.rules_document.__main__ import main
from ratings.engine.rules_document.counter_example import counter_example
from ratings.engine.rules_document.page import render

ROOT = Path(__file__).parents[3]

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


def test_the_committed_document_is_up_to_date():
    committed = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    assert committed == render(), (
        "docs/rules.md is out of date. "
        "Run: python -m ratings.engine.rules_document docs/rules.md"
    )


def section(heading: str) -> str:
    """Return the text of the page below *heading*."""
    return render().partition(f"## {heading}\n")[2].partition("\n## ")[0]


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the table below *heading*, without its header."""
    lines = re.findall(r"^\| (.+) \|$", section(heading), re.MULTILINE)
    return [line.split(" | ") for line in lines[2:]]


def test_every_parameter_stands_in_one_group():
    grouped = Counter(re.findall(r"^\| [^|`]+ \(`(\w+)`\) \|", render(), re.MULTILINE))
    assert grouped == Counter(PARAMETERS.keys())


def test_every_edition_is_described():
    rows = rows_of("Editions")
    assert tuple(edition for edition, _note in rows) == tuple(
        f"`{edition}`" for edition in EDITIONS
    )
    assert all(note for _edition, note in rows)


def test_every_line_of_both_history_lists_is_answered():
    rows = rows_of("The history lists, line by line")
    in_2020 = Counter(row[0] for row in rows if row[0] != "—")
    in_2025 = Counter(row[1] for row in rows if row[1] != "—")
    assert in_2020 == Counter(LIST_OF_2020.split())
    assert in_2025 == Counter(LIST_OF_2025.split())
    assert all(change and answer for _in_2020, _in_2025, change, answer in rows)


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
    assert row in render().splitlines()


def test_tables_have_as_many_cells_in_every_row():
    table: list[int] = []
    for line in [*render().splitlines(), ""]:
        if line.startswith("|"):
            table.append(line.count("|"))
        else:
            assert len(set(table)) <= 1
            table = []


def test_every_source_is_shown():
    text = render()
    entries: list[DatedValue[object]] = [
        since for parameter in PARAMETERS.values() for since in parameter.history
    ]
    assert [since for since in entries if since.source not in text] == []


def test_half_a_point_more_lowers_the_rating_in_the_counter_example():
    draw, win = counter_example(1), counter_example(2)
    assert (draw[0].score, win[0].score) == (5, 6)
    assert win[0].post < draw[0].post - 12
    assert f"| A | {draw[0].intermediate:.1f} | {draw[0].post:.1f} |" in render()


def test_the_program_writes_the_document(tmp_path):
    target = tmp_path / "rules.md"
    main([str(target)])
    assert target.read_text(encoding="utf-8") == render()


def test_the_program_says_how_to_call_it():
    command = [sys.executable, "-m", "ratings.engine.rules_document"]
    answer = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == (
        "Name the file to write: python -m ratings.engine.rules_document docs/rules.md"
    )
