from django.db import migrations

from ratings_site.common.db.cache_version import version_table


class Migration(migrations.Migration):
    dependencies = [("common", "0011_given_permissions")]
    operations = [version_table()]
