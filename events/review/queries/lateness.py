"""Lateness of reports by affiliate and by TD in a period."""

from datetime import date
from typing import Any

from django.db.models import Avg, Count, F, Max, Q, QuerySet, Value
from django.utils.translation import gettext as _

from events.models import Submission
from ratings_site.common.ui.charts.distributions import Bar

# The chart's bands of days late, from and to.
BANDS = ((0, 0), (1, 3), (4, 7), (8, 27), (28, None))


def handed_in(since: date, until: date) -> QuerySet[Submission]:
    """Return the submitted reports of events that ended in a period."""
    return Submission.objects.exclude(state=Submission.State.WITHDRAWN).filter(
        days_late__isnull=False, ends__range=(since, until)
    )


def by_affiliate(since: date, until: date) -> QuerySet[Submission, Any]:
    rows = handed_in(since, until).filter(affiliate__isnull=False)
    return _measured(
        rows,
        key=F("affiliate__affiliate_id"),
        name=F("affiliate__name"),
        given=Value(""),
        family=F("affiliate__name"),
    )


def by_sender(since: date, until: date) -> QuerySet[Submission, Any]:
    """Measure by sender: the TD, or staff for paper reports."""
    return _measured(
        handed_in(since, until),
        key=F("uploaded_by__player__member_id"),
        name=F("uploaded_by__username"),
        given=F("uploaded_by__player__given_name"),
        family=F("uploaded_by__player__family_name"),
    )


def _measured(rows: QuerySet[Submission], **who: Any) -> QuerySet[Submission, Any]:
    """Count by person or club, the latest first."""
    return (
        rows.order_by()
        .values(**who)
        .annotate(
            reports=Count("pk"),
            late=Count("pk", filter=Q(days_late__gt=0)),
            average=Avg("days_late"),
            most=Max("days_late"),
        )
        .order_by("-late", "-average", F("name"), F("key"))
    )


def distribution(since: date, until: date) -> list[Bar]:
    """Count reports by days late, in one query."""
    counts = handed_in(since, until).aggregate(
        **{f"band{number}": Count("pk", filter=_within(band))
           for number, band in enumerate(BANDS)}
    )  # fmt: skip
    return [
        Bar(_in_words(*band), counts[f"band{number}"])
        for number, band in enumerate(BANDS)
    ]


def _within(band: tuple[int, int | None]) -> Q:
    first, last = band
    if last is None:
        return Q(days_late__gte=first)
    return Q(days_late__range=(first, last))


def _in_words(first: int, last: int | None) -> str:
    if not first and not last:
        return _("On time")
    if last is None:
        return _("{days} days or more").format(days=first)
    return _("{first} to {last} days late").format(first=first, last=last)
