"""Load the demo federation: invented members, real sections."""

import time

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from ratings_site.demo.load import NotEmpty, is_loaded, load
from ratings_site.startup_checks import refuse_demo


class Command(BaseCommand):
    help = "Load the demo federation into an empty database."

    def handle(self, **_: object) -> None:
        refuse_demo()
        if is_loaded():
            return
        self.stdout.write("Loading the demo federation ...")
        began = time.monotonic()
        try:
            faulty = load(self.stdout.write)
        except NotEmpty as error:
            raise CommandError(str(error)) from error
        path = settings.DATA_DIR / "faulty-report.zip"
        path.write_bytes(faulty)
        self.stdout.write(
            f"Loaded in {time.monotonic() - began:.0f} s. "
            f"A report with errors to upload: {path}"
        )
