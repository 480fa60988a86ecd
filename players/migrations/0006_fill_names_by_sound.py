from django.db import migrations

from ratings_site.common.names import sound_of

AT_ONCE = 5000
UPDATE = "UPDATE players_player SET search_sound = %s WHERE id = %s"


def fill(apps, schema_editor):
    """Fill the column for the members there are."""
    rows = apps.get_model("players", "Player").objects.order_by("pk")
    names = list(rows.values_list("search_name", "pk"))
    with schema_editor.connection.cursor() as cursor:
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            cursor.executemany(UPDATE, [(_key(name), pk) for name, pk in some])


def _key(search_name):
    return "".join(f"{sound_of(word)} " for word in search_name.split())[:140]


class Migration(migrations.Migration):

    dependencies = [
        ("players", "0005_names_by_sound"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
