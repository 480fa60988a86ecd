from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import Q

import players.models.player
from players.formats.member_ids import MEMBER_ID


class Migration(migrations.Migration):
    dependencies = [("players", "0018_import_words")]

    operations = [
        migrations.AddField(
            model_name="player",
            name="birth_year",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="If the birth date isn’t known.",
                null=True,
                validators=[MinValueValidator(1900), MaxValueValidator(2100)],
            ),
        ),
        migrations.AlterField(
            model_name="player",
            name="member_id",
            field=models.CharField(
                max_length=8,
                unique=True,
                validators=[players.models.player.validate_member_id],
                verbose_name="member ID",
            ),
        ),
        # `sync_member_id_constraint` replaces it in the database.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("player", "member_id_is_eight_digits"),
                migrations.AddConstraint(
                    "player",
                    models.CheckConstraint(
                        condition=Q(member_id__regex=MEMBER_ID.pattern),
                        name="member_id_is_eight_digits",
                        violation_error_message="A member ID has eight digits.",
                    ),
                ),
            ]
        ),
    ]
