"""A month of a ratings office, told as it is played."""

from django.core.management import BaseCommand, CommandError, call_command

from players.models import Player
from ratings.rerates.services.auditing import audited
from ratings_site.demo.month import month_of_an_office


class Command(BaseCommand):
    help = "Play a month of the office on an empty database, and audit what came of it."

    def handle(self, **_) -> None:
        call_command("migrate", verbosity=0)
        if Player.objects.exists():
            raise CommandError(
                "This database holds members already; the month is for an empty one. "
                "Set DATA_DIR or DATABASE_URL to another."
            )
        month_of_an_office(self.stdout.write)
        self.stdout.write("\nThe audit replays everything from nothing.")
        for finding in audited(None):
            verdict = "yes" if finding.is_good else "NO"
            self.stdout.write(f"  {finding.question} {verdict} ({finding.checked})")
            for fault in finding.faults:
                self.stdout.write(f"    {fault}")
            if not finding.is_good:
                raise CommandError("The audit found differences.")
