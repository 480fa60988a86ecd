"""Encrypt the secrets of second factors with the current key."""

from typing import Any

from django.core.management import BaseCommand, CommandError

from ratings_site.common.sign_in.services import encrypt_factors


class Command(BaseCommand):
    help = (
        "Re-encrypt two-step verification secrets with SECRET_KEY. Run it after you "
        "set a new key and before you remove the old one from SECRET_KEY_FALLBACKS."
    )

    def handle(self, **options: Any) -> None:
        done, lost = encrypt_factors()
        self.stdout.write(f"{done} secrets are encrypted with the current key.")
        if lost:
            raise CommandError(
                f"{lost} secrets can't be decrypted. Add the old key to "
                "SECRET_KEY_FALLBACKS, or reset these accounts (/office/accounts/)."
            )
