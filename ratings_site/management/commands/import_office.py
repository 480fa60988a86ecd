"""Load an export into an empty office."""

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, call_command
from django.core.management.base import CommandParser

from ratings_site.leaving.services.importing import ImportRefused, import_office


class Command(BaseCommand):
    help = (
        "Load an export of export_office into an empty office, all or nothing, then "
        "audit it. See docs/leaving.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the export")
        parser.add_argument(
            "--no-audit", action="store_true", help="don't audit the ledger afterward"
        )

    def handle(self, *, folder: Path, no_audit: bool, **options: Any) -> None:
        try:
            manifest = import_office(folder)
        except ImportRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"The export cannot be read: {error}.") from error
        self.stdout.write(
            f"{sum(manifest['rows'].values()):,} rows of {len(manifest['rows'])} "
            f"tables imported. Accounts sign in after “Forgot your password?”."
        )
        if not no_audit:
            call_command("audit", stdout=self.stdout)
