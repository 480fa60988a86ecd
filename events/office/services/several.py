"""Accepting several reports, each by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from django.db import transaction
from django.utils.translation import gettext as _

from events.books.refusals import NotPossible, Outdated
from events.models import Event, Submission
from events.office.queries.clean import (
    LeftOut,
    Why,
    left_out,
    not_there,
    with_what_is_open,
)
from events.office.services.acceptance import accept_report
from events.reports.services.submissions import REVIEW
from ratings_site.common.accounts.permissions import require
from ratings_site.common.models import User

# Seconds. The server gives up on a request after sixty.
LONGEST = 30


@dataclass(slots=True)
class Accepted:
    """What became of several reports: events of the books, and those left out."""

    events: list[Event] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def accept_several(
    *,
    versions: Mapping[int, int],
    actor: User,
    reason: str = "",
    longest: int = LONGEST,
) -> Accepted:
    """Accept clean reports, each in a transaction of its own, by ``accept_report``.

    *versions* are the reports that were shown, by number. They are accepted in the
    order in which the events ended, so that none makes another one late. What has
    changed since is left out, and so is what is not reached within *longest* seconds.
    """
    require(actor, REVIEW)
    until = monotonic() + longest
    in_order = list(
        Submission.objects.filter(pk__in=versions)
        .order_by("ends", "submitted_at", "pk")
        .values_list("pk", flat=True)
    )
    done = Accepted(left_out=not_there(versions, in_order))
    for pk in in_order:
        if monotonic() > until:
            done.left_out.append(_not_reached(pk))
            continue
        one = _accept(pk, versions[pk], actor, reason)
        if isinstance(one, Event):
            done.events.append(one)
        else:
            done.left_out.append(one)
    return done


def _accept(pk: int, version: int, actor: User, reason: str) -> Event | LeftOut:
    with transaction.atomic():
        # A join would be an outer one, which cannot be locked: so the row comes first.
        Submission.objects.select_for_update().only("pk").get(pk=pk)
        submission = with_what_is_open(Submission.objects.all()).get(pk=pk)
        if why := left_out([submission], actor).get(pk):
            return why
        try:
            return accept_report(
                submission_id=pk, actor=actor, reason=reason, version=version
            )
        except Outdated:
            sentence = _("It has changed since the list was made. Look at it again.")
            return LeftOut(pk, Why.CHANGED, sentence, submission)
        except NotPossible as refusal:
            return LeftOut(pk, Why.REFUSED, str(refusal), submission)


def _not_reached(pk: int) -> LeftOut:
    return LeftOut(
        pk,
        Why.NO_TIME,
        _("There was no time left for it. It waits as before: accept it again."),
        Submission.objects.get(pk=pk),
    )
