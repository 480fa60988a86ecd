"""Mark starts that were blended from other ratings: exact halves now go up always."""

from django.db import migrations

NOTE = "Starts blended from other ratings are rounded up when they end in a half."


def leave_mark(apps, schema_editor):
    """Leave a pending rerate from the first blended start on, if there is one."""
    lines = apps.get_model("ratings", "RatingChange").objects
    first = (
        lines.filter(
            calculation__section__isnull=False,
            calculation__is_current=True,
            pre_rating__isnull=True,
            initial_games__gt=0,
        )
        .order_by("calculation__order_date")
        .values_list("calculation__order_date", flat=True)
        .first()
    )
    if first is not None:
        apps.get_model("ratings", "RerateMark").objects.create(
            kind="edition", from_day=first, note=NOTE
        )


class Migration(migrations.Migration):
    dependencies = [("ratings", "0013_mark_results_abroad")]
    operations = [migrations.RunPython(leave_mark, migrations.RunPython.noop)]
