"""Play the scripted month of a ratings office and print its steps."""

from django.core.management import BaseCommand, CommandError, call_command

from players.models import Player
from ratings.rerates.services.audit import run_audit
from ratings_site.demo.month import play_month


class Command(BaseCommand):
    help = "Play a month of the office on an empty database, then audit the result."

    def handle(self, **_: object) -> None:
        call_command("migrate", verbosity=0)
        if Player.objects.exists():
            raise CommandError(
                "This database already has members. The month needs an empty "
                "database. Set DATA_DIR or DATABASE_URL to another one."
            )
        play_month(self.stdout.write)
        self.stdout.write("\nRunning the audit: replaying the full history.")
        for finding in run_audit(None):
            verdict = "yes" if finding.is_good else "NO"
            self.stdout.write(f"  {finding.question} {verdict} ({finding.checked})")
            for fault in finding.faults:
                self.stdout.write(f"    {fault}")
            if not finding.is_good:
                raise CommandError("The audit found differences.")
