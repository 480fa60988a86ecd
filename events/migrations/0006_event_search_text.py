"""Add the search text of events, in capitals."""

from django.db import migrations, models
from django.db.models import Value
from django.db.models.functions import Concat, Upper


class Migration(migrations.Migration):
    dependencies = [("events", "0005_imported_sections")]
    operations = [
        migrations.AddField(
            "Event",
            "search_text",
            models.GeneratedField(
                db_persist=True,
                expression=Upper(Concat("name", Value(" / "), "city")),
                output_field=models.TextField(),
            ),
        ),
    ]
