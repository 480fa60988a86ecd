"""The new members who wait for a number."""

from django.db.models import QuerySet

from events.models import PendingMember, Submission

WITH_OFFICE = (Submission.State.SUBMITTED, Submission.State.ACCEPTED)


def newcomers_who_wait(*, open_too: bool = False) -> QuerySet[PendingMember]:
    """Return the new members without a number, of reports that are with the office.

    With *open_too* also those of reports that TDs still work on.
    """
    states = [*WITH_OFFICE, *(Submission.EDITABLE if open_too else ())]
    return PendingMember.objects.filter(
        resolved_to=None, submission__state__in=states
    ).select_related("submission")
