"""Signals of ``events``."""

from django.dispatch import Signal

# A correction was requested, answered, restated or decided. ``request`` has the
# new state; ``concerned`` are the primary keys of players whose row or game was
# corrected. Sent inside the transaction.
correction_changed = Signal()
