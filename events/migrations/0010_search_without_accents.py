"""Index the words and cities of events and affiliates without accents."""

from django.db import migrations

# Of ratings_site.common.db.word_search, as of this migration: letters with an accent.
ACCENTED = (
    "ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïðñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊċČ"
    "čĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭĮįİıĴĵĶķĹĺĻļĽľĿŀŁłŃńŅņŇňŉŌōŎŏŐőŔŕŖŗŘřŚś"
    "ŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ"
)
PLAIN = (
    "AAAAAACEEEEIIIIDNOOOOOOUUUUYAAAAAACEEEEIIIIDNOOOOOOUUUUYYAAAAAACCCCCCC"
    "CDDDDEEEEEEEEEEGGGGGGGGHHIIIIIIIIIIJJKKLLLLLLLLLLNNNNNNNOOOOOORRRRRRSS"
    "SSSSSSTTTTUUUUUUUUUUUUWWYYYZZZZZZS"
)
OLD, NEW = "{}", f"translate({{}}, '{ACCENTED}', '{PLAIN}')"
WORDS = "to_tsvector('simple', regexp_replace({}, '[^[:alnum:]]+', ' ', 'g'))"
INDEXES = {
    "events_event_words": ("events_event", "search_text"),
    "events_affiliate_words": ("events_affiliate", "UPPER(name)"),
}


def index(editor, expression: str) -> None:
    """Replace the indexes on PostgreSQL; SQLite has none for such searches."""
    if editor.connection.vendor != "postgresql":
        return
    for name, (table, column) in INDEXES.items():
        words = WORDS.format(expression.format(column))
        editor.execute(f"DROP INDEX {name}")
        editor.execute(f"CREATE INDEX {name} ON {table} USING gin ({words})")
    city = expression.format("UPPER(city)")
    editor.execute("DROP INDEX events_by_city")
    editor.execute(
        "CREATE INDEX events_by_city ON events_event "
        f"({city} text_pattern_ops, city, state)"
    )


def index_without_accents(apps, editor) -> None:
    index(editor, NEW)


def index_with_accents(apps, editor) -> None:
    index(editor, OLD)


class Migration(migrations.Migration):
    dependencies = [("events", "0009_search_words")]
    operations = [migrations.RunPython(index_without_accents, index_with_accents)]
