"""Verify that ratings, ledger and games agree."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.ledger.services.projection import rebuild
from ratings.rerates.services.audit import AuditCheck, run_audit
from ratings_site.common.ui.formatting import format_day

SAMPLE = 100


class Command(BaseCommand):
    help = (
        "Check all ratings: replay the full history and compare it with the "
        "ledger, compare current ratings with the ledger, follow each member's "
        "rating changes, recalculate each one from its inputs, and rate a sample "
        "of sections again. Uses one snapshot, so the office can keep working. "
        "Exit status 1 for any difference not explained by a pending rerate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample",
            type=int,
            default=SAMPLE,
            metavar="N",
            help=f"number of sections to rate again (default: {SAMPLE})",
        )
        parser.add_argument(
            "--full", action="store_true", help="rate every section again, not a sample"
        )
        parser.add_argument(
            "--mend",
            action="store_true",
            help="rebuild current ratings from the ledger first",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["mend"]:
            self.stdout.write(f"{rebuild()} current ratings rebuilt from the ledger.")
        size = None if options["full"] else options["sample"]
        is_good = True
        for finding in run_audit(size):
            self._report(finding)
            is_good &= finding.is_good
        if not is_good:
            raise CommandError("The audit found differences.")

    def _report(self, finding: AuditCheck) -> None:
        verdict = "yes" if finding.is_good else f"NO, {finding.wrong} differences"
        self.stdout.write(f"{finding.question} {verdict} ({finding.checked} checked)")
        for sentence in finding.faults:
            self.stdout.write(f"  {sentence}")
        if finding.expected:
            days = sorted(finding.expected)
            self.stdout.write(
                f"  Pending rerates explain {finding.expected.total()} differences on "
                f"{len(days)} days, from {format_day(days[0])} "
                f"to {format_day(days[-1])}: a rerate "
                "will follow."
            )
