"""Take over ratings from the command line: no worker and no web page needed."""

from players.intake.command import IntakeCommand
from players.models import Intake


class Command(IntakeCommand):
    help = (
        "Read a CSV or XLSX file of ratings, one row for each member and system, and "
        "say what it would enter; with --apply, enter it and prove the totals."
    )
    kind = Intake.Kind.RATINGS
