"""Open an empty office: the federation's name and its first manager."""

from argparse import ArgumentParser, BooleanOptionalAction
from datetime import date
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError
from django.db import transaction

from events.office.groups import MANAGER, OFFICE
from events.office.services.colleagues import NotInvited, invite_colleague
from ratings_site.common.audit.services import record
from ratings_site.common.models import Office, User
from ratings_site.common.sign_in.mail import is_set_up
from ratings_site.common.sign_in.services import link_to_set_password

QUESTIONS = {
    "name": "Name of the federation",
    "address": "Its address, in one line",
    "time_zone": "Its time zone, such as America/Chicago",
    "manager": "User name of the first manager",
    "email": "The manager's e-mail",
}
NEEDED = ("name", "time_zone", "manager", "email")


class Command(BaseCommand):
    help = (
        "Open an empty office: ask for the federation's name and its first manager, "
        "and print the link by which the manager sets a password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, question in QUESTIONS.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", help=f"{question} (asked, if not given)"
            )
        parser.add_argument(
            "--logo",
            type=Path,
            help="a PNG picture; the admin takes another one later",
        )
        parser.add_argument(
            "--issues-ids",
            action=BooleanOptionalAction,
            default=False,
            help="member IDs are issued here, and not by a membership system",
        )

        parser.add_argument(
            "--ours-from",
            type=date.fromisoformat,
            help="history is the office's own from this day (2024-01-31) on; the admin "
            "takes another one later",
        )

    def handle(
        self,
        *,
        issues_ids: bool,
        logo: Path | None,
        ours_from: date | None,
        **options: Any,
    ) -> None:
        if Office.objects.exists():
            raise CommandError("This office is open already; nothing was done.")
        said = {
            name: options[name] if options[name] is not None else input(f"{question}: ")
            for name, question in QUESTIONS.items()
        }
        said = {name: text.strip() for name, text in said.items()}
        missing = [QUESTIONS[name] for name in NEEDED if not said[name]]
        if missing:
            raise CommandError(f"Still needed: {', '.join(missing)}.")
        manager = open_office(
            issues_ids=issues_ids, logo=_read(logo), ours_from=ours_from, **said
        )
        self.stdout.write(
            f"The office of {said['name']} is open. {manager.username} sets a password "
            f"here, once:\n  {link_to_set_password(manager)}\n"
            f"{_mailed(manager)}Then take in the members: /office/intake/, or "
            "manage.py import_members."
        )


def _mailed(manager: User) -> str:
    if not is_set_up():
        return ""
    return f"A worker mails a link to {manager.email} too. "


def open_office(
    *,
    name: str,
    address: str,
    time_zone: str,
    logo: bytes,
    manager: str,
    email: str,
    issues_ids: bool,
    ours_from: date | None,
) -> User:
    """Make the office and invite its first manager."""
    office = Office(
        pk=Office.THE_ONE,
        name=name,
        address=address,
        time_zone=time_zone,
        issues_ids=issues_ids,
        ours_from=ours_from,
        logo=logo,
    )
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
                facts={"manager": person.username, "issues_ids": issues_ids},
            )
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    except NotInvited as refusal:
        raise CommandError(str(refusal)) from refusal
    return person


def _read(logo: Path | None) -> bytes:
    try:
        return logo.read_bytes() if logo else b""
    except OSError as error:
        raise CommandError(f"The logo cannot be read: {error}") from error
