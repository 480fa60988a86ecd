"""What ratings hears from the events."""

from django.dispatch import receiver

from events.models import Section
from events.signals import section_ready
from ratings.tasks import enqueue_rating


@receiver(section_ready)
def rate_when_ready(section: Section, **_: object) -> None:
    enqueue_rating(section)
