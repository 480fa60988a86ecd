"""Note that a backup has ended, for the metrics."""

from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils import timezone

from ratings_site.common.models import Office


class Command(BaseCommand):
    help = (
        "Note that a backup has ended now. Run it after the command that makes the "
        "backup: the metrics then show its age."
    )

    def handle(self, **options: Any) -> None:
        if not Office.objects.update(backed_up_at=timezone.now()):
            raise CommandError("There is no office yet. Run: manage.py create_office")
