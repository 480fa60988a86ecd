from django.db import migrations

from ratings_site.common.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("ratings", "0003_rerates_marks_and_grants")]
    operations = [
        append_only("ratings_ratingchange"),
        append_only(
            "ratings_calculation", may_change=("is_current", "superseded_by_id")
        ),
        append_only("ratings_rundifference"),
    ]
