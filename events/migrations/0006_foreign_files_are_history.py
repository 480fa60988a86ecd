from django.db import migrations

from ratings_site.common.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("events", "0005_foreign_entry")]
    operations = [
        append_only("events_foreignfile"),
        append_only("events_foreignversion"),
    ]
