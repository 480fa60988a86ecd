"""Rate sections given as JSON, without touching the database."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ratings.engine.rules import DEFAULT_EDITION
from ratings.engine.section_json import rate_text


class Command(BaseCommand):
    help = (
        "Rate sections: one JSON object, or one per line, from FILE or standard "
        "input. Writes one line of JSON per section; errors go to standard error."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", metavar="FILE", help="default: standard input"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = read_text(options["file"])
        except OSError as error:
            self.refuse([f"{options['file']} can't be read: {error.strerror}."])
        edition = getattr(settings, "RATING_EDITION", DEFAULT_EDITION)
        answers, faults = rate_text(text, edition)
        for answer in answers:
            self.stdout.write(answer)
        if faults:
            self.refuse(faults)

    def refuse(self, faults: list[str]) -> None:
        for fault in faults:
            self.stderr.write(fault, lambda text: text)
        sys.exit(1)


def read_text(name: str | None) -> str:
    """Return the file's text, or standard input's without a name or with "-".

    Bytes that are not UTF-8 are kept, so that their line is refused.
    """
    if name is None or name == "-":
        data = sys.stdin.buffer.read()
    else:
        data = Path(name).read_bytes()
    return data.decode(errors="surrogateescape")
