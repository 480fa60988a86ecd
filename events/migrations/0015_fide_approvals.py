"""The mark of events whose shorter time control FIDE approved as standard."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("events", "0014_safe_play")]
    operations = [
        migrations.AddField(
            model_name='event',
            name='fide_approved_on',
            field=models.DateField(blank=True, help_text='Day on which FIDE’s Qualification Commission approved 45 minutes and 30 seconds a move, or longer, as standard for this event.', null=True, verbose_name='approved by FIDE on'),
        ),
    ]
