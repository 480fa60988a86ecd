"""Start a rerate from the command line, and publish it if wished."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.starting import RerateRefused, start_rerate
from ratings_site.common.jobs.services import work_off


class Command(BaseCommand):
    help = (
        "Replay history from the earliest open mark, do it here and now, and say what "
        "would change. Nothing becomes current unless --publish is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reason", required=True, help="kept with the rerate")
        parser.add_argument(
            "--from-day",
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="begin here, or with the earliest open mark if that is earlier",
        )
        parser.add_argument(
            "--whole-history", action="store_true", help="begin from nothing"
        )
        parser.add_argument("--publish", action="store_true", help="make it current")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = start_rerate(
                actor=None,
                reason=options["reason"],
                from_day=options["from_day"],
                whole_history=options["whole_history"],
            )
            work_off()
            run.refresh_from_db()
            if run.status == run.Status.FAILED:
                raise CommandError(f"{run} failed: {run.message}")
            if options["publish"] and run.status == run.Status.READY:
                run = publish_rerate(
                    run_id=run.pk, actor=None, reason=options["reason"]
                )
        except RerateRefused as refused:
            raise CommandError(str(refused)) from refused
        summary = run.summary
        self.stdout.write(
            f"{run.standing()} {summary['lines']} lines, {summary['players']} players, "
            f"{summary['whole_changes']} ratings change in whole numbers."
        )
