"""Take the values of personal fields out of the record of acts."""

from django.db import migrations

from ratings_site.common.db.append_only import append_only

TABLE = "common_auditentry"
PERSONAL = {"birth_date", "birth_year", "gender", "email", "first_name", "last_name"}


def open_up(apps, editor):
    if editor.connection.vendor == "sqlite":
        editor.execute(f"DROP TRIGGER IF EXISTS {TABLE}_no_update")
    else:
        editor.execute(f"DROP TRIGGER IF EXISTS {TABLE}_no_change ON {TABLE}")


def without_values(facts):
    return {
        name: "changed"
        if name in PERSONAL
        else without_values(value)
        if isinstance(value, dict)
        else value
        for name, value in facts.items()
    }


def clean(apps, editor):
    entries = apps.get_model("common", "AuditEntry").objects.exclude(facts={})
    for entry in entries.only("facts").iterator(chunk_size=2000):
        kept = without_values(entry.facts)
        if kept != entry.facts:
            entry.facts = kept
            entry.save(update_fields=["facts"])


class Migration(migrations.Migration):
    dependencies = [("common", "0003_cache_table")]
    operations = [
        migrations.RunPython(open_up, migrations.RunPython.noop),
        migrations.RunPython(clean, migrations.RunPython.noop),
        append_only(TABLE),
    ]
