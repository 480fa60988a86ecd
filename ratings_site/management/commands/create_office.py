"""Open an empty office: the federation's name and its first manager."""

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError
from django.db import transaction
from django.urls import reverse

from events.office.groups import MANAGER, OFFICE
from ratings_site.common.audit.services import record
from ratings_site.common.models import Office, User

QUESTIONS = {
    "name": "Name of the federation",
    "address": "Its address, in one line",
    "manager": "User name of the first manager",
    "email": "The manager's e-mail",
}
NEEDED = ("name", "manager", "email")


class Command(BaseCommand):
    help = (
        "Open an empty office: ask for the federation's name and its first manager, "
        "and print the link by which the manager sets a password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, question in QUESTIONS.items():
            parser.add_argument(f"--{name}", help=f"{question} (asked, if not given)")
        parser.add_argument(
            "--issues-ids",
            action=BooleanOptionalAction,
            default=False,
            help="member IDs are issued here, and not by a membership system",
        )

    def handle(self, *, issues_ids: bool, **options: Any) -> None:
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
        manager = open_office(issues_ids=issues_ids, **said)
        self.stdout.write(
            f"The office of {said['name']} is open. {manager.username} sets a password "
            f"here, once:\n  {_link(manager)}\n"
            "Then take in the members: /office/intake/, or manage.py import_members. "
            "Running web processes show the name after a restart."
        )


def open_office(
    *, name: str, address: str, manager: str, email: str, issues_ids: bool
) -> User:
    """Make the office and its first manager, who has no password yet."""
    person = User(username=manager, email=email, is_staff=True)
    person.set_unusable_password()
    office = Office(
        pk=Office.THE_ONE, name=name, address=address, issues_ids=issues_ids
    )
    try:
        person.full_clean()
        office.full_clean()
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    with transaction.atomic():
        person.save()
        person.groups.set(Group.objects.filter(name__in=[OFFICE, MANAGER]))
        office.save(force_insert=True)
        record(
            "office.opened",
            subject=office,
            actor=None,
            reason="create_office",
            facts={"manager": person.username, "issues_ids": issues_ids},
        )
    return person


def _link(manager: User) -> str:
    key = default_token_generator.make_token(manager)
    path = reverse(
        "account_reset_password_from_key",
        kwargs={"uidb36": user_pk_to_url_str(manager), "key": key},
    )
    return f"{settings.SITE_URL}{path}"
