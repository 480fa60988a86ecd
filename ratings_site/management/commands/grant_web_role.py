"""Grant privileges to the database role of web processes."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from ratings_site.common.db.roles import RoleRefused, grant_to_web_role


class Command(BaseCommand):
    help = (
        "Give a PostgreSQL role only the privileges that web processes need. Run "
        "it as the owner of the tables."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "role", help="name of an existing role, such as ratings_office_web"
        )

    @transaction.atomic
    def handle(self, *, role: str, **_: object) -> None:
        try:
            grant_to_web_role(role)
        except RoleRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{role} can read and write rows and owns no tables.")
