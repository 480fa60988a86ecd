"""Export everything the federation owns."""

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser

from ratings_site.common.audit.services import record
from ratings_site.common.models import Office
from ratings_site.leaving.services.exporting import ExportRefused, export_office
from ratings_site.leaving.services.importing import digest_of


class Command(BaseCommand):
    help = (
        "Write everything the federation owns to a new folder: tables as JSON Lines "
        "and CSV, uploaded files, documentation and checksums. The office can keep "
        "working. See docs/leaving.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="a folder that does not exist")

    def handle(self, *, folder: Path, **options: Any) -> None:
        try:
            manifest = export_office(folder)
        except ExportRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"The export cannot be written: {error}.") from error
        office, digest = Office.objects.first(), digest_of(folder)
        if office is not None:
            record(
                "office.exported",
                subject=office,
                actor=None,
                reason="manage.py export_office",
                facts={"sha256": digest},
            )
        for problem in manifest["file_problems"]:
            self.stderr.write(f"{problem['stored_as']} is {problem['problem']}.")
        self.stdout.write(
            f"{sum(manifest['rows'].values()):,} rows of {len(manifest['rows'])} "
            f"tables, {manifest['files']:,} files and {manifest['reports']:,} reports. "
            f"SHA-256 of SHA256SUMS: {digest}"
        )
