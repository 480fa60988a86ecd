#!/usr/bin/env python
"""Command line of the ratings office."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratings_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db.utils import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"The office cannot start: {error}")
    except OperationalError as error:
        sys.exit(_database_sentence(error))


def _database_sentence(error: Exception) -> str:
    from django.conf import settings

    database = settings.DATABASES["default"]
    place = database["NAME"]
    if database.get("HOST"):
        place = f"{place} on {database['HOST']}:{database.get('PORT') or 5432}"
    cause = str(error).strip().splitlines()[0]
    return (
        f"The database {place} cannot be used: {cause}. "
        "Start it, or correct DATABASE_URL (leave it empty for SQLite)."
    )


if __name__ == "__main__":
    main()
