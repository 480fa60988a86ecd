"""Dates of the demo, relative to today, so that it stays current."""

from datetime import date, timedelta

from django.utils import timezone

SATURDAY = 5


def saturday(weeks_ago: int) -> date:
    """Return the last Saturday before today, or an earlier one."""
    today = timezone.localdate()
    since = (today.weekday() - SATURDAY - 1) % 7 + 1
    return today - timedelta(days=since, weeks=weeks_ago)
