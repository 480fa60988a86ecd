"""Writes docs/findings.md: every finding a report can have, from the catalog.

Run ``python -m events.importers.catalog.document docs/findings.md`` after a change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from events.importers.catalog import GROUPS
from events.importers.catalog.kinds import FindingKind

INTRODUCTION = """\
# What can be found in a report

Every finding on a report has a code, which programs can rely on and which does not
change with the words, a severity, a sentence and, where something can be done, a hint.
What stands in braces is filled in: a name, a number, a day.

- **error**: the report cannot be sent to the office until it is corrected. The office
  can let those marked “office” pass, with a reason.
- **confirm**: to be corrected, or confirmed with a reason.
- **caution**: probably wrong, but it does not hold the report up.
- **note**: for information.

A code can be followed by what tells two findings at one place apart, such as a member
ID: `director.unknown.12345678`. Where a kind has two severities, the second is for the
graver cases.

The page is written by a program from `events/importers/catalog`. Do not edit it;
change the catalog and run
`python -m events.importers.catalog.document docs/findings.md`. A test fails when the
page is out of date.
"""


def render() -> str:
    """Return the whole page."""
    return INTRODUCTION + "".join(
        f"\n## {title}\n\n" + "\n".join(_table(kinds)) + "\n"
        for title, kinds in GROUPS.items()
    )


def _table(kinds: Mapping[str, FindingKind]) -> Iterator[str]:
    yield "| Code | Severity | What it says | What to do |"
    yield "|---|---|---|---|"
    for name, kind in kinds.items():
        code = name.partition("/")[0]
        yield f"| `{code}` | {_severity(kind)} | {kind.text} | {kind.hint} |"


def _severity(kind: FindingKind) -> str:
    if kind.up_to:
        return f"{kind.severity} or {kind.up_to}"
    return f"{kind.severity} (office)" if kind.office else kind.severity


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named by the only argument."""
    if len(arguments) != 1:
        raise SystemExit(
            "Name the file to write: "
            "python -m events.importers.catalog.document docs/findings.md"
        )
    Path(arguments[0]).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
