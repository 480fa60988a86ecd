"""Serve the requests of test clients as the web role, which owns no table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import psycopg
from django.db import connection
from django.http import HttpRequest, HttpResponse

WEB_ROLE = "ratings_tests_web"


def make_web_role(address: str) -> None:
    """Make the role on the server of *address*, if it is not there."""
    with psycopg.connect(address, autocommit=True) as admin:
        known = "SELECT 1 FROM pg_roles WHERE rolname = %s"
        if not admin.execute(known, [WEB_ROLE]).fetchone():
            # Another process of the suite may be quicker.
            with suppress(
                psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation
            ):
                admin.execute(f"CREATE ROLE {WEB_ROLE} LOGIN")


def as_web_role(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware around all others. Queries that tests count do not include its own."""

    def respond(request: HttpRequest) -> HttpResponse:
        session = connection.connection
        if session is None or session.closed:
            return get_response(request)
        # The server may have closed it between two requests.
        with suppress(psycopg.OperationalError):
            session.execute(f"SET ROLE {WEB_ROLE}")
        try:
            return get_response(request)
        finally:
            # A transaction that failed takes the role back with it.
            with suppress(psycopg.Error):
                session.execute("RESET ROLE")

    return respond
