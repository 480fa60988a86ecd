"""Family names as one word, to be found without an apostrophe; sounds as of today."""

from django.db import migrations, models

from ratings_site.common.names.phonetics import searchable, phonetic_key

AT_ONCE = 2_000
LENGTH = 140


FILL = "UPDATE players_player SET search_family = %s, search_sound = %s WHERE id = %s"


def fill(apps, schema_editor):
    """Fill the columns of the search, by primary key, so many members at once."""
    members = apps.get_model("players", "Player").objects.order_by("pk")
    named = members.values_list("pk", "family_name", "search_name")
    after = 0
    with schema_editor.connection.cursor() as cursor:
        while chunk := list(named.filter(pk__gt=after)[:AT_ONCE]):
            cursor.executemany(FILL, [_filled(*member) for member in chunk])
            after = chunk[-1][0]


def _filled(pk, family_name, search_name):
    joined = searchable(family_name).replace(" ", "")
    sounds = "".join(f"{phonetic_key(word)} " for word in search_name.split())
    return joined[:LENGTH], sounds[:LENGTH], pk


class Migration(migrations.Migration):
    dependencies = [("players", "0010_intake_of_history")]
    operations = [
        migrations.AddField(
            "player",
            "search_family",
            models.CharField(
                db_default="", db_index=True, editable=False, max_length=140
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            "player",
            models.Index(fields=["state", "search_name"], name="members_of_a_state"),
        ),
    ]
