"""The glossary names what is in the code."""

import re

from tests.tools.messages import ROOT, SOURCE_ROOTS

NAMES = re.compile(r"`(\w+)")


def test_names_of_the_glossary_are_in_the_code():
    rows = [
        line.split("|")[3]
        for line in (ROOT / "docs" / "glossary.md").read_text().splitlines()
        if line.startswith("| ") and "In code" not in line
    ]
    written = {
        word
        for room in SOURCE_ROOTS
        for path in (ROOT / room).rglob("*.py")
        for word in re.findall(r"\w+", path.read_text())
    }
    names = {name for row in rows for name in NAMES.findall(row)}
    assert len(rows) > 40
    assert names - written == set()
