"""Each code of a refusal has its sentence."""

import re
from pathlib import Path

from django.conf import settings

from players.intake.saying import SENTENCES, said

ROOT = Path(settings.BASE_DIR)
RAISED = re.compile(r'(?:Refused|NotEntered)\(\s*f?"([a-z0-9_{}]+)"')


def codes() -> set[str]:
    found: set[str] = set()
    for room in (
        "players/importers",
        "players/intake",
        "players/claims",
        "ratings/intake",
        "events/intake",
    ):
        for path in (ROOT / room).rglob("*.py"):
            found |= set(RAISED.findall(path.read_text()))
    # One code for each column of words.
    found -= {"{column}_unknown", "{name}_unknown"}
    words = ("gender", "status", "record", "floor_kind")
    return found | {f"{name}_unknown" for name in words}


def test_each_code_has_a_sentence_and_each_sentence_a_code():
    assert codes() == set(SENTENCES)


def test_columns_are_named_as_people_know_them():
    reason = {"code": "no_day", "column": "birth_date", "cell": "soon"}
    assert said(reason) == (
        "Birth date: “soon” is no day. Write it as 2001-02-13 or 2/13/2001."
    )
