import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("events", "0009_messages_and_registrations"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="claimed_by",
            field=models.ForeignKey(
                blank=True,
                help_text="Who of the office has taken the report to decide it.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="claimed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=Q(claimed_by__isnull=True, claimed_at__isnull=True)
                | Q(claimed_by__isnull=False, claimed_at__isnull=False),
                name="taken_report_has_taker_and_time",
            ),
        ),
    ]
