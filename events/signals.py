"""What ``events`` tells several listeners that do not know each other."""

from django.dispatch import Signal

# Sent inside the transaction of the act: ``message`` (a ReportMessage), that the TD or
# the office has written to the other side.
report_message_written = Signal()

# A report has gone to the office, or was returned, accepted or withdrawn:
# ``submission`` in its new state. Sent inside the transaction.
report_changed = Signal()

# A correction was asked for, answered, restated or decided: ``request`` in its new
# state and ``concerned``, the players (their numbers) whose row or game has been
# corrected. Sent inside the transaction.
correction_changed = Signal()
