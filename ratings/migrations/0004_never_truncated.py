"""History refuses TRUNCATE too: the ledger, and what else is only added to."""

from django.db import migrations

from ratings_site.common.db.append_only import forbid_truncate


class Migration(migrations.Migration):
    dependencies = [
        ("common", "0011_given_permissions"),
        ("players", "0011_search_family"),
        ("events", "0005_imported_sections"),
        ("ratings", "0003_plain_names"),
    ]
    operations = [forbid_truncate()]
