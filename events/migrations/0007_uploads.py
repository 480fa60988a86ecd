from django.db import migrations

from ratings_site.common.uploads.storage_migration import content_to_storage


class Migration(migrations.Migration):
    dependencies = [
        ("common", "0016_uploadpart"),
        ("events", "0006_event_search_text"),
    ]

    operations = [
        *content_to_storage("events", "SubmissionFile", "reports"),
        *content_to_storage("events", "ForeignFile", "foreign"),
    ]
