"""What class pages and rankings read in order, and files that are compressed once."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

SYSTEMS = ["OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB"]
SYSTEM_NAMES = (
    *("Regular", "Quick", "Blitz"),
    *("Online regular", "Online quick", "Online blitz"),
)


class Migration(migrations.Migration):
    dependencies = [("players", "0011_search_family"), ("ratings", "0006_publishing")]
    operations = [
        migrations.CreateModel(
            "SeenRating",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True,
                        primary_key=True,
                        serialize=False,
                        verbose_name="ID",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="players.player",
                    ),
                ),
                (
                    "system",
                    models.CharField(
                        choices=list(zip(SYSTEMS, SYSTEM_NAMES, strict=True)),
                        max_length=4,
                    ),
                ),
                ("seen", models.FloatField()),
                (
                    "tells_start",
                    models.PositiveSmallIntegerField(
                        help_text="How much of a start it tells, so that it is rounded."
                    ),
                ),
                ("games", models.PositiveIntegerField()),
                ("rated_on", models.DateField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        F("system"), F("seen").desc(), name="seen_from_the_top"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["player", "system"], name="a_rating_is_seen_in_one_way"
                    ),
                    models.CheckConstraint(
                        condition=Q(system__in=SYSTEMS), name="seen_system_is_known"
                    ),
                ],
            },
        ),
        migrations.RemoveIndex("OfficialRating", "official_ratings_in_order"),
        migrations.RemoveIndex("OfficialRating", "official_ratings_of_a_state"),
        migrations.AddIndex(
            "OfficialRating",
            models.Index(
                fields=["list", "system", "rating", "is_provisional"],
                include=["player"],
                name="official_ratings_in_order",
            ),
        ),
        migrations.AddIndex(
            "OfficialRating",
            models.Index(
                fields=["list", "system", "state", "rating", "is_provisional"],
                include=["player"],
                name="official_ratings_of_a_state",
            ),
        ),
        migrations.AddField(
            "OfficialListFile",
            "compressed",
            models.BinaryField(
                help_text="The same by gzip; of older lists there is none.", null=True
            ),
        ),
    ]
