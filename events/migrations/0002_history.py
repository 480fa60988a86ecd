from django.db import migrations

from ratings_site.common.db.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("events", "0001_initial")]
    operations = [
        append_only("events_submissionfile"),
        append_only("events_sectionversion"),
        append_only("events_foreignfile"),
        append_only("events_foreignversion"),
        append_only("events_reportmessage"),
    ]
