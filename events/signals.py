"""What ``events`` tells several listeners that do not know each other."""

from django.dispatch import Signal

# A correction was asked for, answered, restated or decided: ``request`` in its new
# state and ``concerned``, the players (their numbers) whose row or game has been
# corrected. Sent inside the transaction.
correction_changed = Signal()
