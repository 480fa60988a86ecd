"""Prove that ratings, ledger and books agree."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.ledger.services.projection import rebuild
from ratings.rerates.services.auditing import Finding, audited
from ratings_site.common.looks.figures import day_in_words

SAMPLE = 100


class Command(BaseCommand):
    help = (
        "Replay everything from nothing and compare with the ledger, compare current "
        "ratings with the ledger, follow the lines of each member, compute each line "
        "again from its own inputs, and rate a sample of sections again from the "
        "books; all as of one moment, while the office goes on. Ends with status 1 on "
        "any difference that no open mark explains."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--sample",
            type=int,
            default=SAMPLE,
            metavar="N",
            help=f"so many sections are rated again (default: {SAMPLE})",
        )
        parser.add_argument(
            "--full", action="store_true", help="rate every section again"
        )
        parser.add_argument(
            "--mend",
            action="store_true",
            help="build the current ratings from the ledger again before looking",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["mend"]:
            self.stdout.write(f"{rebuild()} current ratings built from the ledger.")
        size = None if options["full"] else options["sample"]
        is_good = True
        for finding in audited(size):
            self._report(finding)
            is_good &= finding.is_good
        if not is_good:
            raise CommandError("The audit found differences.")

    def _report(self, finding: Finding) -> None:
        verdict = "yes" if finding.is_good else f"NO, {finding.wrong} differences"
        self.stdout.write(f"{finding.question} {verdict} ({finding.checked} checked)")
        for sentence in finding.faults:
            self.stdout.write(f"  {sentence}")
        if finding.expected:
            days = sorted(finding.expected)
            self.stdout.write(
                f"  Open marks explain {finding.expected.total()} differences on "
                f"{len(days)} days, from {day_in_words(days[0])} "
                f"to {day_in_words(days[-1])}: a rerate "
                "will follow."
            )
