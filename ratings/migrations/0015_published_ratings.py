"""Store with each rating whether it still is an age-based start (docs/privacy.md)."""

from django.db import migrations, models
from django.db.models import Case, F, When
from django.db.models.functions import Cast, Floor

from ratings_site.common.db.append_only import append_only

HISTORY = ("ratings_ratingchange", "ratings_officialrating", "ratings_rundifference")
HIGHEST_START = 1300
SAME_WITHIN = 1

AGE_BASED = f"""
UPDATE ratings_ratingchange SET age_start = initial_rating
WHERE pre_rating IS NULL AND initial_games = 0 AND initial_rating < {HIGHEST_START}
  AND abs(post_rating - initial_rating) <= {SAME_WITHIN}
"""  # noqa: S608 (our own numbers)
# A line that goes on from such a line, as long as the number stays.
GOES_ON = f"""
UPDATE ratings_ratingchange SET age_start = (
    SELECT before.age_start FROM ratings_ratingchange before
    WHERE before.id = ratings_ratingchange.previous_id
)
WHERE age_start IS NULL AND previous_id IN (
    SELECT id FROM ratings_ratingchange before
    WHERE before.age_start IS NOT NULL
      AND abs(ratings_ratingchange.post_rating - before.age_start) <= {SAME_WITHIN}
)
"""  # noqa: S608 (our own numbers)
# A first line in another system that began with such a rating of the same member.
BLENDED = f"""
UPDATE ratings_ratingchange SET age_start = (
    SELECT min(source.post_rating) FROM ratings_ratingchange source
    WHERE source.player_id = ratings_ratingchange.player_id
      AND source.age_start IS NOT NULL
      AND abs(ratings_ratingchange.post_rating - source.post_rating) <= {SAME_WITHIN}
)
WHERE age_start IS NULL AND pre_rating IS NULL AND initial_games > 0
  AND player_id IN (
    SELECT player_id FROM ratings_ratingchange source
    WHERE source.age_start IS NOT NULL
      AND source.calculation_id <> ratings_ratingchange.calculation_id
      AND abs(ratings_ratingchange.post_rating - source.post_rating) <= {SAME_WITHIN}
)
"""  # noqa: S608 (our own numbers)
BEFORE = """
UPDATE ratings_ratingchange SET pre_age_start = (
    SELECT before.age_start FROM ratings_ratingchange before
    WHERE before.id = ratings_ratingchange.previous_id
)
WHERE previous_id IN (
    SELECT id FROM ratings_ratingchange WHERE age_start IS NOT NULL
)
"""
CURRENT = """
UPDATE ratings_playerrating SET age_start = (
    SELECT line.age_start FROM ratings_ratingchange line
    WHERE line.id = ratings_playerrating.last_change_id
)
WHERE last_change_id IN (
    SELECT id FROM ratings_ratingchange WHERE age_start IS NOT NULL
)
"""
# What rerates changed names no lines; the number says which it was.
DIFFERENCES = """
UPDATE ratings_rundifference SET {age_start} = (
    SELECT min(line.age_start) FROM ratings_ratingchange line
    JOIN ratings_calculation made ON made.id = line.calculation_id
    WHERE line.player_id = ratings_rundifference.player_id
      AND made.system = ratings_rundifference.system
      AND line.age_start IS NOT NULL
      AND line.post_rating = ratings_rundifference.{rating}
)
WHERE player_id IN (
    SELECT player_id FROM ratings_ratingchange WHERE age_start IS NOT NULL
)
"""
# Lists of before say for good what they said; these numbers were rounded.
OFFICIAL = """
UPDATE ratings_officialrating SET is_about = true
WHERE rating <> (
    SELECT floor(line.post_rating + 0.5) FROM ratings_ratingchange line
    WHERE line.id = ratings_officialrating.change_id
)
"""


def let_history_change(apps, editor):
    """Drop the triggers until `append_only` makes them again, at the end."""
    on_table = editor.connection.vendor == "postgresql"
    for table in HISTORY:
        names = ("no_change",) if on_table else ("no_update", "no_delete")
        for name in names:
            on = f" ON {table}" if on_table else ""
            editor.execute(f"DROP TRIGGER IF EXISTS {table}_{name}{on}")


def mark_age_starts(apps, editor):
    with editor.connection.cursor() as cursor:
        cursor.execute(AGE_BASED)
        marked = cursor.rowcount
        while marked:
            cursor.execute(GOES_ON)
            marked = cursor.rowcount
            cursor.execute(BLENDED)
            marked += cursor.rowcount
        cursor.execute(BEFORE)
        cursor.execute(CURRENT)
        for rating, age_start in (
            ("before", "before_age_start"),
            ("after", "age_start"),
        ):
            statement = DIFFERENCES.format(rating=rating, age_start=age_start)
            cursor.execute(statement)
        cursor.execute(OFFICIAL)


PUBLISHED_RATING = Cast(
    Case(
        When(age_start__isnull=True, then=Floor(F("rating") + 0.5)),
        default=Floor(F("rating") / 50.0 + 0.5) * 50.0,
    ),
    models.IntegerField(),
)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0014_mark_blended_starts")]
    operations = [
        migrations.RunPython(let_history_change, migrations.RunPython.noop),
        migrations.AddField(
            "RatingChange",
            "age_start",
            models.FloatField(
                null=True,
                help_text="The age-based start that the rating still is; published to "
                "the nearest 50.",
            ),
        ),
        migrations.AddField(
            "RatingChange",
            "pre_age_start",
            models.FloatField(
                null=True,
                help_text="The age-based start that the rating before still was.",
            ),
        ),
        migrations.AddField(
            "PlayerRating",
            "age_start",
            models.FloatField(
                null=True, help_text="The age-based start that the rating still is."
            ),
        ),
        migrations.AddField("RunDifference", "age_start", models.FloatField(null=True)),
        migrations.AddField(
            "RunDifference", "before_age_start", models.FloatField(null=True)
        ),
        migrations.AddField(
            "OfficialRating",
            "is_about",
            models.BooleanField(
                default=False,
                help_text="Published to the nearest 50, or rounded otherwise.",
            ),
        ),
        migrations.RunPython(mark_age_starts, migrations.RunPython.noop),
        migrations.AddField(
            "PlayerRating",
            "published_rating",
            models.GeneratedField(
                db_persist=True,
                expression=PUBLISHED_RATING,
                output_field=models.PositiveIntegerField(),
            ),
        ),
        migrations.AddIndex(
            "PlayerRating",
            models.Index(
                F("system"), F("published_rating").desc(), name="ratings_from_the_top"
            ),
        ),
        migrations.DeleteModel("SeenRating"),
        append_only("ratings_ratingchange"),
        append_only("ratings_officialrating"),
        append_only(
            "ratings_rundifference",
            deletable_when="EXISTS (SELECT 1 FROM ratings_run run WHERE run.id = old.run_id "
            "AND run.status NOT IN ('published', 'undone'))",
        ),
    ]
