"""The size of the database."""

from django.db import connection


def database_bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
        size: int = cursor.fetchone()[0]
    return size
