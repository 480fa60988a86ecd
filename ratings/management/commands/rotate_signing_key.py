"""Replace or revoke the key that signs rating statements."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from ratings.pages.sharing.services import revoke_key, rotate_key
from ratings_site.common.approvals.kinds import Refusal


class Command(BaseCommand):
    help = (
        "Sign rating statements with a new key. Statements signed with the old key "
        "stay valid."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("reason", help="reason, for the audit log")
        parser.add_argument(
            "--revoke",
            metavar="KEY_ID",
            help="only revoke this key, current or old: all statements signed with it "
            "become invalid",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        reason, key_id = options["reason"], options["revoke"]
        try:
            if key_id is None:
                key = rotate_key(reason=reason)
                self.stdout.write(f"New statements are signed with the key {key}.")
            else:
                key = revoke_key(key_id=key_id, reason=reason)
                self.stdout.write(f"Statements signed with {key} are no longer valid.")
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
