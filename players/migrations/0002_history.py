from django.db import migrations

from ratings_site.common.db.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("players", "0001_initial")]
    operations = [
        append_only("players_fiderating"),
        append_only("players_fidelinkrefusal"),
        append_only("players_notsameperson"),
        append_only(
            "players_playermerge",
            may_change=("undone_at", "undone_by_id", "undo_reason"),
        ),
        append_only(
            "players_fideoptin",
            may_change=(
                "opt_out_asked_on",
                "opt_out_wish",
                "opted_out_on",
                "opt_out_approved_by_id",
                "opt_out_reason",
            ),
        ),
    ]
