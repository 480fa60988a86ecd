from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("events", "0013_rating_fees")]

    operations = [
        migrations.AddField(
            model_name="official",
            name="safe_play_until",
            field=models.DateField(
                blank=True, null=True, verbose_name="Safe Play training valid through"
            ),
        ),
    ]
