"""A rerate writes its differences into two indexes less: few are looked for by them."""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Abs, Floor
from django.db.models.lookups import GreaterThan

WHOLE_POINTS = Abs(Floor(F("after") + 0.5) - Floor(F("before") + 0.5))
MOVED = Q(before__isnull=False, after__isnull=False) & Q(
    GreaterThan(WHOLE_POINTS, 0.0)
)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0011_one_table_of_differences")]

    operations = [
        migrations.RemoveIndex("rundifference", "differences_of"),
        migrations.RemoveIndex("rundifference", "largest_differences"),
        migrations.AddIndex(
            "rundifference",
            models.Index(
                F("run"),
                WHOLE_POINTS.desc(),
                condition=MOVED,
                name="largest_differences",
            ),
        ),
    ]
