"""Turn maintenance mode on or off."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.core.management.base import CommandParser
from django.db import transaction

from ratings_site.common.audit.services import record
from ratings_site.common.models import Office
from ratings_site.common.models.office import MAX_REASON


class Command(BaseCommand):
    help = (
        "Turn maintenance mode on or off: pages can be read, changes are refused with "
        "a sentence, and background jobs wait. Other processes follow within "
        f"{Office.REFRESH_SECONDS} seconds. Without a mode, show the current one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("mode", nargs="?", choices=("on", "off"))
        parser.add_argument("--reason", default="", help="shown to people")

    @transaction.atomic
    def handle(self, *, mode: str | None, reason: str, **options: Any) -> None:
        reason = reason.strip()
        office = Office.objects.select_for_update().first()
        if office is None:
            raise CommandError("There is no office yet. Run: manage.py create_office")
        if mode == "on":
            if not 0 < len(reason) <= MAX_REASON:
                raise CommandError(
                    "Give a --reason for people, such as “An upgrade until 6 pm.”, of "
                    f"at most {MAX_REASON} characters."
                )
            office.read_only_reason = reason
            office.save(update_fields=["read_only_reason"])
            record("office.made_read_only", subject=office, actor=None, reason=reason)
        elif mode == "off" and office.read_only_reason:
            office.read_only_reason = ""
            office.save(update_fields=["read_only_reason"])
            record("office.made_writable", subject=office, actor=None, reason=reason)
        said = office.read_only_reason
        self.stdout.write(f"Maintenance mode: {f'on ({said})' if said else 'off'}")
