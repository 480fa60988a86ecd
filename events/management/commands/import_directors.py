"""Import a file of directors from the command line, without worker or page."""

from players.imports.base_command import ImportCommand
from players.models import Intake


class Command(ImportCommand):
    help = "Read a CSV or XLSX file of TDs and show a preview; with --apply, import it."
    kind = Intake.Kind.DIRECTORS
