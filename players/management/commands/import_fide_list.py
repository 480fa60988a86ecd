"""Take in a FIDE list from the command line: no worker and no web page needed."""

import sys
from argparse import ArgumentParser
from datetime import date
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from players.fide.jobs import IMPORT_FIDE_LIST, TIDY_FIDE_LISTS
from players.fide.services.lists import ListNotTaken, receive_list
from players.models import FideList
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job

PIECE = 1 << 20


class Command(BaseCommand):
    help = "Import a rating list of FIDE: text or XML, packed as ZIP or not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--date",
            required=True,
            type=date.fromisoformat,
            help="the 1st of the list's month, such as 2024-05-01",
        )
        parser.add_argument(
            "--older", action="store_true", help="add a list to the past"
        )
        parser.add_argument(
            "--smaller", action="store_true", help="it really is much smaller"
        )
        parser.add_argument("--reason", default="", help="why, with either of these")

    def handle(
        self, *, file: Path, older: bool, smaller: bool, reason: str, **options
    ) -> None:
        try:
            with file.open("rb") as opened:
                fide_list = receive_list(
                    actor=None,
                    name=file.name,
                    content=iter(lambda: opened.read(PIECE), b""),
                    list_date=options["date"],
                    allow_older=older,
                    allow_smaller=smaller,
                    reason=reason,
                )
        except (OSError, ListNotTaken) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Reading the {fide_list} ...")
        for kind in (IMPORT_FIDE_LIST, TIDY_FIDE_LISTS):
            _do_jobs(kind)
        self._say_how_it_went(fide_list)

    def _say_how_it_went(self, fide_list: FideList) -> None:
        fide_list.refresh_from_db()
        for finding in fide_list.findings:
            place = f"{finding['place']}: " if finding["place"] else ""
            self.stderr.write(f"{place}{finding['sentence']} {finding['hint']}")
        if fide_list.state == FideList.State.REFUSED:
            raise CommandError(f"The {fide_list} is refused; nothing has changed.")
        if fide_list.state == FideList.State.LOADING:
            sys.exit("A worker of the office is reading it: see the page FIDE lists.")
        self.stdout.write(
            f"{fide_list.get_state_display()}: {fide_list.rows:,} players, "
            f"{fide_list.rated:,} rated, {fide_list.changed:,} changed, "
            f"{fide_list.members:,} members with a new rating."
        )


def _do_jobs(kind: str) -> None:
    """Do what waits of this kind here and now; other work is left to the workers."""
    for job in Job.objects.filter(kind=kind, state=Job.State.QUEUED):
        claimed = claim(job.pk)
        if claimed is not None:
            perform(claimed)
