from django.db import migrations

from ratings_site.common.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]
    operations = [
        append_only("ratings_ratingchange"),
        append_only("ratings_calculationinputs"),
        append_only("ratings_openingentry"),
        append_only("ratings_calculation", may_change=("is_current",)),
    ]
