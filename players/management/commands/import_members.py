"""Import a file of members from the command line, without a worker or web page."""

from players.imports.base_command import ImportCommand
from players.models import Intake


class Command(ImportCommand):
    help = (
        "Read a CSV or XLSX file of members and show a preview; with --apply, "
        "import it. Importing a file again changes nothing."
    )
    kind = Intake.Kind.MEMBERS
