"""Import a FIDE list from the command line, without a worker or web page."""

import sys
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from players.fide.services.lists import (
    IMPORT_FIDE_LIST,
    TIDY_FIDE_LISTS,
    ListUploadRefused,
    receive_list,
)
from players.models import FideList
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job

CHUNK_SIZE = 1 << 20


class Command(BaseCommand):
    help = "Import a FIDE rating list: text or XML, zipped or not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--date",
            required=True,
            type=date.fromisoformat,
            help="the first of the list's month, such as 2024-05-01",
        )
        parser.add_argument(
            "--older",
            action="store_true",
            help="allow a list older than the current one",
        )
        parser.add_argument(
            "--smaller", action="store_true", help="allow a list that is much smaller"
        )
        parser.add_argument(
            "--reason", default="", help="reason; required with either of these"
        )

    def handle(
        self, *, file: Path, older: bool, smaller: bool, reason: str, **options: Any
    ) -> None:
        try:
            with file.open("rb") as opened:
                fide_list = receive_list(
                    actor=None,
                    name=file.name,
                    content=iter(lambda: opened.read(CHUNK_SIZE), b""),
                    list_date=options["date"],
                    allow_older=older,
                    allow_smaller=smaller,
                    reason=reason,
                )
        except (OSError, ListUploadRefused) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Importing the {fide_list} ...")
        for kind in (IMPORT_FIDE_LIST, TIDY_FIDE_LISTS):
            _run_jobs(kind)
        self._print_result(fide_list)

    def _print_result(self, fide_list: FideList) -> None:
        fide_list.refresh_from_db()
        for finding in fide_list.findings:
            place = f"{finding['place']}: " if finding["place"] else ""
            self.stderr.write(f"{place}{finding['sentence']} {finding['hint']}")
        if fide_list.state == FideList.State.REFUSED:
            raise CommandError(f"The {fide_list} was rejected. Nothing has changed.")
        if fide_list.state == FideList.State.LOADING:
            sys.exit("A worker is already importing it. See the FIDE lists page.")
        self.stdout.write(
            f"{fide_list.get_state_display()}: {fide_list.rows:,} players, "
            f"{fide_list.rated:,} rated, {fide_list.changed:,} changed, "
            f"{fide_list.members:,} members with a new rating."
        )


def _run_jobs(kind: str) -> None:
    """Run the queued jobs of this kind in this process; workers do the others."""
    for job in Job.objects.filter(kind=kind, state=Job.State.QUEUED):
        claimed = claim(job.pk)
        if claimed is not None:
            perform(claimed)
