"""Say what the readers make of files, without touching the database."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from events.importers.checks.report import check_report
from events.importers.findings import Finding, Place, Severity, found, in_order
from events.importers.read_report import MAX_UPLOAD_BYTES, ReadResult
from events.reports.services.reading import read_files


class Command(BaseCommand):
    help = (
        "Read reports as an upload would, and write a line of JSON for each FILE: its "
        "format, the program that wrote it, the report and the findings. A folder is "
        "one upload, and so are the DBF files of one folder. The status is 1 where "
        "something cannot be read as it stands."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument(
            "--check",
            action="store_true",
            help="look for what the report itself says wrong, too, as the desk does",
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
        """Write a line at once, for a program that reads along and may have enough."""
        # A path need not be UTF-8; what is not is written as JSON writes it.
        told = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        try:
            self.stdout.write(told)
            self.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())
            sys.exit(1)


def _read(name: str, names: Sequence[str]) -> ReadResult:
    """Read a file or folder, and with a DBF file those of *names* beside it."""
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
            None, [found("file.unopened", place, name=path.name, reason=reason)]
        )


def _content(path: Path) -> bytes:
    """Return what is in a file, no more than it takes to be refused as too large."""
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
