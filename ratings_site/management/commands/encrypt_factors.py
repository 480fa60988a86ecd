"""Encrypt the secrets of second factors by the present key."""

from typing import Any

from django.core.management import BaseCommand, CommandError

from ratings_site.common.sign_in.services import encrypt_factors


class Command(BaseCommand):
    help = (
        "Encrypt the secrets of second factors by SECRET_KEY. Run it once a new key is "
        "in force, before the old one is taken out of SECRET_KEY_FALLBACKS."
    )

    def handle(self, **options: Any) -> None:
        done, lost = encrypt_factors()
        self.stdout.write(f"{done} secrets are encrypted by the present key.")
        if lost:
            raise CommandError(
                f"{lost} secrets are opened by no key. Add the key of before to "
                "SECRET_KEY_FALLBACKS, or take these factors away (/office/accounts/)."
            )
