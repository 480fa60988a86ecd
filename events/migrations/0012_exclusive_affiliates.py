"""Affiliates that only their listed TDs report for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("events", "0011_reports_by_program")]
    operations = [
        migrations.AddField(
            model_name='affiliate',
            name='is_exclusive',
            field=models.BooleanField(default=False, help_text='Only the TDs listed below can report for this affiliate.', verbose_name='only listed TDs'),
        ),
    ]
