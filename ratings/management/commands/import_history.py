"""Take over history from the command line: no worker and no web page needed."""

from argparse import ArgumentParser
from datetime import date
from typing import Any

from players.intake.command import IntakeCommand
from players.intake.queries import office_day
from players.models import Intake


class Command(IntakeCommand):
    help = (
        "Read a ZIP archive of rating reports and say what would become of each; with "
        "--apply, take the events over, shown and never rated."
    )
    kind = Intake.Kind.HISTORY

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--ours-from",
            type=date.fromisoformat,
            help="events that end on this day (2024-01-31) or later go to the queue; "
            "without it the day that the office's record says",
        )
        parser.add_argument(
            "--affiliate", default="", help="the ID for reports that name no affiliate"
        )

    def chosen(
        self, *, ours_from: date | None, affiliate: str, **_: Any
    ) -> dict[str, str]:
        said = {"ours_from": ours_from or office_day(), "affiliate": affiliate}
        return {name: str(value) for name, value in said.items() if value}
