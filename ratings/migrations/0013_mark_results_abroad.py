"""Mark results abroad that a rerate rated for members who were not established."""

from django.db import migrations

# The most games of a rating that is not established, the same on every day.
NOT_ESTABLISHED = 25
NOTE = "Results abroad are rated for established members only, in every rerate."


def leave_mark(apps, schema_editor):
    """Leave a pending rerate from the first such result on, if there is one."""
    lines = apps.get_model("ratings", "RatingChange").objects
    first = (
        lines.filter(
            calculation__foreign__isnull=False,
            calculation__is_current=True,
            pre_games__lte=NOT_ESTABLISHED,
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
    dependencies = [("ratings", "0012_fewer_indexes_of_differences")]
    operations = [migrations.RunPython(leave_mark, migrations.RunPython.noop)]
