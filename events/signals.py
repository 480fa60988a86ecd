"""What ``events`` tells those who rate, without knowing them."""

from django.dispatch import Signal

# Sent inside the accepting transaction, once per section: ``section``.
section_ready = Signal()
