"""The database's check of member IDs, which follows a setting."""

from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from players.formats.member_ids import MEMBER_ID
from players.models import Player
from ratings_site.common.db.cache_version import sync_cache_triggers

NAME = "member_id_is_eight_digits"
_DEFINITION = {
    "postgresql": "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE conname = %s",
    "sqlite": "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql LIKE %s",
}


def sync_member_id_constraint(*, using: str, **_: object) -> None:
    """Replace the check of eight digits, made by migrations, by this office's own."""
    connection = connections[using]
    with connection.cursor() as cursor:
        name = NAME if connection.vendor == "postgresql" else f'%"{NAME}"%'
        cursor.execute(_DEFINITION[connection.vendor], [name])
        (definition,) = cursor.fetchone() or ("",)
    if not definition or f"'{MEMBER_ID.pattern}'" in definition:
        return
    others = Player.objects.using(using).exclude(member_id__regex=MEMBER_ID.pattern)
    if other := others.first():
        raise ImproperlyConfigured(
            f"MEMBER_ID_PATTERN does not match the IDs of {others.count()} members, "
            f"such as {other.member_id}."
        )
    constraint = next(one for one in Player._meta.constraints if one.name == NAME)
    with connection.schema_editor() as editor:
        editor.remove_constraint(Player, constraint)
        editor.add_constraint(Player, constraint)
    sync_cache_triggers(using=using)  # SQLite made a new table
