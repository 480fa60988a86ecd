"""Write docs/findings.md: all findings that a report can have, from the catalog.

Run ``python -m events.formats.catalog.document docs/findings.md`` after a change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from events.formats.catalog import GROUPS
from events.formats.catalog.kinds import FindingKind

INTRODUCTION = """\
# What we check in a report

Each issue we find in a report has a code, a severity, and a sentence. Most have a hint
that says what to do. The code stays the same when the words change, so programs can
rely on it. Values such as a name, a number, or a date replace the words in braces.

- **error**: fix it before you submit the report. The office can accept an error marked
  “office” and give a reason.
- **confirm**: fix it, or confirm it and give a reason.
- **caution**: probably wrong, but you can still submit the report.
- **note**: for information.

A code can end with a value that tells two issues in one place apart, such as the member
ID in `director.unknown.12345678`. If an issue has two severities, the second is for the
more serious cases.

A program writes this page from `events/formats/catalog`. Do not edit it. Change the
catalog and run
`python -m events.formats.catalog.document docs/findings.md`. A test fails when the
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
    if kind.max_severity:
        return f"{kind.severity} or {kind.max_severity}"
    return f"{kind.severity} (office)" if kind.is_office_overridable else kind.severity


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named by the only argument."""
    if len(arguments) != 1:
        raise SystemExit(
            "Name the file to write: "
            "python -m events.formats.catalog.document docs/findings.md"
        )
    Path(arguments[0]).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
