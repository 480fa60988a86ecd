"""Take in a file of directors from the command line: no worker and no page needed."""

from players.intake.command import IntakeCommand
from players.models import Intake


class Command(IntakeCommand):
    help = (
        "Read a CSV or XLSX file of directors and say what it would do; with --apply, "
        "do it."
    )
    kind = Intake.Kind.DIRECTORS
