"""Print how the readers interpret files, without a database."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from events.formats.checks.report import check_report
from events.formats.findings import Finding, Place, Severity, in_order, make_finding
from events.formats.report_reader import MAX_UPLOAD_BYTES, ReadResult
from events.reports.services.file_reader import read_files


class Command(BaseCommand):
    help = (
        "Read reports like an upload, and write one line of JSON per FILE: its "
        "format, the program that wrote it, the report, and the issues. A folder "
        "counts as one upload, and so do the DBF files in one folder. Exit status "
        "1 if anything can't be read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument(
            "--check",
            action="store_true",
            help="also run the checks of the report pages",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        blocked = False
        for name in options["files"]:
            result = _read(name, options["files"])
            findings = list(result.findings)
            if options["check"] and result.reported is not None:
                findings = in_order([*findings, *check_report(result.reported)])
            blocked |= any(one.severity is Severity.ERROR for one in findings)
            self._write(json.dumps(_line(name, result, findings), ensure_ascii=False))
        if blocked:
            sys.exit(1)

    def _write(self, line: str) -> None:
        """Write a line and flush it; the reading program may close the pipe."""
        # A path that is not UTF-8 is written with JSON's escapes.
        told = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        try:
            self.stdout.write(told)
            self.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())
            sys.exit(1)


def _read(name: str, names: Sequence[str]) -> ReadResult:
    """Read a file or folder, and for a DBF file its companions in *names*."""
    path = Path(name)
    together = [path]
    if name and path.is_dir():
        together = sorted(one for one in path.iterdir() if one.is_file())
    elif _is_dbf(path):
        others = [Path(other) for other in names]
        together = [one for one in others if _is_dbf(one) and one.parent == path.parent]
    try:
        return read_files([(one.name, _content(one)) for one in together])
    except OSError as error:
        reason = error.strerror or str(error)
        place = Place(file=path.name)
        return ReadResult(
            None, [make_finding("file.unopened", place, name=path.name, reason=reason)]
        )


def _content(path: Path) -> bytes:
    """Return a file's content, at most one byte over the size limit."""
    with path.open("rb") as file:
        return file.read(MAX_UPLOAD_BYTES + 1)


def _is_dbf(path: Path) -> bool:
    return path.suffix.lower() == ".dbf"


def _line(name: str, result: ReadResult, findings: Sequence[Finding]) -> dict[str, Any]:
    reported = result.reported
    return {
        "file": name,
        "format": result.format,
        "program": reported.program if reported else "",
        "report": reported and reported.to_json(),
        "findings": [
            {
                "code": one.code,
                "severity": one.severity,
                "place": one.place.to_json(),
                "message": one.message,
                "hint": one.hint,
            }
            for one in findings
        ],
    }
