"""Set up a new office: the federation's name and its first manager."""

from argparse import ArgumentParser, BooleanOptionalAction
from datetime import date
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError, call_command
from django.db import transaction

from events.review.groups import MANAGER, OFFICE
from events.review.services.colleagues import InvitationRefused, invite_colleague
from ratings_site.common.audit.services import record
from ratings_site.common.mail.services import is_configured
from ratings_site.common.models import Office, User
from ratings_site.common.sign_in.services import link_to_set_password

QUESTIONS = {
    "name": "Federation name",
    "address": "Federation address, in one line",
    "time_zone": "Time zone, such as America/Chicago",
    "manager": "Username of the first manager",
    "email": "The manager's email",
}
NEEDED = ("name", "time_zone", "manager", "email")


class Command(BaseCommand):
    help = (
        "Set up a new office: ask for the federation's name and the first manager, "
        "and print the link for setting the manager's password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, question in QUESTIONS.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                help=f"{question} (you are asked if omitted)",
            )
        logo = "a PNG image; you can change it later in the admin"
        parser.add_argument("--logo", type=Path, help=logo)
        parser.add_argument(
            "--issues-ids",
            action=BooleanOptionalAction,
            default=False,
            help="assign member IDs here instead of in a membership system",
        )

        parser.add_argument(
            "--ours-from",
            type=date.fromisoformat,
            help="first day of the office's own records, such as 2024-01-31; you "
            "can change it later in the admin",
        )
        parser.add_argument(
            "--web-role",
            help="database role of the web processes; grants its privileges "
            "(PostgreSQL)",
        )

    def handle(
        self,
        *,
        issues_ids: bool,
        logo: Path | None,
        ours_from: date | None,
        web_role: str | None,
        **options: Any,
    ) -> None:
        if Office.objects.exists():
            raise CommandError("This office is already set up. Nothing was changed.")
        said = {
            name: options[name] if options[name] is not None else input(f"{question}: ")
            for name, question in QUESTIONS.items()
        }
        said = {name: text.strip() for name, text in said.items()}
        missing = [QUESTIONS[name] for name in NEEDED if not said[name]]
        if missing:
            raise CommandError(f"Missing: {', '.join(missing)}.")
        if web_role:
            call_command("grant_web_role", web_role, stdout=self.stdout)
        manager = open_office(
            issues_ids=issues_ids, logo=_read(logo), ours_from=ours_from, **said
        )
        mailed = f"The link will also be emailed to {manager.email}. "
        self.stdout.write(
            f"The office of {said['name']} is ready. {manager.username} can set a "
            f"password with this one-time link:\n  {link_to_set_password(manager)}\n"
            f"{mailed if is_configured() else ''}Next, import the members: "
            "/office/intake/, or manage.py import_members."
        )


def open_office(*, manager: str, email: str, **facts: Any) -> User:
    """Create the office with these *facts*, and invite its first manager."""
    office = Office(pk=Office.SINGLETON_ID, **facts)
    try:
        office.full_clean()
        with transaction.atomic():
            office.save(force_insert=True)
            person = invite_colleague(
                username=manager,
                email=email,
                groups=[OFFICE, MANAGER],
                actor=None,
                reason="create_office",
            )
            record(
                "office.opened",
                subject=office,
                actor=None,
                reason="create_office",
                facts={"manager": person.username, "issues_ids": office.issues_ids},
            )
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    except InvitationRefused as refusal:
        raise CommandError(str(refusal)) from refusal
    return person


def _read(logo: Path | None) -> bytes:
    try:
        return logo.read_bytes() if logo else b""
    except OSError as error:
        raise CommandError(f"The logo can't be read: {error}") from error
