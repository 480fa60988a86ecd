"""Replay real rated sections and show how many published ratings come out."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from ratings.engine.verify import table, verify


class Command(BaseCommand):
    help = "Replay real rated sections and print how many ratings match."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", help="default: tests/data/real-sections.json"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        default = Path(settings.BASE_DIR) / "tests" / "data" / "real-sections.json"
        path = Path(options["file"] or default)
        try:
            sections = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"{path} cannot be read as JSON: {error}") from error
        self.stdout.write(table(verify(sections)))
