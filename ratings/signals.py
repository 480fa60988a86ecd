"""What ``ratings`` tells what passes it on: notices, feeds, other machines.

Each is sent inside the transaction of the act, so a receiver that has much to do queues
a job.
"""

from django.dispatch import Signal

# Sections have been rated for the first time: ``sections``; and ``events``, those of
# them in which nothing waits to be rated any more.
sections_rated = Signal()

# A rerate has become public: ``run``.
rerate_published = Signal()

# A published rerate has been taken back: ``run``.
rerate_undone = Signal()

# An official list has been published: ``official_list``.
list_published = Signal()
