"""Base class of the import commands."""

from argparse import ArgumentParser
from pathlib import Path
from time import sleep
from typing import Any

from django.core.management import BaseCommand, CommandError

from players.formats.dates import ORDERS
from players.imports.kinds import ENTER_INTAKE, READ_INTAKE
from players.imports.messages import format_field, said
from players.imports.queries import possible_duplicates, sample
from players.imports.services.actions import DAY_ORDERS, apply_intake, receive_file
from players.imports.services.limits import approval_requirement, exceeded_limits
from players.imports.services.runner import DATE_ORDER_QUESTION
from players.models import Intake, IntakeRow
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job, PendingAct, User

CHUNK_SIZE = 1 << 20
POLL_SECONDS = 0.5
State = Intake.State


class ImportCommand(BaseCommand):
    """Check a file and print what it would change; import it with ``--apply``."""

    kind: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--apply", action="store_true", help="import the file")
        parser.add_argument(
            "--by",
            help="user name of the person who imports it; required for a file above "
            "the limits, which then waits for a second approval",
        )
        parser.add_argument(
            "--days",
            choices=[one.replace("_", "-") for one in ORDERS],
            help="order of day and month in dates such as 3/5/2007, if unclear "
            "from the file",
        )
        parser.add_argument(
            "--reason", default="Import", help="reason, saved in the activity log"
        )

    def handle(
        self, *, file: Path, reason: str, by: str | None, **options: Any
    ) -> None:
        actor = self._find_user(by)
        extra_options = self.extra_options(**options)
        if order := options["days"]:
            extra_options |= {DAY_ORDERS: {"": order.replace("-", "_")}}
        intake = self._receive(file, actor, extra_options)
        self._run_job(READ_INTAKE, intake)
        if intake.problem.get("code") == DATE_ORDER_QUESTION:
            which = " or ".join(f"--days {one.replace('_', '-')}" for one in ORDERS)
            raise CommandError(f"{said(intake.problem)} Add {which}.")
        if intake.problem and not intake.rows_read:
            raise CommandError(f"{said(intake.problem)} Nothing has changed.")
        self._print_preview(intake)
        if not options["apply"]:
            self.stdout.write("Nothing has changed yet. Use --apply to import.")
        elif intake.new or intake.changed:
            self._apply(intake, actor, reason)
        else:
            self.stdout.write("There is nothing to import.")

    def extra_options(self, **options: Any) -> dict[str, Any]:
        """Return the import options from the command line, for kinds that have them."""
        return {}

    def _find_user(self, by: str | None) -> User | None:
        if by is None:
            return None
        found = User.objects.filter(username=by).first()
        if found is None:
            raise CommandError(f"There is no account with the username {by}.")
        return found

    def _receive(
        self, file: Path, actor: User | None, extra_options: dict[str, Any]
    ) -> Intake:
        try:
            with file.open("rb") as opened:
                return receive_file(
                    actor=actor,
                    kind=self.kind,
                    name=file.name,
                    content=iter(lambda: opened.read(CHUNK_SIZE), b""),
                    options=extra_options,
                )
        except (OSError, Refusal) as error:
            raise CommandError(str(error)) from error

    def _run_job(self, kind: str, intake: Intake) -> None:
        """Run this file's job in this process, or wait if a worker already has it."""
        jobs = Job.objects.filter(kind=kind, key=str(intake.pk))
        while True:
            for job in jobs.filter(state=Job.State.QUEUED):
                claimed = claim(job.pk)
                if claimed is not None:
                    perform(claimed)
            is_open = jobs.filter(state__in=Job.OPEN_STATES).exists()
            intake.refresh_from_db()
            if intake.state not in Intake.AT_WORK:
                return
            if not is_open:
                raise CommandError(f"The job failed: {jobs.latest('pk').message}")
            sleep(POLL_SECONDS)

    def _print_preview(self, intake: Intake) -> None:
        self.stdout.write(
            f"{intake.rows_read:,} rows: {intake.new:,} new, {intake.changed:,} "
            f"changed, {intake.unchanged:,} unchanged, {intake.refused:,} rejected."
        )
        if intake.problem:
            self.stdout.write(said(intake.problem))
        if intake.sheet:
            others = ", ".join(intake.sheet["others"])
            self.stdout.write(f"Sheet read: {intake.sheet['read']}. Not read: {others}")
        for what, number in intake.totals.get("history", {}).items():
            self.stdout.write(f"  {number:,} {format_field('becomes', what)}")
        if intake.passed_over:
            self.stdout.write(f"Columns not read: {', '.join(intake.passed_over)}")
        for row in sample(intake, IntakeRow.Kind.REFUSED):
            self.stderr.write(f"Line {row.line}: {said(row.reason)}")
        if intake.suspected:
            self.stdout.write(f"{intake.suspected:,} may already be members:")
        for row in possible_duplicates(intake):
            self.stdout.write(f"  line {row.line}, {row.key}: see {row.twin_label}")

    def _apply(self, intake: Intake, actor: User | None, reason: str) -> None:
        if above := exceeded_limits(intake):
            sentence = " ".join([*above, approval_requirement()])
            if actor is None:
                raise CommandError(f"{sentence} Add --by and a username.")
            self.stdout.write(sentence)
        try:
            done = apply_intake(intake_id=intake.pk, actor=actor, reason=reason)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        if isinstance(done, PendingAct):
            self.stdout.write(
                f"Awaiting second approval. See {intake.get_absolute_url()}."
            )
            return
        self._run_job(ENTER_INTAKE, intake)
        if intake.state != State.ENTERED:
            raise CommandError(said(intake.problem))
        for system, total in intake.totals.get("books", {}).items():
            self.stdout.write(
                f"  {system}: {total['rows']:,} ratings, sum {total['ratings']}, "
                f"{total['games']:,} games: matches the file"
            )
        self.stdout.write(f"Imported. See {intake.get_absolute_url()}.")
