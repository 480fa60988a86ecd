"""Import history from the command line, without a worker or a web page."""

from argparse import ArgumentParser
from datetime import date
from typing import Any

from players.imports.base_command import ImportCommand
from players.imports.queries import office_start_date
from players.models import Intake


class Command(ImportCommand):
    help = (
        "Read a ZIP archive of rating reports and show a preview; with --apply, "
        "import the events as history: shown but not rated."
    )
    kind = Intake.Kind.HISTORY

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--ours-from",
            type=date.fromisoformat,
            help="events that end on or after this date (such as 2024-01-31) go to "
            "the report queue; default: the start date of the office's own "
            "records",
        )
        parser.add_argument(
            "--affiliate", default="", help="affiliate ID for reports without one"
        )

    def extra_options(self, **options: Any) -> dict[str, Any]:
        given = {
            "ours_from": options["ours_from"] or office_start_date(),
            "affiliate": options["affiliate"],
        }
        return {name: str(value) for name, value in given.items() if value}
