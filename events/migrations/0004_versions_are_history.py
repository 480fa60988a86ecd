from django.db import migrations

from ratings_site.common.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("events", "0003_versions_and_foreign_events")]
    operations = [append_only("events_sectionversion")]
