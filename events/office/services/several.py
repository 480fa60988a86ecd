"""Accepting several reports, each by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from events.books.refusals import NotPossible, Outdated
from events.checks.services import note_counts
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
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.acts.several import LONGEST, NoTime, each_by_itself
from ratings_site.common.models import User


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
    longest: float = LONGEST,
) -> Accepted:
    """Accept clean reports, each in a transaction of its own, by ``accept_report``.

    *versions* are the reports that were shown, by number. They are accepted in the
    order in which the events ended, so that none makes another one late. What has
    changed since is left out, and so is what is not reached within *longest* seconds.
    """
    require(actor, REVIEW)
    in_order = list(
        Submission.objects.filter(pk__in=versions)
        .order_by("ends", "submitted_at", "pk")
        .values_list("pk", flat=True)
    )
    done = Accepted(left_out=not_there(versions, in_order))
    accepted = each_by_itself(
        in_order, lambda pk: _accept(pk, versions[pk], actor, reason), longest=longest
    )
    for pk, one in accepted:
        if isinstance(one, Event):
            done.events.append(one)
        else:
            done.left_out.append(_refused(pk, one))
    return done


def _accept(pk: int, version: int, actor: User, reason: str) -> Event | LeftOut:
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


def _refused(pk: int, one: LeftOut | Refusal) -> LeftOut:
    if isinstance(one, LeftOut):
        return one
    submission = Submission.objects.get(pk=pk)
    if isinstance(one, NotPossible) and one.findings is not None:
        note_counts(submission, one.findings)
    why = Why.NO_TIME if isinstance(one, NoTime) else Why.REFUSED
    return LeftOut(pk, why, str(one), submission)
