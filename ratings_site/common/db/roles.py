"""The PostgreSQL role of web processes, which owns no tables.

The owner of a table can disable the triggers that make it append-only. Web processes,
which are exposed to the internet, connect with a role that cannot.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from psycopg import sql

_GRANTS = (
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
    # Tables of later migrations and rerates.
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public "
    "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public "
    "GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


class RoleRefused(Exception):
    """This role cannot be the web role; the message says why."""


def grant_to_web_role(role: str) -> None:
    """Let *role* read and write rows of all tables, including future ones.

    The role has to exist. Call this as the owner of the tables, who may neither be
    *role* nor a member of it. It is idempotent.
    """
    if connection.vendor != "postgresql":
        raise RoleRefused("Only PostgreSQL has roles; set DATABASE_URL.")
    with connection.cursor() as cursor:
        if problem := _problem(cursor, role):
            raise RoleRefused(problem)
        for statement in _GRANTS:
            text = sql.SQL(statement).format(role=sql.Identifier(role))
            cursor.execute(text.as_string(connection.connection))


def _problem(cursor: Any, role: str) -> str:
    cursor.execute(
        "SELECT rolsuper OR rolcreaterole "
        "OR pg_has_role(rolname, current_user, 'MEMBER'), rolname = current_user "
        "FROM pg_roles WHERE rolname = %s",
        [role],
    )
    row = cursor.fetchone()
    if row is None:
        return (
            f"There is no role {role!r}. Make it first: "
            f"CREATE ROLE {role} LOGIN PASSWORD '...';"
        )
    is_powerful, is_owner = row
    if is_owner:
        return f"{role!r} owns the tables. The web role must be another role."
    if is_powerful:
        return (
            f"{role!r} is a superuser, may create roles, or acts as the owner. "
            "The web role must be able to do none of these."
        )
    cursor.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "AND pg_get_userbyid(relowner) = %s LIMIT 1",
        [role],
    )
    owned = cursor.fetchone()
    return f"{role!r} owns the table {owned[0]}." if owned else ""


def may_migrate() -> bool:
    """Return whether this process connects as an owner of the tables."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), true) "
            "FROM pg_class WHERE relname = 'django_migrations'"
        )
        return bool(cursor.fetchone()[0])
