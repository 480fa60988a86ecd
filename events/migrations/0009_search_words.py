"""Index the words of event and affiliate names, and the cities of events."""

from django.db import migrations, models
from django.db.models.functions import Upper

# The expression of ratings_site.common.db.word_search, as of this migration.
WORDS = "to_tsvector('simple', regexp_replace({}, '[^[:alnum:]]+', ' ', 'g'))"
INDEXES = {
    "events_event_words": ("events_event", "search_text"),
    "events_affiliate_words": ("events_affiliate", "UPPER(name)"),
}
CITIES = models.Index(Upper("city"), "city", "state", name="events_by_city")


def index_words(apps, editor) -> None:
    if editor.connection.vendor == "postgresql":
        for name, (table, column) in INDEXES.items():
            words = WORDS.format(column)
            editor.execute(f"CREATE INDEX {name} ON {table} USING gin ({words})")


def drop_indexes(apps, editor) -> None:
    if editor.connection.vendor == "postgresql":
        for name in INDEXES:
            editor.execute(f"DROP INDEX {name}")


def index_cities(apps, editor) -> None:
    """Create the index; on PostgreSQL, prefix searches need their own operators."""
    if editor.connection.vendor == "postgresql":
        columns = "UPPER(city) text_pattern_ops, city, state"
        editor.execute(f"CREATE INDEX {CITIES.name} ON events_event ({columns})")
    else:
        editor.add_index(apps.get_model("events", "event"), CITIES)


def drop_cities(apps, editor) -> None:
    editor.remove_index(apps.get_model("events", "event"), CITIES)


class Migration(migrations.Migration):
    dependencies = [("events", "0008_plain_words")]
    operations = [
        migrations.RunPython(index_words, drop_indexes),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(index_cities, drop_cities)],
            state_operations=[migrations.AddIndex("event", CITIES)],
        ),
    ]
