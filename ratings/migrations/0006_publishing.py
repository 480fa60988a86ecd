"""A rerate that was approved is being published until a worker has done it."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("ratings", "0005_quick_pages")]
    operations = [
        migrations.RemoveConstraint("Run", "one_open_rerate"),
        migrations.RemoveConstraint("Run", "run_status_is_known"),
        migrations.RemoveConstraint("Run", "a_what_if_is_never_published"),
        migrations.AlterField(
            "Run",
            "status",
            models.CharField(
                choices=[
                    ("queued", "Waiting for a worker"),
                    ("running", "Running"),
                    ("ready", "Ready to publish"),
                    ("publishing", "Being published"),
                    ("published", "Published"),
                    ("undone", "Undone"),
                    ("discarded", "Discarded"),
                    ("failed", "Failed"),
                ],
                default="published",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            "Run",
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(
                    kind="rerate",
                    status__in=["queued", "running", "ready", "publishing"],
                ),
                name="one_open_rerate",
                violation_error_message=(
                    "A rerate is open already. Publish or discard it first."
                ),
            ),
        ),
        migrations.AddConstraint(
            "Run",
            models.CheckConstraint(
                condition=Q(
                    status__in=[
                        "queued",
                        "running",
                        "ready",
                        "publishing",
                        "published",
                        "undone",
                        "discarded",
                        "failed",
                    ]
                ),
                name="run_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            "Run",
            models.CheckConstraint(
                condition=~Q(
                    kind="what_if", status__in=["publishing", "published", "undone"]
                ),
                name="a_what_if_is_never_published",
            ),
        ),
    ]
