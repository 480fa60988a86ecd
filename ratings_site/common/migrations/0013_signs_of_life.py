"""A worker's sign of life has a row of its own; a running job without is taken over."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("common", "0012_generation")]
    operations = [
        migrations.AddField("Job", "busy_since", models.DateTimeField(null=True)),
        migrations.RemoveField("Job", "heartbeat_at"),
        migrations.CreateModel(
            "SignOfLife",
            [
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="sign_of_life",
                        serialize=False,
                        to="common.job",
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
    ]
