"""Start a rerate from the command line, and publish it with an option."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import RerateRefused, start_rerate
from ratings_site.common.jobs.services import run_due_jobs


class Command(BaseCommand):
    help = (
        "Replay history now from the earliest pending rerate, and show what would "
        "change. Current ratings change only with --publish."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reason", required=True, help="reason, saved with the rerate"
        )
        parser.add_argument(
            "--from-day",
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="start date, or the earliest pending rerate if that is earlier",
        )
        parser.add_argument(
            "--whole-history", action="store_true", help="replay the full history"
        )
        parser.add_argument("--publish", action="store_true", help="publish the result")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = start_rerate(
                actor=None,
                reason=options["reason"],
                from_day=options["from_day"],
                whole_history=options["whole_history"],
            )
            run_due_jobs()
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
            f"{summary['whole_changes']} ratings change by a whole point or more."
        )
