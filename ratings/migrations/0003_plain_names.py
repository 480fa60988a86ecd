"""The state of a canceled experiment in American English."""

from django.db import migrations, models
from django.db.models import Q


def respell(apps, schema_editor):
    experiments = apps.get_model("ratings", "Experiment")
    experiments.objects.filter(status="cancelled").update(status="canceled")


class Migration(migrations.Migration):
    dependencies = [("ratings", "0002_history")]
    operations = [
        migrations.RemoveConstraint("Experiment", "experiment_status_is_known"),
        migrations.AlterField(
            "Experiment",
            "status",
            models.CharField(
                choices=[
                    ("queued", "Waiting for a worker"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("canceled", "Canceled"),
                    ("failed", "Failed"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.RunPython(respell, migrations.RunPython.noop),
        migrations.AddConstraint(
            "Experiment",
            models.CheckConstraint(
                condition=Q(
                    status__in=["queued", "running", "done", "canceled", "failed"]
                ),
                name="experiment_status_is_known",
            ),
        ),
    ]
