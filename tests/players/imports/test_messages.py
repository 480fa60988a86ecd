"""Every refusal code has a message."""

import re
from pathlib import Path

from django.conf import settings

from players.imports.messages import MESSAGES, said

ROOT = Path(settings.BASE_DIR)
RAISED = re.compile(r'(?:Refused|note)\(\s*f?"([a-z0-9_{}]+)"')


def codes() -> set[str]:
    found: set[str] = set()
    for package in (
        "players/formats",
        "players/imports",
        "players/claims",
        "ratings/imports",
        "events/imports",
    ):
        for path in (ROOT / package).rglob("*.py"):
            found |= set(RAISED.findall(path.read_text()))
    # One code for each column with fixed words.
    found -= {"{column}_unknown", "{name}_unknown"}
    words = ("record", "floor_kind")
    return found | {f"{name}_unknown" for name in words}


def test_each_code_has_a_sentence_and_each_sentence_a_code():
    assert codes() == set(MESSAGES)


def test_columns_are_named_as_people_know_them():
    reason = {"code": "no_day", "column": "birth_date", "cell": "soon"}
    assert said(reason) == (
        "Birth date: “soon” isn’t a date. Write it as 2001-02-13 or 2/13/2001."
    )
