"""Import a file of affiliates from the command line, without worker or page."""

from players.imports.base_command import ImportCommand
from players.models import Intake


class Command(ImportCommand):
    help = (
        "Read a CSV or XLSX file of affiliates and show a preview; with --apply, "
        "import it."
    )
    kind = Intake.Kind.AFFILIATES
