"""What the commands that take in a file share."""

from argparse import ArgumentParser
from pathlib import Path
from time import sleep
from typing import Any

from django.core.management import BaseCommand, CommandError

from players.intake.jobs import ENTER_INTAKE, READ_INTAKE
from players.intake.queries import sample, suspects
from players.intake.saying import said, value_in_words
from players.intake.services.receiving import (
    changes_too_many,
    enter_intake,
    receive_file,
    too_many,
)
from players.models import Intake, IntakeRow
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job, User

PIECE = 1 << 20
WORKERS_PACE = 0.5  # seconds
State = Intake.State


class IntakeCommand(BaseCommand):
    """Reads a file and says what it would do; with ``--apply`` it is entered."""

    kind: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--apply", action="store_true", help="enter what was read")
        parser.add_argument(
            "--yes",
            action="store_true",
            help="also if it changes more records than INTAKE_MOST_CHANGED allows",
        )
        parser.add_argument("--by", help="the user name of the person who decides it")
        parser.add_argument("--reason", default="Moving in", help="kept in the audit")

    def handle(self, *, file: Path, reason: str, by: str | None, **options) -> None:
        actor = self._person(by)
        intake = self._received(file, actor, self.chosen(**options))
        self._do(READ_INTAKE, intake)
        if intake.problem and not intake.rows_read:
            raise CommandError(f"{said(intake.problem)} Nothing has changed.")
        self._say_what_it_does(intake)
        if not options["apply"]:
            self.stdout.write("Nothing has changed yet. --apply enters it.")
        elif intake.new or intake.changed:
            self._enter(intake, actor, reason, options["yes"])
        else:
            self.stdout.write("There is nothing to enter.")

    def chosen(self, **options: Any) -> dict[str, str]:
        """Return what the options say beside the file, for kinds that know them."""
        return {}

    def _person(self, by: str | None) -> User | None:
        if by is None:
            return None
        found = User.objects.filter(username=by).first()
        if found is None:
            raise CommandError(f"Nobody has the user name {by}.")
        return found

    def _received(
        self, file: Path, actor: User | None, chosen: dict[str, str]
    ) -> Intake:
        try:
            with file.open("rb") as opened:
                return receive_file(
                    actor=actor,
                    kind=self.kind,
                    name=file.name,
                    content=iter(lambda: opened.read(PIECE), b""),
                    options=chosen,
                )
        except (OSError, Refusal) as error:
            raise CommandError(str(error)) from error

    def _do(self, kind: str, intake: Intake) -> None:
        """Do this file's job here and now, or wait for the worker that was quicker."""
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
                raise CommandError(f"The work failed: {jobs.latest('pk').message}")
            sleep(WORKERS_PACE)

    def _say_what_it_does(self, intake: Intake) -> None:
        self.stdout.write(
            f"{intake.rows_read:,} rows: {intake.new:,} new, {intake.changed:,} "
            f"changed, {intake.unchanged:,} unchanged, {intake.refused:,} refused."
        )
        if intake.problem:
            self.stdout.write(said(intake.problem))
        if intake.sheet:
            others = ", ".join(intake.sheet["others"])
            self.stdout.write(
                f"Read: the sheet {intake.sheet['read']}. Not read: {others}"
            )
        for what, number in intake.totals.get("history", {}).items():
            self.stdout.write(f"  {number:,} {value_in_words('becomes', what)}")
        if intake.passed_over:
            self.stdout.write(f"Not read: {', '.join(intake.passed_over)}")
        for row in sample(intake, IntakeRow.Kind.REFUSED):
            self.stderr.write(f"Line {row.line}: {said(row.reason)}")
        if intake.suspected:
            self.stdout.write(f"{intake.suspected:,} may be somebody who is known:")
        for row in suspects(intake):
            self.stdout.write(f"  line {row.line}, {row.key}: see {row.twin_in_words}")

    def _enter(
        self, intake: Intake, actor: User | None, reason: str, yes: bool
    ) -> None:
        if changes_too_many(intake) and not yes:
            raise CommandError(f"{too_many(intake)} (--yes)")
        enter_intake(intake_id=intake.pk, actor=actor, reason=reason, yes=yes)
        self._do(ENTER_INTAKE, intake)
        if intake.state != State.ENTERED:
            raise CommandError(said(intake.problem))
        for system, total in intake.totals.get("books", {}).items():
            self.stdout.write(
                f"  {system}: {total['rows']:,} ratings, sum {total['ratings']}, "
                f"{total['games']:,} games: as in the file"
            )
        self.stdout.write(f"Entered. See {intake.get_absolute_url()}.")
