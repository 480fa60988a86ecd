"""What a rerate would make of current ratings stands with what it made of them."""

from django.db import migrations, models
from django.db.models import Q

from ratings_site.common.db.append_only import append_only

COUNTS = ("games", "wins", "draws", "losses", "three_game_events")
OPEN = ("queued", "running", "ready", "publishing", "failed")
SYSTEMS = ["OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB"]
SYSTEM_NAMES = (
    *("Regular", "Quick", "Blitz"),
    *("Online regular", "Online quick", "Online blitz"),
)
RECORDS = [
    ("mixed", "Mixed"),
    ("all_wins", "Only wins"),
    ("all_losses", "Only losses"),
    ("none", "No game"),
]
# What open rerates would make of the ratings; closed ones have copied it.
KEEP_OPEN_RERATES = f"""
INSERT INTO ratings_rundifference (
    run_id, player_id, system, before, first_change_id, after, games, record, wins,
    draws, losses, three_game_events, peak, floor, rated_on, last_change_id
)
SELECT run_id, player_id, system, before, first_change_id, rating, games, record, wins,
    draws, losses, three_game_events, peak, floor, rated_on, last_change_id
FROM ratings_shadowrating
WHERE run_id IN (SELECT id FROM ratings_run WHERE status IN {OPEN})
"""  # noqa: S608 (our own words)


def refuse_open_rerates(apps, editor):
    runs = apps.get_model("ratings", "Run").objects
    if runs.filter(kind="rerate", status__in=OPEN).exists():
        raise RuntimeError("Publish or discard the open rerate before you go back.")


def leave_room_to_move(apps, editor):
    """Let a current rating move within its page: no index then has to follow it."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER TABLE ratings_playerrating SET (fillfactor = 70)")


class Migration(migrations.Migration):
    dependencies = [("ratings", "0010_current_calculations_by_source")]
    operations = [
        *(
            migrations.AddField(
                "RunDifference", name, models.PositiveIntegerField(default=0)
            )
            for name in COUNTS
        ),
        migrations.AddField(
            "RunDifference",
            "record",
            models.CharField(choices=RECORDS, default="none", max_length=10),
        ),
        migrations.AddField("RunDifference", "peak", models.FloatField(null=True)),
        migrations.AddField("RunDifference", "floor", models.FloatField(null=True)),
        migrations.AddField("RunDifference", "rated_on", models.DateField(null=True)),
        migrations.AddField(
            "RunDifference", "last_change_id", models.BigIntegerField(null=True)
        ),
        migrations.AlterField(
            "RunDifference",
            "system",
            models.CharField(
                choices=list(zip(SYSTEMS, SYSTEM_NAMES, strict=True)), max_length=4
            ),
        ),
        migrations.RunSQL(KEEP_OPEN_RERATES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "RunDifference",
            models.CheckConstraint(
                condition=Q(system__in=SYSTEMS), name="difference_system_is_known"
            ),
        ),
        migrations.DeleteModel("ShadowRating"),
        append_only(
            "ratings_rundifference",
            deletable_when="EXISTS (SELECT 1 FROM ratings_run run WHERE run.id = old.run_id "
            "AND run.status NOT IN ('published', 'undone'))",
        ),
        # What follows keeps readers waiting, so it comes last.
        migrations.AddIndex(
            "Calculation",
            models.Index(fields=["run", "id"], name="calculations_of_run"),
        ),
        migrations.AlterField(
            "Calculation",
            "run",
            models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.PROTECT,
                to="ratings.run",
            ),
        ),
        append_only(
            "ratings_calculation", may_change=("is_current", "superseded_by_id")
        ),
        migrations.RunPython(leave_room_to_move, migrations.RunPython.noop),
        # Lists from the top are made of ratings as they are seen.
        migrations.RemoveIndex("PlayerRating", "ratings_from_the_top"),
        migrations.RunPython(migrations.RunPython.noop, refuse_open_rerates),
    ]
