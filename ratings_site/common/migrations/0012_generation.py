from django.db import migrations

from ratings_site.common.database.generation import generation_table


class Migration(migrations.Migration):
    dependencies = [("common", "0011_given_permissions")]
    operations = [generation_table()]
