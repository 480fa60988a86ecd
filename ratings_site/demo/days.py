"""The days of the demo, counted back from today, so that it never looks old."""

from datetime import date, timedelta

from django.utils import timezone

SATURDAY = 5


def saturday(weeks_ago: int) -> date:
    """Return the last Saturday before today, or the one so many weeks earlier."""
    today = timezone.localdate()
    since = (today.weekday() - SATURDAY - 1) % 7 + 1
    return today - timedelta(days=since, weeks=weeks_ago)
