"""A wrong official list is withdrawn by a correction list of the same month."""

from django.db import migrations, models

from ratings_site.common.db.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("ratings", "0015_published_ratings")]
    operations = [
        migrations.AddField(
            "ListDraft",
            "correction",
            models.PositiveSmallIntegerField(
                default=0,
                help_text="0 for the list of the month, else which correction of it.",
            ),
        ),
        migrations.AddField(
            "OfficialList",
            "correction",
            models.PositiveSmallIntegerField(
                default=0,
                help_text="0 for the list of the month, else which correction of it.",
            ),
        ),
        migrations.AddField(
            "OfficialList",
            "in_force_from",
            models.DateField(
                blank=True,
                help_text=(
                    "Of a correction the day on which it was published; else the "
                    "first of the month."
                ),
                null=True,
            ),
        ),
        migrations.AlterModelOptions(
            "OfficialList",
            {
                "ordering": ["-month", "-correction"],
                "permissions": [("publish_list", "Can publish an official list")],
            },
        ),
        migrations.RemoveConstraint("OfficialList", "one_list_per_month"),
        migrations.AddConstraint(
            "OfficialList",
            models.UniqueConstraint(
                fields=("month", "correction"),
                name="one_list_per_month_and_correction",
                violation_error_message=(
                    "The list of this month is published already."
                ),
            ),
        ),
        migrations.AddConstraint(
            "OfficialList",
            models.CheckConstraint(
                condition=models.Q(("correction", 0), ("in_force_from__isnull", True))
                | models.Q(("correction__gt", 0), ("in_force_from__isnull", False)),
                name="correction_list_says_from_when",
            ),
        ),
        append_only("ratings_officiallist"),
    ]
