"""Take the values of personal fields out of the record of acts."""

from django.db import migrations

from ratings_site.common.audit.personal import without_values
from ratings_site.common.database.append_only import append_only

TABLE = "common_auditentry"


def open_up(apps, editor):
    if editor.connection.vendor == "sqlite":
        editor.execute(f"DROP TRIGGER IF EXISTS {TABLE}_no_update")
    else:
        editor.execute(f"DROP TRIGGER IF EXISTS {TABLE}_no_change ON {TABLE}")


def clean(apps, editor):
    entries = apps.get_model("common", "AuditEntry").objects.exclude(facts={})
    for entry in entries.only("facts").iterator(chunk_size=2000):
        kept = without_values(entry.facts)
        if kept != entry.facts:
            entry.facts = kept
            entry.save(update_fields=["facts"])


class Migration(migrations.Migration):
    dependencies = [("common", "0002_history")]
    operations = [
        migrations.RunPython(open_up, migrations.RunPython.noop),
        migrations.RunPython(clean, migrations.RunPython.noop),
        append_only(TABLE),
    ]
