"""Base class of the import commands."""

import re
from argparse import ArgumentParser
from pathlib import Path
from time import sleep
from typing import Any

from django.core.management import BaseCommand, CommandError

from players.formats.dates import ORDERS
from players.formats.table_reader import ColumnMapping, read_column_question
from players.imports.kinds import ENTER_INTAKE, READ_INTAKE, kind_of
from players.imports.messages import format_field, said
from players.imports.queries import possible_duplicates, sample
from players.imports.services.actions import (
    DAY_ORDERS,
    apply_intake,
    receive_file,
    set_answers,
    set_columns,
)
from players.imports.services.answers import (
    answers_to,
    by_frequency,
    fixes_and_words,
    questions_of,
    remembered_words,
)
from players.imports.services.limits import approval_requirement, exceeded_limits
from players.imports.services.runner import DATE_ORDER_QUESTION
from players.models import Intake, IntakeRow
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.jobs.services import claim, perform
from ratings_site.common.models import Job, PendingAct, User
from ratings_site.common.uploads.services import local_upload

CHUNK_SIZE = 1 << 20


def _pairs(texts: list[str]) -> dict[str, str]:
    """Return NAME=VALUE options by name; the last equals sign parts the two."""
    pairs = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise CommandError(f"“{text}” has no equals sign.")
        pairs[name.strip()] = value.strip()
    return pairs


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
            help="username of the person who imports it; required for a file above "
            "the limits, which then waits for a second approval",
        )
        parser.add_argument(
            "--days",
            choices=[one.replace("_", "-") for one in ORDERS],
            help="order in dates such as 3/5/2007 or 070503, if unclear from the file",
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="NAME=FIELD",
            help="what a column is, for example --column “Mgl-Nr=member_id”; an empty "
            "field ignores the column",
        )
        parser.add_argument(
            "--fix",
            action="append",
            default=[],
            metavar="KIND=ANSWER",
            help="what to do about a kind of problem, as printed, for example "
            "--fix no_day:birth_date=blank or --fix status_unknown:LAPSED=inactive",
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
        if options["column"]:
            self._set_columns(intake, actor, _pairs(options["column"]))
        if options["fix"]:
            self._set_fixes(intake, actor, _pairs(options["fix"]))
        if intake.problem.get("code") == DATE_ORDER_QUESTION:
            orders = dict.fromkeys(re.split(",? ", intake.problem["orders"]))
            which = " or ".join(f"--days {one.replace('_', '-')}" for one in orders)
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

    def _set_columns(
        self, intake: Intake, actor: User | None, chosen: dict[str, str]
    ) -> None:
        kind = kind_of(intake)
        if intake.state != State.READY or not kind.spellings:
            raise CommandError(f"{said(intake.problem)} Nothing has changed.")
        with local_upload(intake.stored_as) as path:
            question = read_column_question(path, kind.spellings)
        if unknown := sorted({*chosen.values()} - {"", *kind.spellings}):
            known = ", ".join(kind.spellings)
            raise CommandError(f"No such field: {', '.join(unknown)}. Use {known}.")
        if unknown := sorted({*chosen} - {*question.headings}):
            known = ", ".join(question.headings)
            raise CommandError(f"No such column: {', '.join(unknown)}. It has {known}.")
        meanings = [
            chosen.get(heading, "" if guess in chosen.values() else guess)
            for heading, guess in zip(question.headings, question.guesses, strict=True)
        ]
        columns = ColumnMapping(tuple(meanings), question.headed)
        set_columns(intake_id=intake.pk, actor=actor, columns=columns)
        self._run_job(READ_INTAKE, intake)

    def _set_fixes(
        self, intake: Intake, actor: User | None, chosen: dict[str, str]
    ) -> None:
        questions = questions_of(intake)
        # The same command may have answered them before, without --apply.
        known_words = remembered_words()
        chosen = {
            kind: one for kind, one in chosen.items() if known_words.get(kind) != one
        }
        if not chosen:
            return
        if unknown := sorted({*chosen} - {*questions}):
            known = ", ".join(questions) or "none"
            raise CommandError(
                f"No such problem: {', '.join(unknown)}. To be answered: {known}."
            )
        for kind, answer in chosen.items():
            if answer not in (known_answers := answers_to(kind)):
                known = ", ".join(known_answers)
                raise CommandError(f"{kind}: choose one of {known}.")
        fixes, words = fixes_and_words(chosen)
        set_answers(intake_id=intake.pk, actor=actor, fixes=fixes, words=words)
        self._run_job(READ_INTAKE, intake)

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
        for note in intake.notes:
            self.stdout.write(said(note))
        for kind, fault in by_frequency(intake):
            lines = ", ".join(str(line) for line, _ in fault["rows"])
            result = "imported, check this field" if fault["blank"] else "rejected"
            name = kind.removesuffix("|blank")
            self.stdout.write(f"  {fault['count']:,} {result}: {name} (lines {lines})")
        for row in sample(intake, IntakeRow.Kind.REFUSED):
            file = row.values["cells"][0] if self.kind == Intake.Kind.HISTORY else ""
            where = f"{row.line}, {file}" if file else row.line
            self.stderr.write(f"Line {where}: {said(row.reason)}")
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
