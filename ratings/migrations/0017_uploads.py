from django.db import migrations

from ratings_site.common.uploads.storage_migration import content_to_storage


class Migration(migrations.Migration):
    dependencies = [
        ("common", "0016_uploadpart"),
        ("ratings", "0016_correction_lists"),
    ]

    operations = content_to_storage("ratings", "GamesFile", "games")
