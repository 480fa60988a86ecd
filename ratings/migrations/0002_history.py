from django.db import migrations

from ratings_site.common.db.append_only import append_only
from ratings_site.common.db.staging_table import partition_by_id


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]
    operations = [
        partition_by_id("ratings_ratingchange"),
        append_only("ratings_ratingchange"),
        append_only("ratings_calculationinputs"),
        append_only("ratings_openingentry"),
        append_only(
            "ratings_calculation", may_change=("is_current", "superseded_by_id")
        ),
        append_only("ratings_rundifference"),
        append_only("ratings_officiallist"),
        append_only("ratings_officialrating"),
        append_only("ratings_officiallistfile"),
        append_only("ratings_lifemastersetaside"),
        append_only("ratings_floorlowering"),
        append_only("ratings_floor", may_change=("ends",)),
        append_only("ratings_ceiling", may_change=("ends",)),
        append_only("ratings_adjustment", may_change=("withdrawn_at",)),
        append_only("ratings_gamesfile"),
        append_only("ratings_gameshistory"),
    ]
