"""Refusals that stand for errors of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction


@contextmanager
def refuse_conflict(refusal: Exception) -> Iterator[None]:
    """Run a transaction; raise *refusal* if it violates a constraint.

    Another request may have written the same a moment ago.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise refusal from error
