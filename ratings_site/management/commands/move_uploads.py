from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.core.management import BaseCommand
from django.core.management.base import CommandParser

from ratings_site.common.uploads.services import stored_names, upload_storage
from ratings_site.common.uploads.storage import DatabaseStorage
from ratings_site.common.uploads.storage_migration import move_upload


class Command(BaseCommand):
    help = (
        "Move uploaded files from the database and from DATA_DIR on this machine "
        "to the storage set in the settings. Safe to repeat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--to-database",
            action="store_true",
            help="move them from the S3 bucket back to the database instead",
        )

    def handle(self, *, to_database: bool, **options: Any) -> None:
        target = DatabaseStorage() if to_database else upload_storage()
        storages = [
            FileSystemStorage(settings.DATA_DIR),
            DatabaseStorage(),
            upload_storage(),
        ]
        # Never from a storage to itself, because the source is deleted.
        sources = [one for one in storages if type(one) is not type(target)]
        moved = missing = 0
        for name in list(stored_names()):
            if any(move_upload(name, source, target) for source in sources):
                moved += 1
            elif not target.exists(name):
                missing += 1
                self.stderr.write(f"Not found: {name}")
        self.stdout.write(f"{moved:,} files moved, {missing:,} not found.")
