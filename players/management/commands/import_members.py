"""Take in a file of members from the command line: no worker and no web page needed."""

from players.intake.command import IntakeCommand
from players.models import Intake


class Command(IntakeCommand):
    help = (
        "Read a CSV or XLSX file of members and say what it would do; with --apply, "
        "do it. Repeating a file changes nothing."
    )
    kind = Intake.Kind.MEMBERS
