"""Import ratings from the command line, without a worker or a web page."""

from players.imports.base_command import ImportCommand
from players.models import Intake


class Command(ImportCommand):
    help = (
        "Read a CSV or XLSX file of ratings, one row per member and system, and "
        "show a preview; with --apply, import it and check the totals."
    )
    kind = Intake.Kind.RATINGS
