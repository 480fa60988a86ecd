from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("common", "0011_given_permissions")]
    operations = [
        migrations.AddField("Job", "busy_since", models.DateTimeField(null=True)),
    ]
