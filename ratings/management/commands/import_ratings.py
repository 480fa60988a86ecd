"""Import ratings from the command line, without a worker or a web page."""

from argparse import ArgumentParser
from datetime import date
from typing import Any

from players.imports.base_command import ImportCommand
from players.models import Intake


class Command(ImportCommand):
    help = (
        "Read a file of ratings, one row per member and system or a list with one row "
        "per member, and show a preview; with --apply, import it and check the totals."
    )
    kind = Intake.Kind.RATINGS

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--as-of", type=date.fromisoformat, help="day of a list without dates"
        )
        parser.add_argument(
            "--games", type=int, help="games of ratings that a list shows without any"
        )

    def extra_options(self, **options: Any) -> dict[str, Any]:
        names = ("as_of", "games")
        return {name: str(options[name]) for name in names if options[name]}
