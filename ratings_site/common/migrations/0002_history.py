from django.db import migrations

from ratings_site.common.db.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("common", "0001_initial")]
    operations = [append_only("common_auditentry")]
