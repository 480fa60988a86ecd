"""The table in which all processes keep what they count together, such as sign-ins."""

from django.core.management import call_command
from django.db import migrations


def make_table(apps, schema_editor):
    alias = schema_editor.connection.alias
    call_command("createcachetable", "office_cache", database=alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("common", "0002_history")]
    operations = [
        migrations.RunPython(make_table, migrations.RunPython.noop, elidable=False)
    ]
