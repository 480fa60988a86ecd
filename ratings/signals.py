"""Signals of ``ratings`` for notices, feeds and webhooks.

Each is sent inside the transaction of the change, so a slow receiver queues a job.
"""

from django.dispatch import Signal

# Sections have been rated for the first time: ``sections``; and ``events``, those of
# them that are rated completely.
sections_rated = Signal()

# A rerate has become public: ``run``.
rerate_published = Signal()

# A published rerate has been undone: ``run``.
rerate_undone = Signal()

# An official list has been published: ``official_list``.
list_published = Signal()
